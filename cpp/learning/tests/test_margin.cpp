// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "learning/margin_dual.hpp"

using namespace hedgehop;
using namespace hedgehop::learning;
using test::Random;

namespace {

// No point of the way has a larger dual, whatever is boxed.
void a_step_is_the_best_of_its_line(Random& random) {
  const std::size_t size = 1 + random.below(6), boxed = random.below(size + 1);
  std::vector<double> v(size), dv(size);
  for (std::size_t c = 0; c < size; ++c) {
    v[c] = random.uniform(-1, 1);
    dv[c] = random.below(4) == 0 ? 0.0 : random.uniform(-1, 1);
  }
  const double loss = random.uniform(-1, 1);
  const auto dual = [&](double g) {
    double value = g * loss;
    for (std::size_t c = 0; c < size; ++c) {
      const double w = c < boxed ? std::max(0.0, v[c] + g * dv[c]) : v[c] + g * dv[c];
      value -= 0.5 * w * w;
    }
    return value;
  };
  MarginStep step(loss);
  for (std::size_t c = 0; c < size; ++c) step.add(v[c], dv[c], c < boxed);
  const double best = step.best(2.0);
  CHECK(best >= 0 && best <= 2);
  for (int k = 0; k <= 200; ++k) CHECK(dual(best) >= dual(0.01 * k) - 1e-12);
}

// Passes close the gap between the dual and the primal value over the planes, and weights obey the box.
void passes_reach_the_optimum(Random& random) {
  const std::size_t size = 5, examples = 3, first_attractive = 3;
  const double budget = 0.5;
  MarginDual dual(size, examples, first_attractive, budget);
  std::vector<std::vector<double>> changes;
  std::vector<double> losses;
  for (int k = 0; k < 12; ++k) {
    changes.emplace_back(size);
    for (double& c : changes.back()) c = random.uniform(-1, 1);
    losses.push_back(random.uniform(0, 2));
    dual.add(k % examples, changes.back(), losses.back());
  }
  Poll poll;
  const std::vector<std::int32_t> order{2, 0, 1};
  double open = 1;
  for (int pass = 0; pass < 20000 && open > 1e-10; ++pass) open = dual.pass(order, poll);
  CHECK(open <= 1e-10);
  std::vector<double> highest(examples, 0.0);  // that of the right labeling
  double primal = 0, value = dual.now().loss;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    double height = losses[k];
    for (std::size_t c = 0; c < size; ++c) height -= changes[k][c] * dual.weights()[c];
    highest[k % examples] = std::max(highest[k % examples], height);
  }
  for (const double height : highest) primal += budget * height;
  for (std::size_t c = 0; c < size; ++c) {
    const double w = dual.weights()[c];
    CHECK(c < first_attractive || w >= 0);
    primal += 0.5 * w * w;
    value -= 0.5 * w * w;
  }
  CHECK(test::close(primal, value, 1e-8));
}

}  // namespace

int main() {
  Random random(1);
  for (int round = 0; round < 300; ++round) a_step_is_the_best_of_its_line(random);
  for (int round = 0; round < 20; ++round) passes_reach_the_optimum(random);
  return test::exit_code();
}
