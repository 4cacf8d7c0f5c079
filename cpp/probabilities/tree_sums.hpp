// SPDX-License-Identifier: BSD-3-Clause
// Sums over arborescences: every node v picks a head with weight w(v, h), and all must hang from the root.
//
// Z = sum over arborescences of the product of weights is a determinant (Tutte's matrix-tree theorem), here
// by elimination: node v with d = sum_h w(v, h) leaves, every a that may hang from v hangs from v's heads
// instead, w(a, h) += w(a, v) w(v, h) / d, and Z is the product of all d. Nothing is subtracted.
//
// Marginals: P(v -> h) is proportional to w(v, h) times the chance that a walk from h reaches the root before
// v. These chances follow from the elimination of all nodes but v. "All but one" for every v by halving:
// eliminate one half, go on with the other. O(n^3) altogether, as for one determinant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "probabilities/numbers.hpp"

namespace hedgehop::probabilities {

// Of weights (n, n + 1): column 0 is the root, column 1 + v is node v. A node's own column is not read. Some
// arborescence must have a weight.
template <class Number>
class TreeSums {
 public:
  TreeSums(MatrixView<const Number> arcs, Poll poll)
      : arcs_(arcs), n_(arcs.rows), poll_(std::move(poll)), shares_(n_ * (n_ + 1)), reach_(n_ + 1) {}

  // The logarithm of Z.
  double log_total() {
    Rest rest = everything();
    while (rest.nodes.size() > 1) eliminate_last(rest);
    return log_left() + log_of(rest.row(0)[0]);
  }

  // Writes P(v -> h) for all arcs; 0 in a node's own column.
  void marginals(MatrixView<double> out) { halve(everything(), out); }

  // The same for the arcs of one node.
  void marginals_of(std::size_t node, std::span<double> out) {
    std::vector<std::size_t> places{node};
    for (std::size_t v = 0; v < n_; ++v) {
      if (v != node) places.push_back(v);
    }
    Rest rest = taken(everything(), places);
    while (rest.nodes.size() > 1) eliminate_last(rest);
    write(node, out);
  }

 private:
  // The graph among the nodes that are left. Rows keep their stride while nodes leave at the end.
  struct Rest {
    std::vector<std::size_t> nodes;
    std::vector<Number> weights;
    std::size_t stride = 0;

    Number* row(std::size_t k) { return weights.data() + k * stride; }
    const Number* row(std::size_t k) const { return weights.data() + k * stride; }
  };

  Rest everything() {
    eliminated_.clear();
    Rest rest{{}, {arcs_.data.begin(), arcs_.data.end()}, n_ + 1};
    for (std::size_t v = 0; v < n_; ++v) rest.nodes.push_back(v);
    return rest;
  }

  // The graph among some nodes, in another order.
  static Rest taken(const Rest& from, std::span<const std::size_t> places) {
    Rest rest{{}, {}, places.size() + 1};
    rest.weights.reserve(places.size() * rest.stride);
    for (const std::size_t k : places) {
      rest.nodes.push_back(from.nodes[k]);
      rest.weights.push_back(from.row(k)[0]);
      for (const std::size_t l : places) rest.weights.push_back(from.row(k)[1 + l]);
    }
    return rest;
  }

  void eliminate_last(Rest& rest) {
    const std::size_t last = rest.nodes.size() - 1, v = rest.nodes[last];
    const Number* own = rest.row(last);
    Number total{};
    for (std::size_t h = 0; h <= last; ++h) total = total + own[h];
    Number* share = shares_.data() + v * (n_ + 1);
    std::fill(share, share + n_ + 1, Number{});
    share[0] = own[0] / total;
    for (std::size_t k = 0; k < last; ++k) share[1 + rest.nodes[k]] = own[1 + k] / total;
    for (std::size_t k = 0; k < last; ++k) {
      Number* other = rest.row(k);
      if (is_zero(other[1 + last])) continue;
      const Number factor = other[1 + last] / total;
      for (std::size_t h = 0; h <= last; ++h) other[h] = other[h] + factor * own[h];
    }
    poll_.tick(static_cast<std::uint32_t>(last + 1));
    eliminated_.push_back({v, log_of(total)});
    rest.nodes.pop_back();
  }

  void halve(const Rest& rest, MatrixView<double> out) {
    const std::size_t count = rest.nodes.size();
    if (count == 1) return write(rest.nodes[0], out.row(rest.nodes[0]));
    const std::size_t half = count / 2;
    for (const bool second : {false, true}) {
      std::vector<std::size_t> places;  // what stays, then what leaves
      for (std::size_t k = 0; k < count; ++k) places.push_back(second ? (k + half) % count : k);
      Rest part = taken(rest, places);
      const std::size_t stay = second ? count - half : half, before = eliminated_.size();
      while (part.nodes.size() > stay) eliminate_last(part);
      halve(part, out);
      eliminated_.resize(before);
    }
  }

  // All nodes but v are eliminated: the chances to reach the root before v, from the last that left to the
  // first.
  void write(std::size_t v, std::span<double> out) {
    std::fill(reach_.begin(), reach_.end(), Number{});
    reach_[0] = Make<Number>::from_log(0.0);
    for (std::size_t k = eliminated_.size(); k-- > 0;) {
      const Number* share = shares_.data() + eliminated_[k].node * (n_ + 1);
      Number sum{};
      for (std::size_t h = 0; h <= n_; ++h) sum = sum + share[h] * reach_[h];
      reach_[1 + eliminated_[k].node] = sum;
    }
    Number total{};
    const auto own = arcs_.row(v);
    for (std::size_t h = 0; h <= n_; ++h) {
      reach_[h] = h == 1 + v ? Number{} : own[h] * reach_[h];
      total = total + reach_[h];
    }
    for (std::size_t h = 0; h <= n_; ++h) out[h] = is_zero(reach_[h]) ? 0.0 : ratio(reach_[h], total);
  }

  double log_left() const {
    double sum = 0.0;
    for (const auto& step : eliminated_) sum += step.log_total;
    return sum;
  }

  struct Step {
    std::size_t node;
    double log_total;
  };

  MatrixView<const Number> arcs_;
  std::size_t n_;
  Poll poll_;
  std::vector<Number> shares_, reach_;  // shares_(v, h): where v hangs when it leaves
  std::vector<Step> eliminated_;
};

}  // namespace hedgehop::probabilities
