// SPDX-License-Identifier: BSD-3-Clause
// Random numbers from whole numbers only, so that every platform draws the same.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/matrix.hpp"

namespace hedgehop {

// A random generator (Steele, Lea, Flood, OOPSLA 2014).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::size_t below(std::size_t limit) { return index((next() >> 32) * limit >> 32); }

  // About exponential: -log2 of a uniform number, linear between powers of two.
  double exponential() {
    const std::uint64_t bits = next() | 1;
    const int zeros = std::countl_zero(bits);
    const double mantissa = static_cast<double>((bits << zeros) >> 11) * 0x1.0p-53;  // in [1/2, 1)
    return zeros + 2.0 * (1.0 - mantissa);
  }

 private:
  std::uint64_t state_;
};

}  // namespace hedgehop
