// SPDX-License-Identifier: BSD-3-Clause
// One binary move on a labeling: the variables that take part, the two labels each may have, and the graph
// whose minimum cut is the best choice among them. Expansions, swaps and fusions differ only in who takes
// part.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "moves/counted_labeling.hpp"
#include "moves/graph.hpp"
#include "moves/once_terms.hpp"
#include "moves/problem.hpp"
#include "moves/reward_search.hpp"

namespace hedgehop::moves {

class Move {
 public:
  using Node = Graph::Node;

  Move(const Problem& problem, CountedLabeling& labeling)
      : problem_(problem), labeling_(labeling), node_of_(problem.n_variables(), -1), terms_(graph_) {}

  void clear() {
    for (const Part& part : parts_) node_of_[part.variable] = -1;
    parts_.clear();
  }

  // Variable i may take `zero` or `one`; it has one of them now.
  void add(std::size_t i, Label zero, Label one) {
    add(i, {zero, one}, {problem_.unary(i, zero), problem_.unary(i, one)});
  }
  void add(std::size_t i, std::array<Label, 2> labels, std::array<Fixed, 2> scores) {
    node_of_[i] = static_cast<Node>(parts_.size());
    parts_.push_back({i, labels, scores});
  }

  // Takes a variable out; others keep their numbers until compact().
  void leave(std::size_t i) { node_of_[i] = -1; }
  bool takes_part(std::size_t i) const { return node_of_[i] >= 0; }
  void compact() {
    std::erase_if(parts_, [this](const Part& part) { return !takes_part(part.variable); });
    for (std::size_t v = 0; v < parts_.size(); ++v) node_of_[parts_[v].variable] = static_cast<Node>(v);
  }

  bool empty() const { return parts_.empty(); }
  Node size() const { return static_cast<Node>(parts_.size()); }
  std::size_t variable(Node v) const { return parts_[index(v)].variable; }
  Label label(Node v, bool side) const { return parts_[index(v)].labels[side ? 1 : 0]; }
  Fixed unary(Node v, bool side) const { return parts_[index(v)].scores[side ? 1 : 0]; }
  Node node_of(std::size_t i) const { return node_of_[i]; }  // -1: takes no part
  bool now(Node v) const { return labeling_[variable(v)] == label(v, true); }

  const Problem& problem() const { return problem_; }
  const CountedLabeling& labeling() const { return labeling_; }
  OnceTerms& terms() { return terms_; }

  // Unary and pairwise scores. `prices`: what an edge pays for carrying two labels, L x L, or empty.
  void build(std::span<const Fixed> prices) {
    prices_ = prices;
    graph_.clear();
    terms_.clear();
    for (Node v = 0; v < size(); ++v) {
      graph_.add_node(-unary(v, false), -unary(v, true), now(v));
    }
    if (prices.empty() && problem_.is_potts()) return add_potts_edges();
    for (Node v = 0; v < size(); ++v) {
      for (const Neighbour to : problem_.neighbours(variable(v))) add_edge(v, to);
    }
  }

  void add_constant(Fixed cost) { graph_.add_constant(cost); }

  RewardSearch::Answer best(std::size_t cuts, Poll& poll) {
    poll.tick(static_cast<std::uint32_t>(parts_.size()));
    return RewardSearch(graph_, terms_.rewards(), cuts).run(poll);
  }

  struct Change {
    std::size_t variable;
    Label old;
  };
  // What the last move made changed.
  std::span<const Change> changed() const { return changed_; }

  // Makes the move, or takes it back if the score does not grow; returns by how much it does.
  Fixed make(const RewardSearch::Answer& answer) {
    if (answer.sides.empty()) return 0;
    Fixed gain = 0;
    changed_.clear();
    for (Node v = 0; v < size(); ++v) {
      const bool side = answer.sides[index(v)] != 0;
      if (side == now(v)) continue;
      changed_.push_back({variable(v), labeling_[variable(v)]});
      gain += labeling_.set(variable(v), label(v, side));
    }
    if (gain > 0) return gain;
    for (const Change& change : changed_) labeling_.set(change.variable, change.old);
    changed_.clear();
    return 0;
  }

 private:
  struct Part {
    std::size_t variable;
    std::array<Label, 2> labels;
    std::array<Fixed, 2> scores;  // unary ones
  };

  Fixed cost(std::size_t edge, Label a, Label b) const {
    const Fixed score = problem_.pair(edge, a, b);
    if (prices_.empty()) return -score;
    return prices_[index(a) * problem_.n_labels() + index(b)] - score;
  }

  // As add_edge does, with one look at the strength of each edge.
  void add_potts_edges() {
    for (Node v = 0; v < size(); ++v) {
      const auto [zero, one] = parts_[index(v)].labels;
      for (const Neighbour to : problem_.neighbours(variable(v))) {
        const Node w = node_of_[to.node()];
        if (w >= 0 && to.is_first()) continue;
        const Fixed cost = problem_.differing_cost(to.edge());
        const auto unless = [cost](bool same) { return same ? 0 : cost; };
        if (w < 0) {
          const Label other = labeling_[to.node()];
          graph_.add_cost(v, unless(other == zero), unless(other == one));
        } else {
          const auto [lower, upper] = parts_[index(w)].labels;
          graph_.add_pair(v, w, unless(zero == lower), unless(zero == upper), unless(one == lower),
                          unless(one == upper));
        }
      }
    }
  }

  void add_edge(Node v, Neighbour to) {
    const Label zero = label(v, false), one = label(v, true);
    const Node w = node_of_[to.node()];
    if (w < 0) {  // the other end stays
      const Label other = labeling_[to.node()];
      to.is_first() ? graph_.add_cost(v, cost(to.edge(), other, zero), cost(to.edge(), other, one))
                    : graph_.add_cost(v, cost(to.edge(), zero, other), cost(to.edge(), one, other));
    } else if (!to.is_first()) {  // each edge once
      const Label lower = label(w, false), upper = label(w, true);
      graph_.add_pair(v, w, cost(to.edge(), zero, lower), cost(to.edge(), zero, upper),
                      cost(to.edge(), one, lower), cost(to.edge(), one, upper));
    }
  }

  const Problem& problem_;
  CountedLabeling& labeling_;
  std::vector<Part> parts_;
  std::vector<Node> node_of_;
  std::span<const Fixed> prices_;
  Graph graph_;
  OnceTerms terms_;
  std::vector<Change> changed_;
};

}  // namespace hedgehop::moves
