// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/forest.hpp"

#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;
using Model = test::RandomForest;

namespace {

template <class Scores>
void matches_enumeration(const Model& model, const Scores& scores) {
  std::vector<double> expected(model.unary.size(), forbidden);
  double best = forbidden;
  const auto count = [&](std::size_t i) { return scores.label_count(i); };
  test::for_each_labeling(model.n, count, [&](const std::vector<Label>& y) {
    const double value = model.value(scores, y);
    best = std::max(best, value);
    for (std::size_t i = 0; i < model.n; ++i) {
      double& entry = expected[i * model.n_labels + index(y[i])];
      entry = std::max(entry, value);
    }
  });

  const ForestOrder order(model.n, model.edge_view());
  std::vector<Label> found(model.n, -1);
  CHECK(test::close(argmax(order, model.unary_view(), scores, std::span(found)), best));
  bool in_range = true;
  for (std::size_t i = 0; i < model.n; ++i) {
    in_range &= found[i] >= 0 && index(found[i]) < scores.label_count(i);
  }
  CHECK(in_range);
  if (in_range) CHECK(test::close(model.value(scores, found), best));

  std::vector<double> marginals(model.unary.size(), 123.0);
  max_marginals(order, model.unary_view(), scores, {marginals, model.n, model.n_labels});
  for (std::size_t k = 0; k < marginals.size(); ++k) CHECK(test::close(marginals[k], expected[k]));
}

void cycles_are_recognised() {
  const auto forest = [](std::size_t n, const std::vector<std::int32_t>& edges) {
    const Edges view{edges, edges.size() / 2, 2};
    const bool answer = is_forest(n, view);
    CHECK(answer != test::throws<std::invalid_argument>([&] { ForestOrder(n, view); }));
    return answer;
  };
  CHECK(forest(0, {}));
  CHECK(forest(3, {}));
  CHECK(forest(3, {2, 0, 1, 2}));
  CHECK(!forest(3, {0, 0}));
  CHECK(!forest(4, {0, 1, 1, 0}));
  CHECK(!forest(3, {0, 1, 1, 2, 2, 0}));
  CHECK(!forest(6, {0, 1, 1, 2, 2, 0, 3, 4}));
}

void long_chains_and_wide_stars_work() {
  const std::size_t n = 300000;
  std::vector<std::int32_t> chain, star;
  for (std::int32_t i = 1; i < static_cast<std::int32_t>(n); ++i) {
    chain.insert(chain.end(), {i - 1, i});
    star.insert(star.end(), {i, 0});
  }
  std::vector<double> unaries(2 * n, 0.0);
  unaries[1] = 0.5;  // variable 0 prefers label 1 and everybody follows
  const std::vector<double> strengths(n - 1, 1.0);
  for (const auto& edges : {chain, star}) {
    const ForestOrder order(n, {edges, n - 1, 2});
    std::vector<Label> labeling(n);
    const PottsScores scores{strengths, 2};
    CHECK(argmax(order, {unaries, n, 2}, scores, std::span(labeling)) == 0.5);
    CHECK(labeling == std::vector<Label>(n, 1));
    std::vector<double> marginals(2 * n);
    max_marginals(order, {unaries, n, 2}, scores, {marginals, n, 2});
    CHECK(marginals[2 * n - 1] == 0.5 && marginals[2 * n - 2] == 0.0);
  }
}

void ties_go_to_the_lowest_label() {
  const std::vector<double> unaries(3 * 3, 1.0), strengths{0.0, 0.0};
  const std::vector<std::int32_t> edges{0, 1, 1, 2};
  std::vector<Label> labeling(3, -1);
  argmax(ForestOrder(3, {edges, 2, 2}), {unaries, 3, 3}, PottsScores{strengths, 3}, std::span(labeling));
  CHECK(labeling == std::vector<Label>(3, 0));
}

}  // namespace

int main() {
  Random random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t n = random.below(7), n_labels = 1 + random.below(4);
    const Model full(random, n, n_labels, false), ragged(random, n, n_labels, true);
    matches_enumeration(full, full.potts());
    matches_enumeration(full, full.tables());
    matches_enumeration(ragged, ragged.potts());
    matches_enumeration(ragged, ragged.tables());
  }
  cycles_are_recognised();
  long_chains_and_wide_stars_work();
  ties_go_to_the_lowest_label();
  return test::exit_code();
}
