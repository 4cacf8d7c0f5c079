// SPDX-License-Identifier: BSD-3-Clause
// Whether two edges join the same two variables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::graphs {

// Whether edges, each from its lower end, come in increasing order; then none are parallel.
inline bool is_strictly_sorted(Edges edges) {
  std::uint64_t before = 0;
  bool sorted = true;
  for (std::size_t e = 0; e < edges.size() && sorted; ++e) {
    const auto [low, high] = std::minmax(edges.first(e), edges.second(e));
    const std::uint64_t key = static_cast<std::uint64_t>(low) << 32 | high;
    sorted = e == 0 || key > before;
    before = key;
  }
  return sorted;
}

// O(n + E): edges by their lower end, whose upper ends are marked one after the other.
inline bool has_parallel(std::size_t n, Edges edges) {
  if (is_strictly_sorted(edges)) return false;
  std::vector<std::uint32_t> starts(n + 1, 0), highs(edges.size());
  edges.for_each([&](std::size_t, std::size_t i, std::size_t j) { ++starts[std::min(i, j)]; });
  std::uint32_t sum = 0;
  for (auto& start : starts) start = sum += start;  // the end of each part; filling turns it into the begin
  edges.for_each([&](std::size_t, std::size_t i, std::size_t j) {
    highs[--starts[std::min(i, j)]] = static_cast<std::uint32_t>(std::max(i, j));
  });
  std::vector<std::uint32_t> seen(n,
                                  std::numeric_limits<std::uint32_t>::max());  // lower end that met this one
  for (std::uint32_t low = 0; low < n; ++low) {
    for (std::uint32_t k = starts[low]; k < starts[low + 1]; ++k) {
      if (seen[highs[k]] == low) return true;
      seen[highs[k]] = low;
    }
  }
  return false;
}

}  // namespace hedgehop::graphs
