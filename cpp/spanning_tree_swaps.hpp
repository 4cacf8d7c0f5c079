// The best spanning tree for every number of edges shared with a given set of edges (ALGORITHMS 8).
//
// From a best tree that shares k edges with the set, one best swap (an edge of the set comes in, another edge
// of its cycle goes out) leads to a best tree that shares k + 1: Gabow and Tarjan 1984. So the gains of the
// swaps never grow, and a function of the number of shared edges, of any shape, is maximised by trying all
// prefixes. Starts from the best tree that shares fewest. O(n) paths for each of at most n swaps.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "poll.hpp"
#include "spanning_tree.hpp"

namespace hedgehop {

struct Swap {
  std::size_t in, out;  // edges
  double gain;
};

struct SwapSequence {
  std::vector<Label> first;  // the best of the trees that share fewest edges
  double value;              // its score; -inf if no tree is allowed
  std::vector<Swap> swaps;   // after the first j of them, a best tree that shares j more
};

namespace spanning_tree_detail {

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

// The best swap that brings in one given edge; `out` is the edge itself if there is none.
inline Swap swap_for(const SpanningTreeProblem& problem, std::span<const double> gains,
                     std::span<const Label> shared, const RootedTree& tree, std::size_t in) {
  Swap best{in, in, forbidden};
  const auto [first, second] = problem.ends(in);
  std::size_t a = tree.position(first), b = tree.position(second);
  while (a != b) {
    if (a < b) std::swap(a, b);
    const std::size_t e = tree.edge(a);
    const bool may_go = shared[e] == 0 && gains[e] != -forbidden;
    if (may_go && gains[in] - gains[e] > best.gain) best = {in, e, gains[in] - gains[e]};
    a = tree.parent(a);
  }
  return best;
}

inline Swap best_swap(const SpanningTreeProblem& problem, std::span<const double> gains,
                      std::span<const Label> shared, std::span<const Label> labeling, Poll& poll) {
  const RootedTree tree(problem, labeling);
  Swap best{0, 0, forbidden};
  for (std::size_t e = 0; e < gains.size(); ++e) {
    if (shared[e] == 0 || labeling[e] != 0 || gains[e] == forbidden) continue;
    const Swap swap = swap_for(problem, gains, shared, tree, e);
    if (swap.gain > best.gain) best = swap;
    poll.tick(64);
  }
  return best;
}

}  // namespace spanning_tree_detail

// `shared` is 1 for the edges of the set. -inf scores forbid and force as in best_spanning_tree.
inline SwapSequence spanning_tree_swaps(const SpanningTreeProblem& problem, std::span<const Label> shared,
                                        Poll poll = {}) {
  const auto gains = problem.gains();
  bool spans = false;
  SwapSequence sequence;
  sequence.first = spanning_tree_detail::fewest_shared(problem, gains, shared, spans);
  sequence.value = spans ? problem.value(sequence.first) : forbidden;
  if (sequence.value == forbidden) return sequence;
  std::vector<Label> labeling = sequence.first;
  while (true) {
    const Swap swap = spanning_tree_detail::best_swap(problem, gains, shared, labeling, poll);
    if (swap.gain == forbidden) return sequence;
    labeling[swap.in] = 1;
    labeling[swap.out] = 0;
    sequence.swaps.push_back(swap);
  }
}

}  // namespace hedgehop
