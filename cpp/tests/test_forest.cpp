#include "forest.hpp"

#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using test::Random;

namespace {

// A random forest with both kinds of pairwise scores. The labels of variable i
// are 0..counts[i]-1; padding in unaries is -inf, padding in tables is a huge
// value that must never be read.
struct Model {
  std::size_t n, n_labels;
  std::vector<std::int32_t> edges, counts, columns;
  std::vector<double> unaries, strengths, flat;
  std::vector<std::int64_t> offsets;

  Model(Random& random, std::size_t n_variables, std::size_t labels, bool all_labels)
      : n(n_variables), n_labels(labels) {
    for (std::size_t i = 0; i < n; ++i) {
      counts.push_back(static_cast<std::int32_t>(all_labels ? labels : 1 + random.below(labels)));
    }
    unaries.assign(n * labels, forbidden);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::int32_t l = 0; l < counts[i]; ++l) {
        if (random.below(8) != 0) unaries[i * labels + static_cast<std::size_t>(l)] = random_score(random);
      }
    }
    const auto names = shuffled(random);
    for (std::size_t i = 1; i < n; ++i) {
      if (random.below(5) == 0) continue;  // a new component
      std::int32_t a = names[i], b = names[random.below(i)];
      if (random.below(2) == 0) std::swap(a, b);
      add_edge(random, a, b);
    }
  }

  // Few different values, so that there are ties.
  static double random_score(Random& random) { return static_cast<double>(random.below(9)) - 4.0; }

  std::vector<std::int32_t> shuffled(Random& random) const {
    std::vector<std::int32_t> names(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = random.below(i + 1);
      names[i] = names[j];
      names[j] = static_cast<std::int32_t>(i);
    }
    return names;
  }

  void add_edge(Random& random, std::int32_t a, std::int32_t b) {
    edges.insert(edges.end(), {a, b});
    strengths.push_back(random_score(random));
    const std::int32_t rows = counts[static_cast<std::size_t>(a)], used = counts[static_cast<std::size_t>(b)];
    columns.push_back(used + static_cast<std::int32_t>(random.below(2)));
    offsets.push_back(static_cast<std::int64_t>(flat.size()));
    for (std::int32_t r = 0; r < rows; ++r) {
      for (std::int32_t c = 0; c < columns.back(); ++c) {
        flat.push_back(c >= used ? 1e9 : random.below(8) == 0 ? forbidden : random_score(random));
      }
    }
  }

  Edges edge_view() const { return {edges, strengths.size(), 2}; }
  Unaries unary_view() const { return {unaries, n, n_labels}; }
  PottsScores potts() const { return {strengths, n_labels}; }
  TableScores tables() const { return {flat, offsets, columns, counts}; }

  template <class Scores>
  double score(const Scores& scores, const std::vector<Label>& y) const {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += unaries[i * n_labels + static_cast<std::size_t>(y[i])];
    for (std::size_t e = 0; e < strengths.size(); ++e) {
      const auto a = static_cast<std::size_t>(y[static_cast<std::size_t>(edges[2 * e])]);
      const auto b = static_cast<std::size_t>(y[static_cast<std::size_t>(edges[2 * e + 1])]);
      total += scores.score(e, true, a, b);
    }
    return total;
  }
};

template <class Scores>
void matches_enumeration(const Model& model, const Scores& scores) {
  std::vector<double> expected(model.unaries.size(), forbidden);
  double best = model.n == 0 ? 0.0 : forbidden;
  std::vector<Label> y(model.n, 0);
  while (model.n > 0) {
    const double score = model.score(scores, y);
    best = std::max(best, score);
    for (std::size_t i = 0; i < model.n; ++i) {
      double& entry = expected[i * model.n_labels + static_cast<std::size_t>(y[i])];
      entry = std::max(entry, score);
    }
    std::size_t i = 0;
    while (i < model.n && static_cast<std::size_t>(++y[i]) == scores.label_count(i)) y[i++] = 0;
    if (i == model.n) break;
  }

  const ForestOrder order(model.n, model.edge_view());
  std::vector<Label> found(model.n, -1);
  CHECK(test::close(argmax(order, model.unary_view(), scores, std::span(found)), best));
  bool in_range = true;
  for (std::size_t i = 0; i < model.n; ++i) {
    in_range &= found[i] >= 0 && static_cast<std::size_t>(found[i]) < scores.label_count(i);
  }
  CHECK(in_range);
  if (in_range) CHECK(test::close(model.score(scores, found), best));

  std::vector<double> marginals(model.unaries.size(), 123.0);
  max_marginals(order, model.unary_view(), scores, {marginals, model.n, model.n_labels});
  for (std::size_t k = 0; k < marginals.size(); ++k) CHECK(test::close(marginals[k], expected[k]));
}

bool order_refuses(std::size_t n, const std::vector<std::int32_t>& edges) {
  try {
    ForestOrder(n, {edges, edges.size() / 2, 2});
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

void cycles_are_recognised() {
  const auto forest = [](std::size_t n, const std::vector<std::int32_t>& edges) {
    const bool answer = is_forest(n, {edges, edges.size() / 2, 2});
    CHECK(answer != order_refuses(n, edges));
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
    const Model full(random, n, n_labels, true), ragged(random, n, n_labels, false);
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
