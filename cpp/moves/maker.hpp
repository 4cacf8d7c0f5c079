// SPDX-License-Identifier: BSD-3-Clause
// What expansions, swaps and fusions share: a move on the labeling, and all the terms that it may have.
#pragma once

#include <cstddef>
#include <span>

#include "moves/label_terms.hpp"
#include "moves/move.hpp"
#include "moves/pruning.hpp"
#include "moves/transition_terms.hpp"

namespace hedgehop::moves {

struct Maker {
  Maker(const Problem& problem, std::span<Label> labels, std::size_t cuts_per_move)
      : labeling(problem, labels),
        move(problem, labeling),
        labels(move),
        regions(move),
        transitions(move),
        pruning(move),
        cuts(cuts_per_move) {}

  // The best choice of a move whose variables are known, costs of transitions frozen.
  Fixed make_frozen(Poll& poll) {
    pruning.run();
    if (move.empty()) return 0;
    move.build(transitions.frozen_prices());
    labels.add();
    regions.add();
    transitions.collect([this](std::size_t group) { return transitions.weight(group) > 0; });
    transitions.add_rewards();
    return move.make(move.best(cuts, poll));
  }

  CountedLabeling labeling;
  Move move;
  LabelTerms labels;
  RegionTerms regions;
  TransitionTerms transitions;
  Pruning pruning;
  std::size_t cuts;
};

}  // namespace hedgehop::moves
