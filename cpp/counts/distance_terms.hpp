// SPDX-License-Identifier: BSD-3-Clause
// Functions of the distances to reference labelings, as tables: what the slopes of the dual, the single moves
// and the mixing of components have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"
#include "counts/counts.hpp"

namespace hedgehop::counts {

// values at distances 0, unit, 2 unit, ...; linear between them.
struct PiecewiseLinear {
  std::span<const double> values;
  double unit;

  double at(double distance) const {
    const double x = std::clamp(distance / unit, 0.0, static_cast<double>(values.size() - 1));
    const auto k = std::min(static_cast<std::size_t>(x), values.size() - 1);
    if (k + 1 == values.size()) return values[k];
    return values[k] + (values[k + 1] - values[k]) * (x - static_cast<double>(k));
  }
};

// function(distance to reference), distances weighted where there are weights. With a second reference the
// distance counts only variables where the two references differ from each other and the labeling differs
// from both.
struct DistanceTerm {
  std::span<const Label> reference;
  std::span<const Label> second;    // empty: none
  std::span<const double> weights;  // empty: 1 each
  PiecewiseLinear function;

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }

  double distance(std::span<const Label> labeling) const {
    return second.empty() ? counts::distance(labeling, reference, weights) : distance_from_both(labeling);
  }

 private:
  double distance_from_both(std::span<const Label> labeling) const {
    if (weights.empty()) return static_cast<double>(count_from_both(labeling));
    double total = 0;
    for (std::size_t i = 0; i < labeling.size(); ++i) {
      const bool counts =
          reference[i] != second[i] && labeling[i] != reference[i] && labeling[i] != second[i];
      total += counts ? weight(i) : 0.0;
    }
    return total;
  }

  // Without branches, in blocks with a 32-bit count, as in hamming_distance.
  std::int64_t count_from_both(std::span<const Label> labeling) const {
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    std::int64_t count = 0;
    for (std::size_t start = 0; start < labeling.size(); start += kBlock) {
      const std::size_t end = std::min(start + kBlock, labeling.size());
      std::int32_t part = 0;
      for (std::size_t i = start; i < end; ++i) {
        const Label y = labeling[i], a = reference[i], b = second[i];
        part += static_cast<std::int32_t>(a != b) & static_cast<std::int32_t>(y != a) &
                static_cast<std::int32_t>(y != b);
      }
      count += part;
    }
    return count;
  }
};

using DistanceTerms = std::span<const DistanceTerm>;

// theta[i, l] += sum over terms of slope * weight(i) * [label l counts in the term's distance].
inline void add_slopes(DistanceTerms terms, std::span<const double> slopes, MatrixView<double> theta) {
  for (std::size_t i = 0; i < theta.rows; ++i) {
    const auto row = theta.row(i);
    double total = 0;
    const auto spare = [&](Label label, double part) {  // a label the model does not have needs none
      if (index(label) < row.size()) row[index(label)] -= part;
    };
    for (std::size_t j = 0; j < terms.size(); ++j) {
      const DistanceTerm& term = terms[j];
      if (slopes[j] == 0.0 || (!term.second.empty() && term.reference[i] == term.second[i])) continue;
      const double part = slopes[j] * term.weight(i);
      spare(term.reference[i], part);
      if (!term.second.empty()) spare(term.second[i], part);
      total += part;
    }
    for (double& value : row) value += total;
  }
}

}  // namespace hedgehop::counts
