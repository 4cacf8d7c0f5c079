// SPDX-License-Identifier: BSD-3-Clause
// Real costs as integers, with a bound on what that may change.
//
// q(x) = round(x 2^p), ties to even. Multiplying by a power of two is exact, so each term moves by at most
// 2^-(p+1), and the cost of any labeling, hence the minimum, by at most that times the number of terms that
// moved at all. Quantise after the normal form (one signed terminal per node, capacities >= 0): rounding pair
// tables could destroy k >= 0.
//
// The scale. 32 bits are used where they are precise: the largest load of a node (flow/overflow.hpp) is
// scaled to at most 2^29, which leaves a factor of four for later changes, and that must make 2^-p at most
// 2^-20 of a typical term (the mean size of the non-zero capacities, or of the non-zero terminals if that is
// smaller: hard terminals raise the largest term, not the precision anyone needs). Otherwise 64 bits with the
// sum of all loads scaled to at most 2^61.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace hedgehop::flow {

// Sizes of the terms of one kind, capacities or terminals.
struct TermSizes {
  double total = 0, largest = 0, smallest = 0;  // sum of |x|; largest |x|; smallest x or 0
  std::size_t nonzero = 0;

  template <class T>
  void add(std::span<const T> values) {
    // 64-bit sums of 32-bit integers are exact and need no order, so the compiler may vectorise them.
    using Sum = std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t, double>;
    Sum sum = 0;
    T high = 0, low = 0;
    std::size_t count = 0;
    for (const T value : values) {
      sum += value < 0 ? -static_cast<Sum>(value) : static_cast<Sum>(value);
      high = std::max(high, value), low = std::min(low, value);
      count += value != 0;
    }
    total += static_cast<double>(sum);  // not finite if any value is not
    largest = std::max({largest, static_cast<double>(high), -static_cast<double>(low)});
    smallest = std::min(smallest, static_cast<double>(low));
    nonzero += count;
  }

  double mean() const {
    return nonzero == 0 ? std::numeric_limits<double>::infinity() : total / static_cast<double>(nonzero);
  }
};

// The nearest whole number, ties to even. Adding and subtracting 1.5 2^52 drops the fraction of what is below
// 2^51, without the call that std::nearbyint is where processors of any age are supported.
inline double nearest(double x) {
  constexpr double shift = 6755399441055744.0;
  return std::abs(x) < 2251799813685248.0 ? (x + shift) - shift : std::nearbyint(x);
}

class Quantiser {
 public:
  // `load`: the largest |terminal| + capacities around one node; `total`: the sum of that over all nodes.
  // `wide`: 64 bits whatever 32 give, where many minima are added up.
  Quantiser(const TermSizes& capacities, const TermSizes& terminals, double load, double total,
            bool wide = false) {
    const double typical = std::min(capacities.mean(), terminals.mean());
    if (!(total > 0)) return;  // nothing but zeros: p = 0
    const int narrow = room(29, load);
    narrow_ = !wide && (typical == std::numeric_limits<double>::infinity() ||
                        std::ldexp(typical, narrow) >= std::ldexp(1.0, 20));
    exponent_ = narrow_ ? narrow : room(61, total);
    scale_ = std::ldexp(1.0, exponent_);
  }

  bool is_narrow() const { return narrow_; }
  int exponent() const { return exponent_; }

  // Throws std::overflow_error if the scaled value is beyond 2^61; not a number included.
  std::int64_t operator()(double value) const {
    const double scaled = value * scale_;
    if (!(std::abs(scaled) <= 2305843009213693952.0)) {
      throw std::overflow_error("a value is too large for the scale of its flow");
    }
    return static_cast<std::int64_t>(nearest(scaled));
  }

  // How many of the values change.
  template <class T>
  std::size_t count_rounded(std::span<const T> values) const {
    std::size_t count = 0;
    for (const T value : values) count += nearest(value * scale_) != value * scale_;
    return count;
  }

  double real(std::int64_t value) const { return std::ldexp(static_cast<double>(value), -exponent_); }

  // How far real(value) may be from the true cost of a labeling of which `rounded` terms changed.
  double error(std::int64_t value, std::size_t rounded) const {
    // The conversion to double may round, too.
    const bool fits = static_cast<std::int64_t>(static_cast<double>(value)) == value;
    const double conversion = fits ? 0.0 : std::abs(real(value)) * std::numeric_limits<double>::epsilon();
    return std::ldexp(static_cast<double>(rounded), -exponent_ - 1) + conversion;
  }

 private:
  // The largest p with size 2^p <= 2^bits; kept where 2^p and its inverse are ordinary numbers.
  static int room(int bits, double size) {
    int exponent;  // size <= 2^exponent
    std::frexp(size, &exponent);
    return std::clamp(bits - exponent, -1000, 900);
  }

  bool narrow_ = true;
  int exponent_ = 0;
  double scale_ = 1;
};

}  // namespace hedgehop::flow
