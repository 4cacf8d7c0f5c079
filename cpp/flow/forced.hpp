// SPDX-License-Identifier: BSD-3-Clause
// The cheapest labeling with x(v) = 1 for some node of a list, by one flow per node, each stopped as soon as
// it shows that its node does not lead to a cheaper one.
//
// After a solve every labeling with x(v) = 1 costs the minimum plus at least the flow that v, as a sink, can
// still draw from the excesses. A node that draws as much as the best labeling so far costs more is in no
// cheaper one: from then on it is a source without limit, and what was pushed stays, for pushes towards a
// node outside of X do not change what X costs (the idea of Hao and Orlin, J. Algorithms 1994). So later
// nodes find a source nearby, and all of them together take little more than one solve.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "flow/types.hpp"

namespace hedgehop::flow {

template <class Layout>
class ForcedNodes {
 public:
  using Cap = typename Layout::Cap;
  using Slot = typename Layout::Slot;

  // `graph` is that of a solved flow; it is changed, and restored by the destructor.
  explicit ForcedNodes(Layout& graph)
      : graph_(graph),
        seen_(index(graph.size()), 0),
        excluded_(index(graph.size()), false),
        way_(seen_.size()) {}
  ~ForcedNodes() {
    for (auto push = pushes_.rbegin(); push != pushes_.rend(); ++push) undo(*push);
  }
  ForcedNodes(const ForcedNodes&) = delete;
  ForcedNodes& operator=(const ForcedNodes&) = delete;

  // Returns what the cheapest labeling costs beyond the minimum, and calls found(v) for the nodes that it has
  // beyond those with x = 1. There must be a node in the list.
  template <class Found>
  Total cheapest(std::span<const Index> nodes, Found found, Poll& poll) {
    std::vector<Index> order(nodes.begin(), nodes.end()), best;
    std::ranges::stable_sort(order, {}, [this](Index v) { return graph_.node(v).excess; });
    Total least = std::numeric_limits<Total>::max();
    for (const Index v : order) {
      const Total drawn = draw(v, least, poll);
      if (drawn < least) least = drawn, best = queue_;
      excluded_[index(v)] = true;
    }
    for (const Index v : best) found(v);
    return least;
  }

 private:
  struct Push {
    Index tail;
    Slot slot;
    Cap amount;  // negative: taken from the excess of the tail
  };

  // Flow into v, at most `limit`; where it is less, the queue holds all nodes that can reach v.
  Total draw(Index v, Total limit, Poll& poll) {
    Total flow = 0;
    while (flow < limit) {
      const Index from = search(v, poll);
      if (from < 0) return flow;
      flow += augment(from, v, limit - flow);
    }
    return flow;
  }

  // Breadth first against the arcs, from v to the nearest source; -1 if there is none.
  Index search(Index v, Poll& poll) {
    ++round_;
    queue_.assign(1, v);
    seen_[index(v)] = round_;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Index w = queue_[i];
      if (excluded_[index(w)] || graph_.node(w).excess > 0) return w;
      poll.tick();
      for (Slot s = graph_.begin(w), end = graph_.end(w); s < end; ++s) {
        if (graph_.in(w, s) <= 0) continue;
        const Index u = graph_.head(w, s);
        if (seen_[index(u)] == round_) continue;
        seen_[index(u)] = round_;
        way_[index(u)] = graph_.rev(w, s);
        queue_.push_back(u);
      }
    }
    return -1;
  }

  Total augment(Index from, Index to, Total limit) {
    Total amount = limit;
    if (!excluded_[index(from)]) amount = std::min<Total>(amount, graph_.node(from).excess);
    for (Index u = from; u != to; u = graph_.head(u, way_[index(u)]))
      amount = std::min<Total>(amount, graph_.out(u, way_[index(u)]));
    const Cap sent = static_cast<Cap>(amount);
    if (!excluded_[index(from)]) {
      graph_.node(from).excess -= sent;
      pushes_.push_back({from, Slot{}, static_cast<Cap>(-sent)});
    }
    for (Index u = from; u != to;) {
      const Slot s = way_[index(u)];
      graph_.push(u, s, sent);
      pushes_.push_back({u, s, sent});
      u = graph_.head(u, s);
    }
    return amount;
  }

  void undo(const Push& push) {
    if (push.amount < 0) {
      graph_.node(push.tail).excess -= push.amount;
    } else {
      graph_.push(graph_.head(push.tail, push.slot), graph_.rev(push.tail, push.slot), push.amount);
    }
  }

  Layout& graph_;
  std::vector<std::uint32_t> seen_;  // in which round
  std::vector<bool> excluded_;
  std::vector<Slot> way_;  // arc towards the sink
  std::vector<Index> queue_;
  std::vector<Push> pushes_;
  std::uint32_t round_ = 0;
};

}  // namespace hedgehop::flow
