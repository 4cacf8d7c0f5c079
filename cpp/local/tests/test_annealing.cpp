// SPDX-License-Identifier: BSD-3-Clause
#include "local/annealing.hpp"

#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"

using namespace hedgehop;
using namespace hedgehop::local;
using test::Random;

namespace {

// A complete graph of pairs and a clique of the first three variables, of 1 to 3 labels.
struct Instance : test::PairwiseModel {
  std::vector<std::int32_t> members{0, 1, 2};
  std::vector<std::int64_t> starts{0, 3};
  std::vector<double> cells;

  Instance(Random& random, std::size_t size) : PairwiseModel(random, size, 3, true) {
    const auto score = [&](auto...) { return random.uniform(-1, 1); };
    set_unary(score);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) add_edge(random, j, i, score(), score);
    }
    for (int k = 0; k < counts[0] * counts[1] * counts[2]; ++k) cells.push_back(random.uniform(-3, 3));
  }

  Cliques cliques() const { return {members, starts, cells}; }

  template <class Scores>
  double score(const Scores& scores, std::span<const Label> y) const {
    return value(scores, y) + cells[index((y[0] * counts[1] + y[1]) * counts[2] + y[2])];
  }

  template <class Scores>
  double best(const Scores& scores) const {
    double most = forbidden;
    test::for_each_labeling(
        n, [this](std::size_t i) { return counts[i]; },
        [&](const std::vector<Label>& y) { most = std::max(most, score(scores, y)); });
    return most;
  }
};

template <class Scores>
void gains_are_differences_of_scores(Random& random, const Instance& instance, const Scores& scores) {
  const Pairs pairs = instance.pairs(scores);
  const Factors factors(instance.unary_view(), pairs, scores, instance.cliques());
  FactorLabels labels(factors, std::vector<Label>(instance.n, 0));
  labels.sum_fields();
  for (int k = 0; k < 50; ++k) {
    const std::size_t i = random.below(instance.n);
    const auto label = static_cast<Label>(random.below(factors.label_count(i)));
    const double before = instance.score(scores, labels.labels()), promised = labels.field_gain(i, label);
    labels.set_with_fields(i, label);
    CHECK(test::close(instance.score(scores, labels.labels()), before + promised, 1e-9));
    FactorLabels copy(factors, labels.labels());
    const auto other = static_cast<Label>(random.below(factors.label_count(i)));
    const double gain = copy.set(i, other);
    CHECK(test::close(instance.score(scores, copy.labels()), before + promised + gain, 1e-9));
  }
}

template <class Scores>
void small_models_are_solved(Random& random, const Instance& instance, const Scores& scores) {
  const Pairs pairs = instance.pairs(scores);
  const Factors factors(instance.unary_view(), pairs, scores, instance.cliques());
  std::vector<Label> start;
  for (const auto count : instance.counts) start.push_back(static_cast<Label>(random.below(index(count))));
  Annealing search(factors, start);
  Poll poll;
  double value = instance.score(scores, start);
  for (int run = 0; run < 4; ++run) {
    search.run(200, 4.0, poll);
    const double now = instance.score(scores, search.best());
    CHECK(now >= value - 1e-9);  // never worse
    value = now;
  }
  CHECK(test::close(value, instance.best(scores), 1e-9));
}

}  // namespace

int main() {
  Random random(1);
  for (std::size_t k = 0; k < 20; ++k) {
    const Instance six(random, 6), any(random, 3 + k % 5);
    gains_are_differences_of_scores(random, six, six.tables());
    gains_are_differences_of_scores(random, six, six.potts());
    small_models_are_solved(random, any, any.tables());
    small_models_are_solved(random, any, any.potts());
  }
  return test::exit_code();
}
