// SPDX-License-Identifier: BSD-3-Clause
// What all parts of the maximum flow share: types of indices, the two sides, limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace hedgehop::flow {

using Index = std::int32_t;  // a node
using Total = std::int64_t;  // a sum over all nodes

enum Side : int { source = 0, sink = 1 };

constexpr Side other(Side side) {
  return side == source ? sink : source;
}

// Levels, and with them differences of levels, stay within int32.
inline constexpr std::size_t max_nodes = std::size_t{1} << 30;
// A terminal larger than the capacities around its node is as good as infinite; these leave room for sums.
template <class Cap>
inline constexpr Cap hard_terminal = sizeof(Cap) == 4 ? Cap{1} << 28 : static_cast<Cap>(1LL << 40);

inline Index checked_nodes(std::size_t n) {
  if (n > max_nodes) throw std::length_error("a flow has at most 2^30 nodes; got " + std::to_string(n));
  return static_cast<Index>(n);
}

inline void prefetch([[maybe_unused]] const void* address) {
#ifdef __GNUC__
  __builtin_prefetch(address);
#endif
}

}  // namespace hedgehop::flow
