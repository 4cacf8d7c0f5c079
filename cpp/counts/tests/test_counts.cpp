// SPDX-License-Identifier: BSD-3-Clause
#include "counts/counts.hpp"

#include <cmath>
#include <functional>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::counts;
using test::Random;

namespace {

void distances_match_the_definition(Random& random, std::size_t m, std::size_t k, std::size_t n) {
  const auto y = random.labels(m * n, 3), z = random.labels(k * n, 3);
  std::vector<double> weights(n), plain(m * k), weighted(m * k);
  for (double& w : weights) w = random.uniform(0, 2);
  hamming_distances({y, m, n}, {z, k, n}, {}, {plain, m, k});
  hamming_distances({y, m, n}, {z, k, n}, weights, {weighted, m, k});
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < k; ++c) {
      double count = 0, sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (y[r * n + i] == z[c * n + i]) continue;
        count += 1;
        sum += weights[i];
      }
      CHECK(plain[r * k + c] == count);
      CHECK(test::close(weighted[r * k + c], sum));
    }
  }
}

void distances_to_earlier_are_their_sums(Random& random, std::size_t m, std::size_t n, std::size_t n_labels) {
  auto y = random.labels(m * n, n_labels);
  if (n > 2000) y[2000] = 5;  // so that one block of variables has other labels than the rest
  std::vector<double> weights(n), all(m * m), sums(m), weighted(m);
  for (double& w : weights) w = random.uniform(0, 2);
  hamming_distances({y, m, n}, {y, m, n}, {}, {all, m, m});
  distances_to_earlier({y, m, n}, {}, sums);
  for (std::size_t r = 0; r < m; ++r) {
    double expected = 0;
    for (std::size_t c = 0; c < r; ++c) expected += all[r * m + c];
    CHECK(sums[r] == expected);
  }
  hamming_distances({y, m, n}, {y, m, n}, weights, {all, m, m});
  distances_to_earlier({y, m, n}, weights, weighted);
  for (std::size_t r = 0; r < m; ++r) {
    double expected = 0;
    for (std::size_t c = 0; c < r; ++c) expected += all[r * m + c];
    CHECK(test::close(weighted[r], expected));
  }
}

void counts_match_the_definition(Random& random, std::size_t m, std::size_t n, std::size_t n_labels) {
  const auto y = random.labels(m * n, n_labels);
  const std::size_t n_edges = n == 0 ? 0 : 2 * n;
  const auto edges = n == 0 ? std::vector<std::int32_t>{} : random.labels(2 * n_edges, n);
  // Not zero on purpose: the kernels must not rely on it.
  std::vector<std::int64_t> labels(m * n_labels, 7), transitions(m * n_labels * n_labels, 7);
  std::vector<std::int64_t> variables(n * n_labels, 7);
  label_counts({y, m, n}, {labels, m, n_labels});
  variable_counts({y, m, n}, {variables, n, n_labels});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < n_labels; ++a) {
      std::int64_t count = 0;
      for (std::size_t r = 0; r < m; ++r) count += y[r * n + i] == static_cast<Label>(a);
      CHECK(variables[i * n_labels + a] == count);
    }
  }
  std::vector<double> differing(n * n_labels, 7), weights(n, 0.5);
  differing_counts({y, m, n}, {}, 3.0, {differing, n, n_labels});
  for (std::size_t i = 0; i < n * n_labels; ++i) {
    CHECK(differing[i] == 3.0 * (static_cast<double>(m) - static_cast<double>(variables[i])));
  }
  differing_counts({y, m, n}, weights, 3.0, {differing, n, n_labels});
  for (std::size_t i = 0; i < n * n_labels; ++i) {
    CHECK(differing[i] == 1.5 * (static_cast<double>(m) - static_cast<double>(variables[i])));
  }
  transition_counts({y, m, n}, {edges, n_edges, 2}, n_labels, {transitions, m, n_labels * n_labels});
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t a = 0; a < n_labels; ++a) {
      std::int64_t count = 0;
      for (std::size_t i = 0; i < n; ++i) count += y[r * n + i] == static_cast<Label>(a);
      CHECK(labels[r * n_labels + a] == count);
      for (std::size_t b = 0; b < n_labels; ++b) {
        std::int64_t pairs = 0;
        for (std::size_t e = 0; e < n_edges; ++e) {
          pairs += y[r * n + index(edges[2 * e])] == static_cast<Label>(a) &&
                   y[r * n + index(edges[2 * e + 1])] == static_cast<Label>(b);
        }
        CHECK(transitions[(r * n_labels + a) * n_labels + b] == pairs);
      }
    }
  }
}

void labels_are_told_from_others(Random& random, std::size_t m, std::size_t n, std::int32_t n_labels) {
  auto y = random.labels(m * n, index(n_labels));
  std::vector<std::int32_t> counts(n, n_labels);
  CHECK(are_labels({y, m, n}, counts));
  if (n == 0) return;
  const std::size_t place = random.below(m * n);
  for (const Label wrong : {-1, n_labels, 1 << 30}) {
    auto changed = y;
    changed[place] = wrong;
    CHECK(!are_labels({changed, m, n}, counts));
  }
  y[place] = 0, counts[place % n] = 1;  // fewer labels than its neighbours
  for (std::size_t r = 0; r < m; ++r) y[r * n + place % n] = 0;
  CHECK(are_labels({y, m, n}, counts));
  y[place] = 1;
  CHECK(!are_labels({y, m, n}, counts));
}

void sums_match_the_definition(Random& random, std::size_t m, std::size_t n) {
  const auto y = random.labels(m * n, 3);
  std::vector<double> scores(n * 3), out(m, 7), sizes(m, 7);
  for (double& x : scores) x = random.uniform(-2, 2);
  linear_scores<double>({scores, n, 3}, {y, m, n}, std::identity(), out);
  linear_scores<double>({scores, n, 3}, {y, m, n}, [](double x) { return std::abs(x); }, sizes);
  for (std::size_t r = 0; r < m; ++r) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = scores[i * 3 + index(y[r * n + i])];
      sum += x, size += std::abs(x);
    }
    CHECK(test::close(out[r], sum) && test::close(sizes[r], size));
  }
}

}  // namespace

int main() {
  Random random(1);
  for (std::size_t n : {0, 1, 3, 4, 5, 8, 37}) {
    distances_match_the_definition(random, 3, 2, n);
    distances_to_earlier_are_their_sums(random, 4, n, 3);
    distances_to_earlier_are_their_sums(random, 5, n, 2);
    counts_match_the_definition(random, 3, n, 4);
    counts_match_the_definition(random, 5, n, 2);
    labels_are_told_from_others(random, 2, n, 2);
    labels_are_told_from_others(random, 2, n, 3);
    sums_match_the_definition(random, 3, n);
  }
  distances_match_the_definition(random, 0, 2, 5);
  distances_match_the_definition(random, 2, 0, 5);
  counts_match_the_definition(random, 0, 5, 2);
  counts_match_the_definition(random, 3, 5000, 2);  // more than one block
  counts_match_the_definition(random, 3, 700, 5);
  distances_to_earlier_are_their_sums(random, 5, 5000, 2);
  distances_to_earlier_are_their_sums(random, 5, 5000, 3);
  labels_are_told_from_others(random, 2, 9000, 2);
  counts_match_the_definition(random, 2, 5, 1);
  return test::exit_code();
}
