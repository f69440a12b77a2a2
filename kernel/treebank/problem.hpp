// What can be wrong with a treebank file. The kernel says which problem it is, where, and the values that matter; the
// sentences people read are made in src/crossarc/treebank/problems.py, under the same names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace crossarc {

#define CROSSARC_PROBLEMS(X)  \
  X(column_count)             \
  X(space_separated)          \
  X(white_space_line)         \
  X(empty_column)             \
  X(empty_form)               \
  X(space_in_column)          \
  X(outer_space)              \
  X(id_not_a_number)          \
  X(id_not_consecutive)       \
  X(id_duplicate)             \
  X(range_bad)                \
  X(range_overlaps)           \
  X(range_misplaced)          \
  X(range_beyond_end)         \
  X(empty_node_misplaced)     \
  X(aside_with_head)          \
  X(head_not_a_number)        \
  X(head_out_of_range)        \
  X(head_self)                \
  X(head_missing)             \
  X(cycle)                    \
  X(no_root)                  \
  X(several_roots)            \
  X(deps_malformed)           \
  X(deps_out_of_range)        \
  X(phead_not_a_number)       \
  X(bad_utf8)                 \
  X(nul_byte)                 \
  X(carriage_return)          \
  X(mixed_line_ends)          \
  X(comment_inside)           \
  X(comment_without_sentence) \
  X(no_words)                 \
  X(line_too_long)

enum class ProblemKind : std::uint8_t {
#define CROSSARC_ENUMERATOR(name) name,
  CROSSARC_PROBLEMS(CROSSARC_ENUMERATOR)
#undef CROSSARC_ENUMERATOR
};

inline constexpr const char* kProblemNames[] = {
#define CROSSARC_NAME(name) #name,
    CROSSARC_PROBLEMS(CROSSARC_NAME)
#undef CROSSARC_NAME
};

struct Problem {
  ProblemKind kind;
  std::int64_t line;        // from 1
  std::int64_t sentence;    // from 1
  std::string sentence_id;  // the value of its sent_id comment, or empty
  std::vector<std::string> details;
};

}  // namespace crossarc
