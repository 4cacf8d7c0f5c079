// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "text/nested.hpp"
#include "text/numbers.hpp"

namespace hedgehop::bindings {

namespace {

std::pair<Result<double>, std::size_t> numbers_of(nb::bytes text) {
  const std::string_view view(text.c_str(), text.size());
  Numbers numbers;
  {
    nb::gil_scoped_release release;
    numbers = parse_numbers(view);
  }
  const std::size_t count = numbers.values.size();
  return {give(std::move(numbers.values), {count}), numbers.end};
}

nb::tuple nested_of(nb::bytes text) {
  const std::string_view view(text.c_str(), text.size());
  NestedText found;
  {
    nb::gil_scoped_release release;
    found = scan_nested(view);
  }
  const std::size_t count = found.kinds.size(), words = found.word_starts.size();
  return nb::make_tuple(give(std::move(found.kinds), {count}), give(std::move(found.values), {count}),
                        give(std::move(found.starts), {count}), give(std::move(found.partners), {count}),
                        give(std::move(found.levels), {count}), give(std::move(found.word_starts), {words}),
                        give(std::move(found.word_stops), {words}), static_cast<int>(found.problem),
                        found.place);
}

}  // namespace

void register_numbers(nb::module_& m) {
  m.def(
      "parse_numbers", &numbers_of, nb::arg("text"),
      nb::sig("def parse_numbers(text: bytes) -> tuple[numpy.typing.NDArray[numpy.float64], int]"),
      "Numbers separated by white space, and the position of the first word that is none (the text's length "
      "if all are).");
  m.def("scan_nested", &nested_of, nb::arg("text"),
        nb::sig("def scan_nested(text: bytes) -> tuple[Any, ...]"),
        "Tokens of nested lists: kinds (open, close, number, word), values, starts, partners, levels; starts "
        "and stops "
        "of the distinct words; the problem (none, not opened, not closed, open quote) and its place.");
}

}  // namespace hedgehop::bindings
