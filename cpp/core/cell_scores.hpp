// SPDX-License-Identifier: BSD-3-Clause
// What is added to unary scores if it is the same at all variables of a cell, but for a factor, and at most
// labels the same number: a fraction of the memory of a table. What lists of labelings add is of that kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "core/matrix.hpp"

namespace hedgehop {

struct CellScores {
  std::span<const std::int32_t> cell;    // of each variable
  std::span<const std::int32_t> starts;  // entries of cell c: starts[c] .. starts[c + 1]
  std::span<const Label> labels;         // of each entry, no label twice in a cell
  std::span<const double> amounts;       // the same: what is added there
  std::span<const double> weights;       // a factor for each variable, or empty
  double base = 0;                       // what is added at all other labels

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }

  double at(std::size_t i, Label label) const {
    const std::size_t c = index(cell[i]);
    for (std::size_t e = index(starts[c]); e < index(starts[c + 1]); ++e) {
      if (labels[e] == label) return amounts[e] * weight(i);
    }
    return base * weight(i);
  }

  // out = own + what is added at variable i.
  template <class T>
  void add(std::size_t i, std::span<const T> own, std::span<double> out) const {
    const double factor = weight(i), usual = base * factor;
    for (std::size_t l = 0; l < own.size(); ++l) out[l] = static_cast<double>(own[l]) + usual;
    const std::size_t c = index(cell[i]);
    for (std::size_t e = index(starts[c]); e < index(starts[c + 1]); ++e) {
      const std::size_t l = index(labels[e]);
      if (l < own.size()) out[l] = static_cast<double>(own[l]) + amounts[e] * factor;
    }
  }
};

// Nothing, an n x L table, or amounts by cell.
using Change = std::variant<std::monostate, std::span<const double>, CellScores>;

inline double change_at(const Change& change, std::size_t i, Label label, std::size_t n_labels) {
  if (const auto* cells = std::get_if<CellScores>(&change)) return cells->at(i, label);
  const auto* table = std::get_if<std::span<const double>>(&change);
  return table == nullptr ? 0.0 : (*table)[i * n_labels + index(label)];
}

}  // namespace hedgehop
