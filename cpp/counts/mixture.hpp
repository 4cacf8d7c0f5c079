// SPDX-License-Identifier: BSD-3-Clause
// The master problem of the slope dual (docs/theory.md 6): over mixtures of the labelings known,
//
//     max over alpha in the simplex of  sum_k alpha_k r_k + f(sum_k alpha_k d_k),   f concave:
//     f(d) = sum_j f_j(d_j) + sum_{j<l} C_jl exp(-(rate_j d_j + rate_l d_l) / 2)
//
// It is the dual of "the least bound that the labelings known allow, over all slopes"; the slopes are f' at
// the mean distances. Where C is not 0, that f is concave is the caller's affair. Pairwise Frank-Wolfe
// (Lacoste-Julien, Jaggi, NIPS 2015) with an exact line search.
//
// Complexity: O(rounds (K + bisections) J).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::counts {

// Slope of a concave table whose k-th secant is secants[k]: interpolated between the middles of the cells, so
// that it is continuous, and near a table's point it lies between the secants on both sides.
struct SlopeFunction {
  std::span<const double> secants;  // may be empty: a single distance is possible
  double unit;
  double coefficient;

  double slope(double distance) const {
    if (secants.empty()) return 0.0;
    const double x = std::clamp(distance / unit - 0.5, 0.0, static_cast<double>(secants.size() - 1));
    const auto k = static_cast<std::size_t>(x);
    if (k + 1 >= secants.size()) return coefficient * secants.back();
    return coefficient * (secants[k] + (secants[k + 1] - secants[k]) * (x - static_cast<double>(k)));
  }
};

// C, symmetric with zeros on its diagonal, and the rates; no rows: no coupling.
struct Coupling {
  MatrixView<const double> factors;
  std::span<const double> rates;
};

class Mixture {
 public:
  Mixture(std::span<const double> scores, MatrixView<const double> distances,
          std::span<const SlopeFunction> functions, Coupling coupling, std::span<double> weights)
      : scores_(scores),
        distances_(distances),
        functions_(functions),
        coupling_(coupling),
        weights_(weights),
        mean_(functions.size()),
        slopes_(functions.size()),
        roots_(functions.size()) {
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += weights_[k] * distances_.row(k)[j];
    }
  }

  void run(std::size_t rounds, double tolerance) {
    for (std::size_t round = 0; round < rounds && improve(tolerance); ++round) {
    }
  }

 private:
  // Moves weight from the worst labeling of the mixture to the best one of all; false if that gains nothing.
  bool improve(double tolerance) {
    find_slopes(mean_);
    std::size_t best = 0, worst = scores_.size();
    double most = 0, least = 0;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      double value = scores_[k];
      for (std::size_t j = 0; j < mean_.size(); ++j) value += slopes_[j] * distances_.row(k)[j];
      if (k == 0 || value > most) best = k, most = value;
      if (weights_[k] > 0 && (worst == scores_.size() || value < least)) worst = k, least = value;
    }
    if (worst == scores_.size() || most - least <= tolerance) return false;
    const double step = line_search(best, worst);
    if (step <= 0) return false;
    weights_[best] += step;
    weights_[worst] = step >= weights_[worst] ? 0.0 : weights_[worst] - step;
    for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += step * difference(best, worst, j);
    return true;
  }

  // The derivative falls along the way: halve the interval around its zero.
  double line_search(std::size_t best, std::size_t worst) {
    double low = 0, high = weights_[worst];
    if (derivative(best, worst, high) >= 0) return high;
    for (int halving = 0; halving < 30; ++halving) {
      const double middle = 0.5 * (low + high);
      (derivative(best, worst, middle) >= 0 ? low : high) = middle;
    }
    return low;
  }

  double derivative(std::size_t best, std::size_t worst, double step) {
    moved_ = mean_;
    for (std::size_t j = 0; j < mean_.size(); ++j) moved_[j] += step * difference(best, worst, j);
    find_slopes(moved_);
    double total = scores_[best] - scores_[worst];
    for (std::size_t j = 0; j < mean_.size(); ++j) total += slopes_[j] * difference(best, worst, j);
    return total;
  }

  // slopes_ = gradient of f.
  void find_slopes(const std::vector<double>& mean) {
    for (std::size_t j = 0; j < mean.size(); ++j) slopes_[j] = functions_[j].slope(mean[j]);
    const std::size_t coupled = coupling_.factors.rows;
    for (std::size_t j = 0; j < coupled; ++j) roots_[j] = std::exp(-0.5 * coupling_.rates[j] * mean[j]);
    for (std::size_t j = 0; j < coupled; ++j) {
      double others = 0;
      for (std::size_t l = 0; l < coupled; ++l) others += coupling_.factors.row(j)[l] * roots_[l];
      slopes_[j] -= 0.5 * coupling_.rates[j] * roots_[j] * others;
    }
  }

  double difference(std::size_t best, std::size_t worst, std::size_t j) const {
    return distances_.row(best)[j] - distances_.row(worst)[j];
  }

  std::span<const double> scores_;
  MatrixView<const double> distances_;
  std::span<const SlopeFunction> functions_;
  Coupling coupling_;
  std::span<double> weights_;
  std::vector<double> mean_, slopes_, roots_, moved_;
};

}  // namespace hedgehop::counts
