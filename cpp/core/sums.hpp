// SPDX-License-Identifier: BSD-3-Clause
// Long sums of doubles in an order that the source fixes, so that they round alike everywhere, and terms that
// count or do not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hedgehop {

// The value, or 0. A mask of bits: labels are noisy, and compilers turn even a product with a condition into
// a branch, which would be guessed wrong.
inline double only_if(bool condition, double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) &
                               (std::uint64_t{0} - static_cast<std::uint64_t>(condition)));
}

// value(0) + ... + value(n - 1). Eight running sums break the chain of dependent additions and may share
// vector registers; blocks keep the error at some hundred roundings, however long the sum is.
template <class Value>
double blocked_sum(std::size_t n, Value value) {
  constexpr std::size_t lanes = 8, block = 4096;
  double total = 0;
  for (std::size_t start = 0; start < n; start += block) {
    const std::size_t end = std::min(start + block, n);
    std::array<double, lanes> sums{};
    std::size_t i = start;
    for (; i + lanes <= end; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += value(i + lane);
    }
    for (; i < end; ++i) sums[0] += value(i);
    total += ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  return total;
}

}  // namespace hedgehop
