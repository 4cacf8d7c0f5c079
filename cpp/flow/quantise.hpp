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
#include <array>
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
    // 64-bit sums of 32-bit integers are exact. Eight of everything, which the compiler may keep in vectors.
    using Sum = std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t, double>;
    constexpr std::size_t lanes = 8;
    std::array<Sum, lanes> sum{};
    std::array<T, lanes> high{}, low{};
    std::array<std::int64_t, lanes> count{};
    const auto take = [&](std::size_t lane, T value) {
      sum[lane] += value < 0 ? -static_cast<Sum>(value) : static_cast<Sum>(value);
      high[lane] = value > high[lane] ? value : high[lane];
      low[lane] = value < low[lane] ? value : low[lane];
      count[lane] += value != 0;
    };
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, values[i + lane]);
    }
    for (; i < values.size(); ++i) take(0, values[i]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      total += static_cast<double>(sum[lane]);  // not finite if any value is not
      largest = std::max({largest, static_cast<double>(high[lane]), -static_cast<double>(low[lane])});
      smallest = std::min(smallest, static_cast<double>(low[lane]));
      nonzero += static_cast<std::size_t>(count[lane]);
    }
  }

  double mean() const {
    return nonzero == 0 ? std::numeric_limits<double>::infinity() : total / static_cast<double>(nonzero);
  }
};

// The nearest whole number to what is below 2^51, ties to even: adding and subtracting 1.5 2^52 drops the
// fraction, without the call that std::nearbyint is where processors of any age are supported.
inline double nearest_small(double x) {
  constexpr double shift = 6755399441055744.0;
  return (x + shift) - shift;
}

inline double nearest(double x) {
  return std::abs(x) < 2251799813685248.0 ? nearest_small(x) : std::nearbyint(x);
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

  // The same for values that are known to fit 32 bits, which costs no branch.
  std::int32_t small(double value) const { return static_cast<std::int32_t>(nearest_small(value * scale_)); }

  // The same, which adds 1 to `rounded` if it changes the value.
  std::int32_t small(double value, std::size_t& rounded) const {
    const double scaled = value * scale_, whole = nearest_small(scaled);
    rounded += whole != scaled;
    return static_cast<std::int32_t>(whole);
  }

  // Whether all values are at most 2^30 when scaled; not if one is not a number.
  template <class T>
  bool are_small(std::span<const T> values) const {
    std::int64_t large = 0;
    for (const T value : values) large += !(std::abs(value * scale_) <= 1073741824.0);
    return large == 0;
  }

  // How many of the values change: of those below 2^52, all others are whole, what adding 2^52 rounds.
  template <class T>
  std::size_t count_rounded(std::span<const T> values) const {
    constexpr double shift = 4503599627370496.0;
    std::int64_t count = 0;
    for (const T value : values) {
      const double size = std::abs(value * scale_);
      count +=
          static_cast<std::int64_t>(size < shift) & static_cast<std::int64_t>((size + shift) - shift != size);
    }
    return static_cast<std::size_t>(count);
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
  // The largest p with size 2^p <= 2^bits; kept where 2^p is finite and its inverse is exact.
  static int room(int bits, double size) {
    int exponent;  // size <= 2^exponent
    std::frexp(size, &exponent);
    return std::clamp(bits - exponent, -1000, 1023);
  }

  bool narrow_ = true;
  int exponent_ = 0;
  double scale_ = 1;
};

}  // namespace hedgehop::flow
