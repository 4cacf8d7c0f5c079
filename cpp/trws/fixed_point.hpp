// SPDX-License-Identifier: BSD-3-Clause
// Real scores as 32-bit integers such that the bound computed on the integers is a bound for the real scores.
//
// Scores are rounded up, strengths down: no labeling loses. Each variable's best score becomes 0 (the rest is
// kept in a double), and no score is left below the floor -(reach + a little), where reach is the most by
// which the edges of the variable can favour one label over another: a label below the floor is never worth
// taking, also as part of a fractional solution, and raising it keeps the bound valid. Forbidden labels and
// the padding of a slot are such labels, so they need no special case anywhere.
//
// Range: with reach <= 2^28 everywhere, scores are >= -1.02 * 2^28, messages sum to >= -2^28 at a variable,
// so beliefs are >= -2.02 * 2^28, and a message before it is normalised lies within 3.1 * 2^28 of 0: all
// below 2^30. The pairwise scores around one variable must sum to at most 2^29, which the scale sees to as
// well.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/storage.hpp"

namespace hedgehop::trws {

using FixedPoints = Storage<std::int32_t>;

// A sum to twice double precision (Neumaier 1974), and the sum of magnitudes that bounds what is still lost.
class CarefulSum {
 public:
  void add(double x) {
    const double t = sum_ + x;
    rest_ += std::abs(sum_) >= std::abs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
    magnitude_ += std::abs(x);
  }
  double value() const { return sum_ + rest_; }
  double magnitude() const { return magnitude_; }

 private:
  double sum_ = 0.0, rest_ = 0.0, magnitude_ = 0.0;
};

class FixedPointScale {
 public:
  FixedPointScale() = default;
  // reach: largest reach of a variable; spread: largest sum of the ranges of the edges around a variable.
  FixedPointScale(double reach, double spread) {
    const double largest = std::max(reach, spread / 2.0);
    if (!(largest > 0.0)) return;  // no edge matters: labels are told apart exactly (trws/scores.cpp)
    exponent_ = std::min(1000, 27 - std::ilogb(largest));
    factor_ = std::ldexp(1.0, exponent_);
    matters_ = true;
  }

  double factor() const { return factor_; }
  int exponent() const { return exponent_; }
  // The coarser one of two, so that what fits into either fits into it; one of them if no edge matters there.
  FixedPointScale coarser(const FixedPointScale& other) const {
    if (!matters_ || !other.matters_) return matters_ ? *this : other;
    return exponent_ <= other.exponent_ ? *this : other;
  }
  double unit() const { return std::ldexp(1.0, -exponent_); }
  double real(std::int64_t value) const { return std::ldexp(static_cast<double>(value), -exponent_); }
  // Truncation is rounding up for scores (<= 0) and rounding down for strengths (>= 0).
  std::int32_t truncate(double x) const { return static_cast<std::int32_t>(x * factor_); }

  // How low a score may be where edges can favour a label by `reach`.
  static std::int32_t floor_for(std::int64_t reach) {
    return static_cast<std::int32_t>(-(reach + reach / 64 + kMargin));
  }
  static constexpr std::int32_t kMargin = 16;

 private:
  int exponent_ = 0;
  double factor_ = 1.0;
  bool matters_ = false;
};

}  // namespace hedgehop::trws
