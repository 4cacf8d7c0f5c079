// SPDX-License-Identifier: BSD-3-Clause
// Random forests for the tests of dynamic programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "check.hpp"
#include "graphs/forest.hpp"

namespace hedgehop::test {

// A random forest with both kinds of pairwise scores. The labels of variable i
// are 0..counts[i]-1; padding in unaries is -inf, padding in tables is a huge
// value that must never be read.
struct ForestInstance {
  std::size_t n, n_labels;
  std::vector<std::int32_t> edges, counts, columns;
  std::vector<double> unaries, strengths, flat;
  std::vector<std::int64_t> offsets;

  ForestInstance(Random& random, std::size_t n_variables, std::size_t labels, bool all_labels)
      : n(n_variables), n_labels(labels) {
    for (std::size_t i = 0; i < n; ++i) {
      counts.push_back(static_cast<std::int32_t>(all_labels ? labels : 1 + random.below(labels)));
    }
    unaries.assign(n * labels, forbidden);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::int32_t l = 0; l < counts[i]; ++l) {
        if (random.below(8) != 0) unaries[i * labels + static_cast<std::size_t>(l)] = random_score(random);
      }
    }
    const auto names = random.shuffled(n);
    for (std::size_t i = 1; i < n; ++i) {
      if (random.below(5) == 0) continue;  // a new component
      std::int32_t a = names[i], b = names[random.below(i)];
      if (random.below(2) == 0) std::swap(a, b);
      add_edge(random, a, b);
    }
  }

  // Few different values, so that there are ties.
  static double random_score(Random& random) { return static_cast<double>(random.below(9)) - 4.0; }

  void add_edge(Random& random, std::int32_t a, std::int32_t b) {
    edges.insert(edges.end(), {a, b});
    strengths.push_back(random_score(random));
    const std::int32_t rows = counts[static_cast<std::size_t>(a)], used = counts[static_cast<std::size_t>(b)];
    columns.push_back(used + static_cast<std::int32_t>(random.below(2)));
    offsets.push_back(static_cast<std::int64_t>(flat.size()));
    for (std::int32_t r = 0; r < rows; ++r) {
      for (std::int32_t c = 0; c < columns.back(); ++c) {
        flat.push_back(c >= used ? 1e9 : random.below(8) == 0 ? forbidden : random_score(random));
      }
    }
  }

  Edges edge_view() const { return {edges, strengths.size(), 2}; }
  Unaries unary_view() const { return {unaries, n, n_labels}; }
  PottsScores potts() const { return {strengths, n_labels}; }
  TableScores tables() const { return {flat, offsets, columns, counts}; }

  template <class Scores>
  double score(const Scores& scores, const std::vector<Label>& y) const {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += unaries[i * n_labels + static_cast<std::size_t>(y[i])];
    for (std::size_t e = 0; e < strengths.size(); ++e) {
      const auto a = static_cast<std::size_t>(y[static_cast<std::size_t>(edges[2 * e])]);
      const auto b = static_cast<std::size_t>(y[static_cast<std::size_t>(edges[2 * e + 1])]);
      total += scores.score(e, true, a, b);
    }
    return total;
  }
};

}  // namespace hedgehop::test
