// SPDX-License-Identifier: BSD-3-Clause
// The best spanning tree for every number of edges shared with a given set of edges (docs/theory.md 10).
//
// From a best tree that shares k edges with the set, one best swap (an edge of the set comes in, another edge
// of its cycle goes out) leads to a best tree that shares k + 1: Gabow and Tarjan 1984. So the gains of the
// swaps never grow, and a function of the number of shared edges, of any shape, is maximised by trying all
// prefixes. Starts from the best tree that shares fewest. O(n) paths for each of at most n swaps.
#pragma once

#include <cstddef>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/poll.hpp"
#include "graphs/spanning_tree.hpp"

namespace hedgehop::graphs {

struct EdgeSwap {
  std::size_t in, out;  // edges
  double gain;
};

struct SwapSequence {
  std::vector<Label> first;     // the best of the trees that share fewest edges
  double value;                 // its score; -inf if no tree is allowed
  std::vector<EdgeSwap> swaps;  // after the first j of them, a best tree that shares j more
};

inline std::vector<Label> fewest_shared(const SpanningTreeProblem& problem, std::span<const double> gains,
                                        std::span<const Label> shared, bool& spans) {
  const auto key = [&](std::size_t e) {
    const bool forced = gains[e] == -forbidden;
    return std::make_tuple(forced || shared[e] == 0, gains[e]);
  };
  const auto order =
      sorted_edges(gains.size(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  std::vector<Label> tree(gains.size());
  spans = grow(problem, gains, order, tree);
  return tree;
}

// A rooted tree that changes: paths and swaps cost as much as nodes are deep. Nodes are named by their first
// positions.
class ChangingTree {
 public:
  ChangingTree(const SpanningTreeProblem& problem, std::span<const Label> labeling)
      : problem_(problem), start_(problem, labeling), seen_(problem.n_nodes, 0) {
    for (std::size_t at = 0; at < problem.n_nodes; ++at) {
      parent_.push_back(start_.parent(at));
      edge_.push_back(start_.edge(at));
    }
  }

  // visit(e) for the edges of the tree between the ends of an edge.
  template <class Visit>
  void path(std::size_t edge, Visit visit) {
    const auto [first, second] = ends(edge);
    ++time_;
    for (std::size_t at = first; at != none; at = parent_[at]) seen_[at] = time_;
    std::size_t meet = second;
    for (; seen_[meet] != time_; meet = parent_[meet]) visit(edge_[meet]);
    for (std::size_t at = first; at != meet; at = parent_[at]) visit(edge_[at]);
  }

  // `out` is on the path between the ends of `in`: turns what hangs below it around and hangs it on at `in`.
  void swap(std::size_t in, std::size_t out) {
    auto [below, above] = ends(in);
    if (!hangs_below(below, out)) std::swap(below, above);
    std::size_t edge = in;
    while (edge != out) {
      std::swap(edge, edge_[below]);
      std::swap(above, parent_[below]);
      std::swap(below, above);
    }
  }

 private:
  static constexpr std::size_t none = RootedTree::none;

  std::pair<std::size_t, std::size_t> ends(std::size_t edge) const {
    return {start_.position(problem_.edges.first(edge)), start_.position(problem_.edges.second(edge))};
  }

  bool hangs_below(std::size_t at, std::size_t edge) const {
    while (at != none && edge_[at] != edge) at = parent_[at];
    return at != none;
  }

  const SpanningTreeProblem& problem_;
  const RootedTree start_;
  std::vector<std::size_t> parent_, edge_;  // edge_: the one to the parent
  std::vector<std::size_t> seen_;
  std::size_t time_ = 0;
};

// The best swap that brings in one given edge; its gain is -inf if there is none.
inline EdgeSwap swap_for(ChangingTree& tree, std::span<const double> gains, std::span<const Label> shared,
                         std::size_t in, Poll& poll) {
  EdgeSwap best{in, in, forbidden};
  tree.path(in, [&](std::size_t e) {
    const bool may_go = shared[e] == 0 && gains[e] != -forbidden;
    const double gain = gains[in] - gains[e];
    if (may_go && (gain > best.gain || (gain == best.gain && e < best.out))) best = {in, e, gain};
    poll.tick();
  });
  return best;
}

struct LessGain {
  bool operator()(const EdgeSwap& a, const EdgeSwap& b) const {
    return a.gain < b.gain || (a.gain == b.gain && a.in > b.in);
  }
};

// `shared` is 1 for the edges of the set. -inf scores forbid and force as in best_spanning_tree.
inline SwapSequence spanning_tree_swaps(const SpanningTreeProblem& problem, std::span<const Label> shared,
                                        Poll poll = {}) {
  const auto gains = problem.gains();
  bool spans = false;
  SwapSequence sequence;
  sequence.first = fewest_shared(problem, gains, shared, spans);
  sequence.value = spans ? problem.value(sequence.first) : forbidden;
  if (sequence.value == forbidden) return sequence;
  ChangingTree tree(problem, sequence.first);
  std::priority_queue<EdgeSwap, std::vector<EdgeSwap>, LessGain> queue;
  const auto consider = [&](std::size_t in) {
    const EdgeSwap swap = swap_for(tree, gains, shared, in, poll);
    if (swap.gain != forbidden) queue.push(swap);
  };
  for (std::size_t e = 0; e < gains.size(); ++e) {
    if (shared[e] != 0 && sequence.first[e] == 0 && gains[e] != forbidden) consider(e);
  }
  while (!queue.empty()) {
    const EdgeSwap known = queue.top(), swap = swap_for(tree, gains, shared, known.in, poll);
    queue.pop();
    if (swap.gain < known.gain) {
      if (swap.gain != forbidden) queue.push(swap);
      continue;
    }
    tree.swap(swap.in, swap.out);
    sequence.swaps.push_back(swap);
  }
  return sequence;
}

}  // namespace hedgehop::graphs
