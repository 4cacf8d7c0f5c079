// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/arborescence.hpp"

#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::graphs;
using test::Random;

namespace {

// By the definition: from every word, n steps along the heads end at the root.
bool all_reach_the_root(const std::vector<Label>& heads, bool single_root) {
  int from_root = 0;
  for (std::size_t word = 1; word <= heads.size(); ++word) {
    std::size_t at = word;
    for (std::size_t k = 0; k < heads.size() && at != 0; ++k) at = index(heads[at - 1]);
    if (at != 0) return false;
    from_root += heads[word - 1] == 0;
  }
  return !single_root || from_root == 1;
}

double best_by_enumeration(const std::vector<double>& scores, std::size_t n, bool single_root) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < n; ++i) count *= n + 1;
  double best = forbidden;
  for (std::size_t code = 0; code < count; ++code) {
    std::vector<Label> heads(n);
    double value = 0.0;
    std::size_t rest = code;
    for (std::size_t i = 0; i < n; ++i, rest /= n + 1) {
      heads[i] = static_cast<Label>(rest % (n + 1));
      value += scores[i * (n + 1) + rest % (n + 1)];
    }
    const bool allowed = all_reach_the_root(heads, single_root);
    CHECK(is_arborescence(heads, single_root) == allowed);
    if (allowed) best = std::max(best, value);
  }
  return best;
}

void found_is_best(Random& random, std::size_t n, bool single_root, bool ties, std::size_t forbid) {
  std::vector<double> scores(n * (n + 1));
  for (double& s : scores) {
    s = ties ? static_cast<double>(random.below(5)) - 2.0 : random.uniform(-3, 3);
    if (random.below(10) < forbid) s = forbidden;
  }
  std::vector<Label> heads(n);
  const double value = best_arborescence({scores, n, n + 1}, single_root, heads);
  CHECK(test::close(value, best_by_enumeration(scores, n, single_root)));
  CHECK(value == forbidden || all_reach_the_root(heads, single_root));
}

// A soft "never" of huge size must not cost the digits of the rest.
void huge_scores_keep_their_digits() {
  const std::vector<double> scores{0.0, 0.0, -1e12, 0.25, 0.5, 0.0};
  std::vector<Label> heads(2);
  CHECK(best_arborescence({scores, 2, 3}, true, heads) == 0.5);
  CHECK((heads == std::vector<Label>{0, 1}));
}

void long_chains_need_no_stack() {
  const std::size_t n = 400;
  std::vector<double> scores(n * (n + 1), -1.0);
  for (std::size_t i = 1; i < n; ++i) scores[i * (n + 1) + i] = 1.0;
  scores[n] = 2.0;  // word 1 prefers word n: one cycle through all, cut where that costs least
  std::vector<Label> heads(n);
  CHECK(best_arborescence({scores, n, n + 1}, false, heads) == static_cast<double>(n) - 1.0);
}

}  // namespace

int main() {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 1 + random.below(5);
    found_is_best(random, n, round % 2 == 0, round % 4 < 2, round % 3 * 2);
  }
  for (int round = 0; round < 40; ++round) found_is_best(random, 6, round % 2 == 0, true, 3);
  huge_scores_keep_their_digits();
  long_chains_need_no_stack();
  return test::exit_code();
}
