// SPDX-License-Identifier: BSD-3-Clause
// A ranking for graphs of which nothing else is known: reverse Cuthill-McKee (Cuthill, McKee 1969; George
// 1971).
//
// Breadth-first layers from a variable far from the middle (George, Liu 1979), neighbours of low degree
// first. Sweeping layer by layer makes few, long chains; measured on superpixels, the bound after
// five iterations is far better than in the order of the indices. On a tree every variable gets at most one
// neighbour ahead of it in one of the two directions, so that one iteration is exact. O(n + E log degree).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::trws {

class ReverseCuthillMcKee {
 public:
  ReverseCuthillMcKee(std::size_t n, Edges edges) : start_(n + 1, 0), seen_(n, 0) {
    edges.for_each([&](std::size_t, std::size_t a, std::size_t b) { ++start_[a + 1], ++start_[b + 1]; });
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    neighbours_.resize(start_.back());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    edges.for_each([&](std::size_t, std::size_t a, std::size_t b) {
      neighbours_[next[a]++] = static_cast<std::int32_t>(b);
      neighbours_[next[b]++] = static_cast<std::int32_t>(a);
    });
    sort_by_degree();
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
  std::size_t degree(std::int32_t i) const { return start_[index(i) + 1] - start_[index(i)]; }

  void sort_by_degree() {
    for (std::size_t i = 0; i + 1 < start_.size(); ++i) {
      const auto first = neighbours_.begin() + static_cast<std::ptrdiff_t>(start_[i]);
      const auto last = neighbours_.begin() + static_cast<std::ptrdiff_t>(start_[i + 1]);
      std::sort(first, last, [&](std::int32_t a, std::int32_t b) {
        return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
      });
    }
  }

  // Breadth first from i; marks and appends everything reached.
  void append_layers(std::int32_t i, std::vector<std::int32_t>& order) {
    std::size_t at = order.size();
    order.push_back(i);
    seen_[index(i)] = 1;
    for (; at < order.size(); ++at) {
      const auto v = index(order[at]);
      for (std::size_t k = start_[v]; k < start_[v + 1]; ++k) {
        auto& seen = seen_[index(neighbours_[k])];
        if (seen == 0) order.push_back(neighbours_[k]);
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

  std::vector<std::size_t> start_;
  std::vector<std::int32_t> neighbours_;
  std::vector<std::uint8_t> seen_;
};

}  // namespace hedgehop::trws
