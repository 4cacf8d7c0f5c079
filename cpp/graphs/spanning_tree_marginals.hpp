// SPDX-License-Identifier: BSD-3-Clause
// Max-marginals of spanning trees: what the best tree with an edge, or without it, scores.
//
// An edge outside the best tree would replace the weakest edge of its cycle, found in the history of
// Kruskal's unions; an edge of the tree would be replaced by the best that closes its cut, found by taking
// the others from the best on and climbing past all that is replaced already (Tarjan 1979). O(E log E).
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "graphs/spanning_tree.hpp"

namespace hedgehop::graphs {

// Unions without shortcuts, in time: the last union on the way between two nodes is the one that joined them.
class UnionHistory {
 public:
  explicit UnionHistory(std::size_t n) : parent_(n), size_(n, 1), time_(n, never) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  void unite(std::size_t a, std::size_t b, std::size_t time) {
    while (time_[a] != never) a = parent_[a];
    while (time_[b] != never) b = parent_[b];
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
    time_[b] = time;
  }

  // Times grow towards the root: climbing from the earlier end meets at the union that joined a and b.
  std::size_t joined(std::size_t a, std::size_t b) const {
    std::size_t last = 0;
    while (a != b) {
      if (time_[b] < time_[a]) std::swap(a, b);
      last = time_[a];
      a = parent_[a];
    }
    return last;
  }

 private:
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::vector<std::size_t> parent_, size_, time_;
};

// The gain of the best edge that could replace each edge of the tree; -inf if there is none.
inline std::vector<double> replacements(const SpanningTreeProblem& problem, std::span<const double> gains,
                                        std::span<const std::size_t> order, std::span<const Label> labeling) {
  std::vector<double> best(gains.size(), forbidden);
  const RootedTree tree(problem, labeling);
  std::vector<std::size_t> skip(problem.n_nodes);  // the next position up whose edge has no replacement yet
  std::iota(skip.begin(), skip.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (skip[i] != i) i = skip[i] = skip[skip[i]];
    return i;
  };
  for (const std::size_t e : order) {
    if (labeling[e] != 0 || gains[e] == forbidden) continue;
    std::size_t a = find(tree.position(problem.edges.first(e)));
    std::size_t b = find(tree.position(problem.edges.second(e)));
    while (a != b) {
      if (a < b) std::swap(a, b);
      best[tree.edge(a)] = gains[e];
      skip[a] = tree.parent(a);
      a = find(a);
    }
  }
  return best;
}

// The gain of the weakest edge of the tree between the ends of each edge.
inline std::vector<double> bottlenecks(const SpanningTreeProblem& problem, std::span<const double> gains,
                                       std::span<const std::size_t> order, std::span<const Label> labeling) {
  UnionHistory history(problem.n_nodes);
  for (std::size_t time = 0; time < order.size(); ++time) {
    const std::size_t e = order[time];
    if (labeling[e] != 0) history.unite(problem.edges.first(e), problem.edges.second(e), time);
  }
  std::vector<double> weakest(gains.size());
  for (std::size_t e = 0; e < weakest.size(); ++e) {
    weakest[e] = gains[order[history.joined(problem.edges.first(e), problem.edges.second(e))]];
  }
  return weakest;
}

// out(e, l) = best score of a spanning tree with y_e = l; -inf if there is none.
inline void spanning_tree_max_marginals(const SpanningTreeProblem& problem, MatrixView<double> out) {
  std::fill(out.data.begin(), out.data.end(), forbidden);
  const auto gains = problem.gains();
  const auto order = by_gain(gains);
  std::vector<Label> tree(gains.size());
  if (!grow(problem, gains, order, tree)) return;
  const double best = problem.value(tree);
  if (best == forbidden) return;
  const auto replaced = replacements(problem, gains, order, tree);
  const auto weakest = bottlenecks(problem, gains, order, tree);
  for (std::size_t e = 0; e < gains.size(); ++e) {
    const auto row = out.row(e);
    row[0] = tree[e] == 0 ? best : best - gains[e] + replaced[e];
    row[1] = tree[e] != 0 ? best : best + gains[e] - weakest[e];
  }
}

}  // namespace hedgehop::graphs
