#include <algorithm>
#include <numeric>

#include "encodings/encodings.hpp"

namespace crossarc {
namespace {

// The cost of an arc along a link.
std::int64_t link_cost(Reconstruction reconstruction, const Link& link, bool rightward, std::int64_t words) {
  if (link.left == 0 && reconstruction == Reconstruction::kLabel) return 2 * words;
  if (reconstruction == Reconstruction::kNaive || link.direction == Direction::kNone) return 1;
  return rightward == (link.direction == Direction::kRight) ? 1 : 2;
}

// The cost of an arc from 0, with its link or nullptr.
std::int64_t root_cost(Reconstruction reconstruction, const Link* link, std::int64_t words) {
  if (link != nullptr) return link_cost(reconstruction, *link, true, words);
  return reconstruction == Reconstruction::kNaive ? 2 : 2 * words;
}

}  // namespace

bool Reconstructor::reconstruct(std::span<const Link> links, std::span<std::int32_t> heads,
                                std::span<std::int32_t> link_of) {
  words_ = static_cast<std::int32_t>(heads.size());
  if (!acyclic(links)) return false;
  link_starts_.assign(heads.size() + 2, 0);
  root_link_.assign(heads.size() + 1, kNoLink);
  for (std::size_t number = 0; number < links.size(); ++number) {
    if (links[number].left == 0) {
      root_link_[links[number].right] = static_cast<std::int32_t>(number);
    } else {
      ++link_starts_[links[number].left];
      ++link_starts_[links[number].right];
    }
  }
  std::partial_sum(link_starts_.begin(), link_starts_.end(), link_starts_.begin());
  links_at_.resize(static_cast<std::size_t>(link_starts_.back()));
  for (std::size_t number = links.size(); number-- > 0;) {
    if (links[number].left == 0) continue;
    links_at_[--link_starts_[links[number].left]] = static_cast<std::int32_t>(number);
    links_at_[--link_starts_[links[number].right]] = static_cast<std::int32_t>(number);
  }

  reached_.assign(heads.size() + 1, 0);
  reached_by_.resize(heads.size() + 1);
  cost_.resize(heads.size() + 1);
  for (std::int32_t start = 1; start <= words_; ++start) {
    if (reached_[start]) continue;
    collect(links, start);
    const std::int32_t root = choose_root(links);
    std::int32_t replaced = kNoLink;
    for (const std::int32_t word : component_) {
      if (root_link_[word] != kNoLink) replaced = root_link_[word];
      reached_[word] = 0;
    }
    collect(links, root);
    for (const std::int32_t word : component_) {
      const std::int32_t link = reached_by_[word];
      link_of[word - 1] = word == root ? replaced : link;
      heads[word - 1] = word == root ? 0 : links[link].left + links[link].right - word;
    }
  }
  return true;
}

bool Reconstructor::acyclic(std::span<const Link> links) {
  representative_.resize(static_cast<std::size_t>(words_) + 1);
  std::iota(representative_.begin(), representative_.end(), 0);
  const auto find = [this](std::int32_t word) {
    while (representative_[word] != word) word = representative_[word] = representative_[representative_[word]];
    return word;
  };
  for (const Link& link : links) {
    const std::int32_t left = find(link.left);
    const std::int32_t right = find(link.right);
    if (left == right) return false;
    representative_[left] = right;
  }
  return true;
}

// The component of a word, links from 0 left out.
void Reconstructor::collect(std::span<const Link> links, std::int32_t start) {
  component_.assign(1, start);
  reached_[start] = 1;
  reached_by_[start] = kNoLink;
  for (std::size_t next = 0; next < component_.size(); ++next) {
    const std::int32_t word = component_[next];
    for (std::int32_t place = link_starts_[word]; place < link_starts_[word + 1]; ++place) {
      const std::int32_t link = links_at_[place];
      const std::int32_t other = links[link].left + links[link].right - word;
      if (reached_[other]) continue;
      reached_[other] = 1;
      reached_by_[other] = link;
      component_.push_back(other);
    }
  }
}

// The root of least cost; of several the one with a link from 0, else the leftmost.
std::int32_t Reconstructor::choose_root(std::span<const Link> links) {
  const auto cost_from = [&](std::int32_t head, const Link& link) {
    return link_cost(reconstruction_, link, head == link.left, words_);
  };
  std::int64_t all = 0;
  for (std::size_t place = 1; place < component_.size(); ++place) {
    const Link& link = links[reached_by_[component_[place]]];
    all += cost_from(link.left + link.right - component_[place], link);
  }
  cost_[component_[0]] = all;
  for (std::size_t place = 1; place < component_.size(); ++place) {
    const std::int32_t word = component_[place];
    const Link& link = links[reached_by_[word]];
    const std::int32_t before = link.left + link.right - word;
    cost_[word] = cost_[before] - cost_from(before, link) + cost_from(word, link);
  }
  const auto total = [&](std::int32_t word) {
    const Link* link = root_link_[word] == kNoLink ? nullptr : &links[root_link_[word]];
    return cost_[word] + root_cost(reconstruction_, link, words_);
  };
  return *std::min_element(component_.begin(), component_.end(), [&](std::int32_t word, std::int32_t other) {
    if (total(word) != total(other)) return total(word) < total(other);
    const bool linked = root_link_[word] != kNoLink;
    return linked != (root_link_[other] != kNoLink) ? linked : word < other;
  });
}

}  // namespace crossarc
