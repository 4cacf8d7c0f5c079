// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/blossom.hpp"

#include <limits>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

struct Case {
  std::size_t n_nodes;
  std::vector<std::int32_t> ends;
  std::vector<double> weights;
};

// By the definition: the first node that is left stays alone, or takes one of its edges.
double best_of(const Case& c, std::size_t v, std::vector<bool>& taken, bool perfect) {
  while (v < c.n_nodes && taken[v]) ++v;
  if (v == c.n_nodes) return 0.0;
  taken[v] = true;
  double best = perfect ? none : best_of(c, v + 1, taken, perfect);
  for (std::size_t e = 0; e < c.weights.size(); ++e) {
    const std::size_t a = index(c.ends[2 * e]), b = index(c.ends[2 * e + 1]);
    if (a != v && b != v) continue;
    const std::size_t other = a == v ? b : a;
    if (taken[other]) continue;
    taken[other] = true;
    best = std::max(best, c.weights[e] + best_of(c, v + 1, taken, perfect));
    taken[other] = false;
  }
  taken[v] = false;
  return best;
}

Case drawn(Random& random) {
  Case c{2 + random.below(9), {}, {}};
  const std::size_t kind = random.below(3);
  const std::size_t size = 1 + random.below(3 * c.n_nodes);
  for (std::size_t k = 0; k < size; ++k) {
    const auto u = static_cast<std::int32_t>(random.below(c.n_nodes)),
               v = static_cast<std::int32_t>(random.below(c.n_nodes));
    if (u == v) continue;
    c.ends.insert(c.ends.end(), {u, v});
    const double whole = static_cast<double>(random.below(7)) - 1.0, real = random.uniform(-1.0, 3.0);
    const double far = std::ldexp(real, static_cast<int>(random.below(30)));
    c.weights.push_back(random.below(15) == 0 ? none : kind == 0 ? whole : kind == 1 ? real : far);
  }
  return c;
}

void found_is_best(Random& random, bool perfect) {
  const Case c = drawn(random);
  std::vector<bool> taken(c.n_nodes);
  const double best = best_of(c, 0, taken, perfect);
  std::vector<std::uint8_t> chosen(c.weights.size());
  Poll poll;
  Blossoms blossoms(c.n_nodes, {{c.ends, c.weights.size(), 2}}, c.weights, perfect);
  const bool any = blossoms.solve(chosen, poll);
  CHECK(any == (best > none));
  if (!any) return;
  double total = 0.0;
  std::vector<int> degree(c.n_nodes);
  for (std::size_t e = 0; e < chosen.size(); ++e) {
    if (chosen[e] == 0) continue;
    total += c.weights[e];
    ++degree[index(c.ends[2 * e])];
    ++degree[index(c.ends[2 * e + 1])];
  }
  for (const int d : degree) CHECK(perfect ? d == 1 : d <= 1);
  CHECK(test::close(total, best));
}

}  // namespace

int main() {
  Random random(1);
  for (int k = 0; k < 40000; ++k) found_is_best(random, k % 2 == 0);
  return test::exit_code();
}
