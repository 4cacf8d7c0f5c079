// SPDX-License-Identifier: BSD-3-Clause
// Loopy max-product on pairwise scores plus functions of the distances to given labelings: what Prasad,
// Jegelka and Batra (NIPS 2014) ran for Hamming balls. All messages are sent at once from the same beliefs
// and damped. There is no guarantee on loopy graphs; callers score the labelings that the beliefs decode to.
//
// Complexity of a sweep: O(E L) for Potts scores, O(E L^2) for tables, O(J n (L + log n)) for J distances.
// Every variable needs an allowed label, pairs and tables must be finite.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"
#include "counts/cardinality.hpp"

namespace hedgehop::local {

template <class Scores>
class MaxProduct {
 public:
  // references: J labelings; tables: J rows of n + 1 values, one per distance.
  MaxProduct(Unaries unaries, Edges edges, const Scores& scores, Labelings references,
             MatrixView<const double> tables, double damping)
      : unaries_(unaries),
        edges_(edges),
        scores_(scores),
        references_(references),
        tables_(tables),
        damping_(damping),
        messages_(2 * edges.rows * unaries.columns, 0.0),
        bonuses_(references.rows * unaries.rows, 0.0),
        beliefs_(unaries.data.begin(), unaries.data.end()),
        gains_(unaries.rows),
        sent_(unaries.rows),
        from_(unaries.columns),
        to_first_(unaries.columns),
        to_second_(unaries.columns) {}

  // Labels of the highest beliefs, the lowest one of equals.
  void decode(std::span<Label> labeling) {
    for (std::size_t i = 0; i < unaries_.rows; ++i) {
      const auto row = belief(i);
      labeling[i] = static_cast<Label>(std::max_element(row.begin(), row.end()) - row.begin());
    }
  }

  void sweep(Poll& poll) {
    for (std::size_t j = 0; j < references_.rows; ++j) send_distance(j, poll);
    for (std::size_t e = 0; e < edges_.rows; ++e) {
      poll.tick(static_cast<std::uint32_t>(unaries_.columns));
      send_edge(e);
    }
    collect(poll);
  }

 private:
  std::span<double> belief(std::size_t i) {
    return std::span(beliefs_).subspan(i * unaries_.columns, scores_.label_count(i));
  }

  std::size_t end_of(std::size_t edge, std::size_t side) const { return index(edges_.row(edge)[side]); }

  // The message of an edge into its first (0) or second (1) end.
  std::span<double> message(std::size_t edge, std::size_t side) {
    return std::span(messages_).subspan((2 * edge + side) * unaries_.columns,
                                        scores_.label_count(end_of(edge, side)));
  }

  std::span<double> bonuses(std::size_t j) {
    return std::span(bonuses_).subspan(j * unaries_.rows, unaries_.rows);
  }

  void damp(double& old, double fresh) const { old = damping_ * old + (1.0 - damping_) * fresh; }

  void send_distance(std::size_t j, Poll& poll) {
    const auto reference = references_.row(j);
    const auto own = bonuses(j);
    for (std::size_t i = 0; i < unaries_.rows; ++i) {
      poll.tick();
      double same = forbidden, other = forbidden;
      const auto row = belief(i);
      for (std::size_t l = 0; l < row.size(); ++l) {
        double& best = static_cast<Label>(l) == reference[i] ? same : other;
        best = std::max(best, row[l]);
      }
      gains_[i] = other - same - own[i];
    }
    cardinality_(gains_, tables_.row(j), sent_);
    for (std::size_t i = 0; i < unaries_.rows; ++i) damp(own[i], sent_[i]);
  }

  void send_edge(std::size_t edge) {
    const auto first = message(edge, 0), second = message(edge, 1);
    const auto to_first = std::span(to_first_).first(first.size());
    const auto to_second = std::span(to_second_).first(second.size());
    scores_.message(edge, true, without(end_of(edge, 0), first), to_second);
    scores_.message(edge, false, without(end_of(edge, 1), second), to_first);
    take(first, to_first);
    take(second, to_second);
  }

  std::span<const double> without(std::size_t i, std::span<const double> received) {
    const auto row = belief(i);
    for (std::size_t l = 0; l < row.size(); ++l) from_[l] = row[l] - received[l];
    return std::span(from_).first(row.size());
  }

  void take(std::span<double> old, std::span<const double> fresh) const {
    const double top = *std::max_element(fresh.begin(), fresh.end());
    for (std::size_t l = 0; l < old.size(); ++l) damp(old[l], fresh[l] - top);
  }

  void collect(Poll& poll) {
    std::copy(unaries_.data.begin(), unaries_.data.end(), beliefs_.begin());
    for (std::size_t e = 0; e < edges_.rows; ++e) {
      poll.tick(static_cast<std::uint32_t>(unaries_.columns));
      for (std::size_t side = 0; side < 2; ++side) {
        const auto row = belief(end_of(e, side)), sent = message(e, side);
        for (std::size_t l = 0; l < row.size(); ++l) row[l] += sent[l];
      }
    }
    for (std::size_t j = 0; j < references_.rows; ++j) {
      const auto reference = references_.row(j);
      const auto bonus = bonuses(j);
      for (std::size_t i = 0; i < unaries_.rows; ++i) {
        const auto row = belief(i);
        for (std::size_t l = 0; l < row.size(); ++l) {
          row[l] += static_cast<Label>(l) == reference[i] ? 0.0 : bonus[i];
        }
      }
    }
  }

  Unaries unaries_;
  Edges edges_;
  const Scores& scores_;
  Labelings references_;
  MatrixView<const double> tables_;
  double damping_;
  std::vector<double> messages_;  // 2 E rows of L
  std::vector<double> bonuses_;   // J rows of n: what differing from the reference adds at each variable
  std::vector<double> beliefs_;   // n rows of L
  std::vector<double> gains_, sent_, from_, to_first_, to_second_;
  counts::CardinalityMessages cardinality_;
};

// Decodes after 0, 1, ... sweeps, one per row.
template <class Scores>
void max_product(MaxProduct<Scores>& solver, MatrixView<Label> labelings, Poll& poll) {
  for (std::size_t t = 0; t < labelings.rows; ++t) {
    if (t > 0) solver.sweep(poll);
    solver.decode(labelings.row(t));
  }
}

}  // namespace hedgehop::local
