// SPDX-License-Identifier: BSD-3-Clause
// Random pairwise models for the tests, with both kinds of pairwise scores and values from the definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "core/matrix.hpp"
#include "core/pairs.hpp"

namespace hedgehop::test {

// The labels of variable i are 0..counts[i]-1; padding in unaries is -inf, padding in tables is a huge value
// that must never be read.
struct PairwiseModel {
  std::size_t n, n_labels;
  std::vector<std::int32_t> edges, counts, columns;
  std::vector<double> unary, strengths, flat;
  std::vector<std::int64_t> offsets;

  PairwiseModel(Random& random, std::size_t n_variables, std::size_t labels, bool ragged)
      : n(n_variables), n_labels(labels), unary(n_variables * labels, forbidden) {
    for (std::size_t i = 0; i < n; ++i) {
      counts.push_back(static_cast<std::int32_t>(ragged ? 1 + random.below(labels) : labels));
    }
  }

  // score(l) for every label of every variable.
  template <class Score>
  void set_unary(Score score) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::int32_t l = 0; l < counts[i]; ++l) unary[i * n_labels + index(l)] = score(l);
    }
  }

  // A table of score(a, b) for every pair of labels, in an array that may have a column too many.
  template <class Score>
  void add_edge(Random& random, std::size_t a, std::size_t b, double strength, Score score) {
    if (random.below(2) == 0) std::swap(a, b);
    edges.insert(edges.end(), {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)});
    strengths.push_back(strength);
    columns.push_back(counts[b] + static_cast<std::int32_t>(random.below(2)));
    offsets.push_back(static_cast<std::int64_t>(flat.size()));
    for (std::int32_t r = 0; r < counts[a]; ++r) {
      for (std::int32_t c = 0; c < columns.back(); ++c) flat.push_back(c < counts[b] ? score(r, c) : 1e9);
    }
  }

  Edges edge_view() const { return {edges, strengths.size(), 2}; }
  Unaries unary_view() const { return {unary, n, n_labels}; }
  PottsScores potts() const { return {strengths, n_labels}; }
  TableScores tables() const { return {flat, offsets, columns, counts, n_labels}; }
  template <class Scores>
  Pairs pairs(const Scores& scores) const {
    return {n, n_labels, counts, edge_view(), scores};
  }

  template <class Scores>
  double value(const Scores& scores, std::span<const Label> y) const {
    double total = pairs(scores).value(y);
    for (std::size_t i = 0; i < n; ++i) total += unary_view()(i, y[i]);
    return total;
  }
};

// A random forest. Few different scores, so that there are ties.
struct RandomForest : PairwiseModel {
  RandomForest(Random& random, std::size_t n_variables, std::size_t labels, bool ragged)
      : PairwiseModel(random, n_variables, labels, ragged) {
    const auto score_or_forbidden = [&](auto...) { return random.below(8) == 0 ? forbidden : score(random); };
    set_unary(score_or_forbidden);
    const auto names = random.shuffled(n);
    for (std::size_t i = 1; i < n; ++i) {
      if (random.below(5) == 0) continue;  // a new component
      add_edge(random, index(names[i]), index(names[random.below(i)]), score(random), score_or_forbidden);
    }
  }

  static double score(Random& random) { return static_cast<double>(random.below(9)) - 4.0; }
};

}  // namespace hedgehop::test
