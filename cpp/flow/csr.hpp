// SPDX-License-Identifier: BSD-3-Clause
// Any graph as a flow network: the arcs of a node lie side by side, every arc knows its sister.
//
// A node takes 20 bytes and an arc 12 (int32; 24 and 16 with int64). The low bit of `sister` caches "the
// opposite arc has residual capacity", so that a search from the source side never touches opposite arcs.
//
// A layout offers the search (flow/forests/search.hpp) nodes with excess, level, link and parent, and arcs by
// slot: begin, end, head, rev, out, in, has_in, push; and how a parent slot is marked when it is lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/matrix.hpp"
#include "core/storage.hpp"
#include "flow/types.hpp"

namespace hedgehop::flow {

template <class C>
class CsrLayout {
 public:
  using Cap = C;
  using Slot = std::uint32_t;
  template <class Other>
  using With = CsrLayout<Other>;

  // An orphan remembers its lost parent in the remaining bits: the search for a new one starts there (the
  // current arc of Goldberg et al.), which hubs depend on. A root that becomes an orphan has nothing to
  // remember.
  static constexpr Slot orphan_bit = 1U << 31;
  static constexpr Slot root = orphan_bit - 1, none = ~0U;
  static constexpr int degree = 0;             // varies
  static constexpr bool pushes_ahead = false;  // push_short_paths changes earlier nodes, too
  static constexpr std::size_t max_edges = (std::size_t{1} << 30) - 1;

  struct Node {
    C excess;
    Index level, next;
    Slot parent, first;
  };

  // Edge e joins edges[e] = (u, v) with capacity forward(e) from u to v and backward(e) from v to u;
  // terminal(v) is the cost of label 1 at v. Loops and parallel edges are allowed; a loop never carries flow.
  template <class Terminal, class Forward, class Backward>
  CsrLayout(std::size_t n, Edges edges, Terminal terminal, Forward forward, Backward backward)
      : n_(checked_nodes(n)), nodes_(n + 1), arcs_(2 * checked_edges(edges.rows)) {
    count_arcs(edges, terminal);
    for (std::size_t e = edges.rows; e-- > 0;) {
      prefetch_edge(edges, e);
      const Index u = edges.data[2 * e], v = edges.data[2 * e + 1];
      const C f = u == v ? 0 : forward(e), g = u == v ? 0 : backward(e);
      const Slot a = --nodes_[u].first, b = --nodes_[v].first;
      arcs_[a] = {v, b << 1 | (g > 0), f};
      arcs_[b] = {u, a << 1 | (f > 0), g};
    }
  }

  // The same network, its flow included, with other numbers.
  template <class Other>
  explicit CsrLayout(const CsrLayout<Other>& from)
      : n_(from.n_), nodes_(from.nodes_.size()), arcs_(from.arcs_.size()) {
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      const auto& x = from.nodes_[v];
      nodes_[v] = {static_cast<C>(x.excess), x.level, x.next, x.parent, x.first};
    }
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      const auto& x = from.arcs_[a];
      arcs_[a] = {x.head, x.sister, static_cast<C>(x.residual)};
    }
  }

  Index size() const { return n_; }
  std::size_t bytes() const { return nodes_.bytes() + arcs_.bytes(); }
  Node& node(Index v) { return nodes_[v]; }
  const Node& node(Index v) const { return nodes_[v]; }
  void prefetch(Index v) const { flow::prefetch(&arcs_[nodes_[v].first]); }

  Slot begin(Index v) const { return nodes_[v].first; }
  Slot end(Index v) const { return nodes_[index(v) + 1].first; }
  Index head(Index, Slot s) const { return arcs_[s].head; }
  Slot rev(Index, Slot s) const { return arcs_[s].sister >> 1; }
  C out(Index, Slot s) const { return arcs_[s].residual; }
  C in(Index, Slot s) const { return arcs_[arcs_[s].sister >> 1].residual; }
  bool has_in(Index, Slot s) const { return (arcs_[s].sister & 1) != 0; }

  static Slot mark_lost(Slot parent) { return parent | orphan_bit; }
  static bool is_lost(Slot parent) { return (parent & orphan_bit) != 0; }

  // The caller pushes no more than out(): the sister then has residual capacity.
  void push(Index, Slot s, C amount) {
    Arc& there = arcs_[s];
    Arc& back = arcs_[there.sister >> 1];
    there.residual -= amount;
    back.residual += amount;
    there.sister |= 1;
    back.sister = (back.sister & ~1U) | (there.residual > 0);
  }

  // Pushes along all short paths: from an excess at a node of [from, to) over one arc to a deficit.
  void push_short_paths(Index from, Index to) {
    for (Index v = from; v < to; ++v) {
      for (Slot s = begin(v); s < end(v) && nodes_[v].excess > 0; ++s) {
        Node& w = nodes_[arcs_[s].head];
        if (w.excess >= 0 || arcs_[s].residual == 0) continue;
        const C amount = std::min({nodes_[v].excess, static_cast<C>(-w.excess), arcs_[s].residual});
        push(v, s, amount);
        nodes_[v].excess -= amount;
        w.excess += amount;
      }
    }
  }

  std::size_t max_degree() const {
    Slot most = 0;
    for (Index v = 0; v < n_; ++v) most = std::max(most, end(v) - begin(v));
    return most;
  }

 private:
  template <class>
  friend class CsrLayout;

  struct Arc {
    Index head;
    std::uint32_t sister;
    C residual;
  };

  static std::size_t checked_edges(std::size_t n_edges) {
    if (n_edges > max_edges)
      throw std::length_error("a flow has fewer than 2^30 edges; got " + std::to_string(n_edges));
    return n_edges;
  }

  // Nodes come in any order: the records of edges to come are fetched early, first the nodes, then their next
  // arcs.
  void prefetch_edge(Edges edges, std::size_t e) const {
    constexpr std::size_t far = 32, near = 16;
    if (e < far) return;
    for (const std::size_t end : {0, 1}) {
      flow::prefetch(&nodes_[edges.data[2 * (e - far) + end]]);
      flow::prefetch(&arcs_[nodes_[edges.data[2 * (e - near) + end]].first - 1]);
    }
  }

  // Leaves in `first` the end of each node's arcs; filling them backwards turns it into the begin.
  template <class Terminal>
  void count_arcs(Edges edges, Terminal terminal) {
    for (Index v = 0; v <= n_; ++v) nodes_[v].first = 0;
    for (const Index v : edges.data) ++nodes_[v].first;
    Slot sum = 0;
    for (Index v = 0; v < n_; ++v) {
      sum += nodes_[v].first;
      nodes_[v] = {static_cast<C>(terminal(v)), 0, -1, none, sum};
    }
    nodes_[n_] = {0, 0, -1, none, sum};
  }

  Index n_;
  Storage<Node> nodes_;
  Storage<Arc> arcs_;
};

}  // namespace hedgehop::flow
