// SPDX-License-Identifier: BSD-3-Clause
// A binary move as a minimum cut (Kolmogorov, Zabih, PAMI 2004): every node chooses one of two sides.
//
// Costs are relative to the present sides, so that the minimum is never above zero and a negative one is an
// improvement. Nodes given out by add_node stand for variables, auxiliary ones come after all of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "flow/csr.hpp"
#include "flow/flow.hpp"
#include "moves/problem.hpp"

namespace hedgehop::moves {

struct Literal {  // "x(node) = value"
  flow::Index node = -1;
  bool value = false;
};

class Graph {
 public:
  using Node = flow::Index;
  using Sides = std::vector<std::uint8_t>;  // x(v) of all nodes

  void clear() {
    terminals_.clear(), now_.clear(), edges_.clear(), capacities_.clear(), back_.clear();
    held_.clear();
    flow_.reset();
    base_ = 0;
  }

  // ---- building; costs c0 of x = 0, c1 of x = 1

  Node add_node(Fixed c0, Fixed c1, bool now) {
    terminals_.push_back(c1 - c0);
    now_.push_back(now);
    if (now) base_ -= c1 - c0;
    return static_cast<Node>(terminals_.size() - 1);
  }

  void add_cost(Node v, Fixed c0, Fixed c1) {
    terminals_[index(v)] += c1 - c0;
    if (now(v)) base_ -= c1 - c0;
  }

  // Cost of a literal that holds.
  void add_cost(Literal literal, Fixed cost) {
    literal.value ? add_cost(literal.node, 0, cost) : add_cost(literal.node, cost, 0);
  }

  // Costs of the four cases of a pair. Where they are not submodular a case that is not the present one is
  // made dearer. That is an upper bound, tight where nothing moves: a move chosen by it may be less good, but
  // never makes things worse. What remains of a pair beside its arcs goes to both ends in equal parts, so
  // that pairs of neighbours cancel and no flow has to cross the image.
  void add_pair(Node u, Node v, Fixed c00, Fixed c01, Fixed c10, Fixed c11) {
    const Fixed present = now(u) ? (now(v) ? c11 : c10) : (now(v) ? c01 : c00);
    Fixed bend = c01 + c10 - c00 - c11;
    if (bend < 0) {
      if (!now(u) && now(v)) c10 -= bend;
      bend = 0;
    }
    const Fixed back = std::clamp<Fixed>(c10 - c00 - (c11 - c00) / 2, 0, bend);  // of x(u) = 1, x(v) = 0
    terminals_[index(u)] += c10 - c00 - back;
    terminals_[index(v)] += c11 - c10 + back;
    base_ += c00 - present;
    if (bend > 0) add_arc(u, v, bend - back, back);
  }

  Node add_auxiliary(Fixed terminal) {
    terminals_.push_back(terminal);
    return static_cast<Node>(terminals_.size() - 1);
  }

  // Costs of x(u) = 0, x(v) = 1 and of x(u) = 1, x(v) = 0; not negative.
  void add_arc(Node u, Node v, Fixed cost, Fixed back = 0) {
    edges_.push_back(u);
    edges_.push_back(v);
    capacities_.push_back(cost);
    back_.push_back(back);
  }

  void add_constant(Fixed cost) { base_ += cost; }

  bool now(Node v) const { return now_[index(v)] != 0; }
  bool holds_now(Literal literal) const { return now(literal.node) == literal.value; }
  // How much dearer it would be, by the terminal alone, if the literal did not hold.
  Fixed preference(Literal literal) const {
    const Fixed terminal = terminals_[index(literal.node)];
    return literal.value ? -terminal : terminal;
  }

  // ---- solving

  // Least cost, against the present sides, with these literals held; sides[v] = x(v) afterwards. The flow is
  // kept from call to call.
  Fixed solve(std::span<const Literal> held, Sides& sides, Poll& poll) {
    if (!flow_) make_flow();
    hold(held);
    Fixed minimum = base_ + flow_->solve(poll);
    for (const Literal literal : held_) minimum += literal.value ? hold_cost : 0;
    read(sides);
    return minimum;
  }

  // The same with costs added to literals for good.
  void charge(std::span<const Literal> literals, std::span<const Fixed> costs) {
    hold({});
    std::vector<Node> nodes;
    std::vector<Fixed> deltas;
    for (std::size_t k = 0; k < literals.size(); ++k) {
      nodes.push_back(literals[k].node);
      deltas.push_back(literals[k].value ? costs[k] : -costs[k]);
    }
    flow_->add_terminals(nodes, deltas);
  }

  // After a solve: at least how much dearer every choice is in which the literal holds.
  Fixed regret(Literal literal) const {
    const Fixed residual = flow_->residual_terminal(literal.node);
    return std::max<Fixed>(0, literal.value ? residual : -residual);
  }

  // Cost of a choice, against the present sides, from the definition.
  Fixed cost(const Sides& sides) const {
    Fixed sum = base_;
    for (std::size_t v = 0; v < terminals_.size(); ++v) sum += sides[v] != 0 ? terminals_[v] : 0;
    for (std::size_t e = 0; e < capacities_.size(); ++e) {
      const bool u = sides[index(edges_[2 * e])] != 0, v = sides[index(edges_[2 * e + 1])] != 0;
      if (u != v) sum += v ? capacities_[e] : back_[e];
    }
    return sum;
  }

  // How much dearer a choice gets if one node alone changes its side, for every node.
  std::vector<Fixed> flip_costs(const Sides& sides) const {
    std::vector<Fixed> costs(terminals_);
    for (std::size_t v = 0; v < costs.size(); ++v) costs[v] = sides[v] != 0 ? -costs[v] : costs[v];
    for (std::size_t e = 0; e < capacities_.size(); ++e) {
      const std::size_t u = index(edges_[2 * e]), v = index(edges_[2 * e + 1]);
      if (sides[u] == sides[v]) {
        costs[u] += sides[u] != 0 ? capacities_[e] : back_[e];
        costs[v] += sides[v] != 0 ? back_[e] : capacities_[e];
      } else {
        const Fixed paid = sides[u] == 0 ? capacities_[e] : back_[e];
        costs[u] -= paid;
        costs[v] -= paid;
      }
    }
    return costs;
  }

 private:
  using Flow = flow::Flow<flow::CsrLayout<Fixed>>;
  // Dearer than anything a problem may hold (Problem::largest_total).
  static constexpr Fixed hold_cost = Fixed{1} << 51;

  void make_flow() {
    const Edges edges{edges_, capacities_.size(), 2};
    flow_.emplace(flow::CsrLayout<Fixed>(
        terminals_.size(), edges, [&](std::size_t v) { return terminals_[v]; },
        [&](std::size_t e) { return capacities_[e]; }, [&](std::size_t e) { return back_[e]; }));
  }

  void hold(std::span<const Literal> literals) {
    std::vector<Node> nodes;
    std::vector<Fixed> deltas;
    const auto change = [&](Literal literal, Fixed cost) {
      nodes.push_back(literal.node);
      deltas.push_back(literal.value ? -cost : cost);
    };
    for (const Literal literal : held_) change(literal, -hold_cost);
    for (const Literal literal : literals) change(literal, hold_cost);
    if (!nodes.empty()) flow_->add_terminals(nodes, deltas);
    held_.assign(literals.begin(), literals.end());
  }

  void read(Sides& sides) const {
    sides.resize(terminals_.size());
    for (std::size_t v = 0; v < sides.size(); ++v) sides[v] = flow_->is_sink_side(static_cast<Node>(v));
  }

  Fixed base_ = 0;                                    // cost of x = 0 minus the cost of the present sides
  std::vector<Fixed> terminals_, capacities_, back_;  // back_: of the arcs turned round
  std::vector<std::uint8_t> now_;
  std::vector<std::int32_t> edges_;
  std::optional<Flow> flow_;
  std::vector<Literal> held_;
};

}  // namespace hedgehop::moves
