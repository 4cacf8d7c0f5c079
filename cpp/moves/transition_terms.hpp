// SPDX-License-Identifier: BSD-3-Clause
// Weights of transitions as terms of a move (docs/theory.md 11).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/zeroed.hpp"
#include "moves/move.hpp"

namespace hedgehop::moves {

class TransitionTerms {
 public:
  explicit TransitionTerms(Move& move) : move_(move) {
    const std::size_t labels = move.problem().n_labels();
    if (!move.problem().has_transitions()) return;
    places_ = Zeroed<std::uint32_t>(labels * labels);
    prices_ = Zeroed<Fixed>(labels * labels);
  }

  bool any() const { return prices_.size() > 0; }

  // What an edge pays for carrying two labels if costs are frozen: a transition in use is paid for anyway,
  // an unused one is paid for on every edge. Never cheaper than the truth, and the same where nothing moves.
  std::span<const Fixed> frozen_prices() {
    return price([this](std::size_t group) { return move_.labeling().carried(group) == 0; });
  }

  // The same for some groups only: charged(group). Of many labels only pairs that an edge of the move may
  // carry have a price afterwards.
  template <class Charged>
  std::span<const Fixed> price(Charged charged) {
    const auto labels = static_cast<Label>(move_.problem().n_labels());
    const auto set = [&](Label a, Label b, const Witness& = {}) {
      const std::size_t group = move_.problem().group(a, b);
      const Fixed cost = std::max<Fixed>(0, -move_.problem().transition_weight(group));
      prices_[index(a) * index(labels) + index(b)] = cost > 0 && charged(group) ? cost : 0;
    };
    if (prices_.size() > index(move_.size())) {
      for_each_pair(set);
      return all_prices();
    }
    for (Label a = 0; any() && a < labels; ++a) {
      for (Label b = 0; b < labels; ++b) set(a, b);
    }
    return all_prices();
  }

  // Finds out what may bring each transition about: an edge with one or both ends taking part. Only of
  // groups that `matters` says yes to.
  template <class Matters>
  void collect(Matters matters) {
    for (const std::size_t group : touched_) witnesses_of(group).clear();
    touched_.clear();
    if (any()) for_each_pair([&](Label a, Label b, const Witness& witness) { add(a, b, witness, matters); });
    std::sort(touched_.begin(), touched_.end());
    std::erase_if(touched_, [this](std::size_t group) { return is_constant(group); });
  }

  std::span<const std::size_t> touched() const { return touched_; }  // groups that a move may change
  const std::vector<Witness>& witnesses(std::size_t group) const { return witnesses_[places_[group] - 1]; }
  Fixed weight(std::size_t group) const { return move_.problem().transition_weight(group); }

  void add_rewards() {
    for (const std::size_t group : touched_) {
      if (weight(group) > 0) move_.terms().reward_any(weight(group), witnesses(group));
    }
  }

 private:
  // Every pair of labels that an edge with an end in the move may carry, and which choices bring it about.
  template <class Use>
  void for_each_pair(Use use) {
    for (Move::Node v = 0; v < move_.size(); ++v) {
      for (const Neighbour to : move_.problem().neighbours(move_.variable(v))) pairs_of_edge(v, to, use);
    }
  }

  template <class Use>
  void pairs_of_edge(Move::Node v, Neighbour to, Use use) {
    const Move::Node w = move_.node_of(to.node());
    if (w >= 0 && to.is_first()) return;  // each edge once
    for (const bool side : {false, true}) {
      const Label own = move_.label(v, side);
      if (w < 0) {
        const Label other = move_.labeling()[to.node()];
        to.is_first() ? use(other, own, Witness{{v, side}, {}}) : use(own, other, Witness{{v, side}, {}});
        continue;
      }
      for (const bool beyond : {false, true})
        use(own, move_.label(w, beyond), Witness{{v, side}, {w, beyond}});
    }
  }

  template <class Matters>
  void add(Label a, Label b, const Witness& witness, Matters matters) {
    if (a == b) return;
    const std::size_t group = move_.problem().group(a, b);
    if (weight(group) == 0 || !matters(group)) return;
    std::vector<Witness>& known = witnesses_of(group);
    if (known.empty()) touched_.push_back(group);
    known.push_back(witness);
  }

  // Some edge that takes no part carries it.
  bool is_constant(std::size_t group) {
    std::int64_t present = 0;
    for (const Witness& witness : witnesses(group))
      present += witness.all([this](Literal literal) { return move_.now(literal.node) == literal.value; });
    if (move_.labeling().carried(group) == present) return false;
    witnesses_of(group).clear();
    return true;
  }

  // Groups get a place when they are touched first: of many labels, few pairs are.
  std::vector<Witness>& witnesses_of(std::size_t group) {
    if (places_[group] == 0) {
      witnesses_.emplace_back();
      places_[group] = static_cast<std::uint32_t>(witnesses_.size());
    }
    return witnesses_[places_[group] - 1];
  }

  std::span<const Fixed> all_prices() const { return {prices_.data(), prices_.size()}; }

  Move& move_;
  Zeroed<std::uint32_t> places_;  // of groups among the witnesses, from 1; 0: none yet
  std::vector<std::vector<Witness>> witnesses_;
  std::vector<std::size_t> touched_;
  Zeroed<Fixed> prices_;
};

}  // namespace hedgehop::moves
