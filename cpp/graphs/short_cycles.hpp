// SPDX-License-Identifier: BSD-3-Clause
// Short cycles of a graph: triangles, cycles of four without a chord, and, through each edge that is in none
// of these, a shortest one.
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

  // At most about `most` of them; longer ones than `longest` are left out.
  std::vector<Cycle> find(std::size_t most, std::size_t longest, Poll& poll) {
    covered_.assign(edges_.rows, false);
    for (std::size_t i = 0; i < n_ && cycles_.size() < most; ++i) {
      triangles(i);
      squares(i);
      poll.tick(static_cast<std::uint32_t>(incidence_.at(i).size()));
    }
    for (std::size_t e = 0; e < edges_.rows && cycles_.size() < most; ++e) {
      if (!covered_[e]) around(e, longest, poll);
    }
    return std::move(cycles_);
  }

 private:
  static constexpr std::size_t kVisited = 2000;  // variables, in search of a cycle

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
    for (std::size_t k = 0; k < cycle.size(); ++k) cover(index(cycle[k]), index(cycle[(k + 1) % cycle.size()]));
    cycles_.push_back(std::move(cycle));
  }

  static std::int32_t id(std::size_t i) { return static_cast<std::int32_t>(i); }

  // Those whose first variable is i.
  void triangles(std::size_t i) {
    const auto near = incidence_.at(i);
    for (std::size_t a = 0; a < near.size(); ++a) {
      for (std::size_t b = a + 1; b < near.size() && near[a].node() > i; ++b) {
        if (adjacent(near[a].node(), near[b].node())) keep({id(i), id(near[a].node()), id(near[b].node())});
      }
    }
  }

  void squares(std::size_t i) {
    const auto near = incidence_.at(i);
    for (std::size_t a = 0; a < near.size(); ++a) {
      const std::size_t u = near[a].node();
      for (std::size_t b = a + 1; b < near.size() && u > i; ++b) {
        const std::size_t w = near[b].node();
        if (adjacent(u, w)) continue;
        for (const Neighbour& to : incidence_.at(u)) {
          const std::size_t across = to.node();
          if (across <= i || !adjacent(across, w) || adjacent(across, i)) continue;
          keep({id(i), id(u), id(across), id(w)});
        }
      }
    }
  }

  // A shortest cycle through edge e, by breadth-first search from one end to the other.
  void around(std::size_t e, std::size_t longest, Poll& poll) {
    const std::size_t from = edges_.first(e), to = edges_.second(e);
    std::vector<std::int32_t> queue{id(from)};
    std::vector<std::size_t> depth{1};  // variables on the way
    mark_[from] = id(from);
    for (std::size_t k = 0; k < queue.size() && queue.size() < kVisited && mark_[to] < 0; ++k) {
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
    poll.tick(static_cast<std::uint32_t>(queue.size()));
    for (const auto v : queue) mark_[index(v)] = -1;
  }

  std::size_t n_;
  Edges edges_;
  Incidence incidence_;
  std::vector<std::int32_t> mark_;  // the variable before, in a search
  std::vector<bool> covered_;
  std::vector<Cycle> cycles_;
};

}  // namespace hedgehop::graphs
