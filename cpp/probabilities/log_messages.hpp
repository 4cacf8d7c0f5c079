// SPDX-License-Identifier: BSD-3-Clause
// Messages of sum-product as logarithms, for scores of any size:
//
//     to[b] = log sum_a exp(from[a] + P(a, b)).
//
// Potts messages need O(L): the sum over "all other labels" comes from prefixes and suffixes, never from a
// difference. Tables need O(L^2) products of exponentials that are computed once per table; where such a sum
// is so small that products may have vanished, it is computed again from logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "graphs/forest.hpp"
#include "probabilities/numbers.hpp"
#include "probabilities/weight_messages.hpp"

namespace hedgehop::probabilities {

using graphs::max_of;

inline double log_sum_exp(std::span<const double> values) {
  const double top = max_of(values);
  if (top == forbidden) return forbidden;
  double sum = 0.0;
  for (const double value : values) sum += std::exp(value - top);
  return top + std::log(sum);
}

// to[b] = log(exp(from[b]) + exp(-strength) * (sum of exp(from[a]) over all other a)).
class PottsSums {
 public:
  PottsSums(const PottsScores& scores) : scores_(scores) {}

  void operator()(std::size_t edge, bool /*from_first*/, std::span<const double> from, std::span<double> to) {
    const auto best = static_cast<std::size_t>(std::max_element(from.begin(), from.end()) - from.begin());
    double second = forbidden;
    for (std::size_t a = 0; a < from.size(); ++a) second = a == best ? second : std::max(second, from[a]);
    if (from[best] == forbidden) return std::fill(to.begin(), to.end(), forbidden);
    sum_others(from, best, second);
    for (std::size_t b = 0; b < to.size(); ++b) {
      const double top = b == best ? second : from[best];
      to[b] = log_add(from[b],
                      top == forbidden ? forbidden : top + std::log(others_[b]) - scores_.strengths[edge]);
    }
  }

 private:
  static double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == forbidden ? a : a + std::log1p(std::exp(b - a));
  }

  // others_[b] = sum over a != b of exp(from[a] - top), top the largest of those a.
  void sum_others(std::span<const double> from, std::size_t best, double second) {
    others_.assign(from.size(), 0.0);
    double before = 0.0, after = 0.0, beside = 0.0;
    for (std::size_t a = 0; a < from.size(); ++a) {
      others_[a] = before;
      before += std::exp(from[a] - from[best]);
    }
    for (std::size_t a = from.size(); a-- > 0;) {
      others_[a] += after;
      after += std::exp(from[a] - from[best]);
      if (a != best && second != forbidden) beside += std::exp(from[a] - second);
    }
    others_[best] = beside;
  }

  const PottsScores& scores_;
  std::vector<double> others_;
};

// to[b] = log sum_a exp(from[a] + table(a, b)).
class TableSums {
 public:
  TableSums(const TableScores& scores) : scores_(scores), products_(scores) {}

  void operator()(std::size_t edge, bool from_first, std::span<const double> from, std::span<double> to) {
    const double above = max_of(from);
    if (above == forbidden) return std::fill(to.begin(), to.end(), forbidden);
    weights_.resize(from.size());
    for (std::size_t a = 0; a < from.size(); ++a) weights_[a] = std::exp(from[a] - above);
    const double top = products_(edge, from_first, weights_, to);
    for (std::size_t b = 0; b < to.size(); ++b) {
      to[b] = to[b] > smallest ? above + top + std::log(to[b]) : precisely(edge, from_first, from, b);
    }
  }

 private:
  static constexpr double smallest = 1e-250;  // products that vanish, below 1e-308, change no digit of more

  double precisely(std::size_t edge, bool from_first, std::span<const double> from, std::size_t b) {
    terms_.resize(from.size());
    for (std::size_t a = 0; a < from.size(); ++a) terms_[a] = from[a] + scores_.score(edge, from_first, a, b);
    return log_sum_exp(terms_);
  }

  const TableScores& scores_;
  TableProducts products_;
  std::vector<double> weights_, terms_;
};

inline PottsSums sums_of(const PottsScores& scores) {
  return {scores};
}
inline TableSums sums_of(const TableScores& scores) {
  return {scores};
}

// A forest's scores as logarithms: beliefs are sums.
template <class Scores>
class InLogs {
 public:
  using Joining = graphs::Adding;

  explicit InLogs(const Scores& scores) : scores_(scores), sums_(sums_of(scores)) {}

  std::size_t label_count(std::size_t variable) const { return scores_.label_count(variable); }

  // Where beliefs begin.
  std::vector<double> start(Unaries unaries) const { return {unaries.data.begin(), unaries.data.end()}; }

  // Shifted to a maximum of 0, so that long chains lose no digits; the shifts are part of the log partition.
  void message(std::size_t edge, bool from_first, std::span<const double> from, std::span<double> to) const {
    sums_(edge, from_first, from, to);
    const double top = max_of(to);
    if (top == forbidden) return;
    for (double& value : to) value -= top;
    shift_.add(top);
  }

  double shift() const { return shift_.value(); }

  static double log_total(std::span<const double> belief) { return log_sum_exp(belief); }

  static void normalise(std::span<double> belief) {
    const double top = max_of(belief);
    double sum = 0.0;
    for (double& value : belief) sum += value = std::exp(value - top);
    for (double& value : belief) value /= sum;
  }

  // The belief of a child whose parent has the label `above`.
  void condition(std::size_t edge, bool child_is_first, std::size_t above, std::span<double> belief) const {
    for (std::size_t l = 0; l < belief.size(); ++l)
      belief[l] += scores_.score(edge, child_is_first, l, above);
  }

 private:
  const Scores& scores_;
  mutable decltype(sums_of(std::declval<const Scores&>())) sums_;
  mutable CarefulSum shift_;
};

}  // namespace hedgehop::probabilities
