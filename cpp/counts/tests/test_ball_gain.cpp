// SPDX-License-Identifier: BSD-3-Clause
#include "counts/ball_gain.hpp"

#include <limits>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::counts;
using test::Random;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The definition: over all kept sets T, the probability that no member agrees with y on T.
double gain_by_enumeration(const std::vector<Label>& y, const std::vector<Label>& chosen,
                           const std::vector<double>& decay) {
  const std::size_t n = y.size();
  double gain = 0;
  for (std::size_t kept = 0; kept < std::size_t{1} << n; ++kept) {
    double probability = 1;
    for (std::size_t i = 0; i < n; ++i) {
      probability *= kept >> i & 1 ? -std::expm1(-decay[i]) : std::exp(-decay[i]);
    }
    bool is_new = true;
    for (std::size_t start = 0; start < chosen.size(); start += n) {
      bool agrees = true;
      for (std::size_t i = 0; i < n; ++i) agrees &= !(kept >> i & 1) || y[i] == chosen[start + i];
      is_new &= !agrees;
    }
    if (is_new) gain += probability;
  }
  return gain;
}

double gain_of(const std::vector<Label>& y, const std::vector<Label>& chosen,
               const std::vector<double>& decay) {
  const std::size_t n = y.size();
  return BallGain({chosen, n == 0 ? 0 : chosen.size() / n, n}, decay)(y);
}

void matches_enumeration(Random& random, std::size_t k, double scale) {
  const std::size_t n = 1 + random.below(10);
  const auto y = random.labels(n, 3), chosen = random.labels(k * n, 3);
  std::vector<double> decay(n);
  for (double& a : decay) a = random.below(6) == 0 ? 0.0 : random.uniform(0, scale);
  if (random.below(4) == 0) decay[random.below(n)] = infinity;
  CHECK(test::close(gain_of(y, chosen, decay), gain_by_enumeration(y, chosen, decay)));
}

}  // namespace

int main() {
  Random random(2);
  for (int trial = 0; trial < 400; ++trial) {
    matches_enumeration(random, random.below(7), trial % 2 == 0 ? 1.0 : 20.0);
  }
  for (int trial = 0; trial < 5; ++trial) matches_enumeration(random, 10 + random.below(4), 1.0);

  CHECK(gain_of({0, 1, 2}, {}, {1, 1, 1}) == 1.0);
  CHECK(gain_of({0, 1, 2}, {2, 2, 2, 0, 1, 2}, {0.1, 0.2, infinity}) == 0.0);  // already chosen
  CHECK(gain_of({0, 1}, {0, 0, 1, 1}, {infinity, infinity}) == 1.0);
  CHECK(gain_of({0, 1}, {0, 0}, {1.0, 0.0}) == 0.0);  // differs only where nobody looks

  // Disjoint differences are independent, so the gain is a product: here 1e-80,
  // far below the rounding of terms near 1.
  const std::size_t k = 10;
  std::vector<Label> y(k, 0), chosen(k * k, 0);
  for (std::size_t j = 0; j < k; ++j) chosen[j * k + j] = 1;
  const double tiny = gain_of(y, chosen, std::vector<double>(k, 1e-8));
  CHECK(tiny > 0.99e-80 && tiny < 1e-10);

  // As many members as allowed, and more variables than one block.
  const std::size_t n = 5000;
  const auto members = random.labels(max_ball_members * n, 2);
  const auto candidate = random.labels(n, 2);
  CHECK(test::close(gain_of(candidate, members, std::vector<double>(n, 1.0)), 1.0));
  return test::exit_code();
}
