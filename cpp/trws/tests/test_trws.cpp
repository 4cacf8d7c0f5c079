// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"
#include "trws/solver.hpp"

using namespace hedgehop;
using namespace hedgehop::trws;
using test::Random;

namespace {

const std::vector<std::string> instruction_sets{"baseline", "avx2", "avx512"};

const Kernel* kernel_or_null(const std::string& name) {
  try {
    return &kernel_for(name);
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

// A random graph with ragged label counts, forbidden labels and pairs, and ties.
struct Model : test::PairwiseModel {
  bool is_potts, has_ties;
  std::vector<std::int32_t> ranks;  // empty: the solver's own

  Model(Random& random, std::size_t n_variables, std::size_t labels, bool potts, double density)
      : PairwiseModel(random, n_variables, labels, random.below(2) == 0),
        is_potts(potts),
        has_ties(random.below(2) == 0) {
    new_scores(random);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (random.uniform(0, 1) < density) add_edge(random, a, b);
      }
    }
    if (random.below(2) == 0) ranks = random.shuffled(n);
  }

  double score(Random& random) const {
    return has_ties ? static_cast<double>(random.below(9)) - 4.0 : random.uniform(-4, 4);
  }

  void new_scores(Random& random) {
    set_unary([&](Label l) { return l == 0 || random.below(6) != 0 ? score(random) : forbidden; });
  }

  void add_edge(Random& random, std::size_t a, std::size_t b) {
    const double strength = random.below(6) == 0 ? 0.0 : std::abs(score(random));
    PairwiseModel::add_edge(random, a, b, strength,
                            [&](auto...) { return random.below(10) == 0 ? forbidden : score(random) + 3.0; });
  }

  Pairs pairs() const { return is_potts ? PairwiseModel::pairs(potts()) : PairwiseModel::pairs(tables()); }

  Solver solver(const Kernel& kernel) const {
    Solver result = make_solver(unary_view(), pairs(), ranks, kernel);
    result.set_scores(unary_view(), {});
    return result;
  }

  double value(const std::vector<Label>& y, std::span<const double> theta = {}) const {
    double total = pairs().value(y);
    for (std::size_t i = 0; i < n; ++i) {
      total += unary_view()(i, y[i]) + (theta.empty() ? 0.0 : theta[i * n_labels + index(y[i])]);
    }
    return total;
  }

  template <class F>
  void for_each_labeling(F f) const {
    test::for_each_labeling(n, [this](std::size_t i) { return counts[i]; }, f);
  }

  double optimum(std::span<const double> theta = {}) const {
    double best = forbidden;
    for_each_labeling([&](const std::vector<Label>& y) { best = std::max(best, value(y, theta)); });
    return best;
  }
};

// Labels allowed, and as good as the solver says (the value of forbidden pairs is a penalty there).
void check_labeling(const Model& model, const Solver& solver, const Answer& answer,
                    std::span<const double> theta) {
  std::vector<Label> y(model.n);
  solver.best(y);
  for (std::size_t i = 0; i < model.n; ++i) {
    CHECK(y[i] >= 0 && y[i] < model.counts[i]);
    CHECK(model.unary[i * model.n_labels + index(y[i])] != forbidden);
  }
  const double value = model.value(y, theta);
  if (value != forbidden) CHECK(test::close(answer.value, value, 1e-6));
}

void bounds_hold(Random& random) {
  for (int trial = 0; trial < 400; ++trial) {
    Model model(random, 1 + random.below(6), 1 + random.below(4), trial % 2 == 0, random.uniform(0, 1));
    Solver solver = model.solver(kernel_for(""));
    Poll poll;
    const double best = model.optimum();
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 6; ++k) {
      const Answer answer = solver.run({1, 1, 0.0, -1e300, 1}, poll);
      CHECK(answer.upper_bound >= best);
      CHECK(answer.upper_bound <= before);
      before = answer.upper_bound;
      check_labeling(model, solver, answer, {});
    }
    // Warm: other scores, then other scores plus theta, with the messages of the old ones.
    model.new_scores(random);
    std::vector<double> theta(model.unary.size());
    for (double& t : theta) t = random.uniform(-30, 30);
    for (const bool with_theta : {false, true}) {
      const std::span<const double> change =
          with_theta ? std::span<const double>(theta) : std::span<const double>();
      solver.set_scores(model.unary_view(), with_theta ? Change(change) : Change());
      const Answer answer = solver.run({}, poll);
      CHECK(answer.upper_bound >= model.optimum(change));
      check_labeling(model, solver, answer, change);
    }
  }
}

void trees_are_tight(Random& random) {
  for (int trial = 0; trial < 200; ++trial) {
    Model model(random, 2 + random.below(5), 1 + random.below(4), trial % 2 == 0, 0.0);
    for (std::size_t i = 1; i < model.n; ++i) model.add_edge(random, i, random.below(i));
    model.ranks.clear();
    const double best = model.optimum();
    if (best == forbidden) continue;
    Solver solver = model.solver(kernel_for(""));
    Poll poll;
    const Answer answer = solver.run({2, 1, 0.0, -1e300, 1}, poll);
    CHECK(test::close(answer.upper_bound, best, 1e-5));
    std::vector<Label> y(model.n);
    solver.best(y);
    CHECK(test::close(model.value(y), best, 1e-5));
  }
}

// Larger models: every instruction set and either number of threads must do the very same.
void everybody_agrees(Random& random) {
  for (const std::size_t n_labels : {2, 7, 13, 21, 30, 48, 60, 100}) {
    for (const bool potts : {true, false}) {
      const Model model(random, 60, n_labels, potts, 0.1);
      std::optional<Solver> first;
      std::optional<Answer> expected;
      for (const std::string& name : instruction_sets) {
        const Kernel* kernel = kernel_or_null(name);
        if (kernel == nullptr) continue;
        for (const int threads : {1, 2}) {
          Solver solver = model.solver(*kernel);
          Poll poll;
          const Answer answer = solver.run({12, 5, 0.0, -1e300, threads}, poll);
          if (!first) {
            first.emplace(std::move(solver));
            expected = answer;
            continue;
          }
          CHECK(std::ranges::equal(solver.messages(), first->messages()));
          CHECK(answer.upper_bound == expected->upper_bound && answer.value == expected->value);
          std::vector<Label> y(model.n), z(model.n);
          solver.best(y);
          first->best(z);
          CHECK(y == z);
        }
      }
    }
  }
}

void interruptions_leave_a_valid_state(Random& random) {
  const Model model(random, 6, 3, true, 0.6);
  for (const int threads : {1, 2}) {
    Solver solver = model.solver(kernel_for(""));
    int asked = 0;
    Poll nagging([&] {
      if (++asked == 3) throw std::runtime_error("stop");
    });
    CHECK(test::throws<std::runtime_error>([&] {
      for (int k = 0; k < 2000000; ++k) solver.run({50, 50, 0.0, -1e300, threads}, nagging);
    }));
    Poll poll;
    CHECK(solver.run({}, poll).upper_bound >= model.optimum());
  }
}

void grids_match_their_edge_lists(Random& random) {
  const std::vector<std::pair<std::vector<std::size_t>, int>> cases{
      {{3, 4}, 4}, {{3, 4}, 8},    {{1, 5}, 8},     {{5, 1}, 4},
      {{1, 1}, 4}, {{2, 3, 2}, 6}, {{2, 3, 2}, 26}, {{1, 2, 3}, 26}};
  for (const auto& [shape, connectivity] : cases) {
    const Grid shape_of(shape, connectivity);
    const GridEdges grid(shape_of);
    std::vector<std::int32_t> edges;
    grid.for_each([&](std::size_t e, std::size_t a, std::size_t b) {
      CHECK(2 * e == edges.size() && a < b && b < grid.n_variables());
      edges.insert(edges.end(), {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
    });
    CHECK(edges.size() == 2 * grid.size());
    std::vector<std::vector<double>> strengths;
    std::vector<double> flat, unary;
    for (std::size_t d = 0; d < grid.n_directions(); ++d) {
      strengths.emplace_back();
      for (std::size_t e = 0; e < grid.size(d); ++e) strengths.back().push_back(random.uniform(0, 2));
      flat.insert(flat.end(), strengths.back().begin(), strengths.back().end());
    }
    for (std::size_t k = 0; k < 3 * grid.n_variables(); ++k) unary.push_back(random.uniform(-2, 2));
    std::vector<std::int32_t> ranks(grid.n_variables());
    std::iota(ranks.begin(), ranks.end(), 0);
    const std::size_t n = grid.n_variables();
    const Unaries scores{unary, n, 3};
    const Pairs listed{n, 3, {}, {edges, grid.size(), 2}, PottsScores{flat, 3}};
    Solver one = make_solver(GridPairs(shape_of, {strengths.begin(), strengths.end()}), 3, kernel_for(""));
    Solver two = make_solver(scores, listed, ranks, kernel_for(""));
    Poll poll;
    one.set_scores(scores, {});
    two.set_scores(scores, {});
    CHECK(one.run({}, poll).upper_bound == two.run({}, poll).upper_bound);
    CHECK(std::ranges::equal(one.messages(), two.messages()));
  }
}

void label_bounds_hold(Random& random) {
  for (int trial = 0; trial < 300; ++trial) {
    const Model model(random, 1 + random.below(6), 1 + random.below(4), trial % 2 == 0, random.uniform(0, 1));
    Solver solver = model.solver(kernel_for(""));
    Poll poll;
    Options options;
    options.iterations = 1 + static_cast<int>(random.below(20));
    solver.run(options, poll);
    std::vector<float> drops(model.n * model.n_labels);
    const double top = solver.label_bounds(drops, poll);
    model.for_each_labeling([&](const std::vector<Label>& y) {
      const double value = model.value(y);
      for (std::size_t i = 0; i < model.n; ++i) {
        const double drop = drops[i * model.n_labels + index(y[i])];
        CHECK(drop <= 0.0 && value <= top + drop * (1.0 - 0x1p-22) + 1e-12 * std::abs(value));
      }
    });
  }
}

void bad_scores_change_nothing() {
  const std::vector<std::int32_t> edges{0, 1};
  const std::vector<double> strengths{1.0};
  const std::vector<double> good{0.0, 3.0, 1.0, 0.0};
  const Pairs pairs{2, 2, {}, {edges, 1, 2}, PottsScores{strengths, 2}};
  Solver solver = make_solver(Unaries{good, 2, 2}, pairs, {}, kernel_for(""));
  solver.set_scores(Unaries{good, 2, 2}, {});
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity}) {
    const std::vector<double> scores{0.0, 1.0, -infinity, bad};
    CHECK(test::throws<std::invalid_argument>([&] { solver.set_scores(Unaries{scores, 2, 2}, {}); }));
  }
  Poll poll;
  CHECK(test::close(solver.run({}, poll).upper_bound, 3.0));
}

}  // namespace

int main() {
  Random random(6);
  bounds_hold(random);
  trees_are_tight(random);
  everybody_agrees(random);
  interruptions_leave_a_valid_state(random);
  grids_match_their_edge_lists(random);
  label_bounds_hold(random);
  bad_scores_change_nothing();
  return test::exit_code();
}
