// SPDX-License-Identifier: BSD-3-Clause
// One forest of the flow search: what it has to do next (nodes to scan, by the level of the frontier, and
// orphans to place, by level), and how its nodes hang together. The source and the sink forest are mirror
// images: one code serves both, templated over the side. In the source forest arcs run from parent to child,
// in the sink forest from child to parent.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "flow/forests/index_list.hpp"
#include "flow/types.hpp"

namespace hedgehop::flow {

inline constexpr Index no_level = std::numeric_limits<Index>::max();

// One list per level, linked through the nodes; -1 ends a list.
class OrphanLists {
 public:
  // Returns what the node must link to.
  Index insert(Index v, Index level) {
    if (index(level) >= first_.size()) [[unlikely]] {
      first_.resize(2 * index(level) + 64, -1);
    }
    lowest_ = std::min(lowest_, level);
    highest_ = std::max(highest_, level);
    return std::exchange(first_[index(level)], v);
  }

  Index lowest() const { return lowest_; }  // nothing is listed outside of [lowest, highest]
  Index highest() const { return highest_; }
  Index first(Index level) const { return first_[index(level)]; }
  void set_first(Index level, Index v) { first_[index(level)] = v; }

  void forget() { lowest_ = no_level, highest_ = -1; }  // all lists are empty

  void clear() {
    forget();
    first_.assign(64, -1);
  }

  std::size_t capacity() const { return first_.capacity(); }

 private:
  Index lowest_ = no_level, highest_ = -1;
  std::vector<Index> first_;
};

struct Forest {
  Index level = 1;        // of the frontier: lower nodes are scanned
  Index limit = 1;        // highest level a node may have
  bool pending = false;   // the frontier holds nodes that an update put there
  bool carry = false;     // the same for the frontier being scanned: a node relabelled now stays pending
  IndexList front, next;  // nodes of the frontier level and one above; stale if their level differs
  OrphanLists orphans;

  void clear() {
    level = limit = 1;
    pending = carry = false;
    front.clear();
    next.clear();
    orphans.clear();
  }

  // v has just got this level: it needs scanning unless the level is a scanned one.
  void enqueue(Index v, Index new_level) {
    if (new_level == level) {
      front.push_back(v);
    } else if (new_level == level + 1) {
      next.push_back(v);
    }
  }

  std::size_t entries() const { return front.capacity() + next.capacity() + orphans.capacity(); }
};

// Level of v in forest F; not positive if v is not in F.
template <Side F, class Layout>
Index level_in(const Layout& graph, Index v) {
  return F == source ? graph.node(v).level : -graph.node(v).level;
}

template <Side F, class Layout>
void set_level(Layout& graph, Index v, Index level) {
  graph.node(v).level = F == source ? level : -level;
}

// Is there residual capacity that lets v hang below its neighbour at slot s in F, or the neighbour below v?
template <Side F, class Layout>
bool can_hang(const Layout& graph, Index v, typename Layout::Slot s) {
  return F == source ? graph.has_in(v, s) : graph.out(v, s) > 0;
}

template <Side F, class Layout>
bool can_reach(const Layout& graph, Index v, typename Layout::Slot s) {
  return F == source ? graph.out(v, s) > 0 : graph.has_in(v, s);
}

// Residual capacity of the tree arc between v and its parent at slot s.
template <Side F, class Layout>
typename Layout::Cap tree_residual(const Layout& graph, Index v, typename Layout::Slot s) {
  return F == source ? graph.in(v, s) : graph.out(v, s);
}

// Sends `amount` over that arc, towards the leaf in the source forest, towards the root in the other.
template <Side F, class Layout>
void push_tree_arc(Layout& graph, Index v, typename Layout::Slot s, typename Layout::Cap amount) {
  if constexpr (F == source) {
    graph.push(graph.head(v, s), graph.rev(v, s), amount);
  } else {
    graph.push(v, s, amount);
  }
}

// The lowest neighbour below which an orphan may hang, and its children. One object per search.
template <Side F, class Layout>
class ParentSearch {
  using Slot = typename Layout::Slot;

 public:
  // A parent below `level` lets the orphan keep its level, so the search may stop there.
  ParentSearch(const Layout& graph, Index v, Index level) : graph_(graph), v_(v) {
    if constexpr (Layout::degree > 0) {
      look_at_all();
    } else {
      Slot from = graph.node(v).parent & ~Layout::orphan_bit;
      const Slot begin = graph.begin(v), end = graph.end(v);
      if (from >= end) from = begin;  // it was a root
      look_at(from, end, level);
      look_at(begin, from, level);
    }
  }

  Index level() const { return level_; }  // no_level or more if there is no parent
  Slot slot() const { return slot_; }

  template <class Visit>
  void for_each_child(Visit visit) const {
    if constexpr (Layout::degree > 0) {
      for (std::uint32_t rest = children_; rest != 0; rest &= rest - 1) {
        visit(graph_.head(v_, static_cast<Slot>(std::countr_zero(rest))));
      }
    } else {
      for (Slot s = graph_.begin(v_), end = graph_.end(v_); s < end; ++s) {
        const Index w = graph_.head(v_, s);
        if (graph_.node(w).parent == graph_.rev(v_, s) && level_in<F>(graph_, w) > 0) visit(w);
      }
    }
  }

 private:
  void look_at(Slot from, Slot to, Index enough) {
    for (Slot s = from; s < to && level_ >= enough; ++s) {
      if (!can_hang<F>(graph_, v_, s)) continue;
      const Index level = level_in<F>(graph_, graph_.head(v_, s));
      if (level > 0 && level < level_) level_ = level, slot_ = s;
    }
  }

  // Few neighbours: branches that cannot be predicted cost more than looking at all. Candidates are compared
  // as (level - 1, slot) in one number, which is huge where the neighbour is in another forest or out of
  // reach.
  void look_at_all() {
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(Layout::degree); ++s) {
      const auto& y = graph_.node(graph_.head(v_, static_cast<Slot>(s)));
      const auto level = static_cast<std::uint32_t>(F == source ? y.level : -y.level);
      const auto mask = static_cast<std::uint64_t>(can_hang<F>(graph_, v_, static_cast<Slot>(s))) - 1;
      best = std::min(best, (static_cast<std::uint64_t>(level - 1) << 8 | s) | mask);
      children_ |= static_cast<std::uint32_t>((y.parent == (s ^ 1U)) & (static_cast<Index>(level) > 0)) << s;
    }
    level_ = static_cast<Index>(std::min<std::uint64_t>(best >> 8, no_level - 1)) + 1;
    slot_ = static_cast<Slot>(best & 0xFF);
  }

  const Layout& graph_;
  Index v_;
  Index level_ = no_level;
  Slot slot_ = Layout::none;
  std::uint32_t children_ = 0;
};

}  // namespace hedgehop::flow
