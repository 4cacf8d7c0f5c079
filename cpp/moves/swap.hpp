// SPDX-License-Identifier: BSD-3-Clause
// Swap moves (Boykov, Veksler, Zabih, PAMI 2001) with label, transition and region weights of any sign, each
// move exact for semimetric pairs (docs/theory.md 11). Written from the papers; no code consulted.
//
// A move on labels a, b lets the variables that have one of them choose again. A transition between a or b
// and a label outside hangs on single variables. The one between a and b costs min(1, number of edges):
//
//     K min(1, k) = min over h in {0, 1} of  K h + K (1 - h) k       (Kohli, Osokin, Jegelka, CVPR 2013)
//
// so that the best of one cut for each h is exact.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/poll.hpp"
#include "core/zeroed.hpp"
#include "moves/maker.hpp"

namespace hedgehop::moves {

class Swap {
 public:
  Swap(const Problem& problem, std::span<Label> labels, std::size_t cuts_per_move = 64)
      : problem_(problem),
        maker_(problem, labels, cuts_per_move),
        changed_(problem.n_labels(), 1),
        tried_(problem.n_labels() * problem.n_labels()) {}

  // Moves on every pair in turn until none improves, at most so many rounds; returns what was gained.
  Fixed run(std::size_t rounds, Poll& poll) {
    const auto count = static_cast<Label>(problem_.n_labels());
    Fixed gained = 0;
    bool improves = true;
    for (std::size_t round = 0; round < rounds && improves; ++round) {
      improves = false;
      for (Label a = 0; a < count; ++a) {
        for (Label b = a + 1; b < count; ++b) {
          if (maker_.labeling.used(a) == 0 && maker_.labeling.used(b) == 0) continue;  // nobody could choose
          const Fixed gain = is_worth_trying(a, b) ? tried(a, b, poll) : 0;
          improves |= gain > 0;
          gained += gain;
        }
      }
    }
    return gained;
  }

  // Makes the best move on two labels if it improves; returns the gain.
  Fixed move(Label a, Label b, Poll& poll) {
    maker_.move.clear();
    for (std::size_t i = 0; i < maker_.labeling.size(); ++i) {
      const Label own = maker_.labeling[i];
      if (own == a ? problem_.allows(i, b) : own == b && problem_.allows(i, a)) maker_.move.add(i, a, b);
    }
    maker_.pruning.run();
    if (maker_.move.empty()) return 0;
    maker_.transitions.collect([](std::size_t) { return true; });
    return maker_.move.make(best(inside_costs(a, b), poll));
  }

 private:
  std::size_t& tried_at(Label a, Label b) { return tried_[index(a) * problem_.n_labels() + index(b)]; }
  std::size_t& changed_at(Label label) { return changed_[index(label)]; }

  bool is_worth_trying(Label a, Label b) { return std::max(changed_at(a), changed_at(b)) > tried_at(a, b); }

  Fixed tried(Label a, Label b, Poll& poll) {
    const Fixed gain = move(a, b, poll);
    if (gain > 0) mark_changes();
    tried_at(a, b) = clock_;
    return gain;
  }

  // A move depends on who has its two labels, and on their neighbours: scores of edges and transitions.
  void mark_changes() {
    ++clock_;
    for (const auto& change : maker_.move.changed()) {
      changed_at(change.old) = changed_at(maker_.labeling[change.variable]) = clock_;
      if (is_local()) continue;
      for (const Neighbour to : problem_.neighbours(change.variable))
        changed_at(maker_.labeling[to.node()]) = clock_;
    }
  }

  // With Potts scores only who has the two labels matters, unless transitions do.
  bool is_local() const { return problem_.is_potts() && !problem_.has_transitions(); }

  bool is_inside(std::size_t group, Label a, Label b) const {
    return group == problem_.group(a, b) || group == problem_.group(b, a);
  }

  std::vector<std::size_t> inside_costs(Label a, Label b) const {
    std::vector<std::size_t> groups;
    for (const std::size_t group : maker_.transitions.touched()) {
      if (is_inside(group, a, b) && maker_.transitions.weight(group) < 0) groups.push_back(group);
    }
    return groups;
  }

  // The best over all choices of h, one bit an inside group: paid once, or on every edge.
  RewardSearch::Answer best(const std::vector<std::size_t>& inside, Poll& poll) {
    RewardSearch::Answer answer;
    for (std::size_t once = 0; once < (std::size_t{1} << inside.size()); ++once) {
      build(inside, once);
      RewardSearch::Answer choice = maker_.move.best(maker_.cuts, poll);
      if (choice.gain > answer.gain) answer = std::move(choice);
    }
    return answer;
  }

  void build(const std::vector<std::size_t>& inside, std::size_t once) {
    const auto place = [&](std::size_t group) {
      return index(std::find(inside.begin(), inside.end(), group) - inside.begin());
    };
    maker_.move.build(maker_.transitions.price(
        [&](std::size_t group) { return place(group) < inside.size() && (once >> place(group) & 1) == 0; }));
    for (std::size_t k = 0; k < inside.size(); ++k) settle(inside[k], (once >> k & 1) != 0);
    maker_.labels.add();
    maker_.regions.add();
    for (const std::size_t group : maker_.transitions.touched()) {
      if (maker_.transitions.weight(group) < 0 && place(group) == inside.size()) charge(group);
    }
    maker_.transitions.add_rewards();
  }

  // The graph counts every edge of the present labeling, where it has counted any; in truth one is paid for.
  void settle(std::size_t group, bool once) {
    const Fixed cost = -maker_.transitions.weight(group);
    const std::int64_t now = maker_.labeling.carried(group);
    maker_.move.add_constant(cost * ((once ? 1 : now) - (now > 0)));
  }

  void charge(std::size_t group) {
    std::vector<Literal> literals;
    for (const Witness& witness : maker_.transitions.witnesses(group)) literals.push_back(witness.first);
    maker_.move.terms().charge_any(-maker_.transitions.weight(group), literals);
  }

  const Problem& problem_;
  Maker maker_;
  std::size_t clock_ = 1;
  std::vector<std::size_t> changed_;  // when labels changed hands
  Zeroed<std::size_t> tried_;         // when pairs were tried
};

}  // namespace hedgehop::moves
