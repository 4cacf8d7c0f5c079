// SPDX-License-Identifier: BSD-3-Clause
// Messages of sum-product as plain numbers, for scores whose exponentials fit into doubles:
//
//     to[b] = sum_a from[a] * exp(P(a, b)).
//
// Only additions and multiplications of nonnegative numbers, so nothing cancels; no logarithm, so it is
// several times as fast as log_messages.hpp. Where no pair is forbidden, entries of a message differ by a
// factor of exp(range of P) at most, whatever the belief behind it; `fits` asks whether beliefs, products of
// a unary weight and of messages, stay far from underflow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "graphs/forest.hpp"
#include "probabilities/numbers.hpp"

namespace hedgehop::probabilities {

using graphs::ForestOrder;

// Largest difference of two finite numbers.
inline double range_of(std::span<const double> values) {
  double low = -forbidden, high = forbidden;
  for (const double value : values) {
    if (value == forbidden) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high > low ? high - low : 0.0;
}

// Range of the scores of all pairs; infinite if some are forbidden.
inline double range_of(const PottsScores& scores) {
  double most = 0.0;
  for (const double strength : scores.strengths) most = std::max(most, std::abs(strength));
  return most;
}
inline double range_of(const TableScores& scores) {
  const auto& flat = scores.flat;
  const bool forbids = std::find(flat.begin(), flat.end(), forbidden) != flat.end();
  return forbids ? -forbidden : range_of(flat);
}

// to[b] = from[b] + exp(-strength) * (sum of all other from[a]).
class PottsProducts {
 public:
  explicit PottsProducts(const PottsScores& scores) : scores_(scores) {}

  // Returns the logarithm by which the message is too small.
  double operator()(std::size_t edge, bool /*from_first*/, std::span<const double> from,
                    std::span<double> to) const {
    const double strength = scores_.strengths[edge], top = std::max(0.0, -strength);
    const double same = std::exp(-top), other = std::exp(-strength - top);
    double before = 0.0, after = 0.0;
    for (std::size_t b = 0; b < to.size(); ++b) {
      to[b] = same * from[b] + other * before;
      before += from[b];
    }
    for (std::size_t b = to.size(); b-- > 0;) {
      to[b] += other * after;
      after += from[b];
    }
    return top;
  }

  double weight(std::size_t edge, bool /*from_first*/, std::size_t from, std::size_t to) const {
    const double strength = scores_.strengths[edge], top = std::max(0.0, -strength);
    return std::exp((from == to ? 0.0 : -strength) - top);
  }

 private:
  const PottsScores& scores_;
};

// to[b] = sum_a from[a] * exp(table(a, b) - top), with exponentials that are computed once.
class TableProducts {
 public:
  explicit TableProducts(const TableScores& scores)
      : scores_(scores),
        factors_(scores.flat.size()),
        top_(factors_.empty() ? 0.0 : graphs::max_of(scores.flat)) {
    if (top_ == forbidden) top_ = 0.0;
    for (std::size_t k = 0; k < factors_.size(); ++k) factors_[k] = std::exp(scores.flat[k] - top_);
  }

  double operator()(std::size_t edge, bool from_first, std::span<const double> from,
                    std::span<double> to) const {
    const std::size_t columns = index(scores_.columns[edge]);
    const double* table = factors_.data() + index(scores_.offsets[edge]);
    if (from_first) {
      std::fill(to.begin(), to.end(), 0.0);
      for (std::size_t a = 0; a < from.size(); ++a) add_row(from[a], table + a * columns, to);
    } else {
      for (std::size_t b = 0; b < to.size(); ++b) to[b] = dot(from, table + b * columns);
    }
    return top_;
  }

  double weight(std::size_t edge, bool from_first, std::size_t from, std::size_t to) const {
    const double* table = factors_.data() + index(scores_.offsets[edge]);
    const std::size_t columns = index(scores_.columns[edge]);
    return from_first ? table[from * columns + to] : table[to * columns + from];
  }

 private:
  static void add_row(double weight, const double* row, std::span<double> to) {
    for (std::size_t b = 0; b < to.size(); ++b) to[b] += weight * row[b];
  }

  // Four sums side by side: one alone would wait for each addition.
  static double dot(std::span<const double> from, const double* row) {
    double sums[4] = {};
    std::size_t a = 0;
    for (; a + 4 <= from.size(); a += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += from[a + k] * row[a + k];
    }
    for (; a < from.size(); ++a) sums[0] += from[a] * row[a];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  const TableScores& scores_;
  std::vector<double> factors_;
  double top_;
};

inline PottsProducts products_of(const PottsScores& scores) {
  return PottsProducts(scores);
}
inline TableProducts products_of(const TableScores& scores) {
  return TableProducts(scores);
}

// A forest's scores as weights: beliefs are products.
template <class Scores>
class InWeights {
 public:
  using Joining = graphs::Multiplying;

  explicit InWeights(const Scores& scores) : scores_(scores), products_(products_of(scores)) {}

  static bool fits(const ForestOrder& order, Unaries unaries, const Scores& scores) {
    std::size_t degree = 0;
    for (const auto& visit : order.visits())
      degree = std::max(degree, visit.children_end - visit.children + 1);
    const double pairs = order.visits().size() > order.n_components() ? range_of(scores) : 0.0;
    const double room = most - static_cast<double>(degree + 1) * pairs;
    for (std::size_t i = 0; room >= 0.0 && i < unaries.rows; ++i) {
      if (range_of(unaries.row(i).first(scores.label_count(i))) > room) return false;
    }
    return room >= 0.0;
  }

  std::size_t label_count(std::size_t variable) const { return scores_.label_count(variable); }

  // Weights of the labels, where beliefs begin; rows are shifted to a maximum of 1.
  std::vector<double> start(Unaries unaries) const {
    std::vector<double> weights(unaries.data.size());
    for (std::size_t i = 0; i < unaries.rows; ++i) {
      const auto row = unaries.row(i).first(label_count(i));
      const double top = graphs::max_of(row);
      for (std::size_t l = 0; l < row.size(); ++l) weights[i * unaries.columns + l] = std::exp(row[l] - top);
      shift_.add(top);
    }
    return weights;
  }

  void message(std::size_t edge, bool from_first, std::span<const double> from, std::span<double> to) const {
    const double small = products_(edge, from_first, from, to), top = graphs::max_of(to);
    for (double& value : to) value *= 1.0 / top;
    shift_.add(small + std::log(top));
  }

  double shift() const { return shift_.value(); }

  static double log_total(std::span<const double> belief) { return std::log(sum_of(belief)); }

  static void normalise(std::span<double> belief) {
    const double sum = sum_of(belief);
    for (double& value : belief) value /= sum;
  }

  void condition(std::size_t edge, bool child_is_first, std::size_t above, std::span<double> belief) const {
    for (std::size_t l = 0; l < belief.size(); ++l)
      belief[l] *= products_.weight(edge, child_is_first, l, above);
  }

 private:
  static constexpr double most = 600.0;  // exp(-600) is far from the least double, 1e-308

  static double sum_of(std::span<const double> values) {
    double sum = 0.0;
    for (const double value : values) sum += value;
    return sum;
  }

  const Scores& scores_;
  decltype(products_of(std::declval<const Scores&>())) products_;
  mutable CarefulSum shift_;
};

}  // namespace hedgehop::probabilities
