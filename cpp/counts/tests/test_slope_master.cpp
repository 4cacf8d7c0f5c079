// SPDX-License-Identifier: BSD-3-Clause
#include "counts/slope_master.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::counts;
using test::Random;

namespace {

std::vector<double> concave(Random& random, std::size_t m) {
  std::vector<double> h(m + 1, 0.0);
  double rise = random.uniform(0.5, 2.0);
  for (std::size_t c = 1; c <= m; ++c, rise -= random.uniform(0.0, 0.8)) h[c] = h[c - 1] + rise;
  return h;
}

void slopes_minimise_what_they_should(Random& random) {
  const auto h = concave(random, 1 + random.below(5));
  const HeldCurve curve{h, random.uniform(0.1, 5.0)};
  const double low = curve.rise(curve.m()), high = curve.rise(1);
  const double x = random.uniform(0.0, static_cast<double>(curve.m())), centre = random.uniform(low, high);
  const auto value = [&](double s) {
    return curve.conjugate(s) + s * x + curve.t / 2 * (s - centre) * (s - centre);
  };
  const double s = curve.slope(x, centre);
  CHECK(s >= low - 1e-12 && s <= high + 1e-12);
  for (int k = 0; k <= 200; ++k) CHECK(value(s) <= value(low + (high - low) * k / 200.0) + 1e-9);
}

// A mixture of few labelings: no point of a fine net is worth more, and the bound is never below its worth.
void the_mixture_is_the_best_one(Random& random) {
  const std::size_t m = 2 + random.below(3), n_groups = 5;
  const auto h = concave(random, m);
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> groups;
  std::vector<double> scores(3), weights(n_groups), centre(n_groups);
  const std::vector<std::int32_t> curve(n_groups, 0);
  for (double& s : scores) s = random.uniform(-1.0, 1.0);
  for (double& w : weights) w = random.uniform(0.0, 2.0);
  for (double& s : centre) s = random.uniform(h[m] - h[m - 1], h[1]);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    for (std::size_t g = 0; g < n_groups; ++g) {
      if (random.below(2)) groups.push_back(static_cast<std::int32_t>(g));
    }
    starts.push_back(static_cast<std::int64_t>(groups.size()));
  }
  const double loose = 1e-3;  // hardly held: the plain mixture
  Poll poll;
  const auto solved = [&](std::vector<double> start, std::size_t most) {
    SlopeMaster master({{h, loose}}, {weights, centre, curve}, {starts, groups}, scores, std::move(start));
    master.solve(1e-9, most, poll);
    return master;
  };
  const auto best = solved({1.0, 0.0, 0.0}, 20000);
  const auto mu = best.mixture();
  CHECK(test::close(std::accumulate(mu.begin(), mu.end(), 0.0), 1.0));
  CHECK(best.bound() >= best.worth() - 1e-9);
  for (int a = 0; a <= 20; ++a) {
    for (int b = 0; a + b <= 20; ++b) {
      const auto other = solved({a / 20.0, b / 20.0, (20 - a - b) / 20.0}, 0);
      CHECK(other.worth() <= best.worth() + 0.02);
      CHECK(best.bound() >= other.worth() - 1e-9);
    }
  }
}

// The same where two of the labelings share a cluster: no cluster has more than 1/m of the mixture.
void clusters_have_their_share_at_most(Random& random) {
  const std::size_t m = 2, n_groups = 4, count = 4;
  const auto h = concave(random, m);
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> groups;
  std::vector<double> scores(count), weights(n_groups), centre(n_groups);
  const std::vector<std::int32_t> curve(n_groups, 0), clusters{0, 1, 1, 2};
  for (double& s : scores) s = random.uniform(-1.0, 1.0);
  for (double& w : weights) w = random.uniform(0.0, 2.0);
  for (double& s : centre) s = random.uniform(h[m] - h[m - 1], h[1]);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t g = 0; g < n_groups; ++g) {
      if (random.below(2)) groups.push_back(static_cast<std::int32_t>(g));
    }
    starts.push_back(static_cast<std::int64_t>(groups.size()));
  }
  Poll poll;
  const auto solved = [&](std::vector<double> start, std::size_t most) {
    SlopeMaster master({{h, 1e-3}}, {weights, centre, curve}, {starts, groups}, scores, std::move(start),
                       clusters);
    master.solve(1e-9, most, poll);
    return master;
  };
  const auto best = solved({0.5, 0.5, 0.0, 0.0}, 20000);
  const auto mu = best.mixture();
  CHECK(test::close(std::accumulate(mu.begin(), mu.end(), 0.0), 1.0));
  CHECK(std::max({mu[0], mu[1] + mu[2], mu[3]}) <= 0.5 + 1e-9);
  for (int a = 0; a <= 10; ++a) {
    for (int b = 0; b <= 10; ++b) {
      for (int c = std::max(0, 10 - a - b); b + c <= 10 && a + b + c <= 20; ++c) {
        const auto other = solved({a / 20.0, b / 20.0, c / 20.0, (20 - a - b - c) / 20.0}, 0);
        CHECK(other.worth() <= best.worth() + 0.02);
        CHECK(best.bound() >= other.worth() - 1e-9);
      }
    }
  }
}

}  // namespace

int main() {
  Random random(3);
  for (int k = 0; k < 100; ++k) slopes_minimise_what_they_should(random);
  for (int k = 0; k < 100; ++k) the_mixture_is_the_best_one(random);
  for (int k = 0; k < 100; ++k) clusters_have_their_share_at_most(random);
  return test::exit_code();
}
