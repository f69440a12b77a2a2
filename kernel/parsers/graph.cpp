#include "parsers/graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "decoders/spanning/crossing_search.hpp"
#include "nn/activation.hpp"

namespace crossarc {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
// What an arc loses that should not be crossed, where it cannot be forbidden.
constexpr float kMuchWorse = 1000.0F;

// Scores of heads become logarithms of their probabilities; a word is no head of itself.
void normalise_heads(ArcScores& scores, float temperature) {
  for (std::size_t dependent = 1; dependent < scores.width(); ++dependent) {
    scores.row(dependent)[dependent] = kNever;
    log_softmax(scores.row(dependent), scores.width(), temperature);
  }
}

// The same for heads with and without a crossing, which a word chooses among. `crossed` has what a crossing adds.
void normalise_pairs(ArcScorePair& scores, float temperature, std::vector<float>& row) {
  const std::size_t width = scores.width();
  row.resize(2 * width);
  for (std::size_t dependent = 1; dependent < width; ++dependent) {
    float* const uncrossed = scores.uncrossed.row(dependent);
    float* const crossed = scores.crossed.row(dependent);
    uncrossed[dependent] = kNever;
    for (std::size_t head = 0; head < width; ++head) {
      row[head] = uncrossed[head];
      row[width + head] = uncrossed[head] + crossed[head];
    }
    log_softmax(row.data(), row.size(), temperature);
    std::copy_n(row.data(), width, uncrossed);
    std::copy_n(row.data() + width, width, crossed);
  }
}

// Words have the heads that they are to have; -1: any.
void keep_heads(std::span<const std::int32_t> heads, ArcScores& scores) {
  for (std::size_t word = 0; word < heads.size(); ++word) {
    if (heads[word] < 0) continue;
    float* const row = scores.row(word + 1);
    const float kept = row[heads[word]];
    std::fill_n(row, scores.width(), kNever);
    row[heads[word]] = kept;
  }
}

// The trees of one sentence.
struct SentenceTrees {
  std::vector<double> totals;
  std::vector<std::int32_t> heads, labels;
  std::vector<float> scores, margins;
  bool fallback = false;  // it was too long for the chart of its class, and got other trees
};

// Finds the trees of sentences for their scores. Keeps its memory.
class TreeFinder {
 public:
  explicit TreeFinder(const GraphSearch& search) : search_(&search) {}

  // None where no tree has the allowed arcs only. `given`: all heads are, and any tree will do.
  void find(const ArcScorePair& scores, std::span<const std::uint8_t> never_crossed, bool given, SentenceTrees& trees) {
    const DecodeOptions options = given ? DecodeOptions{} : search_->trees;
    load(scores, options.tree_class, given, never_crossed);
    const std::int32_t words = scores.uncrossed.words;
    heads_.resize(static_cast<std::size_t>(words));
    const bool minimum_risk = search_->minimum_risk && fits_chart(options, words, ChartUse::kSums);
    trees.fallback = search_->minimum_risk && !minimum_risk;
    if (minimum_risk && !expect_heads(options)) return;
    if (search_->most > 1) {
      RankedTrees ranked = find_k_best(incoming_, options, search_->most);
      trees.heads = std::move(ranked.heads);
      trees.fallback |= ranked.fell_back;
      if (incoming_.has_crossed() && options.tree_class == TreeClass::kSpanningTree) rank_anew(options, trees.heads);
    } else if (incoming_.has_crossed() && options.tree_class == TreeClass::kSpanningTree) {
      if (crossing_search_.find(incoming_, options, heads_)) trees.heads = heads_;
    } else if (decoder_.decode(incoming_, options, heads_)) {
      trees.heads = heads_;
      trees.fallback |= decoder_.fell_back();
    }
    measure(scores, never_crossed, trees);
  }

 private:
  // What trees of a class are compared by: crossed arcs may have scores of their own, but not among unrestricted trees
  // of the least risk, whose probabilities are not known then. `given`: there is one tree.
  void load(const ArcScorePair& scores, TreeClass tree_class, bool given, std::span<const std::uint8_t> never_crossed) {
    const bool unrestricted = tree_class == TreeClass::kSpanningTree;
    const bool crossing = unrestricted ? !given && !search_->minimum_risk : tree_class != TreeClass::kProjective;
    ScoreView<float> view{scores.uncrossed.values.data(), 1, static_cast<std::ptrdiff_t>(scores.width()),
                          scores.uncrossed.words};
    if (crossing && (scores.both || search_->crossing.penalty != 0.0F || !never_crossed.empty())) {
      crossed_ = scores.both ? scores.crossed.values : scores.uncrossed.values;
      if (scores.both && search_->crossing.weight != 1.0F) {
        weigh(scores, never_crossed);
        view.data = uncrossed_.data();
      }
      for (float& score : crossed_) score -= search_->crossing.penalty;
      // A search has to come from trees where they are.
      const float worse = unrestricted ? kMuchWorse : -kNever;
      for (std::size_t word = 0; word < never_crossed.size(); ++word) {
        float* const row = crossed_.data() + (word + 1) * scores.width();
        for (std::size_t head = 0; never_crossed[word] && head < scores.width(); ++head) row[head] -= worse;
      }
      view.crossed = crossed_.data();
    } else if (scores.both && unrestricted) {
      crossed_.resize(scores.uncrossed.values.size());
      for (std::size_t arc = scores.width(); arc < crossed_.size(); ++arc) {
        crossed_[arc] = add_logs(scores.uncrossed.values[arc], scores.crossed.values[arc]);
      }
      view.data = crossed_.data();
    }
    incoming_.load(view);
  }

  // Arcs into words that are never crossed keep their scores: what crossing would change was not learnt of them.
  void weigh(const ArcScorePair& scores, std::span<const std::uint8_t> never_crossed) {
    uncrossed_ = scores.uncrossed.values;
    for (std::size_t word = 1; word < scores.width(); ++word) {
      if (!never_crossed.empty() && never_crossed[word - 1]) continue;
      for (std::size_t arc = word * scores.width(); arc < (word + 1) * scores.width(); ++arc) {
        const float head_score = add_logs(uncrossed_[arc], crossed_[arc]);
        if (head_score == kNever) continue;
        uncrossed_[arc] = weighed(uncrossed_[arc], head_score);
        crossed_[arc] = weighed(crossed_[arc], head_score);
      }
    }
  }

  // `head_score`: that of the arc, crossed or not.
  float weighed(float score, float head_score) const {
    const float weight = search_->crossing.weight;
    return weight == 1.0F ? score : head_score + weight * (score - head_score);
  }

  // Several unrestricted trees, found by the scores of uncrossed arcs, in the order of their own scores; that which a
  // search finds is among them.
  void rank_anew(const DecodeOptions& options, std::vector<std::int32_t>& trees) {
    const auto words = static_cast<std::size_t>(incoming_.words());
    if (words == 0 || !crossing_search_.find(incoming_, options, heads_)) return;
    std::vector<std::pair<double, std::vector<std::int32_t>>> ranked;
    const auto add = [&](std::span<const std::int32_t> heads) {
      ranked.emplace_back(-incoming_.sum(heads, options.root_arcs), std::vector(heads.begin(), heads.end()));
    };
    add(heads_);
    for (std::size_t first = 0; first < trees.size(); first += words) {
      const auto heads = std::span<const std::int32_t>(trees).subspan(first, words);
      if (!std::equal(heads.begin(), heads.end(), heads_.begin())) add(heads);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    ranked.resize(std::min(ranked.size(), search_->most));
    trees.clear();
    for (const auto& [score, heads] : ranked) trees.insert(trees.end(), heads.begin(), heads.end());
  }

  // Scores become the probabilities of heads over all trees of the class; false if there is none.
  bool expect_heads(const DecodeOptions& options) {
    if (!std::isfinite(sum_trees(incoming_, options, &probabilities_))) return false;
    const std::size_t square = incoming_.width() * incoming_.width();
    for (std::size_t arc = square; arc < probabilities_.size(); ++arc) {
      probabilities_[arc - square] += probabilities_[arc];
      probabilities_[arc] = probabilities_[arc - square];
    }
    for (std::int32_t word = 1; word <= incoming_.words(); ++word) {
      const double* expected = probabilities_.data() + static_cast<std::size_t>(word) * incoming_.width();
      for (std::int32_t head = 0; head <= incoming_.words(); ++head) {
        for (double* row : {incoming_.row(word), incoming_.crossed_row(word)}) {
          if (row[head] != kForbidden) row[head] = expected[head];
        }
      }
    }
    return true;
  }

  // The score of a tree is that by which trees were compared, those of its arcs are of heads, crossed or not.
  void measure(const ArcScorePair& scores, std::span<const std::uint8_t> never_crossed, SentenceTrees& trees) const {
    const auto words = static_cast<std::size_t>(scores.uncrossed.words);
    trees.totals.clear();
    trees.scores.clear();
    trees.margins.clear();
    for (std::size_t first = 0; first < trees.heads.size(); first += words) {
      const std::span<const std::int32_t> heads = std::span(trees.heads).subspan(first, words);
      double total = 0.0;
      for (std::size_t word = 1; word <= words; ++word) {
        const auto head = static_cast<std::size_t>(heads[word - 1]);
        const float score = scores.head_score(word, head);
        total += tree_score(scores, heads, word, score, !never_crossed.empty() && never_crossed[word - 1]);
        trees.scores.push_back(score);
        trees.margins.push_back(score - best_other(scores, word, head));
      }
      trees.totals.push_back(total);
    }
  }

  // What the arc into a word adds to the score of its tree.
  float tree_score(const ArcScorePair& scores, std::span<const std::int32_t> heads, std::size_t word, float head_score,
                   bool never_crossed) const {
    const bool one_score = !scores.both && search_->crossing.penalty == 0.0F;
    const bool unrestricted = search_->trees.tree_class == TreeClass::kSpanningTree;
    if (one_score || (unrestricted && search_->minimum_risk)) return head_score;
    const auto head = static_cast<std::size_t>(heads[word - 1]);
    const bool crossed = is_crossed(heads, static_cast<std::int32_t>(word), search_->trees.root_arcs);
    const float score = (crossed && scores.both ? scores.crossed : scores.uncrossed).row(word)[head];
    return (never_crossed ? score : weighed(score, head_score)) - (crossed ? search_->crossing.penalty : 0.0F);
  }

  static float best_other(const ArcScorePair& scores, std::size_t word, std::size_t head) {
    float best = kNever;
    for (std::size_t other = 0; other < scores.width(); ++other) {
      if (other == head || !(scores.most(word, other) > best)) continue;
      best = std::max(best, scores.head_score(word, other));
    }
    return best;
  }

  const GraphSearch* search_;
  TreeDecoder<float> decoder_;
  CrossingSearch crossing_search_;
  IncomingScores incoming_;
  std::vector<float> uncrossed_, crossed_;
  std::vector<double> probabilities_;
  std::vector<std::int32_t> heads_;
};

// Puts the trees of all sentences one behind the other.
void collect(const SentenceTable& table, std::vector<SentenceTrees>& sentences, GraphTrees& all) {
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::size_t sentence = 0; sentence < sentences.size(); ++sentence) {
    SentenceTrees& trees = sentences[sentence];
    if (table.length(sentence) == 0) trees.totals.assign(1, 0.0);
    if (trees.totals.empty()) {
      throw std::invalid_argument("sentence " + std::to_string(sentence + 1) +
                                  ": no tree of the class has the heads that are given");
    }
    all.counts.push_back(static_cast<std::int64_t>(trees.totals.size()));
    all.fallbacks += trees.fallback ? 1 : 0;
    append(all.totals, trees.totals);
    append(all.heads, trees.heads);
    append(all.labels, trees.labels);
    append(all.scores, trees.scores);
    append(all.margins, trees.margins);
    trees = {};
  }
}

}  // namespace

float ArcScorePair::head_score(std::size_t dependent, std::size_t head) const {
  const float score = uncrossed.row(dependent)[head];
  return both ? add_logs(score, crossed.row(dependent)[head]) : score;
}

float ArcScorePair::most(std::size_t dependent, std::size_t head) const {
  constexpr float kLogTwo = 0.6931472F;
  const float score = uncrossed.row(dependent)[head];
  return both ? std::max(score, crossed.row(dependent)[head]) + kLogTwo : score;
}

// Reads batches, one after the other. Keeps its memory.
class GraphModel::Worker {
 public:
  explicit Worker(const GraphModel& model)
      : head_(model.tags_), arcs_(*model.arcs_), tags_(head_ == nullptr ? nullptr : head_->reading()) {
    if (model.crossed_ != nullptr) crossed_.emplace(*model.crossed_);
  }

  void read_labels(const Matrix& encoded) { arcs_.project(encoded); }
  void read(const Matrix& encoded) {
    arcs_.read(encoded);
    if (crossed_) crossed_->read(encoded);
    if (tags_ != nullptr) tag_scores_ = &tags_->read(encoded, false);
  }
  // `with_crossed`: crossed arcs, too, if they have scores of their own. `heads`: those that words are to have, if any.
  const ArcScorePair& score_arcs(const Batch& batch, std::size_t sentence, float temperature, bool with_crossed,
                                 std::span<const std::int32_t> heads = {}) {
    arcs_.score_arcs(batch, sentence, scores_.uncrossed);
    scores_.both = with_crossed && crossed_;
    if (scores_.both) {
      crossed_->score_arcs(batch, sentence, scores_.crossed);
      normalise_pairs(scores_, temperature, row_);
      keep_heads(heads, scores_.crossed);
    } else {
      normalise_heads(scores_.uncrossed, temperature);
    }
    keep_heads(heads, scores_.uncrossed);
    return scores_;
  }
  // The best class of each tag of the words of a sentence, a row for each word; `first`: its first word in the table.
  void find_tags(const Batch& batch, std::size_t sentence, std::size_t first, const TagCombinations& combinations,
                 const TagRows& together, std::int32_t* classes) const {
    for (std::size_t word = 1; head_ != nullptr && word < batch.words(sentence); ++word) {
      const float* const scores = tag_scores(batch, sentence, word);
      const std::size_t of_table = first + word - 1;
      const std::int32_t* const best =
          head_->best_together(scores, together, combinations.given_of(of_table), combinations.evidence_of(of_table));
      const std::size_t known = best == nullptr ? 0 : together.tags();
      std::copy_n(best, known, classes);
      for (std::size_t tag = known; tag < head_->targets(); ++tag) classes[tag] = head_->best(scores, tag);
      classes += head_->targets();
    }
  }
  const float* tag_scores(const Batch& batch, std::size_t sentence, std::size_t word) const {
    return tag_scores_->row(batch.row(sentence, word));
  }
  // Of the arcs into the words of a sentence.
  const Matrix& score_labels(const Batch& batch, std::size_t sentence, std::span<const std::int32_t> heads) {
    const std::size_t words = batch.words(sentence) - 1;
    const auto row = [&](std::size_t word) { return static_cast<std::int64_t>(batch.row(sentence, word)); };
    to_label_.clear();
    for (std::size_t arc = 0; arc < heads.size(); ++arc) {
      to_label_.push_back({row(static_cast<std::size_t>(heads[arc])), row(arc % words + 1)});
    }
    return arcs_.score_labels(to_label_);
  }
  void find_labels(const Batch& batch, std::size_t sentence, std::int32_t root_label, SentenceTrees& trees) {
    const Matrix& scores = score_labels(batch, sentence, trees.heads);
    trees.labels.resize(trees.heads.size());
    for (std::size_t arc = 0; arc < trees.heads.size(); ++arc) {
      trees.labels[arc] = best_label(scores.row(arc), scores.columns, root_label, trees.heads[arc] == 0);
    }
  }

 private:
  static std::int32_t best_label(const float* scores, std::size_t labels, std::int32_t root_label, bool is_root) {
    if (root_label >= 0 && is_root) return root_label;
    std::size_t best = root_label == 0 && labels > 1 ? 1 : 0;
    for (std::size_t label = best + 1; label < labels; ++label) {
      if (scores[label] > scores[best] && static_cast<std::int32_t>(label) != root_label) best = label;
    }
    return static_cast<std::int32_t>(best);
  }

  const TagHead* head_;
  BiaffineReading arcs_;
  std::optional<BiaffineReading> crossed_;
  std::unique_ptr<WordReading> tags_;
  const Matrix* tag_scores_ = nullptr;
  ArcScorePair scores_;
  std::vector<float> row_;
  std::vector<ArcToLabel> to_label_;
};

GraphModel::GraphModel(std::shared_ptr<const Network> network)
    : network_(std::move(network)),
      arcs_(&network_->head<BiaffineHead>(BiaffineHead::kArcs)),
      crossed_(network_->find<BiaffineHead>(BiaffineHead::kCrossed)),
      tags_(network_->find<TagHead>()) {}

template <bool kOnlyLabels, typename Work>
void GraphModel::for_all(const SentenceTable& table, int threads, Work&& work) const {
  for_batches(
      *network_, table, {32, 1024, true}, threads, [&] { return std::make_unique<Worker>(*this); },
      [&](std::unique_ptr<Worker>& worker, const Batch& batch, const Matrix& encoded) {
        kOnlyLabels ? worker->read_labels(encoded) : worker->read(encoded);
        work(*worker, batch);
      });
}

GraphTrees GraphModel::parse(const SentenceTable& table, const GraphSearch& search, int threads) const {
  std::vector<SentenceTrees> sentences(table.sentences());
  const std::size_t tags = tags_ == nullptr ? 0 : tags_->targets();
  GraphTrees all;
  all.tags.resize(static_cast<std::size_t>(table.offsets.back()) * tags);
  std::mutex long_sentence;
  TreeFinder long_finder(search);
  // The charts of several trees and of sums are larger.
  const bool large =
      search.trees.tree_class == TreeClass::kOneEndpointCrossing && (search.most > 1 || search.minimum_risk);
  const std::int32_t longest = large ? kLongSentence / 2 : kLongSentence;
  const TagRows together(search.combinations.rows, search.combinations.tags);
  for_all(table, threads, [&](Worker& worker, const Batch& batch) {
    TreeFinder finder(search);
    for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
      const auto number = static_cast<std::size_t>(batch.sentences[sentence]);
      const std::size_t first = table.first_word(number);
      const auto words = static_cast<std::size_t>(table.length(number));
      const auto kept = search.heads.empty() ? search.heads : search.heads.subspan(first, words);
      const bool given = !kept.empty() && std::none_of(kept.begin(), kept.end(), [](auto head) { return head < 0; });
      SentenceTrees& trees = sentences[number];
      const auto never_crossed = kept.empty() ? search.never_crossed_of(first, words) : std::span<const std::uint8_t>{};
      const bool crossing = search.trees.tree_class != TreeClass::kProjective;
      const ArcScorePair& scores = worker.score_arcs(batch, sentence, search.temperature, crossing, kept);
      if (scores.uncrossed.words <= longest) {
        finder.find(scores, never_crossed, given, trees);
      } else {
        const std::lock_guard lock(long_sentence);
        long_finder.find(scores, never_crossed, given, trees);
      }
      worker.find_labels(batch, sentence, search.root_label, trees);
      worker.find_tags(batch, sentence, first, search.combinations, together, all.tags.data() + first * tags);
    }
  });
  collect(table, sentences, all);
  return all;
}

std::vector<BestTrees> GraphModel::compare_crossings(const SentenceTable& table, const GraphSearch& search,
                                                     std::span<const Crossing> ways, int threads) const {
  std::vector<GraphSearch> searches(ways.size(), search);
  const auto words = static_cast<std::size_t>(table.offsets.back());
  std::vector<BestTrees> all(ways.size(), {std::vector<std::int32_t>(words), std::vector<std::int32_t>(words)});
  for (std::size_t index = 0; index < ways.size(); ++index) searches[index].crossing = ways[index];
  const bool crossing = search.trees.tree_class != TreeClass::kProjective;
  std::mutex long_sentence;
  for_all(table, threads, [&](Worker& worker, const Batch& batch) {
    for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch.sentences[sentence]));
      const ArcScorePair& scores = worker.score_arcs(batch, sentence, search.temperature, crossing);
      std::unique_lock lock(long_sentence, std::defer_lock);
      if (scores.uncrossed.words > kLongSentence / 2) lock.lock();
      for (std::size_t index = 0; index < ways.size(); ++index) {
        SentenceTrees trees;
        TreeFinder(searches[index]).find(scores, search.never_crossed_of(first, scores.width() - 1), false, trees);
        worker.find_labels(batch, sentence, search.root_label, trees);
        std::copy(trees.heads.begin(), trees.heads.end(), all[index].heads.data() + first);
        std::copy(trees.labels.begin(), trees.labels.end(), all[index].labels.data() + first);
      }
    }
  });
  return all;
}

std::pair<std::vector<float>, std::vector<float>> GraphModel::arc_scores(const SentenceTable& table,
                                                                         int threads) const {
  std::vector<std::size_t> starts{0};
  for (std::size_t sentence = 0; sentence < table.sentences(); ++sentence) {
    const auto width = static_cast<std::size_t>(table.length(sentence)) + 1;
    starts.push_back(starts.back() + width * width);
  }
  std::pair<std::vector<float>, std::vector<float>> all;
  all.first.resize(starts.back());
  if (crossed_ != nullptr) all.second.resize(starts.back());
  const auto transpose = [](const ArcScores& scores, float* to) {
    for (std::size_t dependent = 1; dependent < scores.width(); ++dependent) {
      for (std::size_t head = 0; head < scores.width(); ++head) {
        to[head * scores.width() + dependent] = scores.row(dependent)[head];
      }
    }
  };
  for_all(table, threads, [&](Worker& worker, const Batch& batch) {
    for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
      const ArcScorePair& scores = worker.score_arcs(batch, sentence, 1.0F, true);
      const std::size_t start = starts[static_cast<std::size_t>(batch.sentences[sentence])];
      transpose(scores.uncrossed, all.first.data() + start);
      if (scores.both) transpose(scores.crossed, all.second.data() + start);
    }
  });
  return all;
}

std::vector<float> GraphModel::label_scores(const SentenceTable& table, std::span<const std::int32_t> heads,
                                            int threads) const {
  const std::size_t labels = arcs_->labels;
  std::vector<float> all(heads.size() * labels, 0.0F);
  for_all<true>(table, threads, [&](Worker& worker, const Batch& batch) {
    for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch.sentences[sentence]));
      const std::size_t words = batch.words(sentence) - 1;
      const Matrix& scores = worker.score_labels(batch, sentence, heads.subspan(first, words));
      std::copy_n(scores.row(0), words * labels, all.data() + first * labels);
    }
  });
  return all;
}

std::vector<float> GraphModel::tag_scores(const SentenceTable& table, int threads) const {
  const std::size_t columns = tags_ == nullptr ? 0 : tags_->columns();
  std::vector<float> all(static_cast<std::size_t>(table.offsets.back()) * columns);
  if (columns == 0) return all;
  for_all(table, threads, [&](Worker& worker, const Batch& batch) {
    for (std::size_t sentence = 0; sentence < batch.size(); ++sentence) {
      const std::size_t first = table.first_word(static_cast<std::size_t>(batch.sentences[sentence]));
      for (std::size_t word = 1; word < batch.words(sentence); ++word) {
        std::copy_n(worker.tag_scores(batch, sentence, word), columns, all.data() + (first + word - 1) * columns);
      }
    }
  });
  return all;
}

}  // namespace crossarc
