// SPDX-License-Identifier: BSD-3-Clause
// Cost functions as files give them: scopes, and tables by all entries or by a default and a list of tuples.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace hedgehop::text {

struct TableList {
  std::span<const double> values;         // numbers of the file
  std::span<const double> defaults;       // of each function; a function without tuples has none
  std::span<const std::int64_t> firsts;   // where each function's numbers begin
  std::span<const std::int64_t> rows;     // how many tuples; -1 if all entries are there
  std::span<const std::int64_t> arities;  // variables of each function
  std::span<const std::int64_t> members;  // these variables, end to end
  std::span<const std::int64_t> counts;   // labels of each variable
};

struct Tables {
  std::vector<double> entries;  // end to end; the last variable changes fastest
  std::int64_t bad = -1;        // which of the numbers is no label of its variable, or no finite cost
};

// The place of a tuple in its table; -1 and `bad` if a label is wrong.
inline std::int64_t place_of(const TableList& list, std::size_t tuple, std::span<const std::int64_t> scope,
                             std::int64_t& bad) {
  std::int64_t place = 0;
  for (std::size_t k = 0; k < scope.size(); ++k) {
    const double label = list.values[tuple + k];
    const std::int64_t count = list.counts[static_cast<std::size_t>(scope[k])];
    if (!(label >= 0 && label < static_cast<double>(count) && label == std::floor(label))) {
      bad = static_cast<std::int64_t>(tuple + k);
      return -1;
    }
    place = place * count + static_cast<std::int64_t>(label);
  }
  return place;
}

// Writes one table; returns whether all its numbers are right.
inline bool fill_table(const TableList& list, std::size_t function, std::span<const std::int64_t> scope,
                       std::span<double> table, std::int64_t& bad) {
  const std::size_t first = static_cast<std::size_t>(list.firsts[function]);
  const bool listed = list.rows[function] >= 0;
  const std::size_t width = listed ? scope.size() + 1 : 1;
  const std::size_t rows = listed ? static_cast<std::size_t>(list.rows[function]) : table.size();
  if (listed)
    for (double& entry : table) entry = list.defaults[function];
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t tuple = first + row * width;
    const std::int64_t place = listed ? place_of(list, tuple, scope, bad) : static_cast<std::int64_t>(row);
    if (place < 0) return false;
    const double cost = list.values[tuple + width - 1];
    if (!std::isfinite(cost)) {
      bad = static_cast<std::int64_t>(tuple + width - 1);
      return false;
    }
    table[static_cast<std::size_t>(place)] = cost;
  }
  return true;
}

// `sizes` are those of the tables; ranges are the caller's to check.
inline Tables fill_tables(const TableList& list, std::span<const std::int64_t> sizes) {
  std::size_t total = 0, start = 0, member = 0;
  for (const std::int64_t size : sizes) total += static_cast<std::size_t>(size);
  Tables found{std::vector<double>(total)};
  for (std::size_t function = 0; function < sizes.size(); ++function) {
    const std::size_t size = static_cast<std::size_t>(sizes[function]);
    const std::size_t arity = static_cast<std::size_t>(list.arities[function]);
    const std::span<double> table(found.entries.data() + start, size);
    if (!fill_table(list, function, list.members.subspan(member, arity), table, found.bad)) return found;
    start += size;
    member += arity;
  }
  return found;
}

// Cost functions of a wcsp file, one after the other: arity, scope, default cost, number of tuples, tuples.
struct Outline {
  std::vector<std::int64_t> arities;  // negative: later functions may use its table
  std::vector<std::int64_t> members;  // variables, end to end, not yet checked
  std::vector<double> defaults;
  std::vector<std::int64_t> rows;   // numbers of tuples; negative: which of the shared tables it uses
  std::vector<std::int64_t> heads;  // where each function begins
  std::size_t end = 0;              // where the first function begins that is wrong, or what follows the last
};

inline bool is_whole(double value, double low, double high) {
  return value >= low && value <= high && value == std::floor(value);
}

inline Outline outline(std::span<const double> values, std::size_t n_variables, std::size_t n_functions) {
  Outline found;
  const double n = static_cast<double>(n_variables), most = 9007199254740992.0;
  std::int64_t shared = 0;
  while (found.heads.size() < n_functions && found.end < values.size()) {
    const std::size_t head = found.end, left = values.size() - head;
    if (!is_whole(values[head], -n, n)) break;
    const std::size_t arity = static_cast<std::size_t>(std::abs(values[head]));
    if (left < arity + 3) break;
    const double defaulted = values[head + arity + 1], rows = values[head + arity + 2];
    if (defaulted == -1 || !std::isfinite(defaulted) || !is_whole(rows, -static_cast<double>(shared), most))
      break;
    const std::size_t listed = rows > 0 ? static_cast<std::size_t>(rows) : 0;
    if (listed > (left - arity - 3) / (arity + 1)) break;
    const auto scope = values.subspan(head + 1, arity);
    for (const double member : scope)
      if (!is_whole(member, 0, n - 1)) return found;
    for (const double member : scope) found.members.push_back(static_cast<std::int64_t>(member));
    found.arities.push_back(static_cast<std::int64_t>(values[head]));
    shared += values[head] < 0;
    found.defaults.push_back(defaulted);
    found.rows.push_back(static_cast<std::int64_t>(rows));
    found.heads.push_back(static_cast<std::int64_t>(head));
    found.end = head + arity + 3 + listed * (arity + 1);
  }
  return found;
}

}  // namespace hedgehop::text
