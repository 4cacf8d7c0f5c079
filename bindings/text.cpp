// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/arrays.hpp"
#include "text/nested.hpp"
#include "text/numbers.hpp"
#include "text/tables.hpp"

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

// Sizes of the tables, after a check that all ranges lie within the arrays.
std::vector<std::int64_t> checked_sizes(const text::TableList& list) {
  const std::size_t n = list.arities.size();
  if (list.defaults.size() != n || list.firsts.size() != n || list.rows.size() != n)
    throw std::invalid_argument("there must be one default, first and number of rows per function");
  std::vector<std::int64_t> sizes(n, 1);
  std::int64_t member = 0;
  const std::int64_t most = std::int64_t{1} << 40;
  const auto within = [](std::int64_t value, std::size_t end) {
    return value >= 0 && static_cast<std::uint64_t>(value) <= end;
  };
  for (std::size_t k = 0; k < n; ++k) {
    if (!within(list.arities[k], list.members.size() - static_cast<std::size_t>(member)))
      throw std::invalid_argument("scopes must lie within the members");
    for (const std::int64_t stop = member + list.arities[k]; member < stop; ++member) {
      const std::int64_t variable = list.members[static_cast<std::size_t>(member)];
      if (variable < 0 || !within(variable + 1, list.counts.size()))
        throw std::invalid_argument("members must be variables");
      const std::int64_t count = list.counts[static_cast<std::size_t>(variable)];
      if (count < 1 || sizes[k] > most / count) throw std::invalid_argument("a table is too large");
      sizes[k] *= count;
    }
    const std::size_t width = static_cast<std::size_t>(list.arities[k]) + 1;
    const bool listed = list.rows[k] >= 0;
    const std::size_t room = within(list.firsts[k], list.values.size())
                                 ? list.values.size() - static_cast<std::size_t>(list.firsts[k])
                                 : 0;
    const std::size_t needed =
        listed ? static_cast<std::size_t>(list.rows[k]) : static_cast<std::size_t>(sizes[k]);
    if (needed > room / (listed ? width : 1))
      throw std::invalid_argument("tuples must lie within the values");
  }
  return sizes;
}

std::pair<Result<double>, std::int64_t> fill_tables(
    const Vector<double>& values, const Vector<double>& defaults, const Vector<std::int64_t>& firsts,
    const Vector<std::int64_t>& rows, const Vector<std::int64_t>& arities,
    const Vector<std::int64_t>& members, const Vector<std::int64_t>& counts) {
  const text::TableList list{span_of(values),  span_of(defaults), span_of(firsts), span_of(rows),
                             span_of(arities), span_of(members),  span_of(counts)};
  auto [entries, bad] = text::fill_tables(list, checked_sizes(list));
  return {Result<double>(std::move(entries)), bad};
}

using OutlineArrays = std::tuple<Integers, Integers, Result<double>, Integers, Integers, std::size_t>;

OutlineArrays outline(const Vector<double>& values, std::size_t n_variables, std::size_t n_functions) {
  auto found = text::outline(span_of(values), n_variables, n_functions);
  return {Integers(std::move(found.arities)),        Integers(std::move(found.members)),
          Result<double>(std::move(found.defaults)), Integers(std::move(found.rows)),
          Integers(std::move(found.heads)),          found.end};
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
  m.def("outline", &outline, "values"_a, "n_variables"_a, "n_functions"_a, NoGil(),
        "Cost functions of a wcsp file, up to the first one that is wrong: arities (negative if shared), "
        "variables\n"
        "end to end, defaults, numbers of tuples (negative: which shared table), where each begins; and "
        "where the\n"
        "next one would.");
  m.def("fill_tables", &fill_tables, "values"_a, "defaults"_a, "firsts"_a, "rows"_a, "arities"_a, "members"_a,
        "counts"_a, NoGil(),
        "Tables of cost functions, end to end, from tuples of labels and a cost beyond a default, or (rows "
        "-1)\n"
        "from all entries; and which of the values is no label or no finite cost (-1 if all are right).");
}

}  // namespace hedgehop::bindings
