// SPDX-License-Identifier: BSD-3-Clause
// A labeling and what a move must know of it: how often labels, transitions and labels within regions occur.
//
// A move is made by setting variables one by one: each change of the score is exact, whatever a graph cut
// simplified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/zeroed.hpp"
#include "moves/problem.hpp"

namespace hedgehop::moves {

class CountedLabeling {
 public:
  CountedLabeling(const Problem& problem, std::span<Label> labels)
      : problem_(problem), labels_(labels), used_(problem.n_labels(), 0) {
    for (const Label label : labels) ++used_[index(label)];
    if (problem.has_transitions()) count_transitions();
    count_regions();
  }

  Label operator[](std::size_t i) const { return labels_[i]; }
  std::size_t size() const { return labels_.size(); }
  std::int64_t used(Label label) const { return used_[index(label)]; }
  std::int64_t carried(std::size_t group) const { return carried_[group]; }
  std::int64_t holding(std::size_t region, Label label) const {
    return holding_[region * problem_.n_labels() + index(label)];
  }

  // Gives variable i another label; returns how much the score of the labeling grows.
  Fixed set(std::size_t i, Label label) {
    const Label old = labels_[i];
    if (label == old) return 0;
    Fixed gain = problem_.unary(i, label) - problem_.unary(i, old);
    for (const Neighbour to : problem_.neighbours(i)) gain += relink(to, old, label);
    gain += leave(old) + join(label);
    for (const std::int32_t c : problem_.regions_of(i)) gain += move_within(c, old, label);
    labels_[i] = label;
    return gain;
  }

 private:
  void count_transitions() {
    carried_ = Zeroed<std::int64_t>(problem_.n_labels() * problem_.n_labels());
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      for (const Neighbour to : problem_.neighbours(i)) {
        if (!to.is_first()) ++carried_[problem_.group(labels_[i], labels_[to.node()])];
      }
    }
  }

  void count_regions() {
    const RegionWeights& regions = problem_.regions();
    holding_.assign(regions.size() * problem_.n_labels(), 0);
    for (std::size_t c = 0; c < regions.size(); ++c) {
      for (const std::int32_t i : regions.region(c)) ++holding_at(c, labels_[index(i)]);
    }
  }

  std::int64_t& holding_at(std::size_t region, Label label) {
    return holding_[region * problem_.n_labels() + index(label)];
  }

  Fixed relink(Neighbour to, Label old, Label label) {
    const Label other = labels_[to.node()];
    const bool first = to.is_first();
    const Label a = first ? other : old, b = first ? old : other;
    const Label c = first ? other : label, d = first ? label : other;
    Fixed gain = problem_.pair(to.edge(), c, d) - problem_.pair(to.edge(), a, b);
    if (!problem_.has_transitions()) return gain;
    const std::size_t before = problem_.group(a, b), after = problem_.group(c, d);
    if (--carried_[before] == 0) gain -= problem_.transition_weight(before);
    if (carried_[after]++ == 0) gain += problem_.transition_weight(after);
    return gain;
  }

  Fixed leave(Label label) {
    const std::int64_t before = used_[index(label)]--;
    Fixed gain = 0;
    for (std::size_t k = 0; k < problem_.n_levels(); ++k) {
      if (before == problem_.least(k)) gain -= problem_.label_weight(k, label);
    }
    return gain;
  }

  Fixed join(Label label) {
    const std::int64_t after = ++used_[index(label)];
    Fixed gain = 0;
    for (std::size_t k = 0; k < problem_.n_levels(); ++k) {
      if (after == problem_.least(k)) gain += problem_.label_weight(k, label);
    }
    return gain;
  }

  Fixed move_within(std::int32_t region, Label old, Label label) {
    const auto c = index(region);
    const std::int64_t left = --holding_at(c, old), joined = ++holding_at(c, label);
    return problem_.region_score(c, old, left) - problem_.region_score(c, old, left + 1) +
           problem_.region_score(c, label, joined) - problem_.region_score(c, label, joined - 1);
  }

  const Problem& problem_;
  std::span<Label> labels_;
  std::vector<std::int64_t> used_, holding_;
  Zeroed<std::int64_t> carried_;
};

}  // namespace hedgehop::moves
