// SPDX-License-Identifier: BSD-3-Clause
// Short cycles of a graph: triangles, cycles of four without a chord, and, through each edge that is in none
// of these, a shortest one. The search is limited, and what it may find and visit is shared among variables.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::graphs {

using Cycle = std::vector<std::int32_t>;  // its variables, in order

class ShortCycles {
 public:
  // Edges are neither parallel nor loops.
  ShortCycles(std::size_t n_variables, Edges edges)
      : n_(n_variables), edges_(edges), incidence_(n_variables, edges), mark_(n_variables, -1) {
    incidence_.sort([](const Neighbour& a, const Neighbour& b) { return a.node() < b.node(); });
  }

  // At most `most` of them, and only as many as are found soon; longer ones than `longest` are left out.
  std::vector<Cycle> find(std::size_t most, std::size_t longest, Poll& poll) {
    covered_.assign(edges_.rows, false);
    for (std::size_t i = 0; i < n_; ++i) {
      allow(most, kVisited, n_ - i);
      triangles(i);
      squares(i);
      poll.tick(static_cast<std::uint32_t>(visited_ - visited_before_));
    }
    allow(most, kVisited + kFurther, 1);
    for (std::size_t e = 0; e < edges_.rows && is_allowed(); ++e) {
      if (!covered_[e]) around(e, longest, poll);
    }
    return std::move(cycles_);
  }

 private:
  static constexpr std::size_t kVisited = 4'000'000, kFurther = 1'000'000;  // in all: hundredths of a second
  static constexpr std::size_t kVisitedAround = 2000;                       // for one cycle

  // Shares what is left of cycles and visits among so many variables.
  void allow(std::size_t most_cycles, std::size_t most_visits, std::size_t variables) {
    visited_before_ = visited_;
    last_cycle_ = cycles_.size() + (most_cycles - cycles_.size() + variables - 1) / variables;
    last_visit_ = visited_ + (most_visits - std::min(most_visits, visited_)) / variables + 1;
  }
  bool is_allowed() const { return cycles_.size() < last_cycle_ && visited_ < last_visit_; }

  bool adjacent(std::size_t i, std::size_t j) const {
    const auto near = incidence_.at(i);
    const auto at = std::lower_bound(near.begin(), near.end(), j,
                                     [](const Neighbour& a, std::size_t node) { return a.node() < node; });
    return at != near.end() && at->node() == j;
  }

  void cover(std::size_t i, std::size_t j) {
    for (const Neighbour& to : incidence_.at(i)) {
      if (to.node() == j) covered_[to.edge()] = true;
    }
  }

  void keep(Cycle cycle) {
    for (std::size_t k = 0; k < cycle.size(); ++k)
      cover(index(cycle[k]), index(cycle[(k + 1) % cycle.size()]));
    cycles_.push_back(std::move(cycle));
  }

  static std::int32_t id(std::size_t i) { return static_cast<std::int32_t>(i); }

  // Those whose smallest variable is i. If not all are allowed, they begin with different neighbours.
  void triangles(std::size_t i) {
    const auto near = incidence_.at(i);
    const auto above =
        static_cast<std::size_t>(std::ranges::count_if(near, [i](auto& to) { return to.node() > i; }));
    const auto larger = near.last(above);
    for (std::size_t gap = 1; gap < above; ++gap) {
      for (std::size_t a = 0; a + gap < above && is_allowed(); ++a) {
        const std::size_t u = larger[a].node(), w = larger[a + gap].node();
        ++visited_;
        if (adjacent(u, w)) keep({id(i), id(u), id(w)});
      }
    }
  }

  void squares(std::size_t i) {
    const auto near = incidence_.at(i);
    for (std::size_t a = 0; a < near.size(); ++a) {
      const std::size_t u = near[a].node();
      for (std::size_t b = a + 1; b < near.size() && u > i && is_allowed(); ++b) {
        ++visited_;
        if (!adjacent(u, near[b].node())) squares(i, u, near[b].node());
      }
    }
  }

  void squares(std::size_t i, std::size_t u, std::size_t w) {
    for (const Neighbour& to : incidence_.at(u)) {
      if (!is_allowed()) return;
      ++visited_;
      const std::size_t across = to.node();
      if (across > i && adjacent(across, w) && !adjacent(across, i)) keep({id(i), id(u), id(across), id(w)});
    }
  }

  // A shortest cycle through edge e, by breadth-first search from one end to the other.
  void around(std::size_t e, std::size_t longest, Poll& poll) {
    const std::size_t from = edges_.first(e), to = edges_.second(e);
    std::vector<std::int32_t> queue{id(from)};
    std::vector<std::size_t> depth{1};  // variables on the way
    mark_[from] = id(from);
    for (std::size_t k = 0; k < queue.size() && queue.size() < kVisitedAround && mark_[to] < 0; ++k) {
      if (depth[k] >= longest) break;
      const std::size_t at = index(queue[k]);
      for (const Neighbour& next : incidence_.at(at)) {
        if (mark_[next.node()] >= 0 || next.edge() == e) continue;
        mark_[next.node()] = id(at);
        queue.push_back(id(next.node())), depth.push_back(depth[k] + 1);
      }
    }
    if (mark_[to] >= 0) {
      Cycle cycle;
      for (std::size_t at = to; at != from; at = index(mark_[at])) cycle.push_back(id(at));
      cycle.push_back(id(from));
      keep(std::move(cycle));
    }
    visited_ += queue.size();
    poll.tick(static_cast<std::uint32_t>(queue.size()));
    for (const auto v : queue) mark_[index(v)] = -1;
  }

  std::size_t n_;
  Edges edges_;
  Incidence incidence_;
  std::vector<std::int32_t> mark_;  // the variable before, in a search
  std::vector<bool> covered_;
  std::vector<Cycle> cycles_;
  std::size_t visited_ = 0, visited_before_ = 0, last_cycle_ = 0, last_visit_ = 0;
};

}  // namespace hedgehop::graphs
