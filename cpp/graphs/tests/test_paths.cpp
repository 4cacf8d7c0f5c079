// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/paths.hpp"

#include <limits>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;

namespace {

struct Case {
  std::size_t n_nodes;
  std::vector<std::int32_t> ends;
  std::vector<double> costs;
  bool directed;

  std::size_t size() const { return costs.size(); }
  Edges edges() const { return {{ends, size(), 2}}; }
};

// By the definition: all ways from a node that visit none twice.
double best_from(const Case& c, std::size_t at, std::size_t target, std::vector<bool>& seen) {
  if (at == target) return 0.0;
  seen[at] = true;
  double best = unreachable;
  for (std::size_t e = 0; e < c.size(); ++e) {
    for (const bool forward : {true, false}) {
      if (!forward && c.directed) continue;
      const std::size_t from = index(c.ends[2 * e + (forward ? 0 : 1)]);
      const std::size_t to = index(c.ends[2 * e + (forward ? 1 : 0)]);
      if (from == at && !seen[to]) best = std::min(best, c.costs[e] + best_from(c, to, target, seen));
    }
  }
  seen[at] = false;
  return best;
}

Case drawn(Random& random, bool directed, bool acyclic, bool negative) {
  Case c{6, {}, {}, directed};
  for (int k = 0; k < 12; ++k) {
    std::int32_t u = static_cast<std::int32_t>(random.below(6)),
                 v = static_cast<std::int32_t>(random.below(6));
    if (u == v) continue;
    if (acyclic && u > v) std::swap(u, v);
    c.ends.insert(c.ends.end(), {u, v});
    const bool closed = random.below(10) == 0;
    c.costs.push_back(closed ? unreachable : random.uniform(negative ? -1.0 : 0.0, 3.0));
  }
  return c;
}

void found_is_best(Random& random, bool directed, bool acyclic, bool negative) {
  const Case c = drawn(random, directed, acyclic, negative);
  const PathGraph graph(c.n_nodes, c.edges(), c.directed);
  if (acyclic) CHECK(graph.is_acyclic());
  std::vector<bool> seen(c.n_nodes);
  const double best = best_from(c, 0, 5, seen);
  Poll poll;
  const FoundPath found = graph.best(0, 5, c.costs, {}, {}, poll);
  CHECK((found.cost == unreachable) == (best == unreachable));
  if (best == unreachable) return;
  std::vector<Label> labeling(c.size());
  for (const std::int32_t e : found.edges) labeling[index(e)] = 1;
  CHECK(graph.is_path(0, 5, labeling));
  CHECK(found.bound <= best + 1e-9);
  CHECK(found.cost >= best - 1e-9);
  if (acyclic || !negative) CHECK(test::close(found.cost, best));
  if (acyclic || !negative) CHECK(test::close(found.bound, best));
}

// A* with distances for half of the costs finds what Dijkstra finds.
void led_search_is_exact(Random& random) {
  const Case c = drawn(random, true, false, false);
  const PathGraph graph(c.n_nodes, c.edges(), true);
  Poll poll;
  std::vector<double> half(c.costs);
  for (double& cost : half) cost /= 2;
  const PathTree ahead = graph.tree(5, false, half, poll);
  const double plain = graph.best(0, 5, c.costs, {}, {}, poll).cost;
  const double led = graph.best(0, 5, c.costs, {}, ahead.distance, poll).cost;
  CHECK(plain == led || test::close(plain, led));
}

void paths_are_told_from_others() {
  const std::vector<std::int32_t> ends{0, 1, 1, 2, 2, 0, 2, 3};
  const PathGraph graph(4, {{ends, 4, 2}}, true);
  CHECK(graph.is_path(0, 3, std::vector<Label>{1, 1, 0, 1}));
  CHECK(!graph.is_path(0, 3, std::vector<Label>{1, 1, 1, 1}));
  CHECK(!graph.is_path(0, 3, std::vector<Label>{1, 1, 0, 0}));
  CHECK(!graph.is_path(0, 3, std::vector<Label>{0, 0, 0, 0}));
}

void beginnings_and_needed_edges_are_kept() {
  const std::vector<std::int32_t> ends{0, 1, 1, 3, 0, 2, 2, 3, 2, 1};
  const std::vector<double> costs{1.0, 1.0, 5.0, 5.0, 1.0};
  const PathGraph graph(4, {{ends, 5, 2}}, true);
  Poll poll;
  const std::vector<std::int32_t> first{2};
  CHECK(graph.best(0, 3, costs, first, {}, poll).cost == 7.0);
  const std::vector<std::uint8_t> needed{0, 0, 0, 1, 0};
  CHECK(graph.best_through(0, 3, costs, needed, poll).cost == 10.0);
  const std::vector<std::uint8_t> never{1, 0, 0, 1, 0};
  CHECK(graph.best_through(0, 3, costs, never, poll).cost == unreachable);
}

}  // namespace

int main() {
  Random random(7);
  for (int k = 0; k < 2000; ++k) {
    found_is_best(random, k % 2 == 0, false, false);
    found_is_best(random, k % 2 == 0, false, true);
    found_is_best(random, true, true, true);
    led_search_is_exact(random);
  }
  paths_are_told_from_others();
  beginnings_and_needed_edges_are_kept();
  return test::exit_code();
}
