// SPDX-License-Identifier: BSD-3-Clause
// Tabu search on pairwise scores plus functions of distances (Glover 1989).
//
// Each move is the best change of one variable that was not changed lately, even if it loses. Where a
// labeling must keep a distance, a change that gains more than it may is followed by the cheapest change that
// makes up for it: pairs of changes that no single move finds. The best labeling of all is returned.
//
// Complexity: O(n (J + L) + degree (degree + L)) per move.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "local/distance_search.hpp"

namespace hedgehop::local {

template <class Scores>
class TabuSearch : DistanceSearch<Scores> {
 public:
  using Base = DistanceSearch<Scores>;

  TabuSearch(Unaries unary, const Incidence& incidence, const Scores& pairs, DistanceTerms terms,
             std::span<const double> coefficients)
      : Base(unary, incidence, pairs, terms, coefficients),
        score_(unary.rows * unary.columns),
        until_(unary.rows),
        nearer_(terms.size()),
        farther_(terms.size()),
        change_(unary.columns) {}

  // Until so many moves in a row find nothing better; `labels` becomes the best labeling.
  void run(std::span<Label> labels, std::size_t patience, Poll& poll) {
    std::vector<Label> now(labels.begin(), labels.end());
    for (std::size_t i = 0; i < now.size(); ++i) score_at(now, i, scores_of(i));
    measure(now);
    double ahead = 0, largest = 0;  // of the best labeling; of all gains
    for (std::size_t move = 1, since = 0; since < patience; ++move, ++since) {
      poll.tick(static_cast<std::uint32_t>(now.size()));
      const Change best = best_change(now, move, -ahead + kDigits * largest);
      if (best.gain == -infinity) return;  // nothing else is allowed
      largest = std::max(largest, std::abs(best.gain));
      apply(now, best, move);
      ahead += best.gain;
      if (ahead <= kDigits * largest) continue;
      std::copy(now.begin(), now.end(), labels.begin());
      ahead = 0, since = 0;
    }
  }

 private:
  using Base::measure, Base::make, Base::change_of, Base::score_at;
  using Base::unary_, Base::incidence_, Base::pairs_, Base::terms_, Base::distance_;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double kDigits = 1e-12;  // of the largest gain: what rounding might pretend

  struct Change {
    std::size_t variable = 0, label = 0;
    double gain = -infinity;
  };

  // The best change; of variables changed lately only one that gains more than `enough`.
  Change best_change(std::span<const Label> labels, std::size_t move, double enough) {
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      if (!terms_[j].weights.empty()) continue;
      nearer_[j] = change_of(j, -1.0), farther_[j] = change_of(j, 1.0);
    }
    Change best;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      measure_changes(labels, i);
      const double least = until_[i] > move ? std::max(best.gain, enough) : best.gain;
      const auto own = index(labels[i]);
      double most = least;
      for (std::size_t l = 0; l < pairs_.label_count(i); ++l) {
        if (l == own || !(change_[l] > most)) continue;
        most = change_[l];
        best = {i, l, most};
      }
    }
    return best;
  }

  // change_[l]: of the whole objective, if label l replaces that of variable i.
  void measure_changes(std::span<const Label> labels, std::size_t i) {
    const auto scores = scores_of(i);
    double before = scores[index(labels[i])];
    std::copy(scores.begin(), scores.end(), change_.begin());
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      const bool even = terms_[j].weights.empty();
      const Label reference = terms_[j].reference[i];
      if (reference == labels[i]) {
        before -= even ? farther_[j] : change_of(j, terms_[j].weight(i));
      } else if (index(reference) < change_.size()) {
        change_[index(reference)] += even ? nearer_[j] : change_of(j, -terms_[j].weight(i));
      }
    }
    for (double& change : change_) change -= before;
  }

  void apply(std::span<Label> labels, const Change& best, std::size_t move) {
    const std::size_t i = best.variable;
    make(labels, i, best.label);
    until_[i] = move + 1 + std::max<std::size_t>(4, labels.size() / 16) + 7 * move % 5;
    for (const Neighbour to : incidence_.at(i)) score_at(labels, to.node(), scores_of(to.node()));
  }

  std::span<double> scores_of(std::size_t i) {
    return std::span(score_).subspan(i * unary_.columns, unary_.columns);
  }

  std::vector<double> score_;             // by variable and label
  std::vector<std::size_t> until_;        // the move from which each variable may change again
  std::vector<double> nearer_, farther_;  // what a change by 1 adds, of terms without weights
  std::vector<double> change_;
};

}  // namespace hedgehop::local
