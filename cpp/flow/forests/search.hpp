// SPDX-License-Identifier: BSD-3-Clause
// Minimum cuts by two forests of shortest residual paths, grown level by level from excesses and from
// deficits.
//
// Incremental breadth-first search (Goldberg, Hed, Kaplan, Tarjan, Werneck, ESA 2011) on a pseudoflow
// (Hochbaum 2008; Goldberg et al., ESA 2015): a node may hold an excess > 0 or a deficit < 0, source and sink
// do not exist as nodes. Worst case O(n^2 m); nearly linear on the graphs of computer vision.
//
// Between operations:
//  1. a node with excess is a root of the source forest, one with deficit a root of the sink forest, no
//     other node holds anything: augmentations use the exact bottleneck;
//  2. the arc between a node and its parent has residual capacity, and levels strictly rise from parent to
//     child;
//  3. nodes below the frontier level of their forest are scanned: all they reach is in the forest, or, only
//     after an update, an unscanned node of the other forest, and then that forest is `pending`;
//  4. no node lies above the limit of its forest: the frontier level, one more while the forest is growing.
// A forest without frontier is closed under residual arcs, so it is one side of a minimum cut unless the
// other forest is pending.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/poll.hpp"
#include "flow/forests/trees.hpp"

namespace hedgehop::flow {

template <class Layout>
class ForestSearch : public Trees<Layout> {
 public:
  using typename Trees<Layout>::Cap;
  using typename Trees<Layout>::Slot;

  explicit ForestSearch(Layout&& graph) : Trees<Layout>(std::move(graph)) {}

  // The same network with other numbers; the cut found last can still be read, but new forests must be built.
  template <class Other>
  explicit ForestSearch(const ForestSearch<Other>& from)
      : Trees<Layout>(Layout(from.graph())), cut_by_source_(from.cut_by_source_) {}

  // New forests of roots only, on the present flow; returns the sum of their deficits.
  Total build(Poll& poll) {
    constexpr Index chunk = 1 << 14;
    for (Forest& forest : forests_) forest.clear();
    Total deficits = 0;
    for (Index v = 0; v < graph_.size(); v += std::min(chunk, graph_.size() - v)) {
      const Index end = v + std::min(chunk, graph_.size() - v);
      graph_.push_short_paths(v, end);
      // What follows does not change these nodes any more, and they are in the cache.
      if (Layout::pushes_ahead) deficits += plant(v, end);
      poll.tick(chunk);
    }
    if (!Layout::pushes_ahead) deficits += plant(0, graph_.size());
    for (Forest& forest : forests_) forest.front.shrink();
    repaired_ = false;
    return deficits;
  }

  // Grows the forests until one of them is closed. Strict alternation beats growing the smaller frontier.
  void grow_to_cut(Poll& poll) {
    for (Side last = sink;;) {
      drop_stale<source>();
      drop_stale<sink>();
      const bool source_done = forests_[source].front.empty(), sink_done = forests_[sink].front.empty();
      cut_by_source_ = source_done && !forests_[sink].pending;
      if (cut_by_source_ || (sink_done && !forests_[source].pending)) return;
      last = source_done ? sink : sink_done ? source : other(last);
      last == source ? grow<source>(poll) : grow<sink>(poll);
    }
  }

  // Which side of the cut v is on, once grow_to_cut has returned; free nodes belong to the side that is not
  // closed.
  bool is_sink_side(Index v) const {
    return cut_by_source_ ? graph_.node(v).level <= 0 : graph_.node(v).level < 0;
  }

  std::size_t bytes() const {
    std::size_t entries = 0;
    for (const Forest& forest : forests_) entries += forest.entries();
    return graph_.bytes() + entries * sizeof(Index);
  }

  Index height() const { return forests_[source].level + forests_[sink].level; }

 private:
  template <class>
  friend class ForestSearch;

  using Trees<Layout>::graph_;
  using Trees<Layout>::forests_;
  using Trees<Layout>::repaired_;

  // Nothing tells beforehand which nodes are roots, so every node is written and the ends of the lists move
  // on.
  Total plant(Index from, Index to) {
    IndexList &sources = forests_[source].front, &sinks = forests_[sink].front;
    Index* const source_end = sources.room(index(to - from));
    Index* const sink_end = sinks.room(index(to - from));
    std::size_t n_sources = 0, n_sinks = 0;
    Total deficits = 0;
    for (Index v = from; v < to; ++v) {
      auto& x = graph_.node(v);
      x.level = (x.excess > 0) - (x.excess < 0);
      x.parent = x.level == 0 ? Layout::none : Layout::root;
      source_end[n_sources] = v, n_sources += x.level > 0;
      sink_end[n_sinks] = v, n_sinks += x.level < 0;
      deficits += std::min<Cap>(0, x.excess);
    }
    sources.take(n_sources), sinks.take(n_sinks);
    return deficits;
  }

  template <Side F>
  void drop_stale() {
    Forest& forest = forests_[F];
    forest.front.keep_if([&](Index v) { return level_in<F>(graph_, v) == forest.level; });
  }

  template <Side F>
  void grow(Poll& poll) {
    constexpr std::size_t ahead = 6;
    Forest& forest = forests_[F];
    forest.limit = forest.level + 1;
    forest.carry = std::exchange(forest.pending, false);
    for (std::size_t i = 0; i < forest.front.size(); ++i) {  // the list may become longer meanwhile
      poll.tick();
      if (i + ahead < forest.front.size()) graph_.prefetch(forest.front[i + ahead]);
      if (level_in<F>(graph_, forest.front[i]) == forest.level) scan<F>(forest.front[i], forest.level, poll);
    }
    forest.front.clear();
    forest.front.swap(forest.next);
    ++forest.level;
    forest.carry = false;
  }

  template <Side F>
  void scan(Index u, Index level, Poll& poll) {
    if constexpr (Layout::degree > 0) {
      for (std::uint32_t rest = open_slots<F>(u); rest != 0; rest &= rest - 1) {
        if (!use<F>(u, static_cast<Slot>(std::countr_zero(rest)), level, poll)) return;
      }
    } else {
      for (Slot s = graph_.begin(u), end = graph_.end(u); s < end; ++s) {
        if (!use<F>(u, s, level, poll)) return;
      }
    }
  }

  // The arcs that lead out of the forest, found without branches; most nodes have none. Using one of them
  // opens no other: whatever u reaches cannot leave the forest as long as u stays.
  template <Side F>
  std::uint32_t open_slots(Index u) const {
    std::uint32_t open = 0;
    for (Slot s = 0; s < Layout::degree; ++s) {
      const bool out = can_reach<F>(graph_, u, s) & (level_in<F>(graph_, graph_.head(u, s)) <= 0);
      open |= static_cast<std::uint32_t>(out) << s;
    }
    return open;
  }

  // Takes in the neighbour at slot s if it is free, augments if it is in the other forest. Returns false if u
  // was relabelled or left meanwhile: it is queued if need be.
  template <Side F>
  bool use(Index u, Slot s, Index level, Poll& poll) {
    while (can_reach<F>(graph_, u, s)) {
      const Index v = graph_.head(u, s), there = level_in<F>(graph_, v);
      if (there > 0) break;
      if (there == 0) {
        set_level<F>(graph_, v, level + 1);
        graph_.node(v).parent = graph_.rev(u, s);
        forests_[F].next.push_back(v);
        break;
      }
      F == source ? this->augment(u, s, v) : this->augment(v, graph_.rev(u, s), u);
      poll.tick(static_cast<std::uint32_t>(this->take_work()));  // here no node is an orphan
      if (level_in<F>(graph_, u) != level) return false;
    }
    return true;
  }

  bool cut_by_source_ = true;
};

}  // namespace hedgehop::flow
