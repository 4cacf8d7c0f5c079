// SPDX-License-Identifier: BSD-3-Clause
// Cut problems for the tests of flows: random ones, and their minimum by a slow and obvious algorithm.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "check.hpp"
#include "flow/csr.hpp"
#include "flow/flow.hpp"
#include "flow/grid.hpp"

namespace hedgehop::test {

using namespace hedgehop::flow;

struct Problem {
  struct Edge {
    Index u, v;
    std::int64_t forward, backward;
  };

  std::vector<std::int64_t> terminals;
  std::vector<Edge> edges;

  Index size() const { return static_cast<Index>(terminals.size()); }

  template <class IsSink>
  std::int64_t cost(IsSink is_sink) const {
    std::int64_t sum = 0;
    for (Index v = 0; v < size(); ++v) sum += is_sink(v) ? terminals[v] : 0;
    for (const auto& e : edges) {
      if (!is_sink(e.u) && is_sink(e.v)) sum += e.forward;
      if (is_sink(e.u) && !is_sink(e.v)) sum += e.backward;
    }
    return sum;
  }
};

// Shortest augmenting paths on a dense matrix (Edmonds and Karp): slow and obvious.
inline std::int64_t reference(const Problem& problem) {
  const std::size_t n = problem.terminals.size(), s = n, t = n + 1, size = n + 2;
  std::vector<std::int64_t> residual(size * size);
  std::int64_t minimum = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const std::int64_t terminal = problem.terminals[v];
    residual[terminal > 0 ? s * size + v : v * size + t] += std::abs(terminal);
    minimum += std::min<std::int64_t>(0, terminal);
  }
  for (const auto& e : problem.edges) {
    residual[e.u * size + e.v] += e.forward;
    residual[e.v * size + e.u] += e.backward;
  }
  for (;;) {
    std::vector<std::size_t> parent(size, size), queue{s};
    parent[s] = s;
    for (std::size_t i = 0; i < queue.size() && parent[t] == size; ++i) {
      for (std::size_t v = 0; v < size; ++v) {
        if (parent[v] != size || residual[queue[i] * size + v] == 0) continue;
        parent[v] = queue[i];
        queue.push_back(v);
      }
    }
    if (parent[t] == size) return minimum;
    std::int64_t amount = std::numeric_limits<std::int64_t>::max();
    for (std::size_t v = t; v != s; v = parent[v]) amount = std::min(amount, residual[parent[v] * size + v]);
    for (std::size_t v = t; v != s; v = parent[v]) {
      residual[parent[v] * size + v] -= amount;
      residual[v * size + parent[v]] += amount;
    }
    minimum += amount;
  }
}

template <class C>
Flow<CsrLayout<C>> general_flow(const Problem& problem) {
  std::vector<Index> ends;
  for (const auto& e : problem.edges) ends.insert(ends.end(), {e.u, e.v});
  const auto& edges = problem.edges;
  return Flow<CsrLayout<C>>(CsrLayout<C>(
      problem.terminals.size(), {ends, edges.size(), 2}, [&](Index v) { return problem.terminals[v]; },
      [&](std::size_t e) { return static_cast<C>(edges[e].forward); },
      [&](std::size_t e) { return static_cast<C>(edges[e].backward); }));
}

inline std::int64_t random_top(Random& random) {
  return std::array<std::int64_t, 3>{1, 9, 999}[random.below(3)];
}

inline void random_terminals(Problem& problem, Random& random, std::int64_t top) {
  const std::size_t sparse = std::array<std::size_t, 3>{0, 5, 9}[random.below(3)];
  for (auto& t : problem.terminals) {
    t = random.below(10) < sparse ? 0 : static_cast<std::int64_t>(random.below(2 * top + 1)) - top;
    if (random.below(20) == 0) t *= hard_terminal<std::int32_t> / (top + 1) / 4;
  }
}

// Uniform, with a hub, or a chain; loops, parallel edges and isolated parts occur.
inline Problem random_graph(Random& random, std::int64_t top, std::size_t largest) {
  Problem problem;
  const std::size_t n = 1 + random.below(largest), kind = random.below(4);
  problem.terminals.resize(n);
  problem.edges.resize(random.below(4 * n));
  const std::size_t hub = random.below(n), one_way = random.below(3);
  for (auto& e : problem.edges) {
    const std::size_t u = random.below(n);
    std::size_t v = random.below(n);
    if (kind == 1 && random.below(2) == 0) v = hub;
    if (kind == 2) v = std::min(n - 1, u + 1);
    e = {static_cast<Index>(u), static_cast<Index>(v), static_cast<std::int64_t>(random.below(top + 1)),
         random.below(2) < one_way ? 0 : static_cast<std::int64_t>(random.below(top + 1))};
  }
  random_terminals(problem, random, top);
  return problem;
}

// An array as a function of the index.
template <class Array>
auto at(const Array& array) {
  return [data = array.data()](std::size_t i) { return data[i]; };
}

}  // namespace hedgehop::test
