// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/factor_messages.hpp"

#include <numeric>
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

  // The best value of all labelings, one of which has each label.
  double best() const {
    std::vector<std::size_t> y(counts.size(), 0);
    double most = -1e300;
    for (bool more = true; more;) {
      most = std::max(most, value(y));
      std::size_t i = 0;
      for (; i < y.size() && ++y[i] == index(counts[i]); ++i) y[i] = 0;
      more = i < y.size();
    }
    return most;
  }

  double value(const std::vector<std::size_t>& y) const {
    double total = 0;
    std::size_t from = 0;
    for (std::size_t f = 0; f < scopes().size(); ++f) {
      std::size_t cell = 0, cells = 1;
      for (const auto v : scopes()[f]) {
        cell = cell * index(counts[index(v)]) + y[index(v)];
        cells *= index(counts[index(v)]);
      }
      total += tables[from + cell];
      from += cells;
    }
    return total;
  }
};

Instance random_instance(Random& random, std::size_t n, std::size_t factors) {
  Instance instance;
  for (std::size_t v = 0; v < n; ++v) {
    instance.counts.push_back(static_cast<std::int32_t>(1 + random.below(3)));
  }
  for (std::size_t f = 0; f < factors; ++f) {
    std::size_t cells = 1;
    const std::size_t first = random.below(n), size = 1 + random.below(std::min<std::size_t>(n, 4));
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t v = (first + k) % n;
      instance.variables.push_back(static_cast<std::int32_t>(v));
      cells *= index(instance.counts[v]);
    }
    instance.starts.push_back(static_cast<std::int64_t>(instance.variables.size()));
    for (std::size_t c = 0; c < cells; ++c) instance.tables.push_back(random.uniform(-2, 2));
  }
  return instance;
}

void bounds_fall_and_hold() {
  Random random(11);
  Poll poll;
  for (int k = 0; k < 300; ++k) {
    const Instance instance = random_instance(random, 1 + random.below(6), 1 + random.below(8));
    FactorMessages messages(instance.counts, instance.scopes(), instance.tables);
    double last = 1e300;
    for (int sweep = 0; sweep < 10; ++sweep) {
      const auto terms = messages.maxima();
      const double bound = std::accumulate(terms.begin(), terms.end(), 0.0);
      CHECK(bound + messages.error() >= instance.best() - 1e-12);
      CHECK(bound <= last + 1e-9);
      last = bound;
      messages.sweep(false, poll);
      messages.settle();
    }
  }
}

void one_factor_is_solved() {
  Random random(3);
  Poll poll;
  const Instance instance = random_instance(random, 4, 1);
  FactorMessages messages(instance.counts, instance.scopes(), instance.tables);
  messages.sweep(false, poll);
  const auto terms = messages.maxima();
  CHECK(std::abs(std::accumulate(terms.begin(), terms.end(), 0.0) - instance.best()) < 1e-12);
}

}  // namespace

int main() {
  bounds_fall_and_hold();
  one_factor_is_solved();
  return test::exit_code();
}
