// SPDX-License-Identifier: BSD-3-Clause
// Exact samples of arborescences, backwards through an elimination: O(n^3) once, then O(n^2) per sample,
// however widely weights differ.
//
// Eliminating node v with d = sum_h w(v, h) gives every other node a the weights w(a, h) + w(a, v) w(v, h) /
// d. Backwards: each arc a -> h of a tree without v is one that leads via v, with the share of the second
// term; then a hangs from v. If there is none, v draws its head h with chance w(v, h) / d. Otherwise it takes
// the head of the last arc via v on the way from one of these a to the root. This is the right law: let c be
// the chance that v's head is outside of the trees below a_1 ... a_k. Then the ways to link these trees to
// each other and to the outside have the total weight c (Cayley's formula for forests), and the last head on
// the way is independent of how they are linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "probabilities/forest_sums.hpp"
#include "probabilities/numbers.hpp"

namespace hedgehop::probabilities {

template <class Number>
class BackwardTrees {
 public:
  static constexpr std::size_t most_nodes = 400;  // n^3 / 3 numbers are kept: 170 MB

  // arcs: (n, n + 1), as for TreeSums; the last nodes are eliminated first.
  BackwardTrees(MatrixView<const Number> arcs, Poll& poll)
      : n_(arcs.rows), starts_(n_), shares_(n_ * (n_ + 1)), via_now_(n_) {
    std::vector<Number> weights(arcs.data.begin(), arcs.data.end());
    std::size_t size = 0;
    for (std::size_t v = 1; v < n_; ++v) {
      starts_[v] = size;
      size += v * (v + 1);
    }
    via_.resize(size);
    for (std::size_t v = n_; v-- > 1;) eliminate(v, weights, poll);
  }

  template <class Uniform>
  void operator()(std::span<Label> heads, Uniform& uniform) {
    heads[0] = 0;
    for (std::size_t v = 1; v < n_; ++v) {
      const std::size_t first = choose_via(v, heads, uniform);
      if (first == v) {
        heads[v] = drawn(std::span<const double>(shares_).subspan(v * (n_ + 1), v + 1), uniform());
        continue;
      }
      heads[v] = last_via(first, heads);
      for (std::size_t a = first; a < v; ++a) {
        if (via_now_[a] != 0) heads[a] = static_cast<Label>(1 + v);
      }
    }
  }

 private:
  void eliminate(std::size_t v, std::vector<Number>& weights, Poll& poll) {
    const std::size_t stride = n_ + 1;
    const Number* own = weights.data() + v * stride;
    Number total{};
    for (std::size_t h = 0; h <= v; ++h) total = total + own[h];
    for (std::size_t h = 0; h <= v; ++h)
      shares_[v * stride + h] = is_zero(own[h]) ? 0.0 : ratio(own[h], total);
    for (std::size_t a = 0; a < v; ++a) {
      Number* other = weights.data() + a * stride;
      if (is_zero(other[1 + v])) continue;
      const Number factor = other[1 + v] / total;
      for (std::size_t h = 0; h <= v; ++h) {
        if (h == 1 + a || is_zero(own[h])) continue;
        const Number added = factor * own[h];
        other[h] = other[h] + added;
        via_[starts_[v] + a * (v + 1) + h] = ratio(added, other[h]);
      }
      poll.tick(static_cast<std::uint32_t>(v));
    }
  }

  // Which arcs lead via v; the first of their nodes, v if none does.
  template <class Uniform>
  std::size_t choose_via(std::size_t v, std::span<const Label> heads, Uniform& uniform) {
    std::size_t first = v;
    for (std::size_t a = v; a-- > 0;) {
      const double chance = via_[starts_[v] + a * (v + 1) + index(heads[a])];
      via_now_[a] = chance > 0.0 && uniform() < chance ? 1 : 0;
      if (via_now_[a] != 0) first = a;
    }
    return first;
  }

  Label last_via(std::size_t a, std::span<const Label> heads) const {
    Label head = heads[a];
    for (; heads[a] != 0; a = index(heads[a]) - 1) {
      if (via_now_[a] != 0) head = heads[a];
    }
    return via_now_[a] != 0 ? heads[a] : head;
  }

  std::size_t n_;
  std::vector<std::size_t> starts_;
  std::vector<double> via_;     // of v: (v, v + 1), the chance that an arc a -> h leads via v
  std::vector<double> shares_;  // (n, n + 1): where v hangs if nothing hangs from it
  std::vector<std::uint8_t> via_now_;
};

}  // namespace hedgehop::probabilities
