// SPDX-License-Identifier: BSD-3-Clause
#include "scores/stakes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::scores;
using test::Random;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Ranges of all kinds, sorted: those that count.
std::vector<double> counted(const std::vector<Ranges>& kinds) {
  std::vector<double> result;
  for (const Ranges& kind : kinds) {
    for (const auto& values : kind) std::ranges::copy_if(values, std::back_inserter(result), counts);
  }
  std::ranges::sort(result);
  return result;
}

double quantile_of(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void sizes_match_the_definition(Random& random, std::size_t n, std::size_t odd) {
  std::vector<std::vector<double>> arrays(3);
  for (auto& values : arrays) {
    for (std::size_t i = random.below(n + 1); i > 0; --i) {
      values.push_back(random.below(8) < odd ? (random.below(2) ? 0.0 : infinity) : random.uniform(0.1, 9));
    }
  }
  const std::vector<Ranges> kinds{{arrays[0]}, {arrays[1], arrays[2]}};
  const double times = random.uniform(1, 4), mixed = random.uniform(1, 12);
  const OrdinarySizes sizes = ordinary_sizes(kinds, times, mixed);
  const auto all = counted(kinds), first = counted({kinds[0]}), second = counted({kinds[1]});
  if (all.empty()) {
    CHECK(sizes.median == 0 && sizes.low == 0 && sizes.largest == 0 && sizes.total == 0);
    return;
  }
  const double low = std::min(first.empty() ? infinity : quantile_of(first, 0.25),
                              second.empty() ? infinity : quantile_of(second, 0.25));
  const double median = quantile_of(all, 0.5);
  CHECK(sizes.largest == all.back());
  CHECK(sizes.are_even == (sizes.largest / times <= median && sizes.largest / mixed <= low));
  CHECK(test::close(sizes.low, sizes.are_even ? 0 : low));
  CHECK(test::close(sizes.median, sizes.are_even ? 0 : median));
  double sum = 0, total = 0;
  for (const double x : all) sum += std::min(x, 5.0), total += x;
  CHECK(test::close(capped_sum(kinds, 5.0), sum) && test::close(sizes.total, total));
  const auto is_nonzero = [](double x) { return x != 0; };
  const auto nonzero =
      std::ranges::count_if(arrays[1], is_nonzero) + std::ranges::count_if(arrays[2], is_nonzero);
  CHECK(sizes.kinds[1].nonzero() == static_cast<std::size_t>(nonzero));
  CHECK(sizes.kinds[1].largest() == (second.empty() ? 0.0 : second.back()));
}

// Of many ranges only some are looked at, but all through the arrays; every `zeros`-th does not count.
void samples_are_spread(std::size_t zeros) {
  std::vector<double> rising(20 * sample_size);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<double>(i + 1);
  for (std::size_t i = 0; zeros > 0 && i < rising.size(); i += zeros) rising[i] = 0;
  const std::size_t most = 17 * sample_size;
  const std::vector<Ranges> kinds{{std::span(rising).first(most), std::span(rising).subspan(most)}};
  const OrdinarySizes sizes = ordinary_sizes(kinds, 1.0, 1.0);
  const auto n = static_cast<double>(rising.size());
  CHECK(sizes.largest == n);
  CHECK(std::abs(sizes.median / n - 0.5) < 2e-3 && std::abs(sizes.low / n - 0.25) < 2e-3);
}

void ranges_match_the_definition(Random& random, std::size_t n, std::size_t columns) {
  std::vector<double> table(n * columns), reaches(n), out(n);
  for (double& x : table) x = random.below(4) == 0 ? -infinity : random.uniform(-3, 3);
  for (double& r : reaches) r = random.below(3) == 0 ? 0.0 : random.uniform(0, 3);
  row_ranges<double>({table, n, columns}, {}, out);
  std::vector<double> limited(n);
  row_ranges<double>({table, n, columns}, reaches, limited);
  for (std::size_t i = 0; i < n; ++i) {
    double high = -infinity, low = infinity;
    for (std::size_t k = 0; k < columns; ++k) {
      const double x = table[i * columns + k];
      if (x > -infinity) high = std::max(high, x), low = std::min(low, x);
    }
    const double range = high == -infinity ? 0.0 : high - low;
    CHECK(out[i] == range);
    CHECK(limited[i] == (reaches[i] > 0 ? std::min(range, reaches[i]) : range));
  }
}

void scaled_extents_match_the_definition(Random& random, std::size_t n, bool with_nan) {
  std::vector<double> values(n), out(n);
  for (double& x : values) x = random.below(9) == 0 ? -infinity : random.uniform(-3, 3);
  if (with_nan) values[random.below(n)] = std::numeric_limits<double>::quiet_NaN();
  const auto copied = copy<double>(values, out);
  for (std::size_t i = 0; i < n; ++i) CHECK(std::isnan(values[i]) ? std::isnan(out[i]) : out[i] == values[i]);
  const auto whole = extent<double>(values);
  CHECK(with_nan ? std::isnan(copied.low) : copied.low == whole.low && copied.high == whole.high);
  const auto found = scale(values, 0.5, out);
  double low = infinity, high = -infinity;
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(std::isnan(values[i]) ? std::isnan(out[i]) : out[i] == 0.5 * values[i]);
    low = std::min(low, 0.5 * values[i]), high = std::max(high, 0.5 * values[i]);
  }
  CHECK(with_nan ? std::isnan(found.low) && std::isnan(found.high) : found.low == low && found.high == high);
}

}  // namespace

int main() {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    sizes_match_the_definition(random, 1 + random.below(40), random.below(9));
    scaled_extents_match_the_definition(random, 1 + random.below(3000), trial % 2 == 1);
    ranges_match_the_definition(random, random.below(12), 1 + random.below(4));
  }
  for (const std::size_t zeros : {0, 2, 3, 21, 1000}) samples_are_spread(zeros);  // 21 is the stride
  return test::exit_code();
}
