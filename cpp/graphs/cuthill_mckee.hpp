// SPDX-License-Identifier: BSD-3-Clause
// A ranking for graphs of which nothing else is known: reverse Cuthill-McKee (Cuthill, McKee 1969; George
// 1971).
//
// Breadth-first layers from a variable far from the middle (George, Liu 1979), neighbours of low degree
// first. Sweeping layer by layer makes few, long chains; measured on superpixels, the bound after
// five iterations is far better than in the order of the indices. On a tree every variable gets at most one
// neighbour ahead of it in one of the two directions, so that one iteration is exact. O(n + E log degree).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"

namespace hedgehop::graphs {

class ReverseCuthillMcKee {
 public:
  ReverseCuthillMcKee(std::size_t n, Edges edges) : around_(n, edges), seen_(n, 0) {
    around_.sort([this](const Neighbour& a, const Neighbour& b) {
      const std::size_t here = around_.at(a.node()).size(), there = around_.at(b.node()).size();
      return here != there ? here < there : a.node() < b.node();
    });
  }

  std::vector<std::int32_t> ranks() {
    const std::size_t n = seen_.size();
    std::vector<std::int32_t> order;
    order.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (seen_[i] == 0) append_layers(far_from(static_cast<std::int32_t>(i)), order);
    }
    std::vector<std::int32_t> result(n);
    for (std::size_t k = 0; k < n; ++k) {
      result[index(order[k])] = static_cast<std::int32_t>(n - 1 - k);
    }
    return result;
  }

 private:
  // Breadth first from i; marks and appends everything reached.
  void append_layers(std::int32_t i, std::vector<std::int32_t>& order) {
    std::size_t at = order.size();
    order.push_back(i);
    seen_[index(i)] = 1;
    for (; at < order.size(); ++at) {
      for (const Neighbour& next : around_.at(index(order[at]))) {
        auto& seen = seen_[next.node()];
        if (seen == 0) order.push_back(static_cast<std::int32_t>(next.node()));
        seen = 1;
      }
    }
  }

  // The last variable reached from i, and from there again: two ends of the component, near enough.
  std::int32_t far_from(std::int32_t i) {
    for (int round = 0; round < 2; ++round) {
      std::vector<std::int32_t> reached;
      append_layers(i, reached);
      for (const std::int32_t v : reached) seen_[index(v)] = 0;
      i = reached.back();
    }
    return i;
  }

  Incidence around_;
  std::vector<std::uint8_t> seen_;
};

}  // namespace hedgehop::graphs
