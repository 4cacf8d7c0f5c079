// Functions of the distances to reference labelings, as tables: what the slopes of the dual, the single moves and the
// mixing of components have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "counts.hpp"
#include "matrix.hpp"

namespace hedgehop {

// values at distances 0, unit, 2 unit, ...; linear between them.
struct Curve {
  std::span<const double> values;
  double unit;

  double at(double distance) const {
    const double x = std::clamp(distance / unit, 0.0, static_cast<double>(values.size() - 1));
    const auto k = std::min(static_cast<std::size_t>(x), values.size() - 1);
    if (k + 1 == values.size()) return values[k];
    return values[k] + (values[k + 1] - values[k]) * (x - static_cast<double>(k));
  }
};

// curve(distance to reference), distances weighted where there are weights.
struct DistanceTerm {
  std::span<const Label> reference;
  std::span<const double> weights;  // empty: 1 each
  Curve curve;

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }

  double distance(std::span<const Label> labeling) const {
    if (weights.empty()) return static_cast<double>(hamming_distance(labeling, reference));
    return weighted_hamming_distance(labeling, reference, weights);
  }
};

using DistanceTerms = std::span<const DistanceTerm>;

// theta[i, l] += sum_j slopes[j] * weight_j(i) * [l != reference_j(i)]: the distances as changes of the unaries.
inline void add_slopes(DistanceTerms terms, std::span<const double> slopes, MatrixView<double> theta) {
  for (std::size_t i = 0; i < theta.rows; ++i) {
    const auto row = theta.row(i);
    double total = 0;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      const double part = slopes[j] * terms[j].weight(i);
      const auto own = static_cast<std::size_t>(terms[j].reference[i]);
      if (own < row.size()) row[own] -= part;  // a label the model does not have differs always
      total += part;
    }
    for (double& value : row) value += total;
  }
}

}  // namespace hedgehop
