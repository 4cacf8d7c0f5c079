// SPDX-License-Identifier: BSD-3-Clause
// Edges as they are given: whether they join two different variables each, and no two edges the same two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::graphs {

// Whether edges, each from its lower end, come in increasing order; then none are parallel.
inline bool is_strictly_sorted(Edges edges) {
  constexpr std::size_t block = 256;  // without branches
  const auto key = [&](std::size_t e) {
    const auto u = static_cast<std::uint64_t>(edges.first(e)),
               v = static_cast<std::uint64_t>(edges.second(e));
    return u < v ? u << 32 | v : v << 32 | u;
  };
  for (std::size_t start = 1; start < edges.size(); start += block) {
    const std::size_t end = std::min(edges.size(), start + block);
    std::size_t wrong = 0;
    std::uint64_t before = key(start - 1);
    for (std::size_t e = start; e < end; ++e) {
      const std::uint64_t now = key(e);
      wrong += now <= before;
      before = now;
    }
    if (wrong > 0) return false;
  }
  return true;
}

// out = the ends of edges, as 32 bits; returns whether all are in range and none is a loop.
template <class Int>
bool copy_edges(std::size_t n, std::span<const Int> ends, std::span<std::int32_t> out) {
  std::size_t wrong = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); k += 2) {
    const Int u = ends[k], v = ends[k + 1];
    wrong += static_cast<std::size_t>(static_cast<std::uint64_t>(u) >= n) |
             static_cast<std::size_t>(static_cast<std::uint64_t>(v) >= n) | static_cast<std::size_t>(u == v);
    out[k] = static_cast<std::int32_t>(u), out[k + 1] = static_cast<std::int32_t>(v);
  }
  return wrong == 0;
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
