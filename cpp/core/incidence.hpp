// SPDX-License-Identifier: BSD-3-Clause
// The edges at each variable, in compressed rows, in the order of the edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop {

// The other end of an edge; 8 bytes.
class Neighbour {
 public:
  Neighbour() = default;
  Neighbour(std::int32_t node, std::size_t edge, bool is_first)
      : node_(node), edge_(static_cast<std::uint32_t>(2 * edge + is_first)) {}

  std::size_t node() const { return index(node_); }
  std::size_t edge() const { return edge_ >> 1; }
  bool is_first() const { return (edge_ & 1) != 0; }  // the neighbour is the edge's first end

 private:
  std::int32_t node_;
  std::uint32_t edge_;
};

class Incidence {
 public:
  Incidence(std::size_t n_variables, Edges edges) : start_(n_variables + 1), neighbours_(edges.data.size()) {
    for (const std::int32_t end : edges.data) ++start_[index(end) + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t e = 0; e < edges.rows; ++e) {
      const auto ends = edges.row(e);
      neighbours_[next[index(ends[0])]++] = Neighbour(ends[1], e, false);
      neighbours_[next[index(ends[1])]++] = Neighbour(ends[0], e, true);
    }
  }

  // Puts the neighbours of each variable into an order.
  template <class Less>
  void sort(Less less) {
    for (std::size_t i = 0; i + 1 < start_.size(); ++i) {
      std::sort(neighbours_.data() + start_[i], neighbours_.data() + start_[i + 1], less);
    }
  }

  std::span<const Neighbour> at(std::size_t i) const {
    return {neighbours_.data() + start_[i], start_[i + 1] - start_[i]};
  }

 private:
  std::vector<std::size_t> start_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace hedgehop
