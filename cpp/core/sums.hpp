// SPDX-License-Identifier: BSD-3-Clause
// Long sums of doubles in an order that the source fixes, so that they round alike everywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace hedgehop {

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
