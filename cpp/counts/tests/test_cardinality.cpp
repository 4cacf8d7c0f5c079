// SPDX-License-Identifier: BSD-3-Clause
#include "counts/cardinality.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "local/max_product.hpp"

using namespace hedgehop;
using namespace hedgehop::counts;
using namespace hedgehop::local;
using test::Random;

namespace {

double by_enumeration(const std::vector<double>& gains, const std::vector<double>& table, std::size_t i) {
  const std::size_t n = gains.size();
  double best[2] = {forbidden, forbidden};
  for (std::size_t set = 0; set < (std::size_t{1} << n); ++set) {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const bool on = (set >> j & 1) != 0;
      count += on;
      if (j == i) continue;
      if (std::isfinite(gains[j])) {
        sum += on ? gains[j] : 0.0;
      } else if (on != (gains[j] > 0)) {
        sum = forbidden;
      }
    }
    double& entry = best[set >> i & 1];
    entry = std::max(entry, sum + table[count]);
  }
  return best[1] - best[0];
}

void messages_match_enumeration(Random& random) {
  const std::size_t n = random.below(8);
  std::vector<double> gains(n), table(n + 1), messages(n);
  for (double& gain : gains) {
    gain = random.below(2) == 0 ? static_cast<double>(random.below(5)) - 2.0 : random.uniform(-3, 3);
    if (random.below(6) == 0) gain = random.below(2) == 0 ? forbidden : -forbidden;
  }
  for (double& value : table) value = random.uniform(-3, 3);
  CardinalityMessages()(gains, table, messages);
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(test::close(messages[i], std::isfinite(gains[i]) ? by_enumeration(gains, table, i) : 0.0));
  }
}

// Without pairs and with one distance, one sweep without damping gives max-marginals: the decode is optimal.
void one_distance_alone_is_exact(Random& random) {
  const std::size_t n = 1 + random.below(6), n_labels = 2 + random.below(2);
  std::vector<double> unaries(n * n_labels), table(n + 1);
  for (double& score : unaries) score = random.uniform(-2, 2);
  for (double& value : table) value = random.uniform(-4, 4);
  const auto reference = random.labels(n, n_labels);
  const PottsScores scores{{}, n_labels};
  MaxProduct solver({unaries, n, n_labels}, Edges{}, scores, {reference, 1, n}, {table, 1, n + 1}, 0.0);
  std::vector<Label> labelings(2 * n);
  Poll poll;
  max_product(solver, {labelings, 2, n}, poll);
  const auto value = [&](std::span<const Label> labeling) {
    double total = 0.0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      total += unaries[i * n_labels + index(labeling[i])];
      count += labeling[i] != reference[i];
    }
    return total + table[count];
  };
  double best = forbidden;
  test::for_each_labeling(
      n, [&](std::size_t) { return n_labels; },
      [&](const std::vector<Label>& y) { best = std::max(best, value(y)); });
  CHECK(test::close(value(std::span(labelings).subspan(n)), best));
}

}  // namespace

int main() {
  Random random(11);
  for (int trial = 0; trial < 2000; ++trial) messages_match_enumeration(random);
  for (int trial = 0; trial < 500; ++trial) one_distance_alone_is_exact(random);
  return test::exit_code();
}
