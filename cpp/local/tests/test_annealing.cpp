// SPDX-License-Identifier: BSD-3-Clause
#include "local/annealing.hpp"

#include <vector>

#include "check.hpp"

using namespace hedgehop;
using test::Random;

namespace {

// A complete graph of pairs and a clique of the first three variables, of 1 to 3 labels.
struct Instance {
  std::vector<double> unary, tables, cells;
  std::vector<std::int32_t> counts, edges, members{0, 1, 2};
  std::vector<std::int64_t> starts{0, 3};
  std::size_t n;

  Instance(Random& random, std::size_t size) : n(size) {
    for (std::size_t i = 0; i < n; ++i) {
      counts.push_back(static_cast<std::int32_t>(1 + random.below(3)));
      for (std::size_t j = 0; j < i; ++j) {
        edges.push_back(static_cast<std::int32_t>(j));
        edges.push_back(static_cast<std::int32_t>(i));
      }
    }
    for (std::size_t k = 0; k < 3 * n; ++k) unary.push_back(random.uniform(-1, 1));
    for (std::size_t k = 0; k < 9 * edges.size() / 2; ++k) tables.push_back(random.uniform(-1, 1));
    for (int k = 0; k < counts[0] * counts[1] * counts[2]; ++k) cells.push_back(random.uniform(-3, 3));
  }

  Factors factors() const {
    return {{unary, n, 3}, counts, {edges, edges.size() / 2, 2}, tables, members, starts, cells};
  }

  double score(std::span<const Label> y) const {
    double sum = cells[static_cast<std::size_t>((y[0] * counts[1] + y[1]) * counts[2] + y[2])];
    for (std::size_t i = 0; i < n; ++i) sum += unary[3 * i + static_cast<std::size_t>(y[i])];
    for (std::size_t e = 0; e < edges.size() / 2; ++e) {
      const auto a = static_cast<std::size_t>(y[static_cast<std::size_t>(edges[2 * e])]);
      const auto b = static_cast<std::size_t>(y[static_cast<std::size_t>(edges[2 * e + 1])]);
      sum += tables[9 * e + 3 * a + b];
    }
    return sum;
  }

  double best() const {
    std::vector<Label> y(n, 0);
    double most = score(y);
    for (std::size_t i = 0; i < n;) {
      if (++y[i] < counts[i]) {
        most = std::max(most, score(y));
        i = 0;
      } else {
        y[i++] = 0;
      }
    }
    return most;
  }
};

void gains_are_differences_of_scores(Random& random) {
  const Instance instance(random, 6);
  const Factors factors = instance.factors();
  FactorLabels labels(factors, std::vector<Label>(6, 0));
  labels.sum_fields();
  for (int k = 0; k < 50; ++k) {
    const std::size_t i = random.below(6);
    const auto label = static_cast<Label>(random.below(factors.label_count(i)));
    const double before = instance.score(labels.labels()), promised = labels.field_gain(i, label);
    labels.set_with_fields(i, label);
    CHECK(test::close(instance.score(labels.labels()), before + promised, 1e-9));
    FactorLabels copy(factors, labels.labels());
    const auto other = static_cast<Label>(random.below(factors.label_count(i)));
    const double gain = copy.set(i, other);
    CHECK(test::close(instance.score(copy.labels()), before + promised + gain, 1e-9));
  }
}

void small_models_are_solved(Random& random, std::size_t n) {
  const Instance instance(random, n);
  const Factors factors = instance.factors();
  std::vector<Label> start;
  for (const auto count : instance.counts)
    start.push_back(static_cast<Label>(random.below(static_cast<std::size_t>(count))));
  Annealing search(factors, start);
  Poll poll;
  double value = instance.score(start);
  for (int run = 0; run < 4; ++run) {
    search.run(200, 4.0, poll);
    const double now = instance.score(search.best());
    CHECK(now >= value - 1e-9);  // never worse
    value = now;
  }
  CHECK(test::close(value, instance.best(), 1e-9));
}

}  // namespace

int main() {
  Random random(1);
  for (int k = 0; k < 20; ++k) gains_are_differences_of_scores(random);
  for (int k = 0; k < 20; ++k) small_models_are_solved(random, 3 + static_cast<std::size_t>(k) % 5);
  return test::exit_code();
}
