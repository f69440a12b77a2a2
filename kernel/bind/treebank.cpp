#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "bind/arrays.hpp"
#include "core/arrays.hpp"
#include "treebank/reader.hpp"
#include "treebank/string_pool.hpp"
#include "treebank/text.hpp"
#include "treebank/text_parts.hpp"
#include "treebank/tree_check.hpp"
#include "treebank/writer.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Ids = InputArray<std::int32_t>;
using NamedResults = nb::typed<nb::dict, nb::str, nb::any>;
using TextList = nb::typed<nb::list, nb::any>;  // of str and None

nb::str to_str(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}

std::int32_t checked_id(const StringPool& pool, std::int64_t id) {
  if (id < 0 || id >= pool.size()) throw std::out_of_range("no string has the id " + std::to_string(id));
  return static_cast<std::int32_t>(id);
}

constexpr const char* kSeparatesValues = "a column cannot hold a tab, a line end or a NUL character";

// A column's text may be anything that can stand between two tabs.
void check_value(std::string_view text) {
  if (text.empty()) throw std::invalid_argument("a column cannot be empty: use \"_\" for an absent value");
  if (separates_values(text)) throw std::invalid_argument(kSeparatesValues);
}

NumpyArray<std::int32_t> intern_values(StringPool& pool, const std::vector<std::string_view>& texts, bool checked) {
  std::vector<std::int32_t> ids;
  ids.reserve(texts.size());
  for (const std::string_view text : texts) {
    if (checked) check_value(text);
    ids.push_back(pool.intern(text));
  }
  return to_numpy(std::move(ids));
}

NumpyArray<std::int32_t> intern_sentences(StringPool& pool, std::string_view prefix, const Ids& words,
                                          const InputArray<std::uint8_t>& space_after,
                                          const InputArray<std::int64_t>& offsets) {
  return to_numpy(intern_joined(pool, prefix, to_span(words), to_span(space_after), to_span(offsets)));
}

NumpyArray<std::int32_t> intern_text_parts(StringPool& pool, const InputArray<std::uint32_t>& text,
                                           const InputArray<std::int64_t>& starts,
                                           const InputArray<std::int64_t>& ends) {
  return to_numpy(intern_parts(pool, to_span(text), to_span(starts), to_span(ends)));
}

NumpyArray<std::int32_t> intern_token_ranges(StringPool& pool, const std::vector<std::string_view>& prefixes,
                                             const InputArray<std::int64_t>& indices,
                                             const InputArray<std::int64_t>& starts,
                                             const InputArray<std::int64_t>& ends) {
  for (const std::string_view prefix : prefixes) {
    if (separates_values(prefix)) throw std::invalid_argument(kSeparatesValues);
  }
  return to_numpy(intern_ranges(pool, prefixes, to_span(indices), to_span(starts), to_span(ends)));
}

nb::typed<nb::list, nb::str> texts_of(const StringPool& pool, const Ids& ids) {
  nb::typed<nb::list, nb::str> texts;
  for (const std::int32_t id : to_span(ids)) texts.append(to_str(pool[checked_id(pool, id)]));
  return texts;
}

NumpyArray<std::int32_t> find_values(const StringPool& pool, const std::vector<std::string_view>& texts) {
  std::vector<std::int32_t> ids;
  ids.reserve(texts.size());
  for (const std::string_view text : texts) ids.push_back(pool.find(text));
  return to_numpy(std::move(ids));
}

// The new id of every id of `from`, in order.
NumpyArray<std::int32_t> merge_pool(StringPool& pool, const StringPool& from) {
  std::vector<std::int32_t> ids;
  ids.reserve(static_cast<std::size_t>(from.size()));
  for (std::int32_t id = 0; id < from.size(); ++id) ids.push_back(pool.intern(from[id]));
  return to_numpy(std::move(ids));
}

nb::list to_python(const std::vector<Problem>& problems) {
  nb::list list;
  for (const Problem& problem : problems) {
    nb::list details;
    for (const std::string& detail : problem.details) details.append(to_str(detail));
    list.append(
        nb::make_tuple(problem.kind, problem.line, problem.sentence, to_str(problem.sentence_id), nb::tuple(details)));
  }
  return list;
}

TreebankReader make_reader(Format format, RootPolicy root, int threads, std::int64_t first_line,
                           std::int64_t first_sentence, std::size_t expected_bytes) {
  if (first_line < 1 || first_sentence < 1) throw std::invalid_argument("lines and sentences count from 1");
  return TreebankReader({format, root, threads, first_line, first_sentence, expected_bytes});
}

void feed(TreebankReader& reader, nb::bytes text) {
  const std::string_view view(text.c_str(), text.size());
  const WithoutPython work;
  reader.feed(view);
}

NamedResults to_python(ReadResult&& result) {
  Table& table = result.table;
  nb::list columns;
  for (auto& column : table.columns) columns.append(to_numpy(std::move(column)));
  NamedResults out;
  out["columns"] = columns;
  out["word_offsets"] = to_numpy(std::move(table.word_offsets));
  out["aside_kind"] = to_numpy(std::move(table.aside_kind));
  out["aside_before"] = to_numpy(std::move(table.aside_before));
  out["aside_text"] = to_numpy(std::move(table.aside_text));
  out["aside_offsets"] = to_numpy(std::move(table.aside_offsets));
  out["first_line"] = to_numpy(std::move(table.first_line));
  out["after"] = to_numpy(std::move(table.after));
  out["crlf"] = to_numpy(std::move(table.crlf));
  out["pool"] = nb::cast(std::move(result.pool));
  out["prefix"] = nb::bytes(result.prefix.data(), result.prefix.size());
  out["problems"] = to_python(result.problems);
  out["problem_count"] = result.problem_count;
  out["lines"] = result.lines;
  out["sentences"] = result.sentences;
  return out;
}

NamedResults finish(TreebankReader& reader) {
  ReadResult result;
  {
    const WithoutPython work;
    result = reader.finish();
  }
  return to_python(std::move(result));
}

[[noreturn]] void refuse(std::size_t sentence, std::size_t place, const char* reason) {
  throw std::invalid_argument("sentence " + std::to_string(sentence + 1) + ", word " + std::to_string(place + 1) +
                              ": " + reason);
}

// The text of a value, which lives as long as the value; None is "_".
std::string_view given_text(nb::handle value, std::size_t sentence, std::size_t place) {
  if (value.is_none()) return "_";
  if (!nb::isinstance<nb::str>(value)) refuse(sentence, place, "not a text");
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (data == nullptr) {
    PyErr_Clear();
    refuse(sentence, place, "a text that UTF-8 cannot hold: half a surrogate pair");
  }
  const std::string_view text(data, static_cast<std::size_t>(size));
  if (separates_values(text)) refuse(sentence, place, kSeparatesValues);
  return text;
}

// Goes through the lists sentence by sentence, so that each text is fetched into the cache once.
NamedResults read_given_columns(const std::vector<std::optional<TextList>>& columns, const Ids& heads,
                                const InputArray<std::int64_t>& word_offsets, Format format, RootPolicy root) {
  if (columns.size() != kColumns || !columns[kForm]) throw std::invalid_argument("nine columns with forms are needed");
  const std::span<const std::int64_t> offsets = to_span(word_offsets);
  for (const auto& column : columns) {
    if (column) check_offsets(offsets, column->size());
  }
  if (heads.shape(0) != 0) check_offsets(offsets, heads.shape(0));
  ColumnReader reader(format, root, columns[kForm]->size());
  GivenSentence given;
  for (std::size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
    const auto first = static_cast<std::size_t>(offsets[sentence]);
    given.words = static_cast<std::size_t>(offsets[sentence + 1]) - first;
    if (heads.shape(0) != 0) given.heads = to_span(heads).subspan(first, given.words);
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (!columns[column]) continue;
      given.texts[column].clear();
      for (std::size_t place = 0; place < given.words; ++place) {
        given.texts[column].push_back(given_text((*columns[column])[first + place], sentence, place));
      }
    }
    reader.add(given);
  }
  return to_python(reader.finish());
}

nb::bytes print(const StringPool& pool, const std::vector<Ids>& columns, const InputArray<std::int64_t>& word_offsets,
                const InputArray<std::uint8_t>& aside_kind, const Ids& aside_before, const Ids& aside_text,
                const InputArray<std::int64_t>& aside_offsets, const Ids& after, const InputArray<std::uint8_t>& crlf,
                std::size_t first, std::size_t last) {
  if (columns.size() != kColumns) throw std::invalid_argument("nine columns are needed");
  TableView table;
  for (std::size_t column = 0; column < kColumns; ++column) table.columns[column] = to_span(columns[column]);
  table.word_offsets = to_span(word_offsets);
  table.aside_kind = to_span(aside_kind);
  table.aside_before = to_span(aside_before);
  table.aside_text = to_span(aside_text);
  table.aside_offsets = to_span(aside_offsets);
  table.after = to_span(after);
  table.crlf = to_span(crlf);
  check_table(pool, table);
  const std::string text = print_sentences(pool, table, first, last);
  return nb::bytes(text.data(), text.size());
}

// None, or (sentence from 0, what is wrong, the words it concerns) for the first sentence whose heads are not a tree.
std::optional<std::tuple<std::size_t, TreeFaultKind, std::vector<std::int32_t>>> find_fault(
    const Ids& heads, const InputArray<std::int64_t>& word_offsets) {
  const auto all = to_span(heads);
  const auto offsets = to_span(word_offsets);
  check_offsets(offsets, all.size());
  CycleFinder cycles;
  for (std::size_t sentence = 0; sentence + 1 < offsets.size(); ++sentence) {
    const auto begin = static_cast<std::size_t>(offsets[sentence]);
    const auto words = static_cast<std::size_t>(offsets[sentence + 1]) - begin;
    const TreeFault fault = find_tree_fault(all.subspan(begin, words), cycles);
    if (fault.kind == TreeFaultKind::kNone) continue;
    return {{sentence, fault.kind, fault.words}};
  }
  return std::nullopt;
}

void bind_constants(nb::module_& module) {
  module.attr("NO_HEAD") = kNoHead;
  module.attr("NOT_WRITTEN") = kNotWritten;
  module.attr("LONGEST_SENTENCE") = kLongestSentence;
  nb::enum_<Format>(module, "Format", "The format of a treebank file.")
      .value("conllu", Format::kConllU)
      .value("conllx", Format::kConllX);
  nb::enum_<RootPolicy>(module, "RootPolicy",
                        "How many roots a sentence has: one, one or more, or any number, with words that have no head.")
      .value("single", RootPolicy::kSingle)
      .value("any", RootPolicy::kAny)
      .value("partial", RootPolicy::kPartial);
  nb::enum_<Column>(module, "Column", "The columns of a word, in the order of the file and without ID.")
      .value("form", kForm)
      .value("lemma", kLemma)
      .value("upos", kUpos)
      .value("xpos", kXpos)
      .value("feats", kFeats)
      .value("head", kHead)
      .value("deprel", kDeprel)
      .value("deps", kDeps)
      .value("misc", kMisc);
  nb::enum_<AsideKind>(module, "AsideKind", nb::is_arithmetic(), "The kind of a line that is not a word.")
      .value("comment", AsideKind::kComment)
      .value("range", AsideKind::kRange)
      .value("empty_node", AsideKind::kEmptyNode);
  nb::enum_<TreeFaultKind>(module, "TreeFault", "Why heads are not a tree.")
      .value("out_of_range", TreeFaultKind::kOutOfRange)
      .value("own_head", TreeFaultKind::kOwnHead)
      .value("cycle", TreeFaultKind::kCycle);
  nb::enum_<ProblemKind> problems(module, "ProblemKind", "What can be wrong with a treebank file.");
#define CROSSARC_VALUE(name) problems.value(#name, ProblemKind::name);
  CROSSARC_PROBLEMS(CROSSARC_VALUE)
#undef CROSSARC_VALUE
}

}  // namespace

void bind_treebank(nb::module_& module) {
  bind_constants(module);
  nb::class_<StringPool>(module, "StringPool", "The strings of a treebank, each stored once; 0 is \"_\".")
      .def(nb::init<>())
      .def("__len__", &StringPool::size)
      .def(
          "text", [](const StringPool& pool, std::int64_t id) { return to_str(pool[checked_id(pool, id)]); },
          nb::arg("id"), "The string of an id.")
      .def("texts", &texts_of, nb::arg("ids"), "The strings of ids.")
      .def("find", &StringPool::find, nb::arg("text"), "The id of a string, or -1.")
      .def("find_all", &find_values, nb::arg("texts"), "The ids of strings, -1 for those that are not there.")
      .def(
          "copy", [](const StringPool& pool) { return StringPool(pool); }, "A pool with the same ids.")
      .def("intern", &intern_values, nb::arg("texts"), nb::arg("checked") = true,
           "The ids of strings, new ones added. With checked, each must be able to stand in a column.")
      .def("intern_joined", &intern_sentences, nb::arg("prefix"), nb::arg("words"), nb::arg("space_after"),
           nb::arg("offsets"),
           "The id of each sentence's text: a prefix and its words, given by their ids (-1: left out).")
      .def("intern_parts", &intern_text_parts, nb::arg("text"), nb::arg("starts"), nb::arg("ends"),
           "The id of each part of a text, which is an array of code points.")
      .def("intern_ranges", &intern_token_ranges, nb::arg("prefixes"), nb::arg("indices"), nb::arg("starts"),
           nb::arg("ends"), "The id of each MISC of a token: the prefix of an index, and its range in a text.")
      .def("merge", &merge_pool, nb::arg("other"), "Adds another pool; the new id of each of its ids.")
      .def("memory", &StringPool::memory, "Bytes in use.");

  nb::class_<TreebankReader>(module, "TreebankReader", "Reads a file that is fed to it piece by piece.")
      .def(
          "__init__",
          [](TreebankReader* self, Format format, RootPolicy root, int threads, std::int64_t first_line,
             std::int64_t first_sentence, std::size_t expected_bytes) {
            new (self) TreebankReader(make_reader(format, root, threads, first_line, first_sentence, expected_bytes));
          },
          nb::arg("format"), nb::arg("root"), nb::arg("threads") = 0, nb::arg("first_line") = 1,
          nb::arg("first_sentence") = 1, nb::arg("expected_bytes") = 0)
      .def("feed", &feed, nb::arg("text"), "Reads the next piece; it may end anywhere.")
      .def(
          "unfinished",
          [](const TreebankReader& reader) {
            const TreebankReader::Unfinished at = reader.unfinished();
            return std::tuple(at.bytes, at.line, at.sentence);
          },
          "How many bytes wait for the end of their sentence, and the line and the sentence where they begin.")
      .def("finish", &finish, "The columns, or the problems; the reader is used up then.");
  module.def("read_columns", &read_given_columns, nb::arg("columns"), nb::arg("heads"), nb::arg("word_offsets"),
             nb::arg("format"), nb::arg("root"),
             "A treebank of lists of texts (None: \"_\" for all words), as TreebankReader.finish gives it.");
  module.def("print_sentences", &print, nb::arg("pool"), nb::arg("columns"), nb::arg("word_offsets"),
             nb::arg("aside_kind"), nb::arg("aside_before"), nb::arg("aside_text"), nb::arg("aside_offsets"),
             nb::arg("after"), nb::arg("crlf"), nb::arg("first"), nb::arg("last"),
             "The bytes of the sentences from first to before last, as they were read.");
  module.def(
      "last_sentence_start", [](nb::bytes text) { return last_sentence_start({text.c_str(), text.size()}); },
      nb::arg("text"), "Where the last sentence of a text begins, which may be unfinished.");
  module.def("find_tree_fault", &find_fault, nb::arg("heads"), nb::arg("word_offsets"),
             "The first sentence whose heads are not a tree, or None.");
}

}  // namespace crossarc
