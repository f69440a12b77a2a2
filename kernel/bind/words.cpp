#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string_view>

#include "features/word_list.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

// What is no text, or none that UTF-8 can say, is in no list.
bool contains(const WordList& words, nb::handle word) {
  if (!PyUnicode_Check(word.ptr())) return false;
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(word.ptr(), &length);
  if (text == nullptr) PyErr_Clear();
  return text != nullptr && words.contains({text, static_cast<std::size_t>(length)});
}

}  // namespace

void bind_words(nb::module_& module) {
  nb::class_<WordList>(module, "WordList", "Which words a long list has.")
      .def(nb::init<std::string>(), nb::arg("lines"), "One word in a line.")
      .def("__contains__", &contains, nb::arg("word").none())
      .def("__len__", &WordList::size, "How many different words there are.");
}

}  // namespace crossarc
