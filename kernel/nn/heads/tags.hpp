// Classes of the rows that an encoder read: tags of words, rules of their lemmas, or where a text is cut. Every tag is
// a softmax over its classes on one linear layer; the layers of all tags are one product, of eight bits where the
// weights are. O(rows · inputs · classes).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/heads/head.hpp"

namespace crossarc {

// Rows of classes that the first tags of a word may have together. Those with the same class of the first tag that lie
// side by side are a group.
class TagRows {
 public:
  TagRows() = default;
  // `rows` has to stay.
  TagRows(std::span<const std::int32_t> rows, std::size_t tags);

  std::size_t tags() const { return tags_; }
  std::size_t groups() const { return begins_.size() - 1; }
  std::size_t begin(std::size_t group) const { return begins_[group]; }
  std::int32_t first_class(std::size_t group) const { return row(begins_[group])[0]; }
  const std::int32_t* row(std::size_t index) const { return rows_.data() + index * tags_; }

 private:
  std::span<const std::int32_t> rows_;
  std::size_t tags_ = 0;
  std::vector<std::size_t> begins_{0};  // of groups, and where the last one ends
};

class TagHead : public WordHead {
 public:
  TagHead(std::size_t inputs, std::vector<std::size_t> classes);

  void list(const std::string& prefix, ParameterList& parameters) override;
  void initialise(Random& random) override;
  std::size_t columns() const override { return begins_.back(); }
  std::size_t targets() const override { return begins_.size() - 1; }
  std::int32_t target_bound(std::size_t tag) const override { return static_cast<std::int32_t>(classes(tag)); }
  std::unique_ptr<WordReading> reading() const override;

  std::size_t classes(std::size_t tag) const { return begins_[tag + 1] - begins_[tag]; }
  // The columns of one tag after those of the other.
  std::size_t first_column(std::size_t tag) const { return begins_[tag]; }
  // The best class of a row of scores.
  std::int32_t best(const float* scores, std::size_t tag) const;
  // Of rows of classes that the first tags may have together, the one whose scores, with the evidence for the row, add
  // up to the most, which is the most probable one; of those with the classes that are given, -1 for none, if there are
  // any. Null if there are no rows; `evidence` may be empty.
  const std::int32_t* best_together(const float* scores, const TagRows& together, std::span<const std::int32_t> given,
                                    std::span<const float> evidence) const;
  const Parameter& weights() const { return weights_; }
  const Parameter& bias() const { return bias_; }

 private:
  float sum_of(const float* scores, const TagRows& together, std::size_t index) const;
  float least_of_best(const float* scores, const TagRows& together, float others) const;

  std::vector<std::size_t> begins_;  // of the columns of each tag, and where the last one ends
  Parameter weights_, bias_;
};

}  // namespace crossarc
