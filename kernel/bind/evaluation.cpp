#include <nanobind/nanobind.h>

#include "bind/arrays.hpp"
#include "evaluation/alignment.hpp"

namespace nb = nanobind;

namespace crossarc {
namespace {

using Places = InputArray<std::int64_t>;
using Marks = InputArray<std::uint8_t>;
using Forms = InputArray<std::int32_t>;

NumpyArray<std::int64_t> align(const Places& gold_begin, const Places& gold_end, const Marks& gold_multiword,
                               const Forms& gold_form, const Places& system_begin, const Places& system_end,
                               const Marks& system_multiword, const Forms& system_form) {
  const PlacedWords gold{to_span(gold_begin), to_span(gold_end), to_span(gold_multiword), to_span(gold_form)};
  const PlacedWords system{to_span(system_begin), to_span(system_end), to_span(system_multiword), to_span(system_form)};
  std::vector<std::int64_t> gold_of;
  {
    const WithoutPython work;
    check_placed_words(gold);
    check_placed_words(system);
    gold_of = align_words(gold, system);
  }
  return to_numpy(std::move(gold_of));
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  module.def("align_words", &align, nb::arg("gold_begin"), nb::arg("gold_end"), nb::arg("gold_multiword"),
             nb::arg("gold_form"), nb::arg("system_begin"), nb::arg("system_end"), nb::arg("system_multiword"),
             nb::arg("system_form"), "The gold word of each word of the system, -1 for none, by places in the text.");
}

}  // namespace crossarc
