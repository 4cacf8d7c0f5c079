// SPDX-License-Identifier: BSD-3-Clause
// Expansion moves (Boykov, Veksler, Zabih, PAMI 2001) with label, transition and region weights of any sign
// (label costs: Delong, Osokin, Isack, Boykov, IJCV 2012; rewards: ours, docs/theory.md 11).
// Written from the papers; no code consulted.
//
// A move on label alpha lets any set of variables change to alpha.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "moves/candidates.hpp"
#include "moves/maker.hpp"

namespace hedgehop::moves {

class Expansion {
 public:
  // `candidates`: which labels a variable may change to, n x L, or empty for all that are allowed.
  Expansion(const Problem& problem, std::span<Label> labels, MatrixView<const std::uint8_t> candidates = {},
            std::size_t cuts_per_move = 64)
      : problem_(problem), candidates_(problem, candidates), maker_(problem, labels, cuts_per_move) {
    own_.reserve(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) own_.push_back(problem.unary(i, labels[i]));
  }

  // Moves on every label in turn until none improves, at most so many rounds; returns what was gained.
  Fixed run(std::size_t rounds, Poll& poll) {
    const std::size_t count = problem_.n_labels();
    Fixed gained = 0;
    for (std::size_t k = 0, failed = 0; k < rounds * count && failed < count; ++k) {
      const Fixed gain = move(static_cast<Label>(k % count), poll);
      failed = gain > 0 ? 1 : failed + 1;  // the move just made cannot improve at once
      gained += gain;
    }
    return gained;
  }

  // Makes the best move on one label if it improves; returns the gain.
  Fixed move(Label alpha, Poll& poll) {
    maker_.move.clear();
    for (const auto [variable, score] : candidates_.of(alpha)) {
      const std::size_t i = index(variable);
      const Label own = maker_.labeling[i];
      if (own != alpha) maker_.move.add(i, {own, alpha}, {own_[i], score});
    }
    const Fixed gain = maker_.make_frozen(poll);
    if (gain > 0) {
      for (const auto& change : maker_.move.changed())
        own_[change.variable] = problem_.unary(change.variable, alpha);
    }
    return gain;
  }

 private:
  const Problem& problem_;
  Candidates candidates_;
  Maker maker_;
  std::vector<Fixed> own_;  // the score of each variable's label
};

}  // namespace hedgehop::moves
