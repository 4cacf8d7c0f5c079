// SPDX-License-Identifier: BSD-3-Clause
// Exact samples of arborescences, with chances proportional to the product of their weights.
//
// Wilson's algorithm (STOC 1996): from each node that does not hang yet, walk along random arcs until the
// tree is met, and forget the loops. Where weights differ widely a walk may take forever. From then on, trees
// are drawn backwards through an elimination, or arc by arc from marginals, O(n^4), if they are large; this
// is no bias, because the loops of a walk are independent of its tree.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "probabilities/backward_trees.hpp"
#include "probabilities/forest_sums.hpp"
#include "probabilities/tree_sums.hpp"

namespace hedgehop::probabilities {

// Numbers in [0, 1), the same on every machine.
class Uniforms {
 public:
  explicit Uniforms(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_;
};

template <class Number>
class TreeSampler {
 public:
  // chances: the rows of arcs, each with a sum of 1. roots: for arborescences with one arc to the root, the
  // chance of each node to have it; empty otherwise.
  TreeSampler(MatrixView<const Number> arcs, MatrixView<const double> chances, std::span<const double> roots,
              std::uint64_t seed, Poll poll)
      : arcs_(arcs), chances_(chances), roots_(roots), uniform_(seed), poll_(poll) {}

  void operator()(std::span<Label> heads) {
    if (!backward_ && walk(heads)) return;
    if (arcs_.rows > BackwardTrees<Number>::most_nodes) return draw_arcs(heads);
    if (!backward_) backward_.emplace(arcs_, poll_);
    (*backward_)(heads, uniform_);
  }

 private:
  static constexpr std::size_t patience = 1000;  // steps per node

  bool walk(std::span<Label> heads) {
    const std::size_t n = arcs_.rows;
    std::vector<bool> hangs(n + 1, false);
    hangs[0] = true;
    if (!roots_.empty()) {
      const auto root = index(drawn(roots_, uniform_()));
      heads[root] = 0;
      hangs[0] = false;
      hangs[1 + root] = true;
    }
    std::size_t steps = 0;
    for (std::size_t start = 0; start < n; ++start) {
      for (std::size_t v = start; !hangs[1 + v];) {
        if (++steps > patience * n) return false;
        poll_.tick(static_cast<std::uint32_t>(n));
        heads[v] = drawn(chances_.row(v), uniform_());
        if (heads[v] == 0) break;  // with a single root: arcs to it have no chance here
        v = index(heads[v]) - 1;
      }
      for (std::size_t v = start; !hangs[1 + v]; v = index(heads[v]) - 1) {
        hangs[1 + v] = true;
        if (heads[v] == 0) break;
      }
    }
    return true;
  }

  void draw_arcs(std::span<Label> heads) {
    std::vector<Number> weights(arcs_.data.begin(), arcs_.data.end());
    std::vector<double> chances(arcs_.columns);
    for (std::size_t v = 0; v < arcs_.rows; ++v) {
      TreeSums<Number> sums({weights, arcs_.rows, arcs_.columns}, poll_);
      sums.marginals_of(v, chances);
      heads[v] = drawn(chances, uniform_());
      const Number kept = weights[v * arcs_.columns + index(heads[v])];
      std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(v * arcs_.columns), arcs_.columns, Number{});
      weights[v * arcs_.columns + index(heads[v])] = kept;
    }
  }

  MatrixView<const Number> arcs_;
  MatrixView<const double> chances_;
  std::span<const double> roots_;
  Uniforms uniform_;
  Poll poll_;
  std::optional<BackwardTrees<Number>> backward_;  // once a walk took too long
};

}  // namespace hedgehop::probabilities
