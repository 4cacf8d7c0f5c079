// SPDX-License-Identifier: BSD-3-Clause
// Forests: recognising one, and the order in which dynamic programs visit it.
//
// is_forest is union-find, O(E alpha(n)). ForestOrder is a breadth-first order from the lowest index of each
// component, O(n + E): parents come before children, the children of a variable are consecutive, components
// are consecutive. No recursion, so a chain of millions of variables is fine. Edge ends must be in range;
// callers check.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/union_find.hpp"

namespace hedgehop::graphs {

// Self-loops and parallel edges are cycles.
inline bool is_forest(std::size_t n_variables, Edges edges) {
  if (edges.rows > 0 && edges.rows >= n_variables) return false;
  UnionFind parts(n_variables);
  for (std::size_t e = 0; e < edges.rows; ++e) {
    if (!parts.unite(edges.first(e), edges.second(e))) return false;
  }
  return true;
}

class ForestOrder {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // One visited variable. Indices into the forest's order are called positions.
  struct Visit {
    std::size_t variable;
    std::size_t parent;        // position of the parent, none for a root
    std::size_t edge;          // edge to the parent, none for a root
    bool child_is_first;       // edges(edge, 0) is this variable, not the parent
    std::size_t children = 0;  // position of the first child
    std::size_t children_end = 0;
  };

  // Throws std::invalid_argument if the edges contain a cycle.
  ForestOrder(std::size_t n_variables, Edges edges) {
    if (edges.rows > 0 && edges.rows >= n_variables) throw_cycle();
    const Incidence incidence(n_variables, edges);
    std::vector<bool> reached(n_variables, false);
    visits_.reserve(n_variables);
    for (std::size_t root = 0; root < n_variables; ++root) {
      if (reached[root]) continue;
      reached[root] = true;
      components_.push_back(visits_.size());
      visits_.push_back({root, none, none, false});
      for (std::size_t at = components_.back(); at < visits_.size(); ++at) {
        visit_children(at, incidence, reached);
      }
    }
    // n - c edges reach everything; each further one closes a cycle.
    if (edges.rows + components_.size() != n_variables) throw_cycle();
    components_.push_back(n_variables);
  }

  std::span<const Visit> visits() const { return visits_; }

  std::size_t n_components() const { return components_.size() - 1; }

  // The positions [first, second) of a component; its root comes first.
  std::pair<std::size_t, std::size_t> component(std::size_t c) const {
    return {components_[c], components_[c + 1]};
  }

 private:
  void visit_children(std::size_t at, const Incidence& incidence, std::vector<bool>& reached) {
    visits_[at].children = visits_.size();
    for (const Neighbour to : incidence.at(visits_[at].variable)) {
      if (reached[to.node()]) continue;  // the parent, or a cycle that the count of edges reveals
      reached[to.node()] = true;
      visits_.push_back({to.node(), at, to.edge(), to.is_first()});
    }
    visits_[at].children_end = visits_.size();
  }

  [[noreturn]] static void throw_cycle() {
    throw std::invalid_argument("edges must form a forest; they contain a cycle");
  }

  std::vector<Visit> visits_;
  std::vector<std::size_t> components_;  // position of each root, then the number of variables
};

}  // namespace hedgehop::graphs
