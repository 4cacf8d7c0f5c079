// SPDX-License-Identifier: BSD-3-Clause
#include "counts/forest_dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"

using namespace hedgehop;
using namespace hedgehop::counts;
using test::Random;

namespace {

struct Labeled {
  std::vector<Label> labels;
  double score;
};

std::vector<Labeled> every(const test::RandomForest& model) {
  std::vector<Labeled> found;
  test::for_each_labeling(
      model.n, [&](std::size_t i) { return model.counts[i]; },
      [&](const auto& y) {
        const double score = model.value(model.tables(), y);
        if (std::isfinite(score)) found.push_back({y, score});
      });
  return found;
}

// F of a list of three: sum of scores, and of w_i h(count) over variables and labels.
double worth(const Labeled& a, const Labeled& b, const Labeled& c, const std::vector<double>& w,
             const std::vector<double>& h) {
  double sum = a.score + b.score + c.score;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Label x = a.labels[i], y = b.labels[i], z = c.labels[i];
    if (x == y && y == z) {
      sum += w[i] * h[3];
    } else if (x == y || y == z || x == z) {
      sum += w[i] * (h[2] + h[1]);
    } else {
      sum += w[i] * 3.0 * h[1];
    }
  }
  return sum;
}

// Every round bounds every list; the best bound is not far above the best list, and never below what mixtures
// reach.
void rounds_bound_every_list(Random& random) {
  const test::RandomForest model(random, 2 + random.below(3), 1 + random.below(3), random.below(2) == 0);
  const auto labelings = every(model);
  if (labelings.empty()) return;
  const std::vector<double> h{0.0, 1.0, 1.5, 1.7};
  std::vector<double> weights(model.n);
  for (double& w : weights) w = random.uniform(0.1, 3.0);
  const auto tables = model.tables();
  const Pairs pairs = model.pairs(tables);
  const graphs::ForestOrder order(model.n, model.edge_view());
  const Labeled& first = labelings[random.below(labelings.size())];
  std::vector<Label> rows;
  for (int k = 0; k < 3; ++k) rows.insert(rows.end(), first.labels.begin(), first.labels.end());
  const std::vector<double> scores(3, first.score);
  // One cell: the first labels have slopes of their own, all others the largest.
  const std::size_t held = random.below(model.n_labels + 1);
  SlopeCells begun{std::vector<std::int32_t>(model.n, 0), {0, static_cast<std::int32_t>(held)}, {}, {}};
  for (std::size_t l = 0; l < held; ++l) begun.labels.push_back(static_cast<Label>(l));
  begun.slopes.assign(held, 0.6);
  ForestDual dual({model.unary_view(), pairs, order, weights, h, 10.0, 1.0, 0.0}, begun, {rows, 3, model.n},
                  scores);
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < labelings.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t c = 0; c <= b; ++c)
        best = std::max(best, worth(labelings[a], labelings[b], labelings[c], weights, h));
    }
  }
  Poll poll;
  for (int k = 0; k < 30; ++k) {
    const auto found = dual.round(poll);
    CHECK(found.bound >= best - 1e-9);
    CHECK(std::isfinite(model.value(tables, found.labeling)));
    CHECK(dual.best() <= found.bound && dual.lower() <= dual.best() + 1e-9);
  }
  CHECK(dual.best() - dual.lower() <= 0.05 * (1.0 + std::abs(best)));
  CHECK(dual.whole_part().size() <= 3);
}

}  // namespace

int main() {
  Random random(5);
  for (int k = 0; k < 60; ++k) rounds_bound_every_list(random);
  return test::exit_code();
}
