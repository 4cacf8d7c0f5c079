// SPDX-License-Identifier: BSD-3-Clause
#include "counts/envelope.hpp"
#include "counts/mixture.hpp"
#include "counts/union_weights.hpp"
#include "local/distance_moves.hpp"
#include "local/tabu_search.hpp"

#include <span>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"

using namespace hedgehop;
using namespace hedgehop::counts;
using namespace hedgehop::local;
using test::Random;

namespace {

struct Problem : test::PairwiseModel {
  std::vector<double> table;
  std::vector<Label> reference;
  DistanceTerm term;

  Problem(Random& random, std::size_t variables, std::size_t labels)
      : PairwiseModel(random, variables, labels, false), reference(random.labels(variables, labels)) {
    const auto score = [&](auto...) { return random.uniform(-1, 1); };
    set_unary(score);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        if (random.below(3) == 0) add_edge(random, i, j, random.uniform(0, 1), score);
      }
    }
    for (std::size_t k = 0; k <= n; ++k) table.push_back(random.uniform(-2, 2));
    term = {reference, {}, {}, {table, 1.0}};
  }

  template <class Scores>
  double total(const Scores& scores, const std::vector<Label>& y) const {
    return value(scores, y) + table[index(hamming_distance(y, reference))];
  }
};

void envelope_is_concave_and_above(Random& random) {
  std::vector<double> table;
  for (std::size_t k = 0; k <= random.below(9); ++k) table.push_back(random.uniform(-2, 2));
  auto hull = table;
  concave_envelope(hull);
  for (std::size_t k = 0; k < hull.size(); ++k) {
    CHECK(hull[k] >= table[k] - 1e-12);
    const bool inside = k > 0 && k + 1 < hull.size();
    if (inside) CHECK(2 * hull[k] >= hull[k - 1] + hull[k + 1] - 1e-12);
    const bool bends = inside && 2 * hull[k] > hull[k - 1] + hull[k + 1] + 1e-9;
    if (!inside || bends) CHECK(hull[k] == table[k]);  // the least one
  }
}

template <class Scores>
void searches_never_lose(Random& random, const Problem& problem, const Scores& scores) {
  const Incidence incidence(problem.n, problem.edge_view());
  const double one = 1.0;
  DistanceMoves moves(problem.unary_view(), incidence, scores, {&problem.term, 1}, {&one, 1});
  const auto x = random.labels(problem.n, problem.n_labels), y = random.labels(problem.n, problem.n_labels);
  Poll poll;
  auto improved = x, mixed = x, ascended = x, explored = x;
  moves.improve(improved, 5, poll);
  moves.ascend(ascended, 20, poll);
  moves.mix(mixed, y, poll);
  TabuSearch<Scores>(problem.unary_view(), incidence, scores, {&problem.term, 1}, {&one, 1})
      .run(explored, 20, poll);
  for (const auto& better : {improved, ascended, mixed, explored}) {
    CHECK(problem.total(scores, better) >= problem.total(scores, x) - 1e-9);
  }
}

// Two variables must leave the reference, and the start leaves the wrong ones: every single change loses.
void tabu_search_exchanges_changes() {
  const std::vector<double> unary{0, -9, 0, -8, 0, -1, 0, -2}, table{-100, -50, 0, 0, 0}, weights(4, 1.0);
  const std::vector<Label> reference(4, 0), start{1, 1, 0, 0}, best{0, 0, 1, 1};
  const std::vector<std::int32_t> none;
  const Incidence incidence(4, Edges{none, 0, 2});
  const double one = 1.0;
  const PottsScores scores{{}, 2};
  for (const bool weighted : {false, true}) {
    const DistanceTerm term{reference, {}, weighted ? weights : std::span<const double>(), {table, 1.0}};
    Poll poll;
    auto moved = start, explored = start;
    DistanceMoves(Unaries{unary, 4, 2}, incidence, scores, {&term, 1}, {&one, 1}).improve(moved, 9, poll);
    CHECK(moved == start);
    TabuSearch<PottsScores>({unary, 4, 2}, incidence, scores, {&term, 1}, {&one, 1}).run(explored, 9, poll);
    CHECK(explored == best);
  }
}

// Two labelings and one smooth function: the mixture is where the derivative vanishes.
void mixture_balances() {
  const std::vector<double> scores{1.0, 0.0}, distances{0.0, 10.0};
  std::vector<double> secants, weights{1.0, 0.0};
  for (int k = 0; k < 10; ++k)
    secants.push_back(1.0 - 0.1 * k);  // slope 1 - 0.1 (d - 0.5); 0.1 at the optimum
  const SlopeFunction curve{secants, 1.0, 1.0};
  Mixture(scores, {distances, 2, 1}, {&curve, 1}, {}, weights).run(100, 1e-12);
  CHECK(test::close(10 * weights[1], 9.5, 1e-6));
  CHECK(test::close(weights[0] + weights[1], 1.0));
}

void weights_stay_in_their_clusters(Random& random) {
  const std::size_t balls = 1 + random.below(6), labelings = 1 + random.below(5);
  std::vector<double> scores, overlaps, between(balls * balls, 1.0);
  for (std::size_t k = 0; k < labelings; ++k) scores.push_back(random.uniform(-1, 1));
  for (std::size_t k = 0; k < labelings * balls; ++k) overlaps.push_back(random.uniform(0, 1));
  for (std::size_t j = 0; j < balls; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      between[j * balls + k] = between[k * balls + j] = random.uniform(0, 1);
  }
  const auto found = UnionBound(scores, {overlaps, labelings, balls}, {between, balls, balls}, {}).best();
  std::vector<double> sums(found.n_clusters);
  for (std::size_t j = 0; j < balls; ++j) {
    CHECK(found.weights[j] >= 0);
    sums[index(found.clusters[j])] += found.weights[j];
  }
  for (const double sum : sums) CHECK(sum <= 1 + 1e-9);
}

}  // namespace

int main() {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const Problem problem(random, 1 + random.below(8), 1 + random.below(3));
    searches_never_lose(random, problem, problem.potts());
    searches_never_lose(random, problem, problem.tables());
  }
  for (int trial = 0; trial < 300; ++trial) envelope_is_concave_and_above(random);
  for (int trial = 0; trial < 100; ++trial) weights_stay_in_their_clusters(random);
  tabu_search_exchanges_changes();
  mixture_balances();
  return test::exit_code();
}
