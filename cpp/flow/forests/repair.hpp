// SPDX-License-Identifier: BSD-3-Clause
// Makes the forests of a flow search legal again after changes of terminals, at a cost that grows with the
// change and not with the graph (after Kohli and Torr, ICCV 2005, for breadth-first forests).
#pragma once

#include <cstdint>
#include <span>

#include "flow/forests/search.hpp"

namespace hedgehop::flow {

template <class Layout>
class Repair {
 public:
  explicit Repair(ForestSearch<Layout>& forests) : forests_(forests), graph_(forests.graph()) {}

  // `touched`: nodes whose excess changed. Returns false if that took more than this much work: then the
  // forests must be built again.
  bool run(std::span<const Index> touched, std::int64_t work) {
    forests_.begin_repair(work);
    // No orphans yet in the first pass: a node must not change forest while it is in a list.
    for (const Index v : touched) follow_excess(v);
    for (const Index v : touched) find_orphans(v);
    forests_.template adopt<source>();
    if (!forests_.exhausted()) forests_.template adopt<sink>();
    const bool done = !forests_.exhausted();
    forests_.end_repair();
    return done;
  }

 private:
  using Slot = typename Layout::Slot;

  // A node with excess is a root: at its level if it is in the right forest, else as an unscanned node.
  void follow_excess(Index v) {
    auto& x = graph_.node(v);
    if (x.excess == 0) return;
    if ((x.excess > 0) == (x.level > 0) && x.level != 0) {
      x.parent = Layout::root;
    } else if (x.excess > 0) {
      forests_.template join<source>(v, Layout::root);
    } else {
      forests_.template join<sink>(v, Layout::root);
    }
  }

  void find_orphans(Index v) {
    check_parent(v);
    for (Slot s = graph_.begin(v), end = graph_.end(v); s < end; ++s) {
      const Index w = graph_.head(v, s);
      if (graph_.node(w).parent == graph_.rev(v, s)) check_parent(w);
    }
  }

  void check_parent(Index v) {
    const auto& x = graph_.node(v);
    if (x.level == 0 || Layout::is_lost(x.parent)) return;
    if (x.level > 0 && !is_held<source>(v)) forests_.template make_orphan<source>(v);
    if (x.level < 0 && !is_held<sink>(v)) forests_.template make_orphan<sink>(v);
  }

  template <Side F>
  bool is_held(Index v) const {
    const auto& x = graph_.node(v);
    if (x.parent == Layout::root) return F == source ? x.excess > 0 : x.excess < 0;
    return can_hang<F>(graph_, v, x.parent) && level_in<F>(graph_, graph_.head(v, x.parent)) > 0;
  }

  ForestSearch<Layout>& forests_;
  Layout& graph_;
};

}  // namespace hedgehop::flow
