// SPDX-License-Identifier: BSD-3-Clause
// The two forests of a flow search as trees: paths from root to root are augmented, nodes that lose their
// parent find another place, nodes join and leave. How the forests grow, and what holds between operations:
// flow/forests/search.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "flow/forests/forest.hpp"
#include "flow/types.hpp"

namespace hedgehop::flow {

template <class Layout>
class Trees {
 public:
  using Cap = typename Layout::Cap;
  using Slot = typename Layout::Slot;

  explicit Trees(Layout&& graph) : graph_(std::move(graph)) {}

  Layout& graph() { return graph_; }
  const Layout& graph() const { return graph_; }

  // The forests are about to be repaired with at most this much work: visits of orphans and steps along
  // paths.
  void begin_repair(std::int64_t work) { repaired_ = true, work_left_ = work; }
  bool exhausted() const { return work_left_ < 0; }  // the forests are invalid and must be built again
  void end_repair() { work_left_ = unlimited; }

  // Flow augmented since the last call: deficits shrank by that much.
  Total take_sent() { return std::exchange(sent_, 0); }

  // Work done since the last call.
  std::int64_t take_work() { return unlimited - std::exchange(work_left_, unlimited); }

  template <Side F>
  Index limit() const {
    return forests_[F].limit;
  }

  // Hangs v below its neighbour at slot s, or makes it a root, as a node still to be scanned.
  template <Side F>
  void join(Index v, Slot s) {
    set_level<F>(graph_, v, forests_[F].limit);
    graph_.node(v).parent = s;
    forests_[F].enqueue(v, forests_[F].limit);
    forests_[F].pending = true;
  }

  // v lost its parent, or is a root without excess.
  template <Side F>
  void make_orphan(Index v) {
    auto& x = graph_.node(v);
    x.parent = Layout::mark_lost(x.parent);
    x.next = forests_[F].orphans.insert(v, level_in<F>(graph_, v));
    graph_.prefetch(v);
  }

  // Finds new places for all orphans, by ascending level: the levels below are settled.
  template <Side F>
  void adopt() {
    OrphanLists& orphans = forests_[F].orphans;
    for (Index level = orphans.lowest(); level <= orphans.highest(); ++level) {
      for (Index v; (v = orphans.first(level)) >= 0;) {
        if (--work_left_ < 0) return;
        orphans.set_first(level, graph_.node(v).next);
        adopt_one<F>(v, level);
      }
    }
    orphans.forget();
  }

  // Sends what fits along root ... u -> w ... root; u is in the source forest, its neighbour w at slot s in
  // the other.
  void augment(Index u, Slot s, Index w) {
    const Cap amount = bottleneck<sink>(w, bottleneck<source>(u, graph_.out(u, s)));
    graph_.push(u, s, amount);
    sent_ += amount;
    work_left_ -=
        level_in<source>(graph_, u) + level_in<sink>(graph_, w);  // no path is longer than its level
    send<source>(u, amount);
    adopt<source>();  // never two forests with orphans at once
    send<sink>(w, amount);
    adopt<sink>();
  }

 private:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  template <Side F>
  Cap bottleneck(Index v, Cap amount) const {
    for (Slot s; (s = graph_.node(v).parent) != Layout::root; v = graph_.head(v, s)) {
      amount = std::min(amount, tree_residual<F>(graph_, v, s));
    }
    const Cap excess = graph_.node(v).excess;
    return std::min(amount, F == source ? excess : static_cast<Cap>(-excess));
  }

  template <Side F>
  void send(Index v, Cap amount) {
    for (Slot s; (s = graph_.node(v).parent) != Layout::root;) {
      push_tree_arc<F>(graph_, v, s, amount);
      const Index parent = graph_.head(v, s);
      if (!can_hang<F>(graph_, v, s)) make_orphan<F>(v);
      v = parent;
    }
    auto& excess = graph_.node(v).excess;
    excess += F == source ? -amount : amount;
    if (excess == 0) make_orphan<F>(v);
  }

  template <Side F>
  void adopt_one(Index v, Index level) {
    Forest& forest = forests_[F];
    const ParentSearch<F, Layout> found(graph_, v, level);
    if (found.level() < level) {  // v keeps its level and its subtree
      graph_.node(v).parent = found.slot();
      return;
    }
    found.for_each_child([&](Index child) { make_orphan<F>(child); });
    if (found.level() >= forest.limit) {
      leave<F>(v);
      return;
    }
    // The new parent may be an orphan or a former descendant that will move later: then v, its child, becomes
    // an orphan again. Levels rise along every path, so no cycle can close.
    set_level<F>(graph_, v, found.level() + 1);
    graph_.node(v).parent = found.slot();
    forest.enqueue(v, found.level() + 1);
    if (forest.carry) forest.pending = true;
  }

  // After updates scanned nodes of the other forest may reach v, which then must join that one. In forests
  // that were never repaired they cannot.
  template <Side F>
  void leave(Index v) {
    constexpr Side O = other(F);
    graph_.node(v).level = 0;
    graph_.node(v).parent = Layout::none;
    if (!repaired_) return;
    for (Slot s = graph_.begin(v), end = graph_.end(v); s < end; ++s) {
      if (!can_hang<O>(graph_, v, s)) continue;
      const Index level = level_in<O>(graph_, graph_.head(v, s));
      if (level > 0 && level < forests_[O].limit) return join<O>(v, s);
    }
  }

  std::int64_t work_left_ = unlimited;
  Total sent_ = 0;

 protected:
  Layout graph_;
  Forest forests_[2];
  bool repaired_ = false;  // since the forests were built
};

}  // namespace hedgehop::flow
