// SPDX-License-Identifier: BSD-3-Clause
// Dynamic minimum cuts: minimise  sum_v t(v) x(v) + sum_(u->v) cap(u->v) [x(u) = 0, x(v) = 1]  over x in {0,
// 1}^n, again and again while terminals t change.
//
// The flow is kept between solves, as a reparametrisation of the problem: excesses are terminals, residuals
// are capacities, and every labeling costs the same as before. The forests are kept while changes are few.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "flow/forced.hpp"
#include "flow/forests/repair.hpp"
#include "flow/forests/search.hpp"
#include "flow/overflow.hpp"
#include "flow/types.hpp"

namespace hedgehop::flow {

template <class Layout>
class Flow {
 public:
  using Cap = typename Layout::Cap;
  using Slot = typename Layout::Slot;

  // Sizes that are known save a pass over the network. Throws std::overflow_error if sums may not fit.
  explicit Flow(Layout&& graph, const Sizes& sizes = {})
      : forests_(std::move(graph)), keep_(index(size()) / 32 + 1) {
    const double load = sizes.terminal + static_cast<double>(this->graph().max_degree()) * sizes.pair;
    if (!guard_.take(load, sizes.total)) {
      guard_.measure(this->graph(), [](Index) { return 0.0; });
    }
  }

  // The same flow in wider integers: nothing but the forests is lost.
  template <class Other>
  explicit Flow(const Flow<Other>& from)
      : forests_(from.forests_), keep_(from.keep_), solved_(from.solved_), minimum_(from.minimum_) {
    guard_.measure(graph(), [](Index) { return 0.0; });
  }

  // Forests are kept while no more nodes than this change between two solves. Measured:
  // keeping pays by orders of magnitude for a few changes, and loses beyond 2 to 10 % of the nodes.
  void keep_forests_up_to(std::size_t changes) { keep_ = changes; }

  const Layout& graph() const { return forests_.graph(); }
  Index size() const { return graph().size(); }
  std::size_t bytes() const { return forests_.bytes() + touched_.capacity() * sizeof(Index); }

  // Finds a minimum cut and returns its value. After an exception of the poll the flow is valid and may be
  // solved or changed again.
  Total solve(Poll& poll) {
    solved_ = false;
    forests_.take_sent();
    const bool keep = std::exchange(has_forests_, false) && is_change_small() && repair();
    // A small change must not cost a pass over all nodes.
    const Total deficits = keep ? minimum_ + shift_ : forests_.build(poll);
    touched_.clear();
    forests_.grow_to_cut(poll);
    has_forests_ = solved_ = true;
    minimum_ = deficits + forests_.take_sent();
    shift_ = 0;
    assert(cut_value() == minimum_);
    return minimum_;
  }

  // Of the last solve; changes made since do not show.
  bool is_solved() const { return solved_; }
  Total minimum() const { return minimum_; }
  bool is_sink_side(Index v) const { return forests_.is_sink_side(v); }  // x(v)

  // After a solve, labelings with x(v) = 1 cost at least minimum() + max(0, this), those with x(v) = 0 at
  // least minimum() + max(0, -this).
  Cap residual_terminal(Index v) const { return graph().node(v).excess; }

  // Cost and labels of the cheapest labeling with x(v) = 1 for some of the nodes, one at least, after a solve
  // with nothing changed since.
  Total cheapest_with(std::span<const Index> nodes, std::span<Label> labels, Poll& poll) {
    bool has_one = false;
    for (Index v = 0; v < size(); ++v) labels[index(v)] = is_sink_side(v);
    for (const Index v : nodes) has_one |= is_sink_side(v);
    if (has_one) return minimum_;
    ForcedNodes<Layout> forced(forests_.graph());
    return minimum_ + forced.cheapest(nodes, [&](Index v) { labels[index(v)] = 1; }, poll);
  }

  // Cost of the labeling of the last solve, from the definition: equals the minimum if the solver is right.
  Total cut_value() const {
    Total sum = 0;
    for (Index v = 0; v < size(); ++v) {
      if (is_sink_side(v)) {
        sum += graph().node(v).excess;
        continue;
      }
      for (Slot s = graph().begin(v), end = graph().end(v); s < end; ++s) {
        if (graph().out(v, s) > 0 && is_sink_side(graph().head(v, s))) sum += graph().out(v, s);
      }
    }
    return sum;
  }

  // ---- changes; each throws std::overflow_error, with nothing changed, if sums might not fit afterwards

  void add_terminals(std::span<const Cap> deltas) {
    double largest = 0, total = 0;
    for (const Cap delta : deltas) {
      const double size = std::abs(static_cast<double>(delta));
      largest = std::max(largest, size), total += size;
    }
    admit(largest, total, [&](auto grow) {
      for (Index v = 0; v < size(); ++v) grow(v, std::abs(static_cast<double>(deltas[v])));
    });
    for (Index v = 0; v < size(); ++v) node(v).excess += deltas[v];
    has_forests_ = false;  // almost every tree would break: building costs less than repairing
  }

  void add_terminals(std::span<const Index> nodes, std::span<const Cap> deltas) {
    double total = 0;
    for (const Cap delta : deltas) total += std::abs(static_cast<double>(delta));
    admit(total, total, [&](auto grow) {
      for (std::size_t i = 0; i < nodes.size(); ++i) grow(nodes[i], std::abs(static_cast<double>(deltas[i])));
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      change_excess(nodes[i], deltas[i]);
      if (deltas[i] != 0) touch(nodes[i]);
    }
  }

 private:
  template <class>
  friend class Flow;

  auto& node(Index v) { return forests_.graph().node(v); }

  template <class Visit>
  void admit(double each, double total, Visit visit) {
    if (guard_.take(each, total)) return;
    std::vector<double> growth(index(size()));
    visit([&](Index v, double more) { growth[index(v)] += more; });
    guard_.measure(graph(), [&](Index v) { return growth[index(v)]; });
  }

  // Keeps account of what the deficits sum up to.
  void change_excess(Index v, Cap delta) {
    Cap& excess = node(v).excess;
    shift_ -= std::min<Cap>(0, excess);
    excess += delta;
    shift_ += std::min<Cap>(0, excess);
  }

  // Once nearly everything is touched a list of it is of no use.
  void touch(Index v) {
    if (!has_forests_) return;
    touched_.push_back(v);
    has_forests_ = is_change_small();
  }

  bool is_change_small() const { return touched_.size() <= keep_; }

  // Levels grow from solve to solve, and long lists of empty levels cost time.
  bool repair() {
    if (forests_.height() > static_cast<std::int64_t>(size()) + 1024) return false;
    return Repair<Layout>(forests_).run(touched_, size() / 4 + 1024);
  }

  ForestSearch<Layout> forests_;
  std::size_t keep_;
  OverflowGuard<Cap> guard_;
  std::vector<Index> touched_;
  bool has_forests_ = false, solved_ = false;
  Total minimum_ = 0;
  Total shift_ = 0;  // of the sum of deficits, by changes since the last solve
};

}  // namespace hedgehop::flow
