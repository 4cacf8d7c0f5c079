// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/spanning_tree.hpp"

#include <vector>

#include "check.hpp"
#include "graphs/spanning_tree_marginals.hpp"
#include "graphs/spanning_tree_swaps.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;

namespace {

struct Instance {
  std::size_t n_nodes;
  std::vector<std::int32_t> ends;
  std::vector<double> scores;

  std::size_t n_edges() const { return ends.size() / 2; }

  SpanningTreeProblem problem() const { return {n_nodes, {ends, n_edges(), 2}, {scores, n_edges(), 2}}; }

  std::vector<Label> labeling(std::size_t bits) const {
    std::vector<Label> result(n_edges());
    for (std::size_t e = 0; e < n_edges(); ++e) result[e] = bits >> (n_edges() - 1 - e) & 1;  // lexicographic
    return result;
  }
};

// Whole numbers, so that ties abound and sums are exact; some labels are forbidden.
Instance random_instance(Random& random, std::size_t n_nodes, std::size_t n_edges, bool forbid) {
  Instance instance{n_nodes, {}, {}};
  for (std::size_t e = 0; e < n_edges; ++e) {
    const std::size_t a = random.below(n_nodes);
    instance.ends.push_back(static_cast<std::int32_t>(a));
    instance.ends.push_back(static_cast<std::int32_t>((a + 1 + random.below(n_nodes - 1)) % n_nodes));
    for (int l = 0; l < 2; ++l) {
      const bool gone = forbid && random.below(6) == 0;
      instance.scores.push_back(gone ? forbidden : static_cast<double>(random.below(7)) - 3.0);
    }
  }
  return instance;
}

// visit(labeling, value) for every spanning tree, in lexicographic order.
template <class Visit>
void every_tree(const Instance& instance, Visit visit) {
  const auto problem = instance.problem();
  for (std::size_t bits = 0; bits < std::size_t{1} << instance.n_edges(); ++bits) {
    const auto y = instance.labeling(bits);
    if (is_spanning_tree(problem.n_nodes, problem.edges, y)) visit(y, problem.value(y));
  }
}

void best_is_the_lexicographically_first_best(const Instance& instance) {
  std::vector<Label> expected, found(instance.n_edges());
  double best = forbidden;
  every_tree(instance, [&](const auto& y, double value) {
    if (value > best) best = value, expected = y;
  });
  CHECK(best_spanning_tree(instance.problem(), found) == best);
  CHECK(best == forbidden || found == expected);
}

void marginals_are_constrained_maxima(const Instance& instance) {
  std::vector<double> expected(2 * instance.n_edges(), forbidden), found(2 * instance.n_edges());
  every_tree(instance, [&](const auto& y, double value) {
    for (std::size_t e = 0; e < y.size(); ++e) {
      double& entry = expected[2 * e + index(y[e])];
      entry = std::max(entry, value);
    }
  });
  spanning_tree_max_marginals(instance.problem(), {found, instance.n_edges(), 2});
  CHECK(found == expected);
}

void swaps_are_best_for_every_share(const Instance& instance, const std::vector<Label>& shared) {
  const std::size_t n_edges = instance.n_edges();
  std::vector<double> expected(n_edges + 1, forbidden);
  const auto count = [&](const auto& y) {
    std::size_t both = 0;
    for (std::size_t e = 0; e < n_edges; ++e) both += y[e] != 0 && shared[e] != 0;
    return both;
  };
  every_tree(instance,
             [&](const auto& y, double value) { expected[count(y)] = std::max(expected[count(y)], value); });
  auto [tree, value, swaps] = spanning_tree_swaps(instance.problem(), shared);
  std::vector<double> found(n_edges + 1, forbidden);
  double before = -forbidden;
  if (value != forbidden) found[count(tree)] = value;
  for (const EdgeSwap& swap : swaps) {
    tree[swap.in] = 1, tree[swap.out] = 0;
    value += swap.gain;
    CHECK(instance.problem().value(tree) == value);
    CHECK(swap.gain <= before);  // concave
    before = swap.gain;
    found[count(tree)] = value;
  }
  CHECK(found == expected);
}

}  // namespace

int main() {
  Random random(1);
  for (int round = 0; round < 600; ++round) {
    const std::size_t n_nodes = 2 + random.below(4), n_edges = 1 + random.below(9);
    const Instance instance = random_instance(random, n_nodes, n_edges, round % 2 == 0);
    best_is_the_lexicographically_first_best(instance);
    marginals_are_constrained_maxima(instance);
    swaps_are_best_for_every_share(instance, random.labels(n_edges, 2));
    std::vector<Label> tree(n_edges);
    best_spanning_tree(instance.problem(), tree);
    swaps_are_best_for_every_share(instance, tree);
  }
  return test::exit_code();
}
