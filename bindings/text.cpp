// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "text/nested.hpp"
#include "text/numbers.hpp"

namespace hedgehop::bindings {

namespace {

std::string_view view_of(const nb::bytes& text) {
  return {text.c_str(), text.size()};
}

std::pair<Result<double>, std::size_t> parse_numbers(const nb::bytes& text) {
  auto [values, end] = text::parse_numbers(view_of(text));
  return {Result<double>(std::move(values)), end};
}

using Integers = Result<std::int64_t>;
using NestedArrays = std::tuple<Result<std::uint8_t>, Result<double>, Integers, Integers,
                                Result<std::int32_t>, Integers, Integers, int, std::size_t>;

NestedArrays scan_nested(const nb::bytes& text) {
  auto found = text::scan_nested(view_of(text));
  return {Result<std::uint8_t>(std::move(found.kinds)),
          Result<double>(std::move(found.values)),
          Integers(std::move(found.starts)),
          Integers(std::move(found.partners)),
          Result<std::int32_t>(std::move(found.levels)),
          Integers(std::move(found.word_starts)),
          Integers(std::move(found.word_stops)),
          static_cast<int>(found.problem),
          found.place};
}

}  // namespace

void register_text(nb::module_& m) {
  m.def("parse_numbers", &parse_numbers, "text"_a, NoGil(),
        "Numbers separated by white space, and the position of the first word that is none (the text's\n"
        "length if all are).");
  m.def(
      "scan_nested", &scan_nested, "text"_a, NoGil(),
      "Tokens of nested lists: kinds (open, close, number, word), values, starts, partners, levels; starts\n"
      "and stops of the distinct words; the problem (none, not opened, not closed, open quote) and its\n"
      "place.");
}

}  // namespace hedgehop::bindings
