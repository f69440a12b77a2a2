#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "features/word_list.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

// `word in words`, for what it costs a set of Python: it is asked for hundreds of words that a misspelt one may stand
// for. What is no text, or none that UTF-8 can say, is in no list.
int contains(PyObject* words, PyObject* word) {
  if (!nb::inst_ready(words)) {
    PyErr_SetString(PyExc_TypeError, "the list of words was not made by its constructor");
    return -1;
  }
  if (!PyUnicode_Check(word)) return 0;
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(word, &length);
  if (text == nullptr) {
    PyErr_Clear();
    return 0;
  }
  return nb::inst_ptr<WordList>(words)->contains({text, static_cast<std::size_t>(length)}) ? 1 : 0;
}

PyType_Slot slots[] = {{Py_sq_contains, reinterpret_cast<void*>(contains)}, {0, nullptr}};

}  // namespace

void bind_words(nb::module_& module) {
  nb::class_<WordList>(module, "WordList", nb::type_slots(slots), "Which words a long list has.")
      .def(
          "__init__",
          [](WordList* self, const nb::bytes& lines) { new (self) WordList(std::string(lines.c_str(), lines.size())); },
          nb::arg("lines"), "UTF-8, one word in a line.")
      .def("__len__", &WordList::size, "How many different words there are.");
}

}  // namespace crossarc
