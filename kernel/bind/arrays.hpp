// Arrays across the boundary without copies: a vector becomes a numpy array that owns it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace crossarc {

// 0 asks for all cores.
inline void check_threads(int threads) {
  constexpr int kMost = 1024;
  if (threads < 0 || threads > kMost) throw std::invalid_argument("the number of threads is from 0 to 1024");
}

template <typename Value>
using NumpyArray = nanobind::ndarray<nanobind::numpy, Value, nanobind::ndim<1>, nanobind::c_contig>;

template <typename Value>
using InputArray = nanobind::ndarray<const Value, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

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
