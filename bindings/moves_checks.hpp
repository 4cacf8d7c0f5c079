// SPDX-License-Identifier: BSD-3-Clause
// What must hold before arrays become part of a problem for moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "moves/problem.hpp"

namespace hedgehop::bindings {

template <class T>
void require_shape(const char* name, const MatrixView<const T>& array, const MoveProblem& problem) {
  require_size(name, array.rows, problem.n_variables(), "variable");
  require_columns(name, array.columns, problem.n_labels());
}

inline void require_linear(const MatrixView<const double>& theta, const MoveProblem& problem) {
  require_shape("theta", theta, problem);
  require_scores("theta", theta.data);
}

inline void require_at_least_one(const char* name, std::span<const std::int64_t> values) {
  const bool ok = std::all_of(values.begin(), values.end(), [](std::int64_t x) { return x >= 1; });
  require(ok, std::string(name) + " must be at least 1");
}

inline void require_weights(const LabelWeights& weights, const MoveProblem& problem) {
  require_size("least_counts", weights.least.size(), weights.w.rows, "row of w");
  if (weights.w.rows > 0) require_columns("w", weights.w.columns, problem.n_labels());
  require_finite("w", weights.w.data);
  require_at_least_one("least_counts", weights.least);
}

inline void require_transitions(const MatrixView<const double>& w, bool ordered, const MoveProblem& problem) {
  require_size("w", w.rows, problem.n_labels(), "label");
  require_columns("w", w.columns, problem.n_labels());
  require_finite("w", w.data);
  for (std::size_t a = 0; a < w.rows && !ordered; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      require(w.row(a)[b] == w.row(b)[a], "w must be symmetric for unordered pairs; give ordered=True");
  }
}

inline void require_regions(const RegionWeights& regions, const MoveProblem& problem) {
  const std::size_t count = regions.size();
  if (count == 0 && regions.members.empty()) return;
  require_size("offsets", regions.offsets.size(), count + 1, "region and the end");
  require_size("mu", regions.mu.rows, count, "region");
  require_columns("mu", regions.mu.columns, problem.n_labels());
  require_finite("mu", regions.mu.data);
  require_at_least_one("slack", regions.slack);
  require_in_range("members", regions.members, problem.n_variables());
  require(regions.offsets.front() == 0 && std::is_sorted(regions.offsets.begin(), regions.offsets.end()) &&
              regions.offsets.back() == static_cast<std::int64_t>(regions.members.size()),
          "offsets must not decrease, from 0 to the number of members");
  std::vector<std::size_t> seen(problem.n_variables(), count);
  for (std::size_t c = 0; c < count; ++c) {
    for (const std::int32_t i : regions.region(c))
      require(std::exchange(seen[static_cast<std::size_t>(i)], c) != c,
              "region " + std::to_string(c) + " has variable " + std::to_string(i) + " twice");
  }
}

inline void require_labeling(const char* name, std::span<const Label> labels, const MoveProblem& problem) {
  require_size(name, labels.size(), problem.n_variables(), "variable");
  require_in_range(name, labels, problem.n_labels());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!problem.allows(i, labels[i]))
      throw std::invalid_argument(std::string(name) + " gives variable " + std::to_string(i) +
                                  " a forbidden label");
  }
}

}  // namespace hedgehop::bindings
