// SPDX-License-Identifier: BSD-3-Clause
// Flows under random changes: after each, the minimum and the cut are those of a slow and obvious algorithm.
#undef NDEBUG  // every solve asserts that the cut it found costs what the flow says

#include "flow/flow.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "check.hpp"
#include "flow/csr.hpp"
#include "flow/grid.hpp"
#include "flow/tests/instance.hpp"

using namespace hedgehop;
using namespace hedgehop::flow;
using namespace hedgehop::test;

namespace {

// A problem under random changes, and the flow that follows them.
template <class Layout>
class Stress {
 public:
  using Cap = typename Layout::Cap;

  Stress(Problem problem, Flow<Layout> flow, Random& random)
      : problem_(std::move(problem)), flow_(std::move(flow)), random_(random) {}

  void run(int rounds, std::int64_t top) {
    if (random_.below(4) != 0) flow_.keep_forests_up_to(problem_.terminals.size() * 8);
    check();
    for (int round = 0; round < rounds; ++round) {
      const std::size_t count =
          random_.below(10) < 7 ? random_.below(4) : random_.below(problem_.terminals.size() + 1);
      if (random_.below(10) < 7) change_terminals(count, top);
      if (random_.below(10) == 0) shift_all();
      check();
    }
  }

 private:
  void check() {
    Poll poll;
    const std::int64_t minimum = flow_.solve(poll);
    CHECK(minimum == reference(problem_));
    CHECK(minimum == problem_.cost([&](Index v) { return flow_.is_sink_side(v); }));
    CHECK(minimum == flow_.minimum() && minimum == flow_.cut_value());
    if (random_.below(4) == 0)
      check_min_marginals(static_cast<Index>(random_.below(problem_.terminals.size())));
  }

  // Residual terminals bound from below what a labeling costs that is forced at v.
  void check_min_marginals(Index v) {
    constexpr std::int64_t force = 1LL << 40;
    const std::int64_t residual = flow_.residual_terminal(v);
    Problem forced = problem_;
    forced.terminals[v] -= force;
    CHECK(reference(forced) + force >= flow_.minimum() + std::max<std::int64_t>(0, residual));
    forced.terminals[v] += 2 * force;
    CHECK(reference(forced) >= flow_.minimum() + std::max<std::int64_t>(0, -residual));
  }

  void change_terminals(std::size_t count, std::int64_t top) {
    std::vector<Index> nodes;
    std::vector<Cap> deltas;
    for (std::size_t i = 0; i < count; ++i) {
      nodes.push_back(static_cast<Index>(random_.below(problem_.terminals.size())));
      deltas.push_back(static_cast<Cap>(static_cast<std::int64_t>(random_.below(4 * top + 1)) - 2 * top));
      problem_.terminals[nodes.back()] += deltas.back();
    }
    flow_.add_terminals(nodes, deltas);
  }

  void shift_all() {
    std::vector<Cap> deltas(problem_.terminals.size());
    for (std::size_t v = 0; v < deltas.size(); ++v) {
      deltas[v] = static_cast<Cap>(random_.below(7)) - 3;
      problem_.terminals[v] += deltas[v];
    }
    flow_.add_terminals(deltas);
  }

  Problem problem_;
  Flow<Layout> flow_;
  Random& random_;
};

template <class C>
void stress_general(Random& random, std::size_t largest) {
  const std::int64_t top = random_top(random);
  Problem problem = random_graph(random, top, largest);
  auto flow = general_flow<C>(problem);
  Stress<CsrLayout<C>>(std::move(problem), std::move(flow), random).run(6, top);
}

template <class C, int K>
void stress_grid(Random& random, std::size_t side) {
  constexpr bool volume = K == 6 || K == 26;
  const Shape shape{volume ? 1 + random.below(side) : 1, 1 + random.below(side), 1 + random.below(side)};
  const std::int64_t top = random_top(random);
  Problem problem;
  problem.terminals.resize(shape.pixels());
  random_terminals(problem, random, top);
  std::vector<std::vector<C>> forward, backward;
  const auto ways = directions<K>();
  for (int k = 0; k < K / 2; ++k) {
    forward.emplace_back(), backward.emplace_back();
    const auto& o = ways[k];
    for (Index v = 0; v < problem.size(); ++v) {
      const int x = v % static_cast<int>(shape.width),
                y = v / static_cast<int>(shape.width) % static_cast<int>(shape.height),
                z = v / static_cast<int>(shape.width * shape.height);
      const int p = z + o[0], q = y + o[1], r = x + o[2];
      if (p < 0 || q < 0 || r < 0 || p >= static_cast<int>(shape.depth) ||
          q >= static_cast<int>(shape.height) || r >= static_cast<int>(shape.width))
        continue;
      const Index w = (p * static_cast<int>(shape.height) + q) * static_cast<int>(shape.width) + r;
      forward.back().push_back(static_cast<C>(random.below(top + 1)));
      backward.back().push_back(static_cast<C>(random.below(top + 1)));
      problem.edges.push_back({v, w, forward.back().back(), backward.back().back()});
    }
    CHECK(forward.back().size() == edges_along(shape, o).pixels());
  }
  GridLayout<C, K> graph(
      shape, [&](std::size_t v) { return problem.terminals[v]; }, [&](int k) { return at(forward[k]); },
      [&](int k) { return at(backward[k]); });
  Stress<GridLayout<C, K>>(std::move(problem), Flow<GridLayout<C, K>>(std::move(graph)), random).run(4, top);
}

}  // namespace

int main() {
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    stress_general<std::int32_t>(random, trial % 3 == 0 ? 60 : 12);
    stress_general<std::int64_t>(random, trial % 3 == 0 ? 60 : 12);
  }
  for (int trial = 0; trial < 500; ++trial) {
    stress_grid<std::int32_t, 4>(random, 8);
    stress_grid<std::int64_t, 4>(random, 8);
    stress_grid<std::int32_t, 8>(random, 8);
    stress_grid<std::int64_t, 8>(random, 6);
    stress_grid<std::int32_t, 6>(random, 4);
    stress_grid<std::int64_t, 6>(random, 4);
    stress_grid<std::int32_t, 26>(random, 4);
    stress_grid<std::int64_t, 26>(random, 3);
  }
  return exit_code();
}
