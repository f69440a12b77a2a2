// What all bindings share: arrays across the boundary without copies (a vector becomes a numpy array that owns it), and
// work without the interpreter, which signals can still interrupt.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/threads.hpp"

namespace crossarc {

// 0 asks for the default.
inline void check_threads(int threads) {
  if (threads < 0 || threads > static_cast<int>(kMostThreads)) {
    throw std::invalid_argument("the number of threads is from 0 to 1024");
  }
}

// The thread in which Python runs the handlers of signals; set when the module is loaded.
inline unsigned long main_thread = 0;

// Runs the handlers of signals that have arrived. True if one of them raised an exception, which is then set in Python.
inline bool signal_raised() {
  const nanobind::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

// While it lives, other threads may use the interpreter. In the main thread a signal whose handler raises an exception,
// as that of Ctrl-C does, ends the work of the kernel by Interrupted (core/threads.hpp), and Python sees the exception.
// Other threads never ask for the interpreter meanwhile: handlers do not run in them.
class WithoutPython {
 private:
  const bool main_ = PyThread_get_thread_ident() == main_thread;
  const nanobind::gil_scoped_release release_;
  const InterruptibleCall call_{main_ ? &signal_raised : nullptr};
};

template <typename Value>
using NumpyArray = nanobind::ndarray<nanobind::numpy, Value, nanobind::ndim<1>, nanobind::c_contig>;

// An array of Python whose values lie where the processor wants them: one that does not begin at a multiple of the size
// of its values, as a view into bytes may, is copied.
template <typename... Properties>
class AlignedArray : public nanobind::ndarray<Properties...> {
 public:
  using Unchecked = nanobind::ndarray<Properties...>;
  AlignedArray() = default;
  explicit AlignedArray(const Unchecked& array) : Unchecked(array) {}
  bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(this->data()) % alignof(typename Unchecked::Scalar) == 0;
  }
};

template <typename Value>
using InputArray = AlignedArray<const Value, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <typename Value, typename Allocator>
NumpyArray<Value> to_numpy(std::vector<Value, Allocator>&& values) {
  using Values = std::vector<Value, Allocator>;
  auto* owned = new Values(std::move(values));
  nanobind::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<Values*>(pointer); });
  return NumpyArray<Value>(owned->data(), {owned->size()}, owner);
}

template <typename Value>
std::span<const Value> to_span(const InputArray<Value>& array) {
  return {array.data(), array.shape(0)};
}

}  // namespace crossarc

namespace nanobind::detail {

// None is no array, also within a list or a tuple for which None would do.
template <typename... Properties>
struct type_caster<crossarc::AlignedArray<Properties...>> {
  using Unchecked = make_caster<ndarray<Properties...>>;
  NB_TYPE_CASTER(crossarc::AlignedArray<Properties...>, Unchecked::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!load(source, flags, cleanup)) return false;
    if (value.is_aligned()) return true;
    PyObject* const copy = PyObject_CallMethod(source.ptr(), "copy", nullptr);
    if (copy == nullptr) PyErr_Clear();
    const bool loaded = copy != nullptr && load(copy, flags, cleanup) && value.is_aligned();
    Py_XDECREF(copy);
    return loaded;
  }
  static handle from_cpp(const crossarc::AlignedArray<Properties...>& array, rv_policy policy,
                         cleanup_list* cleanup) noexcept {
    return Unchecked::from_cpp(array, policy, cleanup);
  }

 private:
  bool load(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    Unchecked unchecked;
    if (source.is_none() || !unchecked.from_python(source, flags, cleanup)) return false;
    value = crossarc::AlignedArray<Properties...>(unchecked.value);
    return true;
  }
};

}  // namespace nanobind::detail
