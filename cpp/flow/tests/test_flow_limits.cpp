// SPDX-License-Identifier: BSD-3-Clause
// Flows at their limits: large grids, numbers that do not fit, wider numbers, interruptions.
#undef NDEBUG  // every solve asserts that the cut it found costs what the flow says

#include "flow/flow.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "flow/csr.hpp"
#include "flow/grid.hpp"
#include "flow/tests/instance.hpp"

using namespace hedgehop;
using namespace hedgehop::flow;
using namespace hedgehop::test;

namespace {

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
  CHECK(
      throws<std::overflow_error>([&] { flow.add_terminals(std::vector<std::int32_t>{1 << 30, 1 << 30}); }));
  CHECK(throws<std::overflow_error>([&] {
    flow.add_terminals(nodes, more);
    flow.add_terminals(nodes, more);
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
  large_grid_kept_or_rebuilt(random);
  refuses_what_does_not_fit();
  widens();
  survives_interruption(random);
  return exit_code();
}
