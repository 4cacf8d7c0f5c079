// SPDX-License-Identifier: BSD-3-Clause
#include "counts/shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::counts;
using test::Random;

namespace {

constexpr std::size_t n = 7;

ShareFunction function_of(Random& random, std::size_t kind) {
  const double weight = random.uniform(0.1, 3);
  if (kind == 0) return {-weight, 0, 1, -weight, 2};  // a cost of any
  if (kind == 1) return {-weight, 2, 1, -1.5 * weight, 2};
  return {weight, n - 3.0, 3, weight, 2};  // a reward for nearly all
}

// f(sum x) - delta x is at most the rest, for every x, and reaches it where there is one.
void rest_is_above_everything(const Shares& shares, const ShareFunction& f) {
  double most = f.at(0);
  for (unsigned x = 0; x < (1u << n); ++x) {
    double value = 0;
    int count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if ((x >> i & 1) == 0) continue;
      ++count;
      value -= shares.delta()[i];
    }
    most = std::max(most, value + f.at(count));
  }
  CHECK(most <= shares.rest() + 1e-12);
  if (f.has_rest()) CHECK(test::close(most, shares.rest()));
}

void steps_stay_sensible(Random& random, std::size_t kind) {
  const ShareFunction f = function_of(random, kind);
  std::vector<std::int32_t> slots(n);
  std::iota(slots.begin(), slots.end(), 0);
  Shares shares({f}, {0, n}, slots, std::vector<double>(n, f.cap / n));
  for (int round = 0; round < 8; ++round) {
    std::vector<std::int64_t> codes;
    for (std::size_t i = 0; i < n; ++i) codes.push_back(random.uniform(0, 1) < 0.4 ? 2 : 0);
    const double length = shares.slope(codes);
    CHECK(length >= 0 && length <= n);
    shares.step(random.uniform(0, 1));
    double sum = 0;
    for (const double delta : shares.delta()) {
      CHECK(delta * f.weight >= 0);
      sum += delta;
    }
    CHECK(std::abs(sum) <= std::abs(f.cap) * (1 + 1e-12));
    if (f.weight > 0) CHECK(test::close(sum, f.cap));
    rest_is_above_everything(shares, f);
    std::vector<double> total(n * 3, 0.0);
    shares.add_to({total, n, 3});
    for (std::size_t i = 0; i < n; ++i) CHECK(total[i * 3 + 2] == shares.delta()[i] && total[i * 3] == 0);
  }
}

}  // namespace

int main() {
  Random random(5);
  for (int round = 0; round < 60; ++round) steps_stay_sensible(random, static_cast<std::size_t>(round % 3));
  return test::exit_code();
}
