// SPDX-License-Identifier: BSD-3-Clause
// Labelings in fixed point: their score, and the better of two labelings component by component.
//
// Where two labelings differ, the variables form connected components, and the components contribute
// independently to the difference of the scores: taking for each component the better side is exact over all
// 2^components mixtures, in time linear in what differs. It is the fusion move (Lempitsky et al., PAMI 2010)
// restricted to whole components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trws/graph.hpp"

namespace hedgehop::trws {

inline std::int64_t pair_score(const Graph& g, std::int32_t edge, std::int32_t lower, std::int32_t higher) {
  if (g.tables == nullptr) return lower == higher ? 0 : -g.strengths[edge];
  const std::int64_t row = static_cast<std::int64_t>(g.table_up[edge]) * g.slot + lower;
  return g.tables[row * g.slot + higher];
}

inline std::int64_t unary_score(const Graph& g, std::size_t i, std::int32_t label) {
  return g.scores[i * index(g.slot) + index(label)];
}

inline std::int64_t score(const Graph& g, std::span<const std::int32_t> labels) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    total += unary_score(g, i, labels[i]);
    for (std::int32_t e = g.up[i]; e < g.up[i + 1]; ++e) {
      total += pair_score(g, e, labels[i], labels[index(g.up_node[e])]);
    }
  }
  return total;
}

class ComponentMixer {
 public:
  // stale: marked wherever a label or a neighbour's label changes, for polishing.
  ComponentMixer(const Graph& graph, std::span<std::int32_t> labels, std::span<std::uint8_t> stale)
      : g_(graph), labels_(labels), stale_(stale), seen_(labels.size(), 0) {}

  // Takes from `other` the components that are better there; returns what was gained.
  std::int64_t take(std::span<const std::int32_t> other) {
    other_ = other;
    std::fill(seen_.begin(), seen_.end(), std::uint8_t{0});
    std::int64_t gained = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (!differs(i) || seen_[i] != 0) continue;
      const std::int64_t gain = explore(i);
      if (gain <= 0) continue;
      gained += gain;
      for (const std::size_t j : component_) adopt(j);
    }
    return gained;
  }

 private:
  bool differs(std::size_t i) const { return labels_[i] != other_[i]; }

  // Fills component_ with that of i; returns the gain of changing it.
  std::int64_t explore(std::size_t i) {
    component_.assign(1, i);
    seen_[i] = 1;
    std::int64_t gain = 0;
    for (std::size_t at = 0; at < component_.size(); ++at) gain += gain_at(component_[at]);
    return gain;
  }

  // The gain at i and its edges; an edge inside the component belongs to its lower end.
  std::int64_t gain_at(std::size_t i) {
    std::int64_t gain = unary_score(g_, i, other_[i]) - unary_score(g_, i, labels_[i]);
    for (std::int32_t e = g_.up[i]; e < g_.up[i + 1]; ++e) {
      const auto j = index(g_.up_node[e]);
      gain += pair_score(g_, e, other_[i], other_[j]) - pair_score(g_, e, labels_[i], labels_[j]);
      reach(j);
    }
    for (std::int32_t o = g_.down[i]; o < g_.down[i + 1]; ++o) {
      const auto j = index(g_.down_node[o]);
      const std::int32_t e = g_.down_edge[o];
      if (!differs(j)) {
        gain += pair_score(g_, e, labels_[j], other_[i]) - pair_score(g_, e, labels_[j], labels_[i]);
      }
      reach(j);
    }
    return gain;
  }

  void reach(std::size_t j) {
    if (!differs(j) || seen_[j] != 0) return;
    seen_[j] = 1;
    component_.push_back(j);
  }

  void adopt(std::size_t i) {
    labels_[i] = other_[i];
    stale_[i] = 1;
    for (std::int32_t e = g_.up[i]; e < g_.up[i + 1]; ++e) stale_[index(g_.up_node[e])] = 1;
    for (std::int32_t o = g_.down[i]; o < g_.down[i + 1]; ++o) stale_[index(g_.down_node[o])] = 1;
  }

  const Graph& g_;
  std::span<std::int32_t> labels_;
  std::span<std::uint8_t> stale_;
  std::span<const std::int32_t> other_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::size_t> component_;
};

}  // namespace hedgehop::trws
