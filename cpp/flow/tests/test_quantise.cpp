// SPDX-License-Identifier: BSD-3-Clause
#include "flow/quantise.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "flow/csr.hpp"
#include "flow/real.hpp"

using namespace hedgehop;
using namespace hedgehop::flow;
using test::Random;

namespace {

TermSizes sizes_of(const std::vector<double>& values) {
  TermSizes sizes;
  sizes.add(std::span<const double>(values));
  return sizes;
}

void measures() {
  TermSizes sizes;
  const std::vector<std::int32_t> integers{3, -7, 0, std::numeric_limits<std::int32_t>::min()};
  sizes.add(std::span<const std::int32_t>(integers));
  CHECK(sizes.total == 2147483658.0 && sizes.largest == 2147483648.0 && sizes.smallest == -2147483648.0);
  CHECK(sizes.nonzero == 3);
  CHECK(!std::isfinite(sizes_of({1.0, std::nan("")}).total));
  CHECK(!std::isfinite(sizes_of({1.0, -std::numeric_limits<double>::infinity()}).total));
}

// Each value moves by at most 2^-(p+1), loads fit, and the precision is what the header promises.
void rounds(Random& random, double unit) {
  std::vector<double> capacities(1 + random.below(20)), terminals(1 + random.below(20));
  for (double& c : capacities) c = random.uniform(0, unit);
  for (double& t : terminals) t = random.uniform(-unit, unit) * (random.below(10) == 0 ? 1e7 : 1);
  const TermSizes c = sizes_of(capacities), t = sizes_of(terminals);
  const double load = t.largest + c.total, total = t.total + 2 * c.total;
  const Quantiser scale(c, t, load, total);
  const double step = std::ldexp(1.0, -scale.exponent());
  for (const auto& values : {capacities, terminals}) {
    for (const double value : values) {
      CHECK(std::abs(scale.real(scale(value)) - value) <= step / 2);
      CHECK((scale.count_rounded(std::span(&value, 1)) == 0) == (scale.real(scale(value)) == value));
    }
  }
  if (scale.is_narrow()) {
    CHECK(load / step <= std::ldexp(1.0, 29));
    CHECK(step <= std::ldexp(std::min(c.mean(), t.mean()), -20));
  } else {
    CHECK(total / step <= std::ldexp(1.0, 61) && total / step > std::ldexp(1.0, 59));
  }
}

void extremes() {
  const TermSizes none;
  CHECK(Quantiser(none, none, 0, 0).exponent() == 0);
  CHECK(Quantiser(none, none, 0, 0)(5.0) == 5);
  const TermSizes tiny = sizes_of({5e-324});
  const Quantiser small(none, tiny, 5e-324, 5e-324);
  CHECK(std::abs(small.real(small(5e-324)) - 5e-324) <= small.error(small(5e-324), 1));
  const TermSizes huge = sizes_of({1e308});
  const Quantiser large(none, huge, 1e308, 1e308);
  CHECK(std::abs(large.real(large(1e308)) / 1e308 - 1) < 1e-6);
  CHECK(test::throws<std::overflow_error>([&] { Quantiser(none, sizes_of({1.0}), 1, 1)(1e15); }));
  // 2^53 + 1 is not a double: the error says so.
  const Quantiser unit(none, none, 0, 0);
  CHECK(unit.error((std::int64_t{1} << 53) + 1, 0) >= 1 && unit.error(std::int64_t{1} << 60, 0) == 0);
}

// Terminals of a chain set and set again: the minimum stays within the error, which does not grow.
void real_flows(Random& random) {
  const std::size_t n = 6;
  const std::vector<std::int32_t> ends{0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
  std::vector<double> strengths(5), terminals(n);
  for (double& s : strengths) s = random.uniform(0, 1);
  for (double& t : terminals) t = random.uniform(-1, 1);
  const auto cost = [&](std::size_t x) {
    double sum = 0;
    for (std::size_t v = 0; v < n; ++v) sum += x >> v & 1 ? terminals[v] : 0;
    for (std::size_t e = 0; e < 5; ++e) sum += (x >> e & 1) != (x >> (e + 1) & 1) ? strengths[e] : 0;
    return sum;
  };
  const Quantiser scale(sizes_of(strengths), sizes_of(terminals), 8, 40);
  auto integers = make_flow<CsrLayout<std::int32_t>>(1e9, {}, [&]<class Layout>() {
    const auto capacity = [&](std::size_t e) {
      return static_cast<typename Layout::Cap>(scale(strengths[e]));
    };
    return Layout(n, {ends, 5, 2}, [&](Index v) { return scale(terminals[v]); }, capacity, capacity);
  });
  RealFlow flow(std::move(integers), scale, std::span<const double>(terminals), 5);
  for (int round = 0; round < 50; ++round) {
    Poll poll;
    const double minimum = flow.solve(poll);
    double expected = cost(0);
    for (std::size_t x = 1; x < 64; ++x) expected = std::min(expected, cost(x));
    CHECK(std::abs(minimum - expected) <= flow.error() + 1e-14);
    CHECK(flow.error() <= std::ldexp(11.0, -scale.exponent() - 1));
    const double reach = round == 40 ? 100.0 : 1.0;  // beyond 32 bits at this scale
    for (double& t : terminals) t = random.uniform(-reach, reach);
    if (round % 2 == 0) {
      flow.set_terminals(std::span<const double>(terminals));
    } else {
      const std::vector<Index> nodes{0, 1, 2, 3, 4, 5};
      flow.set_terminals(nodes, std::span<const double>(terminals));
    }
  }
  CHECK(flow.integers().bits() == 64);
}

}  // namespace

int main() {
  Random random(11);
  measures();
  for (int trial = 0; trial < 300; ++trial) {
    for (const double unit : {1e-9, 1.0, 1e15}) rounds(random, unit);
  }
  extremes();
  for (int trial = 0; trial < 50; ++trial) real_flows(random);
  return test::exit_code();
}
