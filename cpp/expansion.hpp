// Expansion moves with label weights of any sign (Boykov, Veksler, Zabih, PAMI 2001; label costs: Delong,
// Osokin, Isack, Boykov, IJCV 2012; rewards: ours, ALGORITHMS section 2). Written from the papers; no code
// consulted.
//
// A move on label a lets any set of variables change to a. Its best set is a minimum cut. A label that costs
// when it is used gets one auxiliary node: the cost is saved if all its variables leave, or paid if any
// joins. A label that pays when it is used is the hard direction: it is granted first, and only if the answer
// does not earn it the search branches into "denied" and "this variable earns it", best bound first. The
// first cut is usually final. Out of budget, one witness per reward gives a cut that never loses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "move_graph.hpp"
#include "move_problem.hpp"
#include "poll.hpp"

namespace hedgehop {

class Expansion {
 public:
  using Node = MoveGraph::Node;

  // `candidates`: which labels a variable may change to, n x L, or empty for all that are allowed.
  Expansion(const MoveProblem& problem, std::span<Label> labels,
            MatrixView<const std::uint8_t> candidates = {}, std::size_t cuts_per_move = 64)
      : problem_(problem), labels_(labels), candidates_(candidates), budget_(cuts_per_move) {
    used_.assign(problem.n_labels(), 0);
    for (const Label label : labels_) ++used_[static_cast<std::size_t>(label)];
  }

  // Moves on every label in turn until none improves, at most so many rounds; returns what was gained.
  Fixed run(std::size_t rounds, Poll& poll) {
    const std::size_t count = problem_.n_labels();
    Fixed gained = 0;
    for (std::size_t k = 0, failed = 0; k < rounds * count && failed < count; ++k) {
      const Fixed gain = move(static_cast<Label>(k % count), poll);
      failed = gain > 0 ? 1 : failed + 1;  // the move just made cannot improve at once
      gained += gain;
    }
    return gained;
  }

  // Makes the best move on one label if it improves; returns the gain.
  Fixed move(Label alpha, Poll& poll) {
    collect_active(alpha);
    if (active_.empty()) return 0;
    build(alpha);
    const std::vector<std::uint8_t> taken = best_set(alpha, poll);
    return apply(alpha, taken);
  }

 private:
  // A branch of the search for rewards: which are still granted, and who is held where.
  struct Branch {
    Fixed gain;  // optimistic: no labeling of this branch gains more
    std::vector<Label> denied;
    std::vector<Node> held0, held1;
    std::vector<std::uint8_t> taken;

    bool operator<(const Branch& other) const { return gain < other.gain; }
  };

  void collect_active(Label alpha) {
    active_.clear();
    number_.assign(labels_.size(), -1);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (labels_[i] == alpha || !problem_.allows(i, alpha) || !is_candidate(i, alpha)) continue;
      number_[i] = static_cast<Node>(active_.size());
      active_.push_back(i);
    }
    staying_ = used_;  // variables of each label that cannot leave it now
    for (const std::size_t i : active_) --staying_[static_cast<std::size_t>(labels_[i])];
  }

  bool is_candidate(std::size_t i, Label alpha) const {
    return candidates_.data.empty() || candidates_.row(i)[static_cast<std::size_t>(alpha)] != 0;
  }

  void build(Label alpha) {
    graph_.clear();
    for (const std::size_t i : active_)
      graph_.add_node(problem_.unary(i, labels_[i]) - problem_.unary(i, alpha));
    for (const std::size_t i : active_) {
      for (const Neighbour to : problem_.neighbours(i)) add_edge(alpha, i, to);
    }
    add_costs(alpha);
  }

  void add_edge(Label alpha, std::size_t i, Neighbour to) {
    const auto j = static_cast<std::size_t>(to.node);
    const Label own = labels_[i], other = labels_[j];
    if (number_[j] < 0) {  // the other end stays
      graph_.add_terminal(number_[i],
                          problem_.pair_from(i, to, own, other) - problem_.pair_from(i, to, alpha, other));
    } else if (problem_.starts(i, to)) {  // each edge once
      const auto cost = [&](Label a, Label b) {
        return -problem_.pair(static_cast<std::size_t>(to.edge), a, b);
      };
      graph_.add_pair(number_[i], number_[j], cost(own, other), cost(own, alpha), cost(alpha, other),
                      cost(alpha, alpha));
    }
  }

  void add_costs(Label alpha) {
    aux_.assign(problem_.n_labels(), -1);
    for (std::size_t l = 0; l < aux_.size(); ++l) {
      const Fixed cost = -problem_.weight(static_cast<Label>(l));
      const bool is_alpha = static_cast<Label>(l) == alpha;
      if (cost <= 0 || staying_[l] > 0 || (used_[l] > 0) == is_alpha)
        continue;  // no reason to change, or a constant
      aux_[l] = graph_.add_node(is_alpha ? cost : -cost);
      if (is_alpha) join_all(aux_[l], cost);
    }
    for (const std::size_t i : active_) {
      const Node aux = aux_[static_cast<std::size_t>(labels_[i])];
      if (aux >= 0)
        graph_.add_edge(number_[i], aux, -problem_.weight(labels_[i]), 0);  // saved only if all leave
    }
  }

  void join_all(Node aux, Fixed cost) {
    for (const std::size_t i : active_) graph_.add_edge(aux, number_[i], cost, 0);  // paid if any joins
  }

  // ---- rewards

  bool is_open_reward(Label label, Label alpha) const {
    const auto l = static_cast<std::size_t>(label);
    return problem_.weight(label) > 0 && staying_[l] == 0 && (label == alpha ? used_[l] == 0 : used_[l] > 0);
  }

  std::vector<std::uint8_t> best_set(Label alpha, Poll& poll) {
    std::vector<Label> rewards;
    for (Label l = 0; l < static_cast<Label>(problem_.n_labels()); ++l) {
      if (is_open_reward(l, alpha)) rewards.push_back(l);
    }
    std::priority_queue<Branch> open;
    open.push(solved({0, {}, {}, {}, {}}, rewards, alpha, poll));
    std::size_t cuts = 1;
    while (!open.empty()) {
      Branch top = open.top();
      open.pop();
      if (top.gain <= 0) return {};  // not even with what is granted
      const Label missing = first_missing(top, rewards, alpha);
      if (missing < 0) return top.taken;
      const std::vector<Node> witnesses = possible_witnesses(top, missing, alpha);
      cuts += witnesses.size() + 1;
      if (cuts > budget_) return witnessed_set(rewards, alpha, poll);
      for (Branch& child : split(top, missing, witnesses, alpha))
        open.push(solved(std::move(child), rewards, alpha, poll));
    }
    return {};
  }

  Branch solved(Branch branch, const std::vector<Label>& rewards, Label alpha, Poll& poll) {
    branch.gain = -graph_.solve(poll, branch.held0, branch.held1, branch.taken);
    for (const Label l : rewards) {
      const bool is_denied = std::find(branch.denied.begin(), branch.denied.end(), l) != branch.denied.end();
      if (l == alpha && !is_denied) branch.gain += problem_.weight(l);
      if (l != alpha && is_denied) branch.gain -= problem_.weight(l);  // it was earned before the move
    }
    return branch;
  }

  bool earns(const Branch& branch, Label reward, Label alpha) const {
    for (const std::size_t i : active_) {
      const bool moves = branch.taken[static_cast<std::size_t>(number_[i])] != 0;
      if (reward == alpha ? moves : labels_[i] == reward && !moves) return true;
    }
    return false;
  }

  Label first_missing(const Branch& branch, const std::vector<Label>& rewards, Label alpha) const {
    for (const Label l : rewards) {
      const bool is_denied = std::find(branch.denied.begin(), branch.denied.end(), l) != branch.denied.end();
      if (!is_denied && !earns(branch, l, alpha)) return l;
    }
    return -1;
  }

  std::vector<Node> possible_witnesses(const Branch& branch, Label reward, Label alpha) const {
    const std::vector<Node>& against = reward == alpha ? branch.held0 : branch.held1;
    std::vector<Node> nodes;
    for (const std::size_t i : active_) {
      const bool could = reward == alpha || labels_[i] == reward;
      if (could && std::find(against.begin(), against.end(), number_[i]) == against.end())
        nodes.push_back(number_[i]);
    }
    return nodes;
  }

  static std::vector<Branch> split(const Branch& parent, Label missing, std::span<const Node> witnesses,
                                   Label alpha) {
    std::vector<Branch> children(1, parent);
    children[0].denied.push_back(missing);
    for (const Node v : witnesses) {
      children.push_back(parent);
      (missing == alpha ? children.back().held1 : children.back().held0).push_back(v);
    }
    return children;
  }

  // A cut that never loses: each reward counts only if one chosen variable earns it, tight where nothing
  // moves.
  std::vector<std::uint8_t> witnessed_set(const std::vector<Label>& rewards, Label alpha, Poll& poll) {
    for (const Label l : rewards) {
      Node best = -1;
      for (const std::size_t i : active_) {
        if (l != alpha && labels_[i] != l) continue;
        const Fixed cost = graph_.terminal(number_[i]);
        if (best < 0 || (l == alpha ? cost < graph_.terminal(best) : cost > graph_.terminal(best)))
          best = number_[i];
      }
      graph_.add_terminal(best, l == alpha ? -problem_.weight(l) : problem_.weight(l));
    }
    std::vector<std::uint8_t> taken;
    graph_.solve(poll, {}, {}, taken);
    return taken;
  }

  // ---- making the move

  Fixed apply(Label alpha, const std::vector<std::uint8_t>& taken) {
    if (taken.empty()) return 0;
    const Fixed gain = gain_of(alpha, taken);
    if (gain <= 0) return 0;
    for (const std::size_t i : active_) {
      if (!taken[static_cast<std::size_t>(number_[i])]) continue;
      --used_[static_cast<std::size_t>(labels_[i])];
      ++used_[static_cast<std::size_t>(alpha)];
      labels_[i] = alpha;
    }
    return gain;
  }

  // What a set gains, from the definition: truncated pairs and witnesses do not count here.
  Fixed gain_of(Label alpha, const std::vector<std::uint8_t>& taken) const {
    const auto moves = [&](std::size_t i) {
      return number_[i] >= 0 && taken[static_cast<std::size_t>(number_[i])] != 0;
    };
    std::vector<std::int64_t> used = used_;
    Fixed gain = 0;
    for (const std::size_t i : active_) {
      if (!moves(i)) continue;
      gain += problem_.unary(i, alpha) - problem_.unary(i, labels_[i]);
      --used[static_cast<std::size_t>(labels_[i])];
      ++used[static_cast<std::size_t>(alpha)];
      for (const Neighbour to : problem_.neighbours(i)) {
        const auto j = static_cast<std::size_t>(to.node);
        if (moves(j) && !problem_.starts(i, to)) continue;  // counted at its first end
        const Label after = moves(j) ? alpha : labels_[j];
        gain += problem_.pair_from(i, to, alpha, after) - problem_.pair_from(i, to, labels_[i], labels_[j]);
      }
    }
    for (std::size_t l = 0; l < used.size(); ++l) {
      gain += problem_.weight(static_cast<Label>(l)) * ((used[l] > 0) - (used_[l] > 0));
    }
    return gain;
  }

  const MoveProblem& problem_;
  std::span<Label> labels_;
  MatrixView<const std::uint8_t> candidates_;
  std::size_t budget_;
  MoveGraph graph_;
  std::vector<std::size_t> active_;  // variables that may move
  std::vector<Node> number_;         // their nodes, -1 for the others
  std::vector<std::int64_t> used_, staying_;
  std::vector<Node> aux_;
};

}  // namespace hedgehop
