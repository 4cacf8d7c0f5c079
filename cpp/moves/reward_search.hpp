// SPDX-License-Identifier: BSD-3-Clause
// The best choice of a move with rewards for "any": optimistic branching (docs/theory.md 11).
//
// Every reward is granted at first. If the best cut does not earn one, some witness of it must hold, or it is
// not earned at all: each of these is a branch, and the one with the best bound is solved next. Branches
// differ in held literals only, so that one flow serves all. The first cut is usually final. Out of budget,
// one cut with a single witness a reward is tried, and the best choice met is taken: it never loses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "core/poll.hpp"
#include "moves/graph.hpp"
#include "moves/once_terms.hpp"

namespace hedgehop::moves {

class RewardSearch {
 public:
  struct Answer {
    Fixed gain = 0;
    Graph::Sides sides;  // empty: nothing is better than the present
  };

  RewardSearch(Graph& graph, const std::vector<Reward>& rewards, std::size_t cuts)
      : graph_(graph), rewards_(rewards), budget_(std::max<std::size_t>(cuts, 1)) {}

  Answer run(Poll& poll) {
    open_.push({});
    while (cuts_ < budget_ && !open_.empty() && open_.top().bound > best_.gain) {
      const Branch branch = open_.top();
      open_.pop();
      explore(branch, poll);
    }
    if (!open_.empty()) left_out_ = std::max(left_out_, open_.top().bound);
    if (left_out_ > best_.gain) try_single_witnesses(poll);
    return std::move(best_);
  }

 private:
  // Nothing in a branch gains more than its bound; among equals the cheapest witness comes first.
  struct Branch {
    Fixed bound = INT64_MAX, price = 0;
    std::size_t order = 0;
    std::vector<Literal> held;
    std::vector<std::size_t> denied;

    bool operator<(const Branch& other) const {
      if (bound != other.bound) return bound < other.bound;
      return price != other.price ? price > other.price : order > other.order;
    }
  };
  struct Child {
    Fixed bound, price;
    std::size_t missing;  // in the list of missing rewards: those before it are denied
    Witness witness;

    bool operator<(const Child& other) const {  // the better one
      return bound != other.bound ? bound > other.bound : price < other.price;
    }
  };

  void explore(const Branch& branch, Poll& poll) {
    ++cuts_;
    const Fixed cost = graph_.solve(branch.held, sides_, poll);
    const std::vector<std::size_t> missing = missing_in(branch);
    const Fixed bound = granted(branch.denied) - cost;
    Fixed gain = bound;
    for (const std::size_t r : missing) gain -= rewards_[r].weight;
    offer(gain);
    if (cuts_ == 1) root_ = sides_;
    if (!missing.empty()) split(branch, missing, bound);
  }

  void offer(Fixed gain) {
    if (gain > best_.gain) best_ = {gain, sides_};
  }

  // What is added to the scores of the graph: all rewards that are not denied, against those of the present.
  Fixed granted(const std::vector<std::size_t>& denied) const {
    Fixed sum = 0;
    for (const Reward& reward : rewards_) sum += reward.is_earned ? 0 : reward.weight;
    for (const std::size_t r : denied) sum -= rewards_[r].weight;
    return sum;
  }

  bool holds(Literal literal) const { return (sides_[index(literal.node)] != 0) == literal.value; }

  bool earns(const Reward& reward) const {
    return std::any_of(reward.witnesses.begin(), reward.witnesses.end(), [&](const Witness& witness) {
      return witness.all([&](Literal literal) { return holds(literal); });
    });
  }

  std::vector<std::size_t> missing_in(const Branch& branch) const {
    std::vector<std::size_t> missing;
    for (std::size_t r = 0; r < rewards_.size(); ++r) {
      const bool is_denied = std::find(branch.denied.begin(), branch.denied.end(), r) != branch.denied.end();
      if (!is_denied && !earns(rewards_[r])) missing.push_back(r);
    }
    return missing;
  }

  // Children by which missing reward is the first that is not denied, and by its witness. No more are kept
  // than can be solved: the others would come later anyway.
  void split(const Branch& parent, const std::vector<std::size_t>& missing, Fixed bound) {
    const std::vector<Fixed> flips = graph_.flip_costs(sides_);
    std::vector<Child> children;
    for (std::size_t k = 0; k < missing.size() && bound > best_.gain; ++k) {
      for (const Witness& witness : rewards_[missing[k]].witnesses) {
        if (!is_possible(parent, witness)) continue;
        const Child child{bound - regret(witness), price(witness, flips), k, witness};
        if (child.bound > best_.gain) children.push_back(child);
      }
      bound -= rewards_[missing[k]].weight;
    }
    const std::size_t kept = std::min(children.size(), budget_ - cuts_);
    std::partial_sort(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(kept), children.end());
    for (std::size_t c = 0; c < kept; ++c) push(parent, missing, children[c]);
    for (std::size_t c = kept; c < children.size(); ++c) left_out_ = std::max(left_out_, children[c].bound);
  }

  bool is_possible(const Branch& branch, const Witness& witness) const {
    return witness.all([&](Literal literal) {
      return std::none_of(branch.held.begin(), branch.held.end(), [&](Literal held) {
        return held.node == literal.node && held.value != literal.value;
      });
    });
  }

  Fixed regret(const Witness& witness) const {
    const Fixed first = graph_.regret(witness.first);
    return witness.is_pair() ? std::max(first, graph_.regret(witness.second)) : first;
  }

  // What it costs about to make a witness hold.
  Fixed price(const Witness& witness, const std::vector<Fixed>& flips) const {
    Fixed sum = 0;
    const auto add = [&](Literal literal) {
      if (!holds(literal)) sum += flips[index(literal.node)];
      return true;
    };
    witness.all(add);
    return sum;
  }

  void push(const Branch& parent, const std::vector<std::size_t>& missing, const Child& child) {
    Branch branch{child.bound, child.price, ++order_, parent.held, parent.denied};
    branch.denied.insert(branch.denied.end(), missing.begin(),
                         missing.begin() + static_cast<std::ptrdiff_t>(child.missing));
    child.witness.all([&](Literal literal) {
      const bool is_held = std::any_of(branch.held.begin(), branch.held.end(),
                                       [&](Literal held) { return held.node == literal.node; });
      if (!is_held) branch.held.push_back(literal);
      return true;
    });
    open_.push(std::move(branch));
  }

  // A cut in which a reward counts only if one chosen witness holds, tight where nothing moves. A witness of
  // two literals is charged for each that fails: never cheaper, and tight where both hold.
  void try_single_witnesses(Poll& poll) {
    sides_ = root_;
    const std::vector<Fixed> flips = graph_.flip_costs(root_);
    std::vector<Literal> literals;
    std::vector<Fixed> costs;
    for (const Reward& reward : rewards_) {
      const Witness* witness = cheapest(reward, flips);
      if (witness == nullptr) continue;
      witness->all([&](Literal literal) {
        literals.push_back(literal);
        costs.push_back(-reward.weight);
        return true;
      });
    }
    graph_.charge(literals, costs);
    graph_.solve({}, sides_, poll);
    Fixed gain = granted({}) - graph_.cost(sides_);
    for (const Reward& reward : rewards_) gain -= earns(reward) ? 0 : reward.weight;
    offer(gain);
  }

  const Witness* cheapest(const Reward& reward, const std::vector<Fixed>& flips) const {
    const Witness* best = nullptr;
    for (const Witness& witness : reward.witnesses) {
      const bool is_tight = reward.is_earned
                                ? witness.all([&](Literal literal) { return graph_.holds_now(literal); })
                                : !witness.is_pair();
      if (is_tight && (best == nullptr || price(witness, flips) < price(*best, flips))) best = &witness;
    }
    return best;
  }

  Graph& graph_;
  const std::vector<Reward>& rewards_;
  std::size_t budget_, cuts_ = 0, order_ = 0;
  std::priority_queue<Branch> open_;
  Graph::Sides sides_, root_;
  Fixed left_out_ = 0;  // the best bound of what the budget does not suffice for
  Answer best_;
};

}  // namespace hedgehop::moves
