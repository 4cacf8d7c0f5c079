// SPDX-License-Identifier: BSD-3-Clause
// Terms of a move that are paid or earned once, whatever the number of literals that bring them about
// (docs/theory.md 11). Costs of "any" and rewards of "enough" are auxiliary nodes; rewards of "any"
// are the hard direction and left to a search (moves/reward_search.hpp).
//
// An auxiliary node needs literals of one value. Where they are mixed (only fusions mix them) the term is
// replaced by one that is nowhere cheaper, and the same where nothing moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "moves/graph.hpp"
#include "moves/problem.hpp"

namespace hedgehop::moves {

// What brings a reward about: one literal, or two that must hold together.
struct Witness {
  Literal first, second;  // second.node is -1 if there is only one

  bool is_pair() const { return second.node >= 0; }

  template <class Holds>
  bool all(Holds holds) const {
    return holds(first) && (!is_pair() || holds(second));
  }
};

struct Reward {
  Fixed weight;
  bool is_earned;  // at present
  std::vector<Witness> witnesses;
};

class OnceTerms {
 public:
  explicit OnceTerms(Graph& graph) : graph_(graph) {}

  void clear() { rewards_.clear(); }
  const std::vector<Reward>& rewards() const { return rewards_; }

  // `cost` (> 0) if any of the literals holds.
  void charge_any(Fixed cost, std::span<const Literal> literals) {
    if (literals.empty() || is_mixed(literals)) return;  // mixed ones hold now: a constant is never cheaper
    if (literals.size() == 1) return graph_.add_cost(literals[0], cost);
    const bool is_paid = any_now(literals);
    if (literals[0].value) {  // the auxiliary node is 1 if the cost is paid
      const Graph::Node z = graph_.add_auxiliary(cost);
      for (const Literal literal : literals) graph_.add_arc(z, literal.node, cost);
      graph_.add_constant(is_paid ? -cost : 0);
    } else {  // it is 1 if the cost is saved
      const Graph::Node z = graph_.add_auxiliary(-cost);
      for (const Literal literal : literals) graph_.add_arc(literal.node, z, cost);
      graph_.add_constant(is_paid ? 0 : cost);
    }
  }

  // `unit` (> 0) times max(0, most - number of literals that fail).
  void reward_enough(Fixed unit, std::int64_t most, std::span<const Literal> given) {
    std::vector<Literal> literals(given.begin(), given.end());
    if (is_mixed(given)) {  // those that fail now always fail
      std::erase_if(literals, [&](Literal literal) { return !graph_.holds_now(literal); });
      most -= static_cast<std::int64_t>(given.size() - literals.size());
    }
    if (most <= 0 || literals.empty()) return;
    if (literals.size() == 1) return graph_.add_cost(literals[0], -unit);
    const auto failing =
        std::count_if(literals.begin(), literals.end(), [&](Literal x) { return !graph_.holds_now(x); });
    graph_.add_constant(unit * std::max<Fixed>(0, most - failing));
    if (literals[0].value) {  // the auxiliary node is 1 if the reward is taken
      const Graph::Node z = graph_.add_auxiliary(-unit * most);
      for (const Literal literal : literals) graph_.add_arc(literal.node, z, unit);
    } else {  // it is 0 then
      const Graph::Node z = graph_.add_auxiliary(unit * most);
      for (const Literal literal : literals) graph_.add_arc(z, literal.node, unit);
      graph_.add_constant(-unit * most);
    }
  }

  // `weight` (> 0) if any of the witnesses holds.
  void reward_any(Fixed weight, std::vector<Witness> witnesses) {
    if (witnesses.size() == 1 && !witnesses[0].is_pair()) return graph_.add_cost(witnesses[0].first, -weight);
    if (witnesses.empty()) return;
    const bool is_earned = std::any_of(witnesses.begin(), witnesses.end(), [&](const Witness& witness) {
      return witness.all([&](Literal literal) { return graph_.holds_now(literal); });
    });
    rewards_.push_back({weight, is_earned, std::move(witnesses)});
  }

  void reward_any(Fixed weight, std::span<const Literal> literals) {
    std::vector<Witness> witnesses;
    witnesses.reserve(literals.size());
    for (const Literal literal : literals) witnesses.push_back({literal, {}});
    reward_any(weight, std::move(witnesses));
  }

  // `weight` of any sign if at least `least` of the literals hold; exact for 1.
  void weigh_count(Fixed weight, std::int64_t least, std::span<const Literal> literals) {
    const auto size = static_cast<std::int64_t>(literals.size());
    if (weight == 0 || least <= 0 || least > size) return;  // a constant
    if (least == 1) return weight < 0 ? charge_any(-weight, literals) : reward_any(weight, literals);
    if (weight > 0) return reward_enough(weight, 1, chosen(literals, least, true));
    // Without this many literals that do not count, any of the others makes enough.
    std::vector<Literal> rest = chosen(literals, size, count_now(literals) < least);
    charge_any(-weight, std::span(rest).subspan(index(least - 1)));
  }

  // `unit` of any sign times max(0, most - number of literals that fail); exact but for unit < 0, most > 1.
  void weigh_missing(Fixed unit, std::int64_t most, std::span<const Literal> literals) {
    if (unit == 0 || most <= 0 || literals.empty()) return;
    if (unit > 0) return reward_enough(unit, most, literals);
    std::vector<Literal> failing;
    for (const Literal literal : literals) failing.push_back({literal.node, !literal.value});
    if (most == 1) return reward_any(-unit, failing);
    // Each failure pays, up to the number that may: those of chosen literals only are never more.
    const auto size = static_cast<std::int64_t>(failing.size());
    for (const Literal literal : chosen(failing, std::min(most, size), true)) graph_.add_cost(literal, unit);
  }

 private:
  static bool is_mixed(std::span<const Literal> literals) {
    return std::any_of(literals.begin(), literals.end(),
                       [&](Literal literal) { return literal.value != literals[0].value; });
  }
  std::int64_t count_now(std::span<const Literal> literals) const {
    return std::count_if(literals.begin(), literals.end(), [&](Literal x) { return graph_.holds_now(x); });
  }
  bool any_now(std::span<const Literal> literals) const { return count_now(literals) > 0; }

  // So many literals, the most urgent first, or those that hold now before all others.
  std::vector<Literal> chosen(std::span<const Literal> literals, std::int64_t count, bool now_first) const {
    std::vector<Literal> sorted(literals.begin(), literals.end());
    std::stable_sort(sorted.begin(), sorted.end(), [&](Literal a, Literal b) {
      if (now_first && graph_.holds_now(a) != graph_.holds_now(b)) return graph_.holds_now(a);
      return graph_.urge(a) > graph_.urge(b);
    });
    sorted.resize(index(count));
    return sorted;
  }

  Graph& graph_;
  std::vector<Reward> rewards_;
};

}  // namespace hedgehop::moves
