#include "memory/instance_base.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/threads.hpp"

namespace crossarc {
namespace {

constexpr std::size_t kChunk = 8;       // questions that a thread takes at once
constexpr std::size_t kNearby = 32;     // instances on either side of where a question would stand that are tried first
constexpr std::size_t kMostKept = 256;  // candidates that are kept beyond what is needed

}  // namespace

// What is known of one question.
struct InstanceBase::Search {
  std::vector<std::uint32_t> asked;            // its values, in the order of comparison
  std::vector<std::vector<double>> distances;  // of all values of each feature from the asked one
  std::vector<double> asked_shares;            // of classes
  std::vector<double> sums;                    // of the first so many features
  // The smallest different distances so far, one more than vote, ascending; what is farther than the last is left out.
  std::vector<double> nearest;
  double bound = std::numeric_limits<double>::infinity();
  struct Candidate {
    double distance;
    std::size_t instance;
  };
  std::vector<Candidate> candidates;
  std::vector<EquallyNear> groups;  // with different instances, sorted, in place of those that were given
  std::vector<double> votes;        // of classes: of the k nearest distances, then of one more
  std::vector<double> more_votes;
  std::vector<std::int32_t> voted;
  std::size_t wanted = 0;

  void start(std::size_t distances_wanted) {
    wanted = distances_wanted;
    nearest.clear();
    candidates.clear();
    groups.clear();
    bound = std::numeric_limits<double>::infinity();
  }

  // A distance that some instance has. The bound never falls below the last distance that is wanted: whatever so many
  // distances lie apart, the last of them is no nearer than that.
  void narrow(double found) {
    const auto place = std::lower_bound(nearest.begin(), nearest.end(), found - kSameDistance);
    if (place != nearest.end() && *place <= found + kSameDistance) return;
    nearest.insert(place, found);
    if (nearest.size() > wanted) nearest.pop_back();
    if (nearest.size() == wanted) bound = nearest.back() + kSameDistance;
  }

  void add(double found, std::size_t instance) {
    narrow(found);
    candidates.push_back({found, instance});
    if (candidates.size() > room) {
      std::erase_if(candidates, [this](const Candidate& one) { return one.distance > bound; });
      room = 2 * candidates.size() + kMostKept;
    }
  }

  // Candidates by distance; equal ones are those that lie no farther from the nearest of them.
  void group() {
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.instance < b.instance;
    });
    for (const Candidate& one : candidates) {
      if (groups.empty() || one.distance > groups.back().distance + kSameDistance) {
        if (groups.size() == wanted) break;
        groups.push_back({one.distance, {}});
      }
      groups.back().instances.push_back(static_cast<std::int32_t>(one.instance));
    }
  }

  std::size_t room = kMostKept;
};

InstanceBase::InstanceBase(std::span<const std::uint32_t> values, std::span<const std::int32_t> classes,
                           std::size_t class_count, std::span<const std::int32_t> order,
                           std::span<const double> weights, const MemoryOptions& options)
    : class_count_(class_count), options_(options), order_(order.begin(), order.end()) {
  std::vector<std::int32_t> features = order_;
  std::sort(features.begin(), features.end());
  for (std::size_t feature = 0; feature < features.size(); ++feature) {
    if (features[feature] != static_cast<std::int32_t>(feature)) {
      throw std::invalid_argument("the order has every feature once");
    }
  }
  if (weights.size() != order_.size() || values.size() != classes.size() * order_.size()) {
    throw std::invalid_argument("as many weights as features, and as many rows of values as classes, are needed");
  }
  if (classes.empty() || order_.empty() || options.nearest < 1 || class_count < 1) {
    throw std::invalid_argument("instances, features, classes and a number of nearest distances are needed");
  }
  if (std::any_of(weights.begin(), weights.end(), [](double one) { return !(one >= 0) || std::isinf(one); })) {
    throw std::invalid_argument("weights are numbers from 0 on");
  }
  const auto most = static_cast<std::int32_t>(class_count);
  if (std::any_of(classes.begin(), classes.end(), [&](std::int32_t one) { return one < 0 || one >= most; })) {
    throw std::invalid_argument("a class has no such number");
  }
  if (classes.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::invalid_argument("too many instances");
  }
  for (const std::int32_t feature : order_) {
    weights_.push_back(weights[static_cast<std::size_t>(feature)]);
    values_.push_back(count_values(values, classes, static_cast<std::size_t>(feature)));
  }
  sort_instances(values, classes);
  index_instances();
}

InstanceBase::FeatureValues InstanceBase::count_values(std::span<const std::uint32_t> values,
                                                       std::span<const std::int32_t> classes,
                                                       std::size_t feature) const {
  constexpr std::uint32_t kMostValues = 1U << 28;
  std::vector<std::pair<std::uint32_t, std::int32_t>> pairs;
  pairs.reserve(classes.size());
  for (std::size_t instance = 0; instance < classes.size(); ++instance) {
    pairs.emplace_back(values[instance * features() + feature], classes[instance]);
  }
  std::sort(pairs.begin(), pairs.end());
  if (pairs.back().first >= kMostValues) throw std::invalid_argument("a value has too large a number");
  FeatureValues found;
  found.counts.assign(pairs.back().first + 1, 0);
  for (const auto& [value, one] : pairs) ++found.counts[value];
  found.starts.assign(found.counts.size() + 1, 0);
  for (std::size_t place = 0; place < pairs.size();) {
    const auto [value, one] = pairs[place];
    std::size_t end = place;
    while (end < pairs.size() && pairs[end] == pairs[place]) ++end;
    found.shares.push_back({one, static_cast<double>(end - place) / found.counts[value]});
    found.starts[value + 1] = static_cast<std::uint32_t>(found.shares.size());
    place = end;
  }
  for (std::size_t value = 1; value < found.starts.size(); ++value) {
    found.starts[value] = std::max(found.starts[value], found.starts[value - 1]);
  }
  return found;
}

void InstanceBase::sort_instances(std::span<const std::uint32_t> values, std::span<const std::int32_t> classes) {
  const std::size_t count = classes.size();
  const std::size_t width = features();
  std::vector<std::uint32_t> ordered(count * width);
  for (std::size_t instance = 0; instance < count; ++instance) {
    for (std::size_t place = 0; place < width; ++place) {
      ordered[instance * width + place] = values[instance * width + static_cast<std::size_t>(order_[place])];
    }
  }
  const auto row = [&](std::int32_t instance) {
    return std::span<const std::uint32_t>(ordered).subspan(static_cast<std::size_t>(instance) * width, width);
  };
  given_.resize(count);
  std::iota(given_.begin(), given_.end(), 0);
  std::sort(given_.begin(), given_.end(), [&](std::int32_t a, std::int32_t b) {
    const auto [left, right] = std::mismatch(row(a).begin(), row(a).end(), row(b).begin());
    return left == row(a).end() ? a < b : *left < *right;
  });
  for (std::size_t place = 0; place < count; ++place) {
    given_classes_.push_back(classes[static_cast<std::size_t>(given_[place])]);
    const auto own = row(given_[place]);
    std::size_t common = 0;
    if (place > 0) {
      const auto before = row(given_[place - 1]);
      common = static_cast<std::size_t>(std::mismatch(own.begin(), own.end(), before.begin()).first - own.begin());
      if (common == width) continue;
    }
    first_given_.push_back(static_cast<std::uint32_t>(place));
    shared_.push_back(static_cast<std::uint32_t>(common));
    rows_.insert(rows_.end(), own.begin(), own.end());
  }
  instances_ = first_given_.size();
  first_given_.push_back(static_cast<std::uint32_t>(count));
}

void InstanceBase::index_instances() {
  const std::size_t width = features();
  next_different_.resize(instances_ * width);
  std::vector<std::uint32_t> next(width, static_cast<std::uint32_t>(instances_));
  for (std::size_t instance = instances_; instance-- > 0;) {
    std::copy(next.begin(), next.end(), next_different_.begin() + static_cast<std::ptrdiff_t>(instance * width));
    std::fill(next.begin() + shared_[instance], next.end(), static_cast<std::uint32_t>(instance));
  }
}

void InstanceBase::find_distances(std::size_t place, std::uint32_t asked, Search& search) const {
  const FeatureValues& known = values_[place];
  std::vector<double>& found = search.distances[place];
  found.assign(known.counts.size(), weights_[place]);
  const bool seen = asked < known.counts.size();
  if (seen && !options_.overlap && known.counts[asked] >= options_.threshold) {
    const std::span<const ClassShare> own(&known.shares[known.starts[asked]],
                                          known.starts[asked + 1] - known.starts[asked]);
    for (const ClassShare& one : own) search.asked_shares[static_cast<std::size_t>(one.one)] = one.share;
    for (std::size_t value = 0; value < found.size(); ++value) {
      if (known.counts[value] < options_.threshold) continue;
      double difference = 0;
      double common = 0;
      std::size_t together = 0;
      for (std::uint32_t place_of = known.starts[value]; place_of < known.starts[value + 1]; ++place_of) {
        const ClassShare& one = known.shares[place_of];
        const double asked_share = search.asked_shares[static_cast<std::size_t>(one.one)];
        difference += std::abs(asked_share - one.share);
        common += asked_share;
        together += asked_share > 0;
      }
      // Nothing is left where all classes of the asked value are common: not even what rounding leaves.
      if (together < own.size()) difference += 1 - common;
      found[value] = difference / 2 * weights_[place];
    }
    for (const ClassShare& one : own) search.asked_shares[static_cast<std::size_t>(one.one)] = 0;
  }
  if (seen && known.counts[asked] > 0) found[asked] = 0;
}

double InstanceBase::distance(std::size_t instance, const Search& search) const {
  const std::uint32_t* row = &rows_[instance * features()];
  double sum = 0;
  for (std::size_t place = 0; place < features(); ++place) sum += search.distances[place][row[place]];
  return sum;
}

// Instances that share the first values with the question are near: they make the bound small before all are looked at.
void InstanceBase::look_nearby(Search& search) const {
  const std::size_t width = features();
  std::size_t low = 0;
  std::size_t high = instances_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const auto* const row = &rows_[middle * width];
    if (std::lexicographical_compare(row, row + width, search.asked.begin(), search.asked.end())) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const std::size_t end = std::min(instances_, low + kNearby);
  for (std::size_t instance = low - std::min(low, kNearby); instance < end; ++instance) {
    search.narrow(distance(instance, search));
  }
}

void InstanceBase::scan(Search& search) const {
  const std::size_t width = features();
  search.sums.assign(width + 1, 0);
  std::size_t instance = 0;
  while (instance < instances_) {
    const std::uint32_t* row = &rows_[instance * width];
    std::size_t place = shared_[instance];
    double sum = search.sums[place];
    for (; place < width; ++place) {
      sum += search.distances[place][row[place]];
      search.sums[place + 1] = sum;
      if (sum > search.bound) break;
    }
    if (place < width) {
      instance = next_different_[instance * width + place];
    } else {
      search.add(sum, instance++);
    }
  }
}

void InstanceBase::find(std::span<const std::uint32_t> question, Search& search) const {
  check_interruption(1 << 10);
  search.start(options_.nearest + 1);
  search.asked.resize(features());
  search.distances.resize(features());
  search.asked_shares.resize(class_count_, 0);
  for (std::size_t place = 0; place < features(); ++place) {
    search.asked[place] = question[static_cast<std::size_t>(order_[place])];
    find_distances(place, search.asked[place], search);
  }
  look_nearby(search);
  scan(search);
  search.group();
}

void InstanceBase::vote(const Search& search, std::span<std::int32_t> ranks) const {
  std::vector<double> votes(class_count_, 0);
  std::vector<double> more(class_count_, 0);
  std::vector<std::int32_t> counts(class_count_, 0);
  for (std::size_t number = 0; number < search.groups.size(); ++number) {
    const EquallyNear& group = search.groups[number];
    for (const std::int32_t instance : group.instances) {
      const auto own = static_cast<std::size_t>(instance);
      for (std::uint32_t place = first_given_[own]; place < first_given_[own + 1]; ++place) {
        ++counts[static_cast<std::size_t>(given_classes_[place])];
      }
    }
    const double each = options_.inverse_distance ? 1 / (group.distance + std::numeric_limits<double>::epsilon()) : 1.0;
    for (std::size_t one = 0; one < class_count_; ++one) {
      if (number < options_.nearest) votes[one] += counts[one] * each;
      more[one] += counts[one] * each;
      counts[one] = 0;
    }
  }
  std::vector<std::int32_t> ordered(class_count_);
  std::iota(ordered.begin(), ordered.end(), 0);
  std::sort(ordered.begin(), ordered.end(), [&](std::int32_t a, std::int32_t b) {
    const auto left = static_cast<std::size_t>(a);
    const auto right = static_cast<std::size_t>(b);
    if (votes[left] != votes[right]) return votes[left] > votes[right];
    return more[left] != more[right] ? more[left] > more[right] : a < b;
  });
  for (std::size_t rank = 0; rank < class_count_; ++rank) {
    ranks[static_cast<std::size_t>(ordered[rank])] = static_cast<std::int32_t>(rank);
  }
}

// Calls use(question, search) with the neighbours of each question, on threads.
template <typename Use>
void InstanceBase::for_each_question(std::span<const std::uint32_t> questions, int threads, Use&& use) const {
  const std::size_t width = features();
  if (questions.size() % width != 0) throw std::invalid_argument("a question has a value for each feature");
  const std::size_t count = questions.size() / width;
  parallel_for((count + kChunk - 1) / kChunk, thread_count(threads), [&](std::size_t chunk) {
    Search search;
    const std::size_t end = std::min(count, (chunk + 1) * kChunk);
    for (std::size_t question = chunk * kChunk; question < end; ++question) {
      find(questions.subspan(question * width, width), search);
      use(question, search);
    }
  });
}

void InstanceBase::rank(std::span<const std::uint32_t> questions, std::span<std::int32_t> ranks, int threads) const {
  for_each_question(questions, threads, [&](std::size_t question, const Search& search) {
    vote(search, ranks.subspan(question * class_count_, class_count_));
  });
}

std::vector<std::vector<EquallyNear>> InstanceBase::neighbours(std::span<const std::uint32_t> questions,
                                                               int threads) const {
  std::vector<std::vector<EquallyNear>> found(questions.size() / features());
  for_each_question(questions, threads, [&](std::size_t question, const Search& search) {
    for (const EquallyNear& group : std::span(search.groups).first(std::min(search.groups.size(), options_.nearest))) {
      EquallyNear given{group.distance, {}};
      for (const std::int32_t instance : group.instances) {
        const auto own = static_cast<std::size_t>(instance);
        given.instances.insert(given.instances.end(), given_.begin() + first_given_[own],
                               given_.begin() + first_given_[own + 1]);
      }
      std::sort(given.instances.begin(), given.instances.end());
      found[question].push_back(std::move(given));
    }
  });
  return found;
}

}  // namespace crossarc
