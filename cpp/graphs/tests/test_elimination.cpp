// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/elimination.hpp"

#include <limits>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;

namespace {

struct Instance {
  std::vector<std::int32_t> counts, variables;
  std::vector<std::int64_t> starts{0};
  std::vector<double> tables;

  Scopes scopes() const { return {variables, starts}; }

  double value(const std::vector<Label>& y) const {
    double total = 0;
    std::size_t from = 0;
    for (std::size_t f = 0; f < scopes().size(); ++f) {
      std::size_t cell = 0, cells = 1;
      for (const auto v : scopes()[f]) {
        cell = cell * index(counts[index(v)]) + index(y[index(v)]);
        cells *= index(counts[index(v)]);
      }
      total += tables[from + cell];
      from += cells;
    }
    return total;
  }
};

// Whole numbers, so that sums are exact; some cells are forbidden.
Instance random_instance(Random& random, std::size_t n, std::size_t factors) {
  Instance instance;
  for (std::size_t v = 0; v < n; ++v) {
    instance.counts.push_back(static_cast<std::int32_t>(1 + random.below(3)));
  }
  for (std::size_t f = 0; f < factors; ++f) {
    std::size_t cells = 1;
    const std::size_t first = random.below(n), size = 1 + random.below(std::min<std::size_t>(n, 3));
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t v = (first + k) % n;
      instance.variables.push_back(static_cast<std::int32_t>(v));
      cells *= index(instance.counts[v]);
    }
    instance.starts.push_back(static_cast<std::int64_t>(instance.variables.size()));
    for (std::size_t c = 0; c < cells; ++c) {
      const double score = static_cast<double>(random.below(9)) - 4.0;
      instance.tables.push_back(random.below(8) == 0 ? -std::numeric_limits<double>::infinity() : score);
    }
  }
  return instance;
}

double best_of_all(const Instance& instance) {
  std::vector<Label> y(instance.counts.size(), 0);
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < y.size();) {
    if (i == 0) best = std::max(best, instance.value(y));
    if (++y[i] < instance.counts[i]) {
      i = 0;
    } else {
      y[i++] = 0;
    }
  }
  return best;
}

void finds_the_best(const Instance& instance) {
  Poll poll;
  const auto order = MinFill(instance.counts, instance.scopes()).order(1e9, poll);
  CHECK(order.size() == instance.counts.size());
  std::vector<Label> y(instance.counts.size());
  Elimination elimination(instance.counts, instance.scopes(), instance.tables, order);
  const double found = elimination.solve(y, poll), best = best_of_all(instance);
  CHECK(found == best);
  if (best > -std::numeric_limits<double>::infinity()) CHECK(instance.value(y) == best);
  CHECK(MinFill(instance.counts, instance.scopes()).order(0.5, poll).empty());
}

}  // namespace

int main() {
  Random random(1);
  for (int round = 0; round < 200; ++round) finds_the_best(random_instance(random, 1 + random.below(6), 8));
  return test::exit_code();
}
