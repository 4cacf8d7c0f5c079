// SPDX-License-Identifier: BSD-3-Clause
// Pairwise scores: the score of a pair of labels and the max-sum message through an edge,
//
//     to[b] = max_a from[a] + P(a, b).
//
// Potts scores need O(L) per message, for any sign of the strength: the best other label is the best label
// overall, or the second best for the best label itself (Felzenszwalb, Huttenlocher, IJCV 2006, has the
// attractive case). Tables need O(L^2). Scores may be -inf (forbidden), never +inf or NaN; callers check.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>

#include "core/matrix.hpp"
#include "core/sums.hpp"

namespace hedgehop {

inline constexpr double forbidden = -std::numeric_limits<double>::infinity();

// Where `score` and `message` take `from_first`, `from` belongs to the edge's first end, else to its second.

// P_e(a, b) = -strengths[e] if a != b, else 0. Every variable has n_labels labels.
struct PottsScores {
  std::span<const double> strengths;
  std::size_t n_labels;

  std::size_t label_count(std::size_t /*variable*/) const { return n_labels; }

  double score(std::size_t edge, bool /*from_first*/, std::size_t from, std::size_t to) const {
    return only_if(from != to, -strengths[edge]);
  }

  void message(std::size_t edge, bool /*from_first*/, std::span<const double> from,
               std::span<double> to) const {
    std::size_t best = 0;
    double second = forbidden;
    for (std::size_t a = 1; a < from.size(); ++a) {
      if (from[a] > from[best]) {
        second = from[best];
        best = a;
      } else {
        second = std::max(second, from[a]);
      }
    }
    const double strength = strengths[edge];
    for (std::size_t b = 0; b < to.size(); ++b) to[b] = std::max(from[b], from[best] - strength);
    to[best] = std::max(from[best], second - strength);
  }
};

// P_e(a, b) = flat[offsets[e] + a * columns[e] + b], a the label of the edge's first end. Edges may share a
// table; variables may have different label counts.
struct TableScores {
  std::span<const double> flat;
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> columns;
  std::span<const std::int32_t> label_counts;  // empty: n_labels each
  std::size_t n_labels = 0;

  std::size_t label_count(std::size_t variable) const {
    return label_counts.empty() ? n_labels : index(label_counts[variable]);
  }

  double score(std::size_t edge, bool from_first, std::size_t from, std::size_t to) const {
    return from_first ? table(edge, from)[to] : table(edge, to)[from];
  }

  // A row or a column of a table: the scores of all labels at the other end.
  struct Line {
    const double* first;
    std::size_t step;

    double operator[](std::size_t to) const { return first[to * step]; }
  };
  Line line(std::size_t edge, bool from_first, std::size_t from) const {
    if (from_first) return {table(edge, from), 1};
    return {table(edge, 0) + from, index(columns[edge])};
  }

  void message(std::size_t edge, bool from_first, std::span<const double> from, std::span<double> to) const {
    if (from_first) {
      std::fill(to.begin(), to.end(), forbidden);
      for (std::size_t a = 0; a < from.size(); ++a) {  // along the table's rows
        const double* row = table(edge, a);
        for (std::size_t b = 0; b < to.size(); ++b) to[b] = std::max(to[b], from[a] + row[b]);
      }
      return;
    }
    for (std::size_t b = 0; b < to.size(); ++b) {
      const double* row = table(edge, b);
      double best = forbidden;
      for (std::size_t a = 0; a < from.size(); ++a) best = std::max(best, from[a] + row[a]);
      to[b] = best;
    }
  }

 private:
  const double* table(std::size_t edge, std::size_t row) const {
    return flat.data() + index(offsets[edge]) + row * index(columns[edge]);
  }
};

// The pairwise part of a model.
struct Pairs {
  std::size_t n_variables, n_labels;
  std::span<const std::int32_t> label_counts;  // empty: n_labels each
  Edges edges;
  std::variant<PottsScores, TableScores> scores;

  bool are_potts() const { return scores.index() == 0; }
  std::size_t label_count(std::size_t i) const {
    return label_counts.empty() ? n_labels : index(label_counts[i]);
  }

  double value(std::span<const Label> labeling) const {
    return std::visit([&](const auto& s) { return value_of(s, labeling); }, scores);
  }

 private:
  template <class Scores>
  double value_of(const Scores& scores, std::span<const Label> y) const {
    return blocked_sum(edges.size(), [&](std::size_t e) {
      return scores.score(e, true, index(y[edges.first(e)]), index(y[edges.second(e)]));
    });
  }
};

}  // namespace hedgehop
