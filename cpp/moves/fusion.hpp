// SPDX-License-Identifier: BSD-3-Clause
// The best mixture of two labelings (Lempitsky, Rother, Roth, Blake, PAMI 2010): every variable keeps its
// label or takes that of the other labeling, by one cut. Written from the paper; no code consulted.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/poll.hpp"
#include "moves/maker.hpp"

namespace hedgehop::moves {

// Changes `labels` to a mixture with `proposal` that is no worse than either; returns what was gained.
inline Fixed fuse(const Problem& problem, std::span<Label> labels, std::span<const Label> proposal,
                  std::size_t cuts, Poll& poll) {
  Maker maker(problem, labels, cuts);
  std::vector<Label> other(labels.begin(), labels.end());
  Fixed gained = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) gained += maker.labeling.set(i, proposal[i]);
  if (gained <= 0) {  // the start is the better of the two
    for (std::size_t i = 0; i < labels.size(); ++i)
      maker.labeling.set(i, std::exchange(other[i], proposal[i]));
    gained = 0;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (other[i] != labels[i]) maker.move.add(i, labels[i], other[i]);
  }
  return gained + maker.make_frozen(poll);
}

}  // namespace hedgehop::moves
