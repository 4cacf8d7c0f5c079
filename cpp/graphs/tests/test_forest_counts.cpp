// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/forest_counts.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;
using Model = test::RandomForest;

namespace {

struct Count {
  std::vector<Label> reference;
  std::vector<std::int32_t> weights;
  std::vector<double> table;

  Count(Random& random, std::size_t n, std::size_t n_labels)
      : reference(random.labels(n, n_labels + 1)), weights(random.labels(n, 4)) {  // a label may be beyond
    const int kind = static_cast<int>(random.below(3));
    if (kind == 0) std::fill(weights.begin(), weights.end(), 1);
    std::size_t total = 0;
    for (const std::int32_t weight : weights) total += index(weight);
    for (std::size_t k = 0; k <= total; ++k) {
      table.push_back(random.below(6) == 0 ? forbidden : Model::score(random));
    }
  }

  double at(const std::vector<Label>& y) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      count += y[i] == reference[i] ? 0 : index(weights[i]);
    }
    return table[count];
  }
};

template <class Scores>
void matches_enumeration(const Model& model, const Scores& scores, const Count& count) {
  double best = forbidden;
  test::for_each_labeling(
      model.n, [&](std::size_t i) { return scores.label_count(i); },
      [&](const std::vector<Label>& y) { best = std::max(best, model.value(scores, y) + count.at(y)); });
  const ForestOrder order(model.n, model.edge_view());
  Poll poll;
  CountedForest forest(order, model.unary_view(), scores, count.reference, count.weights, poll);
  std::vector<Label> found(model.n, -1);
  CHECK(test::close(forest.argmax(count.table, found), best));
  for (std::size_t i = 0; i < model.n; ++i) {
    CHECK(found[i] >= 0 && index(found[i]) < scores.label_count(i));
  }
  CHECK(best == forbidden || test::close(model.value(scores, found) + count.at(found), best));
}

// A chain of equal scores: exactly the wanted number of variables changes, and the last ones do.
void chains_split_where_it_costs_least() {
  const std::size_t n = 300;
  std::vector<std::int32_t> edges;
  for (std::int32_t i = 1; i < static_cast<std::int32_t>(n); ++i) edges.insert(edges.end(), {i - 1, i});
  const std::vector<double> unaries(2 * n, 0.0), strengths(n - 1, 1.0);
  const std::vector<Label> reference(n, 0);
  const std::vector<std::int32_t> weights(n, 1);
  std::vector<double> table(n + 1, 0.0);
  table[100] = 5.0;
  const ForestOrder order(n, {edges, n - 1, 2});
  const PottsScores scores{strengths, 2};
  Poll poll;
  std::vector<Label> found(n);
  CountedForest forest(order, {unaries, n, 2}, scores, reference, weights, poll);
  CHECK(forest.argmax(table, found) == 4.0);  // one cut
  CHECK(std::count(found.begin(), found.end(), 1) == 100);
}

}  // namespace

int main() {
  Random random(5);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = random.below(7), n_labels = 1 + random.below(3);
    const Model full(random, n, n_labels, false), ragged(random, n, n_labels, true);
    const Count count(random, n, n_labels);
    matches_enumeration(full, full.potts(), count);
    matches_enumeration(full, full.tables(), count);
    matches_enumeration(ragged, ragged.tables(), count);
  }
  chains_split_where_it_costs_least();
  return test::exit_code();
}
