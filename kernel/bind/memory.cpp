#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "memory/instance_base.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using ValueArray = InputArray<std::uint32_t>;

void make_base(InstanceBase* base, const ValueArray& values, const InputArray<std::int32_t>& classes,
               std::int32_t class_count, const InputArray<std::int32_t>& order, const InputArray<double>& weights,
               std::int32_t nearest, std::int32_t threshold, bool overlap, bool inverse_distance) {
  if (nearest < 1 || class_count < 1 || threshold < 1) {
    throw std::invalid_argument("the numbers of nearest distances and classes and the threshold are 1 or more");
  }
  const MemoryOptions options{static_cast<std::size_t>(nearest), threshold, overlap, inverse_distance};
  const WithoutPython work;
  new (base) InstanceBase(to_span(values), to_span(classes), static_cast<std::size_t>(class_count), to_span(order),
                          to_span(weights), options);
}

NumpyArray<std::int32_t> rank(const InstanceBase& base, const ValueArray& questions, int threads) {
  check_threads(threads);
  std::vector<std::int32_t> ranks(questions.shape(0) / base.features() * base.class_count());
  {
    const WithoutPython work;
    base.rank(to_span(questions), ranks, threads);
  }
  return to_numpy(std::move(ranks));
}

// Where the distances of each question begin, the distances, where the instances at each begin, and these.
using NeighbourTuple =
    std::tuple<NumpyArray<std::int64_t>, NumpyArray<double>, NumpyArray<std::int64_t>, NumpyArray<std::int32_t>>;

NeighbourTuple neighbours(const InstanceBase& base, const ValueArray& questions, int threads) {
  check_threads(threads);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> instance_offsets{0};
  std::vector<double> distances;
  std::vector<std::int32_t> instances;
  {
    const WithoutPython work;
    for (const std::vector<EquallyNear>& groups : base.neighbours(to_span(questions), threads)) {
      for (const EquallyNear& group : groups) {
        distances.push_back(group.distance);
        instances.insert(instances.end(), group.instances.begin(), group.instances.end());
        instance_offsets.push_back(static_cast<std::int64_t>(instances.size()));
      }
      offsets.push_back(static_cast<std::int64_t>(distances.size()));
    }
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(distances)), to_numpy(std::move(instance_offsets)),
          to_numpy(std::move(instances))};
}

}  // namespace

void bind_memory(nb::module_& module) {
  nb::class_<InstanceBase>(module, "InstanceBase",
                           "Instances with their classes, and the nearest ones to a question: memory-based learning.")
      .def("__init__", &make_base, nb::arg("values"), nb::arg("classes"), nb::kw_only(), nb::arg("class_count"),
           nb::arg("order"), nb::arg("weights"), nb::arg("nearest"), nb::arg("threshold"), nb::arg("overlap"),
           nb::arg("inverse_distance"),
           "order: features from the most to the least important. threshold: values seen less often are compared by "
           "overlap. nearest: how many distances count.")
      .def("rank", &rank, nb::arg("questions"), nb::arg("threads"), "The classes of each question, the best first.")
      .def("neighbours", &neighbours, nb::arg("questions"), nb::arg("threads"),
           "Where the distances of each question begin; distances; where the instances at each begin; instances.");
}

}  // namespace crossarc
