// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/short_cycles.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;

namespace {

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

std::vector<Cycle> found(std::size_t n, const Pairs& pairs, std::size_t most = 1000000,
                         std::size_t longest = 16) {
  std::vector<std::int32_t> ends;
  for (const auto& [i, j] : pairs) ends.push_back(i), ends.push_back(j);
  Poll poll;
  return ShortCycles(n, {ends, pairs.size(), 2}).find(most, longest, poll);
}

bool are_joined(const Pairs& pairs, std::int32_t i, std::int32_t j) {
  return std::ranges::count(pairs, std::pair(i, j)) + std::ranges::count(pairs, std::pair(j, i)) > 0;
}

// Its smallest variable first, then the smaller one of both that are next to it.
Cycle in_order(Cycle cycle) {
  std::ranges::rotate(cycle, std::ranges::min_element(cycle));
  if (cycle.back() < cycle[1]) std::reverse(cycle.begin() + 1, cycle.end());
  return cycle;
}

// All triangles and all cycles of four without a chord, by trying everything.
std::set<Cycle> expected(std::int32_t n, const Pairs& pairs) {
  std::set<Cycle> all;
  const auto joined = [&](std::int32_t i, std::int32_t j) { return are_joined(pairs, i, j); };
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t u = i + 1; u < n; ++u) {
      for (std::int32_t w = u + 1; w < n; ++w) {
        if (joined(i, u) && joined(u, w) && joined(w, i)) all.insert({i, u, w});
        if (!joined(i, u) || !joined(i, w) || joined(u, w)) continue;
        for (std::int32_t x = i + 1; x < n; ++x) {
          if (joined(u, x) && joined(x, w) && !joined(x, i)) all.insert({i, u, x, w});
        }
      }
    }
  }
  return all;
}

Pairs random_pairs(Random& random, std::int32_t n, std::size_t percent) {
  Pairs pairs;
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      if (random.below(100) >= percent) continue;
      random.below(2) ? pairs.emplace_back(i, j) : pairs.emplace_back(j, i);
    }
  }
  return pairs;
}

void are_cycles(const Pairs& pairs, const std::vector<Cycle>& cycles) {
  std::set<Cycle> once;
  for (const Cycle& cycle : cycles) {
    CHECK(cycle.size() >= 3);
    CHECK(std::set<std::int32_t>(cycle.begin(), cycle.end()).size() == cycle.size());
    for (std::size_t k = 0; k < cycle.size(); ++k)
      CHECK(are_joined(pairs, cycle[k], cycle[(k + 1) % cycle.size()]));
    CHECK(cycle.size() > 4 || once.insert(in_order(cycle)).second);
  }
}

void all_short_ones_are_found_once() {
  Random random(5);
  for (int k = 0; k < 200; ++k) {
    const auto n = static_cast<std::int32_t>(1 + random.below(9));
    const Pairs pairs = random_pairs(random, n, 20 + random.below(80));
    const std::vector<Cycle> cycles = found(static_cast<std::size_t>(n), pairs);
    are_cycles(pairs, cycles);
    std::set<Cycle> shorter;
    for (const Cycle& cycle : cycles) {
      if (cycle.size() <= 4) shorter.insert(in_order(cycle));
    }
    CHECK(std::ranges::includes(shorter, expected(n, pairs)));
    CHECK(shorter.size() == expected(n, pairs).size());
  }
}

// All edges of a ring but none of a tree.
void edges_of_longer_cycles_are_in_a_shortest_one() {
  Pairs ring;
  for (std::int32_t i = 0; i < 7; ++i) ring.emplace_back(i, (i + 1) % 7);
  ring.emplace_back(3, 7), ring.emplace_back(7, 8);
  const std::vector<Cycle> cycles = found(9, ring);
  CHECK(cycles.size() == 1 && cycles[0].size() == 7);
  are_cycles(ring, cycles);
  CHECK(found(9, ring, 100, 6).empty());
}

void no_more_than_asked_for_and_of_all_variables() {
  Random random(1);
  const Pairs pairs = random_pairs(random, 40, 100);
  const std::vector<Cycle> cycles = found(40, pairs, 400);
  CHECK(cycles.size() <= 400 && cycles.size() > 300);
  std::set<std::int32_t> variables;
  for (const Cycle& cycle : cycles) variables.insert(cycle.begin(), cycle.end());
  CHECK(variables.size() == 40);
  CHECK(found(40, pairs, 0).empty());
}

// A variable with a hundred thousand neighbours has billions of pairs of these.
void a_hub_does_not_take_forever() {
  Pairs pairs;
  for (std::int32_t i = 1; i <= 100000; ++i) pairs.emplace_back(0, i);
  for (std::int32_t i = 1; i < 1000; ++i) pairs.emplace_back(i, i + 1);
  CHECK(found(100001, pairs).size() <= 1000);
}

}  // namespace

int main() {
  all_short_ones_are_found_once();
  edges_of_longer_cycles_are_in_a_shortest_one();
  no_more_than_asked_for_and_of_all_variables();
  a_hub_does_not_take_forever();
  return test::exit_code();
}
