// SPDX-License-Identifier: BSD-3-Clause
// Where TRW-S visits what: variables renumbered by wavefront level, edges sorted by their lower end.
//
// Given a ranking of the variables, every edge points from its lower to its higher rank, and a variable's
// level is the longest path that leads to it. Numbering by level keeps the orientation, hence the result, but
// makes neighbours in memory independent of each other: their latencies overlap, and threads may split a
// level. On a row-major 4-connected grid the levels are the antidiagonals. O(n + E).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::trws {

// The edges at or above each variable as one array: those of i are start[i] .. start[i + 1].
struct Adjacency {
  std::vector<std::int32_t> start, head, edge;
};

class Schedule {
 public:
  // edges: Edges or GridEdges. ranks: where each variable comes in the order; empty for the order of their
  // indices.
  template <class Source>
  Schedule(std::size_t n, const Source& edges, std::span<const std::int32_t> ranks) {
    const auto rank = [&](std::size_t i) { return ranks.empty() ? static_cast<std::int32_t>(i) : ranks[i]; };
    const Adjacency above = adjacency_above(n, edges, rank);
    number_by_level(above, by_rank(n, rank));
    lay_out_upwards(above);
    lay_out_downwards();
  }

  std::size_t n_variables() const { return variable_of.size(); }
  std::size_t n_edges() const { return up_node.size(); }
  std::size_t n_levels() const { return level.size() - 1; }

  std::vector<std::int32_t> variable_of;  // of each position
  std::vector<std::int32_t> position_of;  // of each variable
  std::vector<std::int32_t> edge_of;  // the caller's index of each edge; only needed while the model is built
  std::vector<std::int32_t> level;    // positions level[k] .. level[k + 1] are independent
  std::vector<std::int32_t> up, up_node;
  std::vector<std::int32_t> down, down_edge, down_node;

  // Just below 1 / (number of chains through each position): Kolmogorov's node weights, see
  // trws/kernel/sweep.hpp.
  std::vector<float> shares() const {
    std::vector<float> result(n_variables());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::int32_t chains = std::max({up[i + 1] - up[i], down[i + 1] - down[i], 1});
      result[i] = static_cast<float>((1.0 - 0x1p-22) / chains);
    }
    return result;
  }

 private:
  static std::vector<std::int32_t> starts_from(std::vector<std::int32_t> counts) {  // counts[i + 1] -> starts
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    return counts;
  }

  template <class Source, class Rank>
  static Adjacency adjacency_above(std::size_t n, const Source& edges, Rank rank) {
    std::vector<std::int32_t> counts(n + 1, 0);
    edges.for_each(
        [&](std::size_t, std::size_t a, std::size_t b) { ++counts[(rank(a) < rank(b) ? a : b) + 1]; });
    Adjacency above{starts_from(std::move(counts)), {}, {}};
    above.head.resize(edges.size());
    above.edge.resize(edges.size());
    std::vector<std::int32_t> next(above.start.begin(), above.start.end() - 1);
    edges.for_each([&](std::size_t e, std::size_t a, std::size_t b) {
      if (rank(a) > rank(b)) std::swap(a, b);
      const auto at = index(next[a]++);
      above.head[at] = static_cast<std::int32_t>(b);
      above.edge[at] = static_cast<std::int32_t>(e);
    });
    return above;
  }

  template <class Rank>
  static std::vector<std::int32_t> by_rank(std::size_t n, Rank rank) {
    std::vector<std::int32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[index(rank(i))] = static_cast<std::int32_t>(i);
    return order;
  }

  // Longest paths, then a stable counting sort of the ranking by level.
  void number_by_level(const Adjacency& above, std::span<const std::int32_t> order) {
    const std::size_t n = order.size();
    std::vector<std::int32_t> level_of(n, 0);
    std::int32_t n_levels = 0;
    for (const std::int32_t v : order) {
      const auto i = index(v);
      n_levels = std::max(n_levels, level_of[i] + 1);
      for (auto k = above.start[i]; k < above.start[i + 1]; ++k) {
        auto& other = level_of[index(above.head[index(k)])];
        other = std::max(other, level_of[i] + 1);
      }
    }
    std::vector<std::int32_t> counts(index(n_levels) + 1, 0);
    for (const std::int32_t l : level_of) ++counts[index(l) + 1];
    level = starts_from(std::move(counts));
    std::vector<std::int32_t> next(level.begin(), level.end() - 1);
    variable_of.resize(n);
    position_of.resize(n);
    for (const std::int32_t v : order) {
      const auto i = index(v);
      position_of[i] = next[index(level_of[i])]++;
      variable_of[index(position_of[i])] = v;
    }
  }

  void lay_out_upwards(const Adjacency& above) {
    up.assign(1, 0);
    up.reserve(variable_of.size() + 1);
    up_node.reserve(above.head.size());
    edge_of.reserve(above.head.size());
    for (const std::int32_t v : variable_of) {
      const auto i = index(v);
      for (auto k = index(above.start[i]); k < index(above.start[i + 1]); ++k) {
        up_node.push_back(position_of[index(above.head[k])]);
        edge_of.push_back(above.edge[k]);
      }
      up.push_back(static_cast<std::int32_t>(up_node.size()));
    }
  }

  void lay_out_downwards() {
    std::vector<std::int32_t> counts(variable_of.size() + 1, 0);
    for (const std::int32_t j : up_node) ++counts[index(j) + 1];
    down = starts_from(std::move(counts));
    down_edge.resize(up_node.size());
    down_node.resize(up_node.size());
    std::vector<std::int32_t> next(down.begin(), down.end() - 1);
    for (std::size_t i = 0; i + 1 < up.size(); ++i) {
      for (auto e = up[i]; e < up[i + 1]; ++e) {
        const auto higher = index(up_node[index(e)]);
        const auto at = index(next[higher]++);
        down_edge[at] = e;
        down_node[at] = static_cast<std::int32_t>(i);
      }
    }
  }
};

}  // namespace hedgehop::trws
