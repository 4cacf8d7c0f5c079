// SPDX-License-Identifier: BSD-3-Clause
// Local searches on pairwise scores plus functions of distances, none of which ever loses:
//
// Single moves: change one variable at a time (iterated conditional modes, Besag 1986) on the whole
// objective; in the order of the variables, or the one that gains most first, which reaches a distance that a
// steep function asks for by the cheapest changes. Mixing: where labelings x and y differ, each connected
// component of the differing variables can be switched on its own, and relevance adds up over the components.
// Switch, one by one, the component that gains most.
//
// Complexity: a round of single moves O(n (J + L) + E), and O(degree (J + L + log n)) per move made best
// first; mixing O(n J + E), and O(components J) per switch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "local/distance_search.hpp"

namespace hedgehop::local {

template <class Scores>
class DistanceMoves : DistanceSearch<Scores> {
 public:
  using Base = DistanceSearch<Scores>;

  DistanceMoves(Unaries unary, const Incidence& incidence, const Scores& pairs, DistanceTerms terms,
                std::span<const double> coefficients)
      : Base(unary, incidence, pairs, terms, coefficients) {}

  // At most so many rounds of single moves; after the first one, of variables with a neighbour that moved.
  void improve(std::span<Label> labels, std::size_t rounds, Poll& poll) {
    measure(labels);
    std::vector<std::uint8_t> stale(labels.size(), 1);
    bool changed = true;
    for (std::size_t round = 0; round < rounds && changed; ++round) {
      changed = false;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!stale[i]) continue;
        stale[i] = 0;
        poll.tick();
        if (!move(labels, i)) continue;
        changed = true;
        for (const Neighbour to : incidence_.at(i)) stale[to.node()] = stale[i] = 1;
      }
    }
  }

  // Single moves, the one that gains most first; of equals that of the first variable. At most so many moves.
  void ascend(std::span<Label> labels, std::size_t moves, Poll& poll) {
    measure(labels);
    std::priority_queue<Turn> turns;
    const auto enter = [&](std::size_t i) {
      const double gain = best_change(labels, i).gain;
      if (gain > 0) turns.push({gain, i});
      poll.tick();
    };
    for (std::size_t i = 0; i < labels.size(); ++i) enter(i);
    while (!turns.empty() && moves > 0) {
      const Turn turn = turns.top();
      turns.pop();
      const Change change = best_change(labels, turn.variable);
      if (change.gain < turn.gain) {  // less than when it was entered
        if (change.gain > 0) turns.push({change.gain, turn.variable});
        poll.tick();
        continue;
      }
      make(labels, turn.variable, change.label);
      --moves;
      for (const Neighbour to : incidence_.at(turn.variable)) enter(turn.variable), enter(to.node());
    }
  }

  // Switches components of {labels != other} to `other`, and back, while that gains.
  void mix(std::span<Label> labels, std::span<const Label> other, Poll& poll) {
    find_components(labels, other);
    if (n_components_ == 0 || n_components_ > kMostComponents) return;
    measure_components(labels, other);
    measure(labels);
    std::vector<double> sign(n_components_, 1.0);
    for (std::size_t switches = 0; switches < 2 * n_components_; ++switches) {
      const std::size_t best = best_switch(sign);
      if (best == n_components_) break;
      for (std::size_t j = 0; j < terms_.size(); ++j) distance_[j] += sign[best] * shift(best, j);
      sign[best] = -sign[best];
      poll.tick(static_cast<std::uint32_t>(n_components_));
    }
    for (const std::size_t i : differing_) {
      if (sign[component_[i]] < 0) labels[i] = other[i];
    }
  }

 private:
  using Base::measure, Base::make, Base::change_of, Base::score_at;
  using Base::unary_, Base::incidence_, Base::pairs_, Base::terms_, Base::coefficients_, Base::distance_;

  static constexpr std::size_t kMostComponents = 400;
  static constexpr double kDigits = 1e-13;  // of what is compared: gains that rounding might pretend

  struct Change {
    std::size_t label;
    double gain;  // 0 unless it is more than rounding
  };

  struct Turn {
    double gain;
    std::size_t variable;
    bool operator<(const Turn& other) const {
      return gain != other.gain ? gain < other.gain : variable > other.variable;
    }
  };

  bool move(std::span<Label> labels, std::size_t i) {
    const Change change = best_change(labels, i);
    if (!(change.gain > 0)) return false;
    make(labels, i, change.label);
    return true;
  }

  Change best_change(std::span<const Label> labels, std::size_t i) {
    score_labels(labels, i);
    const auto best = std::max_element(score_.begin(), score_.end());
    const double gain = *best - score_[index(labels[i])];
    return {index(best - score_.begin()), gain > kDigits * std::abs(*best) ? gain : 0.0};
  }

  // score_[l] = the whole objective with label l at i, up to a constant.
  void score_labels(std::span<const Label> labels, std::size_t i) {
    score_.resize(unary_.columns);
    score_at(labels, i, score_);
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      const DistanceTerm& term = terms_[j];
      const auto own = index(term.reference[i]);
      if (own >= score_.size()) continue;  // differs whatever the label
      const double weight = term.weight(i);
      const double without = distance_[j] - (labels[i] != term.reference[i] ? weight : 0.0);
      score_[own] -= coefficients_[j] * (term.function.at(without + weight) - term.function.at(without));
    }
  }

  // component_[i] of each differing variable, numbered by the first variable in each.
  void find_components(std::span<const Label> x, std::span<const Label> y) {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    component_.assign(x.size(), none);
    differing_.clear();
    n_components_ = 0;
    for (std::size_t start = 0; start < x.size(); ++start) {
      if (x[start] == y[start] || component_[start] != none) continue;
      component_[start] = n_components_;
      std::size_t next = differing_.size();
      for (differing_.push_back(start); next < differing_.size(); ++next) {
        for (const Neighbour to : incidence_.at(differing_[next])) {
          const std::size_t i = to.node();
          if (x[i] == y[i] || component_[i] != none) continue;
          component_[i] = n_components_;
          differing_.push_back(i);
        }
      }
      ++n_components_;
    }
  }

  // What each component changes when it is switched: relevance, and every distance.
  void measure_components(std::span<const Label> x, std::span<const Label> y) {
    relevance_.assign(n_components_, 0.0);
    shift_.assign(n_components_ * terms_.size(), 0.0);
    for (const std::size_t i : differing_) {
      const std::size_t c = component_[i];
      relevance_[c] += unary_(i, y[i]) - unary_(i, x[i]);
      for (const Neighbour to : incidence_.at(i)) relevance_[c] += pair_change(x, y, i, to);
      for (std::size_t j = 0; j < terms_.size(); ++j) {
        const Label own = terms_[j].reference[i];
        const int change = static_cast<int>(y[i] != own) - static_cast<int>(x[i] != own);
        shift_[c * terms_.size() + j] += change * terms_[j].weight(i);
      }
    }
  }

  // The edge's change, counted at one of its ends only.
  double pair_change(std::span<const Label> x, std::span<const Label> y, std::size_t i, Neighbour to) const {
    const std::size_t j = to.node();
    if (to.is_first() && x[j] != y[j]) return 0.0;
    const auto score = [&](std::span<const Label> z) {
      return pairs_.score(to.edge(), !to.is_first(), index(z[i]), index(z[j]));
    };
    return score(y) - score(x);
  }

  // The component whose switch gains most; n_components_ if none gains.
  std::size_t best_switch(std::span<const double> sign) const {
    std::size_t best = n_components_;
    double most = 0;
    for (std::size_t c = 0; c < n_components_; ++c) {
      double gain = sign[c] * relevance_[c], size = std::abs(gain);
      for (std::size_t j = 0; j < terms_.size(); ++j) {
        if (shift(c, j) == 0.0) continue;
        const double change = change_of(j, sign[c] * shift(c, j));
        gain += change, size += std::abs(change);
      }
      if (gain > most && (gain > kDigits * size || std::isinf(size))) best = c, most = gain;
    }
    return best;
  }

  double shift(std::size_t component, std::size_t term) const {
    return shift_[component * terms_.size() + term];
  }

  std::vector<double> score_, relevance_, shift_;
  std::vector<std::size_t> component_, differing_;
  std::size_t n_components_ = 0;
};

}  // namespace hedgehop::local
