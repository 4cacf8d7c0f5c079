// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/cycle_messages.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "check.hpp"
#include "graphs/factor_messages.hpp"
#include "graphs/short_cycles.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;

namespace {

// A factor per variable, then pairs, then perhaps a triple; numbers of labels differ.
struct Network {
  std::vector<std::int32_t> counts, variables, ends;
  std::vector<std::int64_t> starts{0};
  std::vector<double> tables;

  Scopes scopes() const { return {variables, starts}; }
  Edges edges() const { return {ends, ends.size() / 2, 2}; }

  void add(const std::vector<std::int32_t>& scope, const std::vector<double>& table) {
    variables.insert(variables.end(), scope.begin(), scope.end());
    starts.push_back(static_cast<std::int64_t>(variables.size()));
    tables.insert(tables.end(), table.begin(), table.end());
    if (scope.size() == 2) ends.insert(ends.end(), scope.begin(), scope.end());
  }

  std::size_t cells(const std::vector<std::int32_t>& scope) const {
    std::size_t size = 1;
    for (const auto v : scope) size *= index(counts[index(v)]);
    return size;
  }

  double value(const std::vector<std::int32_t>& y) const {
    double total = 0.0;
    std::size_t from = 0;
    for (std::size_t f = 0; f < scopes().size(); ++f) {
      std::size_t cell = 0, size = 1;
      for (const auto v : scopes()[f]) {
        cell = cell * index(counts[index(v)]) + index(y[index(v)]);
        size *= index(counts[index(v)]);
      }
      total += tables[from + cell];
      from += size;
    }
    return total;
  }

  double best() const {
    double most = -1e300;
    test::for_each_labeling(
        counts.size(), [&](std::size_t i) { return counts[i]; },
        [&](const std::vector<std::int32_t>& y) { most = std::max(most, value(y)); });
    return most;
  }
};

Network random_network(Random& random, double scale, double forbidden) {
  Network network;
  const std::size_t n = 3 + random.below(4);
  for (std::size_t i = 0; i < n; ++i)
    network.counts.push_back(static_cast<std::int32_t>(1 + random.below(4)));
  const auto table = [&](const std::vector<std::int32_t>& scope) {
    std::vector<double> scores(network.cells(scope));
    for (double& x : scores) x = scale * (random.uniform(0, 1) < forbidden ? -100.0 : random.uniform(-1, 1));
    network.add(scope, scores);
  };
  for (std::int32_t i = 0; index(i) < n; ++i) table({i});
  for (std::int32_t i = 0; index(i) < n; ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      if (random.below(4) == 0) continue;
      random.below(2) ? table({i, j}) : table({j, i});
    }
  }
  if (random.below(2)) table({0, 1, 2});
  return network;
}

struct Messages {
  explicit Messages(const Network& network)
      : scopes(network.scopes()), factors(network.counts, scopes, network.tables), cycles(scopes, factors) {}

  void run(int sweeps) {
    for (int k = 0; k < sweeps; ++k) factors.sweep(k % 2 == 1, poll), cycles.update_all(poll);
    factors.settle(), cycles.settle();
  }

  double bound() {
    const auto ours = factors.maxima(), theirs = cycles.maxima();
    return std::accumulate(ours.begin(), ours.end(), std::accumulate(theirs.begin(), theirs.end(), 0.0));
  }

  Poll poll;
  Scopes scopes;
  FactorMessages factors;
  CycleMessages cycles;
};

void bounds_fall_and_hold() {
  Random random(7);
  Poll poll;
  for (int k = 0; k < 400; ++k) {
    const double scale = std::vector<double>{1e-9, 1.0, 1e9}[random.below(3)];
    const Network network = random_network(random, scale, random.below(2) ? 0.2 : 0.0);
    const double best = network.best(), slack = 1e-9 * scale;
    Messages messages(network);
    std::vector<Cycle> candidates = ShortCycles(network.counts.size(), network.edges()).find(1000, 16, poll);
    double last = messages.bound();
    for (int round = 0; round < 6; ++round) {
      messages.run(3);
      const double bound = messages.bound();
      CHECK(bound + messages.factors.error() + messages.cycles.error() >= best);
      CHECK(bound <= last + slack);
      CHECK(messages.factors.error() + messages.cycles.error() < slack);
      last = bound;
      tighten(messages.cycles, candidates, 0.0, 1e9, poll);
      CHECK(messages.bound() <= last + slack);
    }
  }
}

// Three variables of two labels, two of which agree whatever happens: pairs alone do not know.
void a_contradiction_is_seen() {
  Network network;
  network.counts = {2, 2, 2};
  for (const auto& pair : {std::vector<std::int32_t>{0, 1}, {2, 1}, {0, 2}}) network.add(pair, {0, 1, 1, 0});
  Messages messages(network);
  messages.run(20);
  CHECK(test::close(messages.bound(), 3.0));
  const std::vector<std::int32_t> triangle{0, 1, 2};
  CHECK(test::close(messages.cycles.gain(triangle), 1.0));
  messages.cycles.add(triangle);
  messages.run(1);
  CHECK(test::close(messages.bound(), 2.0));
}

// The first update lowers the bound by as much as was foretold.
void gains_are_those_of_the_first_update() {
  Random random(3);
  Poll poll;
  for (int k = 0; k < 100; ++k) {
    const Network network = random_network(random, 1.0, 0.0);
    Messages messages(network);
    messages.run(2);
    const std::vector<Cycle> candidates =
        ShortCycles(network.counts.size(), network.edges()).find(1, 16, poll);
    if (candidates.empty()) continue;
    const double before = messages.bound(), gain = messages.cycles.gain(candidates[0]);
    messages.cycles.add(candidates[0]);
    messages.cycles.update_all(poll);
    messages.cycles.settle();
    CHECK(gain >= -1e-12);
    CHECK(test::close(before - messages.bound(), gain, 1e-9));
  }
}

void the_best_candidates_come_first_and_work_is_limited() {
  Random random(9);
  Poll poll;
  Network network;
  network.counts = {2, 2, 2, 2, 2};
  for (std::int32_t i = 0; i < 5; ++i) {
    for (std::int32_t j = 0; j < i; ++j) network.add({j, i}, {0, i == 4 ? 3.0 : 1.0, i == 4 ? 3.0 : 1.0, 0});
  }
  Messages messages(network);
  messages.run(50);
  std::vector<Cycle> candidates = ShortCycles(5, network.edges()).find(100, 16, poll);
  CHECK(candidates.size() == 10);
  double most = 0.0;
  for (const Cycle& cycle : candidates) most = std::max(most, messages.cycles.gain(cycle));
  const double one = messages.cycles.work(candidates[0]);
  CHECK(tighten(messages.cycles, candidates, 0.0, one, poll) == 1);
  CHECK(candidates.size() == 9 && messages.cycles.size() == 1);
  const double before = messages.bound();
  messages.cycles.update_all(poll);
  CHECK(test::close(before - messages.bound(), most));
  CHECK(tighten(messages.cycles, candidates, 1e9, 1e9, poll) == 0);
}

}  // namespace

int main() {
  bounds_fall_and_hold();
  a_contradiction_is_seen();
  gains_are_those_of_the_first_update();
  the_best_candidates_come_first_and_work_is_limited();
  return test::exit_code();
}
