// SPDX-License-Identifier: BSD-3-Clause
// Parts of labels against the enumeration of all sets, with questions that change from one to the next.
#undef NDEBUG  // every solve asserts that the cut it found costs what the flow says

#include "flow/label_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::flow;
using namespace hedgehop::test;

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

struct Instance {
  std::size_t n = 0, n_labels = 0;
  std::vector<std::int32_t> ends;
  std::vector<double> capacities;
  std::vector<std::int32_t> members;
  std::vector<std::int64_t> offsets{0};
  std::vector<double> limits;

  std::size_t n_regions() const { return offsets.size() - 1; }
  Edges edges() const { return {{ends, capacities.size(), 2}}; }

  double value(unsigned set, std::size_t l, const std::vector<double>& scores,
               const std::vector<double>& rewards) const {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (set >> i & 1) != 0 ? scores[i * n_labels + l] : 0.0;
    for (std::size_t e = 0; e < capacities.size(); ++e)
      sum -= (set >> ends[2 * e] & 1) != (set >> ends[2 * e + 1] & 1) ? capacities[e] : 0.0;
    for (std::size_t c = 0; c < n_regions(); ++c) {
      double reward = rewards[c * n_labels + l];
      for (auto p = offsets[c]; p < offsets[c + 1]; ++p)
        reward -= (set >> members[index(p)] & 1) == 0 ? limits[c * n_labels + l] : 0.0;
      sum += std::max(0.0, reward);
    }
    return sum;
  }
};

Instance random_instance(Random& random) {
  Instance x;
  x.n = 1 + random.below(7), x.n_labels = 1 + random.below(3);
  for (std::size_t i = 0; i < x.n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (random.below(2) == 0) continue;
      x.ends.insert(x.ends.end(), {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      x.capacities.push_back(random.below(3) == 0 ? 0.0 : random.uniform(0, 2));
    }
  }
  for (std::size_t c = random.below(4); c > 0; --c) {
    for (std::size_t i = 0; i < x.n; ++i) {
      if (random.below(2) == 0) x.members.push_back(static_cast<std::int32_t>(i));
    }
    if (static_cast<std::int64_t>(x.members.size()) == x.offsets.back()) x.members.push_back(0);
    x.offsets.push_back(static_cast<std::int64_t>(x.members.size()));
    for (std::size_t l = 0; l < x.n_labels; ++l) x.limits.push_back(random.uniform(0, 3));
  }
  return x;
}

// Asks several times; scores are mostly negative, so that empty sets are often the best.
void ask(const Instance& x, LabelParts parts, Random& random, int rounds) {
  Poll poll;
  for (int round = 0; round < rounds; ++round) {
    const double shift = random.uniform(-3, 1), size = random.below(5) == 0 ? 1e6 : 1.0;
    std::vector<double> scores(x.n * x.n_labels), rewards(x.limits), reach(x.n_labels, 40.0 * size);
    for (auto& a : scores) a = random.below(6) == 0 ? never : size * (random.uniform(-2, 2) + shift);
    for (auto& r : rewards) r *= random.below(3) == 0 ? 1.0 : random.uniform(0, 1);
    std::vector<double> values(x.n_labels);
    std::vector<std::uint8_t> sets(x.n_labels * x.n);
    parts.solve({{scores, x.n, x.n_labels}, {rewards, x.n_regions(), x.n_labels}, reach},
                {values, {sets, x.n_labels, x.n}}, poll);
    for (std::size_t l = 0; l < x.n_labels; ++l) {
      double best = never;
      unsigned found = 0;
      for (std::size_t i = 0; i < x.n; ++i) found |= static_cast<unsigned>(sets[l * x.n + i]) << i;
      for (unsigned set = 1; set < 1U << x.n; ++set) best = std::max(best, x.value(set, l, scores, rewards));
      CHECK(close(values[l], best, 1e-10 * size));
      CHECK(values[l] >= best - 1e-15 * size * static_cast<double>(x.n));
      CHECK(best == never ? found == 0 : close(x.value(found, l, scores, rewards), best, 1e-10 * size));
    }
  }
}

void pixels(Random& random) {
  Instance x;
  x.n = 6, x.n_labels = 1 + random.below(3);
  std::vector<std::vector<double>> along(2);  // right and down in 2 x 3 pixels
  for (std::int32_t i = 0; i < 6; ++i) {
    if (i % 3 < 2) x.ends.insert(x.ends.end(), {i, i + 1}), along[0].push_back(random.uniform(0, 2));
  }
  for (std::int32_t i = 0; i < 3; ++i)
    x.ends.insert(x.ends.end(), {i, i + 3}), along[1].push_back(random.uniform(0, 2));
  for (const auto& values : along) x.capacities.insert(x.capacities.end(), values.begin(), values.end());
  const std::size_t sizes[] = {2, 3};
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 20})
    ask(x, grid_label_parts(Grid(sizes, 4), x.n_labels, along, bytes), random, 5);
}

}  // namespace

int main() {
  Random random(11);
  for (int trial = 0; trial < 1500; ++trial) {
    const Instance x = random_instance(random);
    const Regions regions{x.members, x.offsets, {x.limits, x.n_regions(), x.n_labels}};
    ask(x, general_label_parts(x.n, x.n_labels, x.edges(), x.capacities, regions), random, 5);
    if (trial % 5 == 0) pixels(random);
  }
  return exit_code();
}
