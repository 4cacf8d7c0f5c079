// SPDX-License-Identifier: BSD-3-Clause
// Takes variables out of a move that surely gain nothing by it, before a graph is built.
//
// If keeping its label is no worse for a variable whatever the others choose, it keeps it in some best move
// (dead-end elimination: Desmet, De Maeyer, Hazes, Lasters, Nature 1992). Every variable taken out leaves its
// neighbours less to hope for, so they are looked at again. Where scores are clear hardly anything is left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "moves/move.hpp"

namespace hedgehop::moves {

class Pruning {
 public:
  explicit Pruning(Move& move) : move_(move) {}

  void run() {
    if (move_.problem().has_transitions()) return;  // they reward or save too much for a useful bound
    margins_.resize(index(move_.size()));
    for (Move::Node v = 0; v < move_.size(); ++v) {
      Fixed margin = loss(v) - move_.problem().reach(move_.variable(v));
      if (margin < 0) margin += known(v);
      margins_[index(v)] = margin;
    }
    for (Move::Node v = 0; v < move_.size(); ++v) leave_if_clear(v);
    while (!left_.empty()) {
      const std::size_t i = left_.back();
      left_.pop_back();
      for (const Neighbour to : move_.problem().neighbours(i)) tighten(to, move_.labeling()[i]);
    }
    move_.compact();
  }

 private:
  void leave_if_clear(Move::Node v) {
    if (margins_[index(v)] < 0) return;
    move_.leave(move_.variable(v));
    left_.push_back(move_.variable(v));
  }

  // Variable `to` could hope for all that its edge may give; now the label at the other end is known.
  void tighten(Neighbour to, Label beyond) {
    const Move::Node v = move_.node_of(to.node());
    if (v < 0) return;
    margins_[index(v)] += needless(v, to.edge(), to.is_first(), beyond);
    leave_if_clear(v);
  }

  // The same for all neighbours that take no part.
  Fixed known(Move::Node v) const {
    Fixed sum = 0;
    for (const Neighbour to : move_.problem().neighbours(move_.variable(v))) {
      if (!move_.takes_part(to.node())) {
        sum += needless(v, to.edge(), !to.is_first(), move_.labeling()[to.node()]);
      }
    }
    return sum;
  }

  // What an edge may give at most, less what it gives beside a label that is known.
  Fixed needless(Move::Node v, std::size_t edge, bool is_first, Label beyond) const {
    const Label own = move_.label(v, move_.now(v)), other = move_.label(v, !move_.now(v));
    if (move_.problem().is_potts()) {
      const Fixed cost = move_.problem().differing_cost(edge);
      return std::abs(cost) + (other != beyond ? cost : 0) - (own != beyond ? cost : 0);
    }
    const auto score = [&](Label label) {
      return is_first ? move_.problem().pair(edge, label, beyond) : move_.problem().pair(edge, beyond, label);
    };
    return move_.problem().span(edge) - (score(other) - score(own));
  }

  // At least what a change of label loses, edges apart: what is earned or paid once may count in full.
  Fixed loss(Move::Node v) const {
    const Problem& problem = move_.problem();
    const std::size_t i = move_.variable(v);
    const Label own = move_.label(v, move_.now(v)), other = move_.label(v, !move_.now(v));
    Fixed sum = move_.unary(v, move_.now(v)) - move_.unary(v, !move_.now(v));
    for (std::size_t k = 0; k < problem.n_levels(); ++k)
      sum += std::min<Fixed>(0, problem.label_weight(k, own)) -
             std::max<Fixed>(0, problem.label_weight(k, other));
    for (const std::int32_t region : problem.regions_of(i)) {
      const auto c = index(region);
      sum +=
          std::min<Fixed>(0, problem.region_unit(c, own)) - std::max<Fixed>(0, problem.region_unit(c, other));
    }
    return sum;
  }

  Move& move_;
  std::vector<Fixed> margins_;     // by how much keeping its label is surely better, if not negative
  std::vector<std::size_t> left_;  // variables whose neighbours do not know yet
};

}  // namespace hedgehop::moves
