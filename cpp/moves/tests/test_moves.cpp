// SPDX-License-Identifier: BSD-3-Clause
// Expansions, swaps and fusions against enumeration of all moves; runs against monotonicity.
#include <algorithm>
#include <limits>
#include <vector>

#include "check.hpp"
#include "moves/expansion.hpp"
#include "moves/fusion.hpp"
#include "moves/swap.hpp"
#include "moves/tests/instance.hpp"

namespace {

using namespace hedgehop;
using namespace hedgehop::moves;
using test::Instance;
using test::Instances;
using test::Traits;

// The best score when every variable keeps its label or takes other(i, label), if that is one.
template <class Other>
double best_of_all(const Instance& x, const std::vector<Label>& y, Other other) {
  double best = x.score(y);
  for (std::uint32_t set = 0; set < (1U << x.n); ++set) {
    std::vector<Label> moved = y;
    for (std::size_t i = 0; i < x.n; ++i) {
      if (set >> i & 1) moved[i] = other(i, y[i]);
    }
    best = std::max(best, x.score(moved));
  }
  return best;
}

double best_expansion(const Instance& x, const std::vector<Label>& y, Label alpha) {
  return best_of_all(x, y, [&](std::size_t, Label) { return alpha; });
}

double best_swap(const Instance& x, const std::vector<Label>& y, Label a, Label b) {
  return best_of_all(x, y, [&](std::size_t, Label own) { return own == a ? b : own == b ? a : own; });
}

constexpr std::size_t plenty = 100000;  // of cuts

void expansions_are_optimal(const Traits& traits) {
  Instances instances(1, traits);
  for (int trial = 0; trial < 1000; ++trial) {
    const Instance x = instances.next();
    std::vector<Label> y = instances.labeling(x);
    const Label alpha = instances.label(x);
    const double best = best_expansion(x, y, alpha), before = x.score(y);
    const Problem problem = x.problem();
    Poll poll;
    const Fixed gain = Expansion(problem, y, {}, plenty).move(alpha, poll);
    CHECK(x.score(y) == best);
    CHECK(static_cast<double>(gain) / problem.scale() == best - before);
  }
}

void swaps_are_optimal(const Traits& traits) {
  Instances instances(2, traits);
  for (int trial = 0; trial < 1000; ++trial) {
    const Instance x = instances.next();
    std::vector<Label> y = instances.labeling(x);
    const Label a = instances.label(x), b = instances.label(x);
    if (a == b) continue;
    const double best = best_swap(x, y, a, b), before = x.score(y);
    const Problem problem = x.problem();
    Poll poll;
    const Fixed gain = Swap(problem, y, plenty).move(a, b, poll);
    CHECK(x.score(y) == best);
    CHECK(static_cast<double>(gain) / problem.scale() == best - before);
  }
}

// `run` improves a labeling and says by how much.
template <class Run>
void never_loses(const Traits& traits, Run run) {
  Instances instances(3, traits);
  for (int trial = 0; trial < 500; ++trial) {
    const Instance x = instances.next();
    std::vector<Label> y = instances.labeling(x);
    const double before = x.score(y);
    const Problem problem = x.problem();
    const Fixed gained = run(x, problem, y, instances);
    CHECK(gained >= 0);
    CHECK(test::close(x.score(y), before + static_cast<double>(gained) / problem.scale()));
  }
}

void nothing_loses(const Traits& traits, std::size_t cuts) {
  Poll poll;
  never_loses(traits, [&](const Instance&, const Problem& problem, std::vector<Label>& y, Instances&) {
    return Expansion(problem, y, {}, cuts).run(20, poll);
  });
  never_loses(traits, [&](const Instance&, const Problem& problem, std::vector<Label>& y, Instances&) {
    return Swap(problem, y, cuts).run(20, poll);
  });
  never_loses(traits, [&](const Instance& x, const Problem& problem, std::vector<Label>& y, Instances& more) {
    const std::vector<Label> proposal = more.labeling(x);
    const Fixed gained = fuse(problem, y, proposal, cuts, poll);
    CHECK(x.score(y) >= x.score(proposal) - 1e-9);
    return gained;
  });
}

void runs_end_in_local_maxima(const Traits& traits) {
  Instances instances(4, traits);
  Poll poll;
  for (int trial = 0; trial < 300; ++trial) {
    const Instance x = instances.next();
    const Problem problem = x.problem();
    std::vector<Label> y = instances.labeling(x), z = y;
    Expansion(problem, y, {}, plenty).run(50, poll);
    Swap(problem, z, plenty).run(50, poll);
    for (Label a = 0; a < static_cast<Label>(x.n_labels); ++a) {
      CHECK(best_expansion(x, y, a) == x.score(y));
      for (Label b = 0; b < a; ++b) CHECK(best_swap(x, z, a, b) == x.score(z));
    }
  }
}

// With Potts scores of two labels every fusion is submodular.
void binary_fusions_are_optimal() {
  Instances instances(5, {.labels = false});
  Poll poll;
  for (int trial = 0; trial < 500; ++trial) {
    const Instance x = instances.next();
    if (x.n_labels > 2) continue;
    std::vector<Label> y = instances.labeling(x);
    const std::vector<Label> proposal = instances.labeling(x);
    const double best = best_of_all(x, y, [&](std::size_t i, Label) { return proposal[i]; });
    const bool opposed = std::any_of(y.begin(), y.end(),
                                     [&, i = std::size_t{0}](Label l) mutable { return l > proposal[i++]; });
    fuse(x.problem(), y, proposal, plenty, poll);
    CHECK(opposed ? x.score(y) <= best : x.score(y) == best);
  }
}

// More labels than are gathered at a time, moves on them in any order.
void expansions_of_candidates_are_optimal() {
  constexpr std::size_t n = 6, n_labels = 19;
  test::Random random(7);
  Poll poll;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> unary(n * n_labels), strengths(n);
    for (double& score : unary) score = static_cast<double>(random.below(9));
    for (double& strength : strengths) strength = static_cast<double>(random.below(5));
    std::vector<std::int32_t> edges;
    for (std::size_t i = 0; i < n; ++i)
      edges.insert(edges.end(), {static_cast<std::int32_t>(i), static_cast<std::int32_t>((i + 1) % n)});
    std::vector<std::uint8_t> candidates(n * n_labels);
    for (auto& flag : candidates) flag = random.below(2) == 1;
    const Problem problem(Unaries{unary, n, n_labels},
                          {n, n_labels, {}, {edges, n, 2}, PottsScores{strengths, n_labels}});
    const auto score = [&](const std::vector<Label>& y) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        sum += unary[i * n_labels + index(y[i])] - (y[i] != y[(i + 1) % n] ? strengths[i] : 0.0);
      return sum;
    };
    std::vector<Label> y(n);
    for (Label& label : y) label = static_cast<Label>(random.below(n_labels));
    Expansion moves(problem, y, {candidates, n, n_labels}, plenty);
    for (int move = 0; move < 12; ++move) {
      const auto alpha = static_cast<Label>(random.below(n_labels));
      double best = score(y);
      for (std::uint32_t set = 0; set < (1U << n); ++set) {
        std::vector<Label> moved = y;
        for (std::size_t i = 0; i < n; ++i) {
          if ((set >> i & 1) != 0 && candidates[i * n_labels + index(alpha)] != 0) moved[i] = alpha;
        }
        best = std::max(best, score(moved));
      }
      moves.move(alpha, poll);
      CHECK(score(y) == best);
    }
  }
}

void forbidden_labels_and_candidates_are_respected() {
  const double never = -std::numeric_limits<double>::infinity();
  const std::vector<double> unary{0, 9, 0, never, 0, 9}, strengths{1, 1};
  const std::vector<std::int32_t> edges{0, 1, 1, 2};
  const std::vector<std::uint8_t> candidates{1, 1, 1, 1, 1, 0};
  const Problem problem(Unaries{unary, 3, 2}, {3, 2, {}, {edges, 2, 2}, PottsScores{strengths, 2}});
  Poll poll;
  std::vector<Label> y{0, 0, 0}, z = y;
  Expansion(problem, y, {candidates, 3, 2}).run(5, poll);
  CHECK((y == std::vector<Label>{1, 0, 0}));
  Swap(problem, z).run(5, poll);
  CHECK((z == std::vector<Label>{1, 0, 1}));
}

void narrow_scores_and_theta_are_added() {
  const std::vector<float> unary{1, 0, 1, 0};
  const std::vector<double> theta{0, 3, 0, 0}, strengths{1};
  const std::vector<std::int32_t> edges{0, 1};
  Problem problem(MatrixView<const float>{unary, 2, 2}, {2, 2, {}, {edges, 1, 2}, PottsScores{strengths, 2}});
  Poll poll;
  std::vector<Label> y{0, 0};
  CHECK(Expansion(problem, y).run(5, poll) == 0);
  problem.set_linear(theta);
  const Fixed gained = Expansion(problem, y).run(5, poll);
  CHECK((y == std::vector<Label>{1, 1}) || (y == std::vector<Label>{1, 0}));
  CHECK(static_cast<double>(gained) / problem.scale() == 1);
}

}  // namespace

int main() {
  for (const auto pairs : {Traits::potts, Traits::metric}) {
    for (const Traits& traits : {Traits{.pairs = pairs}, Traits{.pairs = pairs, .regions = true},
                                 Traits{.pairs = pairs, .regions = true, .slack = 3}}) {
      expansions_are_optimal(traits);
      swaps_are_optimal(traits);
      runs_end_in_local_maxima(traits);
    }
    for (const bool ordered : {false, true}) {
      Traits traits{.pairs = pairs, .regions = true, .transitions = true, .ordered = ordered};
      swaps_are_optimal(traits);
      traits.transition_costs = false;
      expansions_are_optimal(traits);
    }
  }
  for (const std::size_t cuts : {std::size_t{1}, std::size_t{3}, plenty}) {
    for (const bool ordered : {false, true}) {
      nothing_loses({.pairs = Traits::any_tables,
                     .regions = true,
                     .transitions = true,
                     .ordered = ordered,
                     .least = 4,
                     .slack = 3,
                     .robust_rewards = false},
                    cuts);
    }
    nothing_loses({.least = 4}, cuts);
  }
  binary_fusions_are_optimal();
  expansions_of_candidates_are_optimal();
  forbidden_labels_and_candidates_are_respected();
  narrow_scores_and_theta_are_added();
  return hedgehop::test::exit_code();
}
