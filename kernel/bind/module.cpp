// crossarc._kernel: one function per file of kernel/bind registers what it binds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <exception>

#include "bind/arrays.hpp"
#include "core/threads.hpp"
#include "core/vector_path.hpp"

namespace crossarc {
void bind_graph(nanobind::module_& module);
void bind_tagger(nanobind::module_& module);
void bind_pieces(nanobind::module_& module);
void bind_words(nanobind::module_& module);
void bind_network(nanobind::module_& module);
void bind_transition_network(nanobind::module_& module);
void bind_parsers(nanobind::module_& module);
void bind_perceptron(nanobind::module_& module);
void bind_lockstep(nanobind::module_& module);
void bind_memory(nanobind::module_& module);
void bind_encodings(nanobind::module_& module);
void bind_evaluation(nanobind::module_& module);
void bind_decoders(nanobind::module_& module);
void bind_structure(nanobind::module_& module);
void bind_transitions(nanobind::module_& module);
void bind_treebank(nanobind::module_& module);

namespace {

// The handler of a signal has set an exception already.
void translate_interruption(const std::exception_ptr& thrown, void* /* payload */) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Interrupted&) {
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

}  // namespace
}  // namespace crossarc

NB_MODULE(_kernel, module) {
  module.doc() = "The native loops of crossarc: arrays in, arrays out. Private; use the functions of crossarc.";
#if defined(__SANITIZE_ADDRESS__)
  module.attr("sanitized") = true;
#else
  module.attr("sanitized") = false;
#endif
  crossarc::main_thread =
      nanobind::cast<unsigned long>(nanobind::module_::import_("threading").attr("main_thread")().attr("ident"));
  nanobind::register_exception_translator(&crossarc::translate_interruption);
  crossarc::vector_path();  // settings of CROSSARC_VECTOR and CROSSARC_THREADS that mean nothing are refused here
  crossarc::default_threads();
  module.def(
      "vector_path", [] { return crossarc::kVectorPathNames[static_cast<std::size_t>(crossarc::vector_path())]; },
      "The vector instructions in use.");
  module.def("default_threads", &crossarc::default_threads, "The number of threads of calls that ask for 0.");
  crossarc::bind_treebank(module);
  crossarc::bind_structure(module);
  crossarc::bind_parsers(module);
  crossarc::bind_perceptron(module);
  crossarc::bind_network(module);
  crossarc::bind_transition_network(module);
  crossarc::bind_lockstep(module);
  crossarc::bind_memory(module);
  crossarc::bind_transitions(module);
  crossarc::bind_encodings(module);
  crossarc::bind_evaluation(module);
  crossarc::bind_decoders(module);
  crossarc::bind_graph(module);
  crossarc::bind_tagger(module);
  crossarc::bind_pieces(module);
  crossarc::bind_words(module);
}
