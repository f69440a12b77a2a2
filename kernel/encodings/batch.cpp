#include <algorithm>
#include <mutex>

#include "core/threads.hpp"
#include "encodings/encodings.hpp"
#include "structure/short_tree.hpp"
#include "structure/tree_order.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kSentencesPerTask = 128;

struct Range {
  std::size_t first;
  std::size_t count;

  template <typename Values>
  auto of(Values& values) const {
    return std::span(values).subspan(first, count);
  }
};

Range range(std::span<const std::int64_t> offsets, std::size_t sentence) {
  const auto first = static_cast<std::size_t>(offsets[sentence]);
  return {first, static_cast<std::size_t>(offsets[sentence + 1]) - first};
}

// Gives every task a worker of its own, made by make_worker(), which says of each sentence whether it was in order.
// Returns the first sentence that was not, or -1.
template <typename MakeWorker>
std::int64_t for_each_sentence(std::size_t sentences, int threads, MakeWorker&& make_worker) {
  std::int64_t faulty_sentence = -1;
  std::mutex fault_mutex;
  const std::size_t tasks = (sentences + kSentencesPerTask - 1) / kSentencesPerTask;
  parallel_for(tasks, thread_count(threads), [&](std::size_t task) {
    auto work = make_worker();
    const std::size_t end = std::min(sentences, (task + 1) * kSentencesPerTask);
    for (std::size_t sentence = task * kSentencesPerTask; sentence < end; ++sentence) {
      if (work(sentence)) continue;
      const std::lock_guard lock(fault_mutex);
      const auto faulty = static_cast<std::int64_t>(sentence);
      if (faulty_sentence < 0 || faulty < faulty_sentence) faulty_sentence = faulty;
      return;
    }
  });
  return faulty_sentence;
}

bool build_tree(TreeOrder& order, std::span<const std::int32_t> heads) {
  const auto words = static_cast<std::int32_t>(heads.size());
  const auto in_range = [words](std::int32_t head) { return head >= 0 && head <= words; };
  return std::all_of(heads.begin(), heads.end(), in_range) && order.build(heads);
}

TreeFault find_fault(std::span<const std::int32_t> heads, std::span<const std::int64_t> word_offsets,
                     std::int64_t sentence) {
  if (sentence < 0) return {};
  CycleFinder cycles;
  return find_tree_fault(range(word_offsets, static_cast<std::size_t>(sentence)).of(heads), cycles);
}

}  // namespace

LiftedTreebank lift_treebank(std::span<const std::int32_t> heads, std::span<const std::int64_t> word_offsets,
                             const LiftOptions& options, int threads) {
  LiftedTreebank result;
  result.heads.resize(heads.size());
  result.marks.resize(heads.size());
  const auto make_worker = [&] {
    return [&, lifter = Lifter(options), short_tree = ShortTree(), order = TreeOrder()](std::size_t sentence) mutable {
      const Range words = range(word_offsets, sentence);
      const auto own_heads = words.of(heads);
      const bool is_short = own_heads.size() <= ShortTree::kMostWords;
      if (!(is_short ? short_tree.load(own_heads) : build_tree(order, own_heads))) return false;
      const auto lifted_heads = words.of(result.heads);
      const auto marks = words.of(result.marks);
      if (is_short ? short_tree.projective() : order.measure_extents(own_heads)) {
        std::copy(own_heads.begin(), own_heads.end(), lifted_heads.begin());
        std::fill(marks.begin(), marks.end(), 0);
        return true;
      }
      if (is_short) {
        short_tree.load_dominance();
        lifter.lift(short_tree);
      } else {
        lifter.lift(own_heads, order);
      }
      std::copy(lifter.heads().begin(), lifter.heads().end(), lifted_heads.begin());
      std::copy(lifter.marks().begin(), lifter.marks().end(), marks.begin());
      return true;
    };
  };
  result.faulty_sentence = for_each_sentence(word_offsets.size() - 1, threads, make_worker);
  result.fault = find_fault(heads, word_offsets, result.faulty_sentence);
  return result;
}

LoweredTreebank lower_treebank(const MarkedTree& trees, std::span<const std::int64_t> word_offsets, Scheme scheme,
                               Search search, int threads) {
  LoweredTreebank result;
  result.heads.resize(trees.heads.size());
  result.missed.resize(trees.heads.size());
  const auto make_worker = [&] {
    return [&, lowerer = Lowerer(scheme, search), order = TreeOrder()](std::size_t sentence) mutable {
      const Range words = range(word_offsets, sentence);
      const MarkedTree tree{words.of(trees.heads), words.of(trees.labels), words.of(trees.head_labels),
                            words.of(trees.marks)};
      if (!build_tree(order, tree.heads)) return false;
      lowerer.lower(tree, order, words.of(result.heads), words.of(result.missed));
      return true;
    };
  };
  result.faulty_sentence = for_each_sentence(word_offsets.size() - 1, threads, make_worker);
  result.fault = find_fault(trees.heads, word_offsets, result.faulty_sentence);
  return result;
}

ReconstructedTreebank reconstruct_treebank(std::span<const Link> links, std::span<const std::int64_t> link_offsets,
                                           std::span<const std::int64_t> word_offsets, Reconstruction reconstruction,
                                           int threads) {
  ReconstructedTreebank result;
  const auto all_words = static_cast<std::size_t>(word_offsets.back());
  result.heads.resize(all_words);
  result.link_of.resize(all_words);
  const auto make_worker = [&] {
    return [&, reconstructor = Reconstructor(reconstruction),
            link_of = std::vector<std::int32_t>()](std::size_t sentence) mutable {
      const Range words = range(word_offsets, sentence);
      const Range own_links = range(link_offsets, sentence);
      link_of.resize(words.count);
      if (!reconstructor.reconstruct(own_links.of(links), words.of(result.heads), link_of)) return false;
      const auto first = static_cast<std::int64_t>(own_links.first);
      std::transform(link_of.begin(), link_of.end(), words.of(result.link_of).begin(), [first](std::int32_t link) {
        return link == Reconstructor::kNoLink ? std::int64_t{-1} : first + link;
      });
      return true;
    };
  };
  result.faulty_sentence = for_each_sentence(word_offsets.size() - 1, threads, make_worker);
  return result;
}

}  // namespace crossarc
