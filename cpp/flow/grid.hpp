// SPDX-License-Identifier: BSD-3-Clause
// Images and volumes as flow networks: 4 or 8 neighbours in 2-D, 6 or 26 in 3-D, implied by the index of the
// pixel.
//
// One record per pixel holds everything: residual capacities to the neighbours, excess, level, list link,
// parent direction; 32 bytes with 4 neighbours and int32. Records lie in plain row-major order. Arcs across
// the border have capacity 0 both ways, so the pixel to which the index wraps is never followed, and zero
// records before the first and after the last pixel make every such index valid. Interface: see flow/csr.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/grid.hpp"
#include "core/storage.hpp"
#include "flow/types.hpp"

namespace hedgehop::flow {

// Slot 2 k of a pixel is direction k, slot 2 k + 1 the way back.
template <class C, int K>
class GridLayout {
 public:
  using Cap = C;
  using Slot = std::uint8_t;
  template <class Other>
  using With = GridLayout<Other, K>;

  static constexpr Slot root = 254, none = 255;
  static constexpr int degree = K;
  static constexpr bool pushes_ahead = true;  // an edge starts at its first pixel
  static constexpr std::array<Offset, K / 2> ways = directions<K>();

  struct Node {
    C residual[K];
    C excess;
    Index level, next;
    Slot parent;
  };

  // forward(k)(i) is the capacity from the i-th pixel that has a neighbour in direction k to that neighbour,
  // backward(k)(i) the one back; pixels in row-major order.
  template <class Terminal, class Forward, class Backward>
  GridLayout(const Shape& shape, Terminal terminal, Forward forward, Backward backward) : GridLayout(shape) {
    std::size_t row = 0;
    for (int z = 0; z < static_cast<int>(shape.depth); ++z) {
      for (int y = 0; y < static_cast<int>(shape.height); ++y, ++row) {
        Node* const pixels = &node(0) + row * shape.width;
        for (std::size_t x = 0; x < shape.width; ++x) {
          pixels[x].excess = static_cast<C>(terminal(row * shape.width + x));
          pixels[x].level = 0, pixels[x].next = -1, pixels[x].parent = none;
        }
        for (int k = 0; k < K / 2; ++k) {
          const Offset& o = ways[k];
          fill(pixels, 2 * k, {z, y, 0}, o, {z, y, 0}, forward(k));
          const Offset back{-o[0], -o[1], -o[2]};
          fill(pixels, 2 * k + 1, {z, y, 0}, back, {z - o[0], y - o[1], -o[2]}, backward(k));
        }
      }
    }
  }

  GridLayout(const GridLayout& from)
      : shape_(from.shape_),
        n_(from.n_),
        margin_(from.margin_),
        nodes_(from.nodes_),
        first_(nodes_.data() + margin_),
        step_(from.step_),
        row_(from.row_) {}
  GridLayout(GridLayout&&) = default;
  GridLayout& operator=(GridLayout&&) = default;

  // The same network, its flow included, with other numbers.
  template <class Other>
  explicit GridLayout(const GridLayout<Other, K>& from) : GridLayout(from.shape_) {
    for (Index v = 0; v < n_; ++v) {
      const auto& x = from.node(v);
      Node& y = node(v);
      std::copy(x.residual, x.residual + K, y.residual);
      y.excess = x.excess, y.level = x.level, y.next = x.next, y.parent = x.parent;
    }
  }

  Index size() const { return n_; }
  std::size_t bytes() const { return nodes_.bytes(); }
  Node& node(Index v) { return first_[v]; }
  const Node& node(Index v) const { return first_[v]; }

  // The rows of the neighbours; the own row is at hand.
  void prefetch(Index v) const {
    for (int k = 1; k < (K == 26 ? 5 : K == 6 ? 3 : 2); ++k) {
      flow::prefetch(first_ + v + row_[k - 1]);
      flow::prefetch(first_ + v - row_[k - 1]);
    }
  }

  static constexpr Slot begin(Index) { return 0; }
  static constexpr Slot end(Index) { return K; }
  Index head(Index v, Slot s) const { return v + step_[s]; }
  static constexpr Slot rev(Index, Slot s) { return s ^ 1; }
  C out(Index v, Slot s) const { return node(v).residual[s]; }
  C in(Index v, Slot s) const { return node(head(v, s)).residual[s ^ 1]; }
  bool has_in(Index v, Slot s) const { return in(v, s) > 0; }

  static Slot mark_lost(Slot) { return none; }
  static bool is_lost(Slot parent) { return parent == none; }

  void push(Index v, Slot s, C amount) {
    node(v).residual[s] -= amount;
    node(head(v, s)).residual[s ^ 1] += amount;
  }

  // Pushes along all short paths, excess - arc - deficit, for the edges that start in [from, to); each edge
  // both ways at once, without branches.
  void push_short_paths(Index from, Index to) {
    for (Index v = from; v < to; ++v) {
      Node& a = node(v);
      for (int s = 0; s < K; s += 2) {
        Node& b = node(v + step_[s]);
        const C there = std::max<C>(0, std::min({a.excess, static_cast<C>(-b.excess), a.residual[s]}));
        const C back = std::max<C>(0, std::min({static_cast<C>(-a.excess), b.excess, b.residual[s ^ 1]}));
        const C amount = there - back;
        a.excess -= amount, b.excess += amount;
        a.residual[s] -= amount, b.residual[s ^ 1] += amount;
      }
    }
  }

  static constexpr std::size_t max_degree() { return K; }

 private:
  template <class, int>
  friend class GridLayout;

  explicit GridLayout(const Shape& shape)
      : shape_(shape),
        n_(checked_nodes(shape.pixels())),
        margin_(reach(shape)),
        nodes_(n_ + 2 * margin_),
        first_(nodes_.data() + margin_) {
    const auto width = static_cast<Index>(shape.width), plane = static_cast<Index>(shape.height) * width;
    for (int s = 0; s < K; ++s) {
      const Offset& o = ways[s / 2];
      step_[s] = (o[0] * plane + o[1] * width + o[2]) * (s % 2 == 0 ? 1 : -1);
    }
    row_ = {width, plane, plane + width, plane - width};
    Node outside{};
    outside.parent = none;
    for (std::size_t i = 0; i < margin_; ++i) nodes_[i] = nodes_[margin_ + n_ + i] = outside;
  }

  // Farthest step of an index; with indices of the margin added everything stays within int32.
  static std::size_t reach(const Shape& shape) {
    if (shape.pixels() == 0) return 0;
    return (K == 6 || K == 26 ? shape.height * shape.width : 0) + shape.width + 1;
  }

  // Capacities of one row of pixels towards `offset`. `start` is where the array of the direction, which has
  // an entry for each pixel that has such a neighbour, sees the first pixel of the row.
  template <class Value>
  void fill(Node* pixels, int slot, Offset at, const Offset& offset, Offset start, Value value) {
    const auto inside = [](int i, std::size_t n) { return i >= 0 && index(i) < n; };
    const int width = static_cast<int>(shape_.width);
    int from = 0, to = 0;
    if (inside(at[0] + offset[0], shape_.depth) && inside(at[1] + offset[1], shape_.height)) {
      from = std::min(width, std::max(0, -offset[2])), to = std::max(from, width - std::max(0, offset[2]));
    }
    const Offset& way = ways[slot / 2];
    const Shape size = edges_along(shape_, way);
    for (int axis = 0; axis < 3; ++axis) start[axis] -= std::max(0, -way[axis]);
    const auto base =
        static_cast<std::ptrdiff_t>((start[0] * static_cast<std::int64_t>(size.height) + start[1]) *
                                        static_cast<std::int64_t>(size.width) +
                                    start[2]);
    for (int x = 0; x < from; ++x) pixels[x].residual[slot] = 0;
    for (int x = from; x < to; ++x) pixels[x].residual[slot] = value(index(base + x));
    for (int x = to; x < width; ++x) pixels[x].residual[slot] = 0;
  }

  Shape shape_;
  Index n_;
  std::size_t margin_;
  Storage<Node> nodes_;
  Node* first_;  // pixel 0; moving a Storage does not move its memory
  std::array<Index, K> step_;
  std::array<Index, 4> row_;
};

}  // namespace hedgehop::flow
