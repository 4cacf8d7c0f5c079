// SPDX-License-Identifier: BSD-3-Clause
#undef NDEBUG  // every solve asserts that the cut it found costs what the flow says

#include "flow.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "flow_csr.hpp"
#include "flow_grid.hpp"

using namespace hedgehop;
using namespace hedgehop::flow;
using test::Random;

namespace {

struct Problem {
  struct Edge {
    Index u, v;
    std::int64_t forward, backward;
  };

  std::vector<std::int64_t> terminals;
  std::vector<Edge> edges;
  std::vector<int> slots;  // grids: slot of the forward arc at u

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
std::int64_t reference(const Problem& problem) {
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

template <class F>
std::vector<Arc<F>> forward_arcs(const Problem& problem, const CsrLayout<typename F::Cap>&) {
  std::vector<Index> ends;
  for (const auto& e : problem.edges) ends.insert(ends.end(), {e.u, e.v});
  std::vector<Arc<F>> arcs;
  for (const auto slot : forward_slots(problem.terminals.size(), {ends, problem.edges.size(), 2})) {
    arcs.push_back({problem.edges[arcs.size()].u, slot});
  }
  return arcs;
}

template <class F, class C, int K>
std::vector<Arc<F>> forward_arcs(const Problem& problem, const GridLayout<C, K>&) {
  std::vector<Arc<F>> arcs;
  for (std::size_t e = 0; e < problem.edges.size(); ++e) {
    arcs.push_back({problem.edges[e].u, static_cast<std::uint8_t>(problem.slots[e])});
  }
  return arcs;
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

// A problem under random changes, and the flow that follows them.
template <class Layout>
class Stress {
 public:
  using Cap = typename Layout::Cap;

  Stress(Problem problem, Flow<Layout> flow, Random& random)
      : problem_(std::move(problem)),
        flow_(std::move(flow)),
        arcs_(forward_arcs<Layout>(problem_, flow_.graph())),
        random_(random) {}

  void run(int rounds, std::int64_t top) {
    if (random_.below(4) != 0) flow_.keep_forests_up_to(problem_.terminals.size() * 8);
    check();
    for (int round = 0; round < rounds; ++round) {
      const std::size_t count =
          random_.below(10) < 7 ? random_.below(4) : random_.below(problem_.terminals.size() + 1);
      if (random_.below(10) < 7) change_terminals(count, top);
      if (random_.below(10) < 7) change_capacities(count, top);
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

  void change_capacities(std::size_t count, std::int64_t top) {
    if (problem_.edges.empty()) return;
    std::vector<Arc<Layout>> arcs;
    std::vector<Cap> deltas;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t e = random_.below(problem_.edges.size());
      const bool forward = random_.below(2) == 0;
      auto& capacity = forward ? problem_.edges[e].forward : problem_.edges[e].backward;
      const std::int64_t value =
          random_.below(10) < 7 ? static_cast<std::int64_t>(random_.below(2 * top + 1)) : 0;
      deltas.push_back(static_cast<Cap>(value - capacity));
      arcs.push_back(forward ? arcs_[e] : reverse(arcs_[e]));
      capacity = value;
    }
    flow_.add_capacities([&](std::size_t i) { return arcs[i]; }, deltas);
  }

  void shift_all() {
    std::vector<Cap> deltas(problem_.terminals.size());
    for (std::size_t v = 0; v < deltas.size(); ++v) {
      deltas[v] = static_cast<Cap>(random_.below(7)) - 3;
      problem_.terminals[v] += deltas[v];
    }
    flow_.add_terminals(deltas);
  }

  Arc<Layout> reverse(const Arc<Layout>& arc) const {
    return {flow_.graph().head(arc.tail, arc.slot), flow_.graph().rev(arc.tail, arc.slot)};
  }

  Problem problem_;
  Flow<Layout> flow_;
  std::vector<Arc<Layout>> arcs_;
  Random& random_;
};

std::int64_t random_top(Random& random) {
  return std::array<std::int64_t, 3>{1, 9, 999}[random.below(3)];
}

void random_terminals(Problem& problem, Random& random, std::int64_t top) {
  const std::size_t sparse = std::array<std::size_t, 3>{0, 5, 9}[random.below(3)];
  for (auto& t : problem.terminals) {
    t = random.below(10) < sparse ? 0 : static_cast<std::int64_t>(random.below(2 * top + 1)) - top;
    if (random.below(20) == 0) t *= hard_terminal<std::int32_t> / (top + 1) / 4;
  }
}

// Uniform, with a hub, or a chain; loops, parallel edges and isolated parts occur.
Problem random_graph(Random& random, std::int64_t top, std::size_t largest) {
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

template <class C>
void stress_general(Random& random, std::size_t largest) {
  const std::int64_t top = random_top(random);
  Problem problem = random_graph(random, top, largest);
  auto flow = general_flow<C>(problem);
  Stress<CsrLayout<C>>(std::move(problem), std::move(flow), random).run(6, top);
}

// An array as a function of the index.
template <class Array>
auto at(const Array& array) {
  return [data = array.data()](std::size_t i) { return data[i]; };
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
      problem.slots.push_back(2 * k);
    }
    CHECK(forward.back().size() == edges_along(shape, o).pixels());
  }
  GridLayout<C, K> graph(
      shape, [&](std::size_t v) { return problem.terminals[v]; }, [&](int k) { return at(forward[k]); },
      [&](int k) { return at(backward[k]); });
  Stress<GridLayout<C, K>>(std::move(problem), Flow<GridLayout<C, K>>(std::move(graph)), random).run(4, top);
}

// Large enough that repairs give up and that polls happen; too large for the reference.
void large_grid_kept_or_rebuilt(Random& random) {
  const Shape shape{1, 60, 70};
  std::vector<std::int32_t> t(shape.pixels());
  for (auto& value : t) value = static_cast<std::int32_t>(random.below(2001)) - 1000;
  std::vector<std::int32_t> strengths(8 * t.size());
  for (auto& value : strengths) value = static_cast<std::int32_t>(random.below(600));
  const auto make = [&] {
    return Flow<GridLayout<std::int32_t, 8>>(GridLayout<std::int32_t, 8>(
        shape, [&](std::size_t v) { return t[v]; },
        [&](int k) { return at(std::span(strengths).subspan(k * t.size())); },
        [&](int k) { return at(std::span(strengths).subspan((4 + k) * t.size())); }));
  };
  auto kept = make();
  kept.keep_forests_up_to(t.size());
  Poll poll;
  kept.solve(poll);
  for (int round = 0; round < 30; ++round) {
    std::vector<Index> nodes(random.below(round % 3 == 0 ? 3000 : 30));
    std::vector<std::int32_t> deltas(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[i] = static_cast<Index>(random.below(t.size()));
      deltas[i] = static_cast<std::int32_t>(random.below(2001)) - 1000;
      t[nodes[i]] += deltas[i];
    }
    kept.add_terminals(nodes, deltas);
    CHECK(kept.solve(poll) == make().solve(poll));
  }
}

template <class Exception, class Call>
bool throws(Call call) {
  try {
    call();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

Problem two_nodes(std::int64_t terminal, std::int64_t capacity) {
  Problem problem;
  problem.terminals = {terminal, -terminal};
  problem.edges = {{0, 1, capacity, capacity}};
  return problem;
}

void refuses_what_does_not_fit() {
  constexpr std::int64_t big = 1LL << 30;
  CHECK(throws<std::overflow_error>([] { general_flow<std::int32_t>(two_nodes(big, big / 2)); }));
  CHECK(!throws<std::overflow_error>([] { general_flow<std::int64_t>(two_nodes(big, big / 2)); }));
  CHECK(throws<std::overflow_error>([] { general_flow<std::int64_t>(two_nodes(1LL << 61, 1LL << 60)); }));

  auto flow = general_flow<std::int32_t>(two_nodes(big, big / 2 - 1));
  Poll poll;
  CHECK(flow.solve(poll) == -big + big / 2 - 1);
  const std::vector<Index> nodes{0};
  const std::vector<std::int32_t> more{1 << 30};
  const std::vector<Arc<CsrLayout<std::int32_t>>> arcs{{0, flow.graph().begin(0)}};
  CHECK(
      throws<std::overflow_error>([&] { flow.add_terminals(std::vector<std::int32_t>{1 << 30, 1 << 30}); }));
  CHECK(throws<std::overflow_error>([&] {
    flow.add_terminals(nodes, more);
    flow.add_terminals(nodes, more);
  }));
  CHECK(throws<std::overflow_error>([&] {
    for (int i = 0; i < 3; ++i) flow.add_capacities([&](std::size_t) { return arcs[0]; }, more);
  }));
  // Many small changes wear the cheap bound out, but not the exact one.
  const std::vector<std::int32_t> up{1 << 28, 0}, down{-(1 << 28), 0};
  auto patient = general_flow<std::int32_t>(two_nodes(1, 1));
  for (int i = 0; i < 40; ++i) patient.add_terminals(i % 2 == 0 ? up : down);
  CHECK(patient.solve(poll) == 0);
  patient.add_terminals(down);
  CHECK(patient.solve(poll) == -(1 << 28));

  CHECK((Shape{1U << 16, 1U << 16, 1U << 16}.pixels() > max_nodes));
  CHECK(throws<std::length_error>([] {
    GridLayout<std::int32_t, 6>(
        Shape{1U << 16, 1U << 16, 1U << 16}, [](std::size_t) { return 0; },
        [](int) { return [](std::size_t) { return 0; }; }, [](int) { return [](std::size_t) { return 0; }; });
  }));
  CHECK(throws<std::length_error>([] {
    CsrLayout<std::int32_t>(
        max_nodes + 1, {}, [](Index) { return 0; }, [](std::size_t) { return 0; },
        [](std::size_t) { return 0; });
  }));
}

void widens() {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const Problem problem = random_graph(random, 9, 20);
    Poll poll;
    auto narrow = general_flow<std::int32_t>(problem);
    if (trial % 2 == 0) narrow.solve(poll);  // with or without flow in it
    Flow<CsrLayout<std::int64_t>> wide(narrow);
    for (Index v = 0; narrow.is_solved() && v < problem.size(); ++v) {
      CHECK(wide.is_sink_side(v) == narrow.is_sink_side(v));
    }
    CHECK(wide.solve(poll) == reference(problem));
  }
}

struct Stop {};

// Stopped at any moment, a flow can be changed and solved again.
void survives_interruption(Random& random) {
  const Shape shape{1, 300, 300};
  std::vector<std::int32_t> t(shape.pixels()), strengths(2 * t.size());
  for (auto& value : t) value = static_cast<std::int32_t>(random.below(2001)) - 1000;
  for (auto& value : strengths) value = static_cast<std::int32_t>(random.below(900));
  const auto capacity = [&](int k) { return at(std::span(strengths).subspan(k * t.size())); };
  const auto make = [&] {
    return Flow<GridLayout<std::int32_t, 4>>(
        GridLayout<std::int32_t, 4>(shape, [&](std::size_t v) { return t[v]; }, capacity, capacity));
  };
  Poll never;
  const auto expected = make().solve(never);
  int stops = 0;
  for (int looks = 0; looks < 3; ++looks) {
    auto flow = make();
    int left = looks;
    Poll poll([&] {
      if (left-- == 0) throw Stop{};
    });
    stops += throws<Stop>([&] {
      for (int again = 0; again < 1000; ++again) {
        flow.solve(poll);
        flow.add_terminals(std::vector<std::int32_t>(t.size(), 0));
      }
    });
    CHECK(flow.solve(never) == expected);
  }
  CHECK(stops == 3);
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
  large_grid_kept_or_rebuilt(random);
  refuses_what_does_not_fit();
  widens();
  survives_interruption(random);
  return test::exit_code();
}
