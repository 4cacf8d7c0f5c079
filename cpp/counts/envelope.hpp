// SPDX-License-Identifier: BSD-3-Clause
// The least concave function above a table: the upper hull of its points, one pass from left to right.
//
// Complexity: O(n).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hedgehop::counts {

// table[k] becomes the envelope at k; finite values.
inline void concave_envelope(std::span<double> table) {
  std::vector<std::size_t> hull;
  for (std::size_t k = 0; k < table.size(); ++k) {
    while (hull.size() >= 2) {
      const std::size_t i = hull[hull.size() - 2], j = hull.back();
      const double left = (table[j] - table[i]) * static_cast<double>(k - i);
      if (left > (table[k] - table[i]) * static_cast<double>(j - i)) break;
      hull.pop_back();
    }
    hull.push_back(k);
  }
  for (std::size_t h = 0; h + 1 < hull.size(); ++h) {
    const std::size_t i = hull[h], j = hull[h + 1];
    const double slope = (table[j] - table[i]) / static_cast<double>(j - i);
    for (std::size_t k = i + 1; k < j; ++k) table[k] = table[i] + slope * static_cast<double>(k - i);
  }
}

}  // namespace hedgehop::counts
