// SPDX-License-Identifier: BSD-3-Clause
// Best spanning trees: score(y) = sum_e scores(e, y_e), y_e = 1 for the edges of the tree.
//
// best_spanning_tree is Kruskal's greedy (1956) on gains scores(e, 1) - scores(e, 0): O(E log E). Ties go to
// the edge with the higher number, so that of all best labelings the lexicographically first is found. A
// score of -inf for 1 forbids an edge, one for 0 forces it. Edge ends must be in range; callers check.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/union_find.hpp"
#include "graphs/forest_order.hpp"

namespace hedgehop::graphs {

struct SpanningTreeProblem {
  std::size_t n_nodes;
  Edges edges;
  MatrixView<const double> scores;  // two columns: out of the tree, in the tree

  // What an edge adds by being in the tree: -inf if it is forbidden, else +inf if it is forced.
  double gain(std::size_t e) const {
    const auto score = scores.row(e);
    return score[1] == forbidden ? forbidden : score[1] - score[0];
  }

  std::vector<double> gains() const {
    std::vector<double> all(edges.rows);
    for (std::size_t e = 0; e < all.size(); ++e) all[e] = gain(e);
    return all;
  }

  double value(std::span<const Label> labeling) const {
    double sum = 0.0;
    for (std::size_t e = 0; e < edges.rows; ++e) sum += scores(e, labeling[e]);
    return sum;
  }
};

inline bool is_spanning_tree(std::size_t n_nodes, Edges edges, std::span<const Label> labeling) {
  UnionFind parts(n_nodes);
  std::size_t joined = 0;
  for (std::size_t e = 0; e < edges.rows; ++e) {
    if (labeling[e] == 0) continue;
    if (!parts.unite(edges.first(e), edges.second(e))) return false;
    ++joined;
  }
  return joined + 1 == n_nodes;
}

// Edge numbers sorted by before(a, b), ties to the higher number.
template <class Before>
std::vector<std::size_t> sorted_edges(std::size_t n_edges, Before before) {
  std::vector<std::size_t> order(n_edges);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return before(a, b) || (!before(b, a) && a > b); });
  return order;
}

inline std::vector<std::size_t> by_gain(std::span<const double> gains) {
  return sorted_edges(gains.size(), [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
}

// Takes edges in the given order unless they are forbidden or close a cycle. Whether they span.
inline bool grow(const SpanningTreeProblem& problem, std::span<const double> gains,
                 std::span<const std::size_t> order, std::span<Label> labeling) {
  UnionFind parts(problem.n_nodes);
  std::size_t joined = 0;
  std::fill(labeling.begin(), labeling.end(), 0);
  for (const std::size_t e : order) {
    if (gains[e] == forbidden || !parts.unite(problem.edges.first(e), problem.edges.second(e))) continue;
    labeling[e] = 1;
    ++joined;
  }
  return joined + 1 == problem.n_nodes;
}

// The tree of a labeling as a rooted one. Ancestors have lower positions, so the path between two nodes is
// found by always climbing from the higher position.
class RootedTree {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  RootedTree(const SpanningTreeProblem& problem, std::span<const Label> labeling)
      : position_(problem.n_nodes) {
    std::vector<std::size_t> numbers;
    std::vector<std::int32_t> pairs;
    for (std::size_t e = 0; e < problem.edges.rows; ++e) {
      if (labeling[e] == 0) continue;
      numbers.push_back(e);
      pairs.insert(pairs.end(), problem.edges.row(e).begin(), problem.edges.row(e).end());
    }
    const ForestOrder order(problem.n_nodes, {pairs, numbers.size(), 2});
    for (const auto& visit : order.visits()) {
      position_[visit.variable] = parent_.size();
      parent_.push_back(visit.parent);
      edge_.push_back(visit.edge == ForestOrder::none ? none : numbers[visit.edge]);
    }
  }

  std::size_t position(std::size_t node) const { return position_[node]; }
  std::size_t parent(std::size_t position) const { return parent_[position]; }
  std::size_t edge(std::size_t position) const { return edge_[position]; }  // to the parent

 private:
  std::vector<std::size_t> position_, parent_, edge_;
};

// Writes a best spanning tree and returns its score; -inf if no tree is allowed (the labeling is then
// arbitrary).
inline double best_spanning_tree(const SpanningTreeProblem& problem, std::span<Label> labeling) {
  const auto gains = problem.gains();
  const auto order = by_gain(gains);
  return grow(problem, gains, order, labeling) ? problem.value(labeling) : forbidden;
}

}  // namespace hedgehop::graphs
