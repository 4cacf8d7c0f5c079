// SPDX-License-Identifier: BSD-3-Clause
// Weights of labels and regions as terms of a move (docs/theory.md 11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "moves/move.hpp"

namespace hedgehop::moves {

// Label by label the literals that give it to a variable.
class LabelTerms {
 public:
  explicit LabelTerms(Move& move) : move_(move), literals_(move.problem().n_labels()) {}

  void add() {
    const Problem& problem = move_.problem();
    if (problem.n_levels() == 0) return;
    collect();
    for (std::size_t l = 0; l < literals_.size(); ++l) {
      const auto label = static_cast<Label>(l);
      std::int64_t staying = move_.labeling().used(label);
      for (const Literal literal : literals_[l]) staying -= move_.now(literal.node) == literal.value;
      for (std::size_t k = 0; k < problem.n_levels(); ++k)
        move_.terms().weigh_count(problem.label_weight(k, label), problem.least(k) - staying, literals_[l]);
    }
  }

 private:
  void collect() {
    for (auto& literals : literals_) literals.clear();
    for (Move::Node v = 0; v < move_.size(); ++v) {
      for (const bool side : {false, true}) literals_[index(move_.label(v, side))].push_back({v, side});
    }
  }

  Move& move_;
  std::vector<std::vector<Literal>> literals_;
};

// Region by region the labels that so many members may take that it counts.
class RegionTerms {
 public:
  explicit RegionTerms(Move& move)
      : move_(move), gains_(move.problem().n_labels(), 0), is_near_(move.problem().n_labels(), 0) {}

  void add() {
    for (std::size_t c = 0; c < move_.problem().regions().size(); ++c) add_region(c);
  }

 private:
  void add_region(std::size_t c) {
    const auto members = move_.problem().regions().region(c);
    touched_.clear();
    for (const std::int32_t i : members) count(move_.node_of(index(i)));
    for (const Label label : touched_) {
      const std::int64_t most = reach(c, label);
      const Fixed unit = move_.problem().region_unit(c, label);
      if (most > 0 && unit != 0) move_.terms().weigh_missing(unit, most, literals(c, label));
      gains_[index(label)] = 0;
      is_near_[index(label)] = 0;
    }
  }

  // Which labels the members taking part may have, and how many more than now.
  void count(Move::Node v) {
    if (v < 0) return;
    for (const bool side : {false, true}) {
      const auto l = index(move_.label(v, side));
      if (is_near_[l] == 0) touched_.push_back(move_.label(v, side));
      is_near_[l] = 1;
      gains_[l] += side != move_.now(v);
    }
  }

  // How much of the slack is left if all members take the label that may.
  std::int64_t reach(std::size_t c, Label label) const {
    const RegionWeights& regions = move_.problem().regions();
    const std::int64_t holding = move_.labeling().holding(c, label) + gains_[index(label)];
    return regions.slack[c] - (static_cast<std::int64_t>(regions.region(c).size()) - holding);
  }

  const std::vector<Literal>& literals(std::size_t c, Label label) {
    literals_.clear();
    for (const std::int32_t i : move_.problem().regions().region(c)) {
      const Move::Node v = move_.node_of(index(i));
      if (v < 0) continue;
      for (const bool side : {false, true}) {
        if (move_.label(v, side) == label) literals_.push_back({v, side});
      }
    }
    return literals_;
  }

  Move& move_;
  std::vector<std::int64_t> gains_;
  std::vector<std::uint8_t> is_near_;
  std::vector<Label> touched_;
  std::vector<Literal> literals_;
};

}  // namespace hedgehop::moves
