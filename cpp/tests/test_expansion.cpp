// Expansion moves against enumeration of all moves; runs against monotonicity.
#include "expansion.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using namespace hedgehop;

struct Instance {
  std::size_t n, labels;
  std::vector<double> unary, strengths, tables, weights;
  std::vector<std::int32_t> edges;

  double score(const std::vector<Label>& y) const {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += unary[i * labels + static_cast<std::size_t>(y[i])];
    for (std::size_t e = 0; e * 2 < edges.size(); ++e) {
      const Label a = y[static_cast<std::size_t>(edges[2 * e])],
                  b = y[static_cast<std::size_t>(edges[2 * e + 1])];
      const std::size_t at =
          (e * labels + static_cast<std::size_t>(a)) * labels + static_cast<std::size_t>(b);
      total += tables.empty() ? (a == b ? 0 : -strengths[e]) : tables[at];
    }
    for (std::size_t l = 0; l < labels; ++l) {
      if (std::find(y.begin(), y.end(), static_cast<Label>(l)) != y.end()) total += weights[l];
    }
    return total;
  }

  MoveProblem problem() const {
    return {{unary, n, labels}, {edges, edges.size() / 2, 2}, strengths, tables, weights};
  }
};

Instance random_instance(std::mt19937& random, bool with_tables) {
  const auto pick = [&](int low, int high) {
    return static_cast<double>(std::uniform_int_distribution(low, high)(random));
  };
  Instance instance{
      static_cast<std::size_t>(pick(1, 8)), static_cast<std::size_t>(pick(1, 4)), {}, {}, {}, {}, {}};
  for (std::size_t k = 0; k < instance.n * instance.labels; ++k) instance.unary.push_back(pick(0, 9));
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(instance.n); ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      if (pick(0, 2) > 0) continue;
      instance.edges.insert(instance.edges.end(), {i, j});
      if (with_tables) {
        for (std::size_t k = 0; k < instance.labels * instance.labels; ++k)
          instance.tables.push_back(pick(-4, 4));
      } else {
        instance.strengths.push_back(pick(0, 5));
      }
    }
  }
  for (std::size_t l = 0; l < instance.labels; ++l) instance.weights.push_back(pick(-8, 8));
  return instance;
}

std::vector<Label> random_labels(std::mt19937& random, const Instance& instance) {
  std::vector<Label> y(instance.n);
  for (Label& label : y)
    label = std::uniform_int_distribution<Label>(0, static_cast<Label>(instance.labels) - 1)(random);
  return y;
}

double best_move(const Instance& instance, const std::vector<Label>& y, Label alpha) {
  double best = instance.score(y);
  for (std::uint32_t set = 0; set < (1U << instance.n); ++set) {
    std::vector<Label> moved = y;
    for (std::size_t i = 0; i < instance.n; ++i) {
      if (set >> i & 1) moved[i] = alpha;
    }
    best = std::max(best, instance.score(moved));
  }
  return best;
}

// A metric plus parts of one end each: not symmetric, yet every move on it is submodular.
Instance metric_instance(std::mt19937& random) {
  Instance instance = random_instance(random, false);
  const std::size_t labels = instance.labels;
  for (const double strength : std::exchange(instance.strengths, {})) {
    const auto tilt = static_cast<double>(random() % 5), lean = static_cast<double>(random() % 3);
    for (std::size_t a = 0; a < labels; ++a) {
      for (std::size_t b = 0; b < labels; ++b) {
        const double apart = a < b ? static_cast<double>(b - a) : static_cast<double>(a - b);
        instance.tables.push_back(tilt * static_cast<double>(a) - lean * static_cast<double>(b) -
                                  strength * apart);
      }
    }
  }
  return instance;
}

void moves_are_optimal(bool with_tables) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const Instance instance = with_tables ? metric_instance(random) : random_instance(random, false);
    std::vector<Label> y = random_labels(random, instance);
    const auto alpha =
        std::uniform_int_distribution<Label>(0, static_cast<Label>(instance.labels) - 1)(random);
    const double best = best_move(instance, y, alpha), before = instance.score(y);
    const MoveProblem problem = instance.problem();
    Expansion expansion(problem, y, {}, 1000);
    Poll poll;
    const Fixed gain = expansion.move(alpha, poll);
    CHECK(instance.score(y) == best);
    CHECK(static_cast<double>(gain) / problem.scale() == best - before);
  }
}

void runs_never_lose(bool with_tables, std::size_t budget) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const Instance instance = random_instance(random, with_tables);
    std::vector<Label> y = random_labels(random, instance);
    const double before = instance.score(y);
    const MoveProblem problem = instance.problem();
    Expansion expansion(problem, y, {}, budget);
    Poll poll;
    const Fixed gained = expansion.run(20, poll);
    CHECK(gained >= 0);
    CHECK(instance.score(y) == before + static_cast<double>(gained) / problem.scale());
    if (with_tables || budget < 100) continue;
    for (std::size_t l = 0; l < instance.labels; ++l) {
      CHECK(best_move(instance, y, static_cast<Label>(l)) ==
            instance.score(y));  // a local maximum of all moves
    }
  }
}

void forbidden_labels_and_candidates_are_respected() {
  const double never = -std::numeric_limits<double>::infinity();
  Instance instance{3, 2, {0, 9, 0, never, 0, 9}, {1, 1}, {}, {0, 0}, {0, 1, 1, 2}};
  std::vector<Label> y{0, 0, 0};
  const std::vector<std::uint8_t> candidates{1, 1, 1, 1, 1, 0};
  const MoveProblem problem = instance.problem();
  Poll poll;
  Expansion(problem, y, {candidates, 3, 2}).run(5, poll);
  CHECK((y == std::vector<Label>{1, 0, 0}));
}

}  // namespace

int main() {
  moves_are_optimal(false);
  moves_are_optimal(true);
  runs_never_lose(false, 1000);
  runs_never_lose(false, 2);
  runs_never_lose(true, 1000);
  forbidden_labels_and_candidates_are_respected();
  return hedgehop::test::exit_code();
}
