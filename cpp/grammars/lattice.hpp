// SPDX-License-Identifier: BSD-3-Clause
// The strings of a weighted automaton, unrolled over their positions: best ones, scores of given ones and
// max-marginals by dynamic programming (Viterbi 1967; Mohri 2002).
//
// A node is a state after so many symbols. Nodes stand in the order of their positions, and within a position
// in the order of arcs that read nothing: every arc leads to a later node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::grammars {

inline constexpr double forbidden = -std::numeric_limits<double>::infinity();

struct Automaton {
  std::size_t n_states = 0;
  MatrixView<const std::int32_t> arcs;  // from, to, symbol; -1 reads nothing
  std::span<const double> scores;       // of the arcs; -inf closes one
  std::span<const double> finals;       // what ending in each state adds; -inf if strings cannot end there
  std::size_t start = 0;
};

struct LatticeArc {
  std::int32_t from, to;  // nodes
  Label symbol;
  double score;
};

class Lattice {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t most_arcs = std::size_t{1} << 28;

  // Strings of at most `longest` symbols; unlimited ones need an automaton without cycles.
  Lattice(const Automaton& automaton, std::size_t longest, Poll& poll) {
    const std::vector<std::uint8_t> useful = useful_states(automaton);
    if (useful[automaton.start] == 0) return;  // accepts nothing
    const Outgoing out(automaton, useful);
    const std::vector<std::size_t> silent = order_of(automaton, out, true);
    if (silent.empty())
      throw std::invalid_argument(
          "arcs without a symbol must not form a cycle; some do. Remove one of them.");
    length_ = std::min(longest, longest_string(automaton, out, longest));
    unroll(automaton, out, silent, poll);
  }

  std::size_t length() const { return length_; }
  bool is_empty() const { return nodes_.empty(); }
  std::size_t n_nodes() const { return nodes_.size(); }
  const std::vector<LatticeArc>& arcs() const { return arcs_; }
  double final_score(std::size_t node) const { return nodes_[node].final_score; }
  std::size_t position(std::size_t node) const { return nodes_[node].position; }

  // Best string with scores of (length, L) symbols at positions added; label L - 1 stands behind the end if
  // strings can be shorter than the longest. -inf if none is allowed.
  double best(MatrixView<const double> added, std::span<Label> labeling, Poll& poll) const {
    const std::vector<double> tail = tails(added);
    std::vector<double> value(n_nodes());
    std::vector<std::size_t> choice(n_nodes());
    for (std::size_t v = n_nodes(); v-- > 0;) {
      const Node& node = nodes_[v];
      value[v] = node.final_score + tail[node.position];
      choice[v] = arcs_.size();
      for (std::size_t a = node.first; a < node.last; ++a) {
        const double through = worth(arcs_[a], node.position, added) + value[index(arcs_[a].to)];
        if (through > value[v]) value[v] = through, choice[v] = a;
      }
      poll.tick(static_cast<std::uint32_t>(1 + node.last - node.first));
    }
    std::ranges::fill(labeling, static_cast<Label>(added.columns - 1));
    for (std::size_t v = 0; choice[v] < arcs_.size(); v = index(arcs_[choice[v]].to)) {
      if (arcs_[choice[v]].symbol >= 0) labeling[nodes_[v].position] = arcs_[choice[v]].symbol;
    }
    return value[0];
  }

  // Scores of given strings, -inf for those that are not accepted; of several ways to read one, the best.
  void scores(Labelings labelings, Label end, std::span<double> out, Poll& poll) const {
    std::vector<double> value(n_nodes());
    for (std::size_t k = 0; k < labelings.rows; ++k) out[k] = score(labelings.row(k), end, value, poll);
  }

  // Best score of a string with symbol l at position t, for each (t, l).
  void max_marginals(MatrixView<const double> added, MatrixView<double> out, Poll& poll) const {
    const std::vector<double> tail = tails(added);
    std::vector<double> before(n_nodes(), forbidden), behind(n_nodes());
    before[0] = 0.0;
    for (std::size_t v = 0; v < n_nodes(); ++v) {
      const Node& node = nodes_[v];
      for (std::size_t a = node.first; a < node.last; ++a) {
        double& next = before[index(arcs_[a].to)];
        next = std::max(next, before[v] + worth(arcs_[a], node.position, added));
      }
      poll.tick(static_cast<std::uint32_t>(1 + node.last - node.first));
    }
    std::ranges::fill(out.data, forbidden);
    std::vector<double> ended(length_ + 1, forbidden);  // best string of each length
    for (std::size_t v = n_nodes(); v-- > 0;) {
      const Node& node = nodes_[v];
      behind[v] = node.final_score + tail[node.position];
      ended[node.position] = std::max(ended[node.position], before[v] + behind[v]);
      for (std::size_t a = node.first; a < node.last; ++a) {
        const double rest = worth(arcs_[a], node.position, added) + behind[index(arcs_[a].to)];
        behind[v] = std::max(behind[v], rest);
        if (arcs_[a].symbol < 0) continue;
        double& marginal = out(node.position, arcs_[a].symbol);
        marginal = std::max(marginal, before[v] + rest);
      }
      poll.tick(static_cast<std::uint32_t>(1 + node.last - node.first));
    }
    double shorter = forbidden;
    for (std::size_t t = 0; t < length_; ++t) {
      shorter = std::max(shorter, ended[t]);
      double& marginal = out(t, out.columns - 1);
      marginal = std::max(marginal, shorter);
    }
  }

 private:
  struct Node {
    std::size_t position, first, last;  // its arcs
    double final_score;
  };

  // Arcs that may be used, by the state where they begin.
  struct Outgoing {
    std::vector<std::size_t> first, arcs;

    Outgoing(const Automaton& automaton, std::span<const std::uint8_t> useful)
        : first(automaton.n_states + 1) {
      std::vector<std::size_t> kept;
      for (std::size_t a = 0; a < automaton.arcs.rows; ++a) {
        const std::size_t from = index(automaton.arcs(a, 0)), to = index(automaton.arcs(a, 1));
        if (automaton.scores[a] == forbidden || useful[from] == 0 || useful[to] == 0) continue;
        kept.push_back(a);
        ++first[from + 1];
      }
      for (std::size_t s = 0; s < automaton.n_states; ++s) first[s + 1] += first[s];
      arcs.resize(kept.size());
      std::vector<std::size_t> next(first.begin(), first.end() - 1);
      for (const std::size_t a : kept) arcs[next[index(automaton.arcs(a, 0))]++] = a;
    }

    std::span<const std::size_t> at(std::size_t state) const {
      return std::span(arcs).subspan(first[state], first[state + 1] - first[state]);
    }
  };

  static double worth(const LatticeArc& arc, std::size_t position, MatrixView<const double> added) {
    return arc.symbol < 0 ? arc.score : arc.score + added(position, arc.symbol);
  }

  // What ending after t symbols adds.
  std::vector<double> tails(MatrixView<const double> added) const {
    std::vector<double> tail(length_ + 1);
    for (std::size_t t = length_; t-- > 0;) tail[t] = tail[t + 1] + added(t, added.columns - 1);
    return tail;
  }

  double score(std::span<const Label> labeling, Label end, std::vector<double>& value, Poll& poll) const {
    std::size_t size = 0;
    while (size < length_ && labeling[size] != end) ++size;
    for (std::size_t t = size; t < length_; ++t) {
      if (labeling[t] != end) return forbidden;
    }
    std::ranges::fill(value, forbidden);
    value[0] = 0.0;
    double best = forbidden;
    for (std::size_t v = 0; v < n_nodes() && nodes_[v].position <= size; ++v) {
      const Node& node = nodes_[v];
      if (value[v] == forbidden) continue;
      if (node.position == size) best = std::max(best, value[v] + node.final_score);
      for (std::size_t a = node.first; a < node.last; ++a) {
        if (arcs_[a].symbol >= 0 && (node.position == size || arcs_[a].symbol != labeling[node.position]))
          continue;
        double& next = value[index(arcs_[a].to)];
        next = std::max(next, value[v] + arcs_[a].score);
      }
    }
    poll.tick(static_cast<std::uint32_t>(1 + n_nodes()));
    return best;
  }

  // States on the way from the start to an end.
  static std::vector<std::uint8_t> useful_states(const Automaton& automaton) {
    const std::size_t n = automaton.n_states;
    std::vector<std::uint8_t> ahead(n), back(n), everywhere(n, 1);
    const Outgoing out(automaton, everywhere);
    std::vector<std::size_t> open{automaton.start};
    ahead[automaton.start] = 1;
    while (!open.empty()) {
      const std::size_t s = open.back();
      open.pop_back();
      for (const std::size_t a : out.at(s)) {
        const std::size_t to = index(automaton.arcs(a, 1));
        if (ahead[to] == 0) ahead[to] = 1, open.push_back(to);
      }
    }
    std::vector<std::vector<std::size_t>> into(n);
    for (const std::size_t a : out.arcs) {
      if (ahead[index(automaton.arcs(a, 0))] != 0)
        into[index(automaton.arcs(a, 1))].push_back(index(automaton.arcs(a, 0)));
    }
    for (std::size_t s = 0; s < n; ++s) {
      if (ahead[s] != 0 && automaton.finals[s] > forbidden) back[s] = 1, open.push_back(s);
    }
    while (!open.empty()) {
      const std::size_t s = open.back();
      open.pop_back();
      for (const std::size_t from : into[s]) {
        if (back[from] == 0) back[from] = 1, open.push_back(from);
      }
    }
    return back;
  }

  // States in the order of all arcs, or of those that read nothing (Kahn 1962); none if they form a cycle.
  static std::vector<std::size_t> order_of(const Automaton& automaton, const Outgoing& out, bool silent) {
    const auto counts = [&](std::size_t a) { return !silent || automaton.arcs(a, 2) < 0; };
    std::vector<std::size_t> open(automaton.n_states), order;
    for (const std::size_t a : out.arcs) {
      if (counts(a)) ++open[index(automaton.arcs(a, 1))];
    }
    for (std::size_t s = 0; s < automaton.n_states; ++s) {
      if (open[s] == 0) order.push_back(s);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (const std::size_t a : out.at(order[k])) {
        if (counts(a) && --open[index(automaton.arcs(a, 1))] == 0)
          order.push_back(index(automaton.arcs(a, 1)));
      }
    }
    if (order.size() < automaton.n_states) order.clear();
    return order;
  }

  static std::size_t longest_string(const Automaton& automaton, const Outgoing& out, std::size_t longest) {
    const std::vector<std::size_t> order = order_of(automaton, out, false);
    if (order.empty()) {
      if (longest == unlimited)
        throw std::invalid_argument(
            "arcs must not form a cycle, because strings would have no end; some do. Set max_length.");
      return unlimited;
    }
    std::vector<std::size_t> length(automaton.n_states);
    for (auto s = order.rbegin(); s != order.rend(); ++s) {
      for (const std::size_t a : out.at(*s)) {
        const std::size_t reads = automaton.arcs(a, 2) < 0 ? 0 : 1;
        length[*s] = std::max(length[*s], reads + length[index(automaton.arcs(a, 1))]);
      }
    }
    return length[automaton.start];
  }

  void unroll(const Automaton& automaton, const Outgoing& out, const std::vector<std::size_t>& silent,
              Poll& poll) {
    std::vector<std::size_t> place(automaton.n_states);  // in the order of arcs that read nothing
    for (std::size_t k = 0; k < silent.size(); ++k) place[silent[k]] = k;
    std::vector<std::vector<std::size_t>> layers{{automaton.start}};
    std::vector<std::size_t> seen(automaton.n_states, unlimited), met = seen;  // last positions
    std::size_t work = 0;
    for (std::size_t t = 0;; ++t) {
      close(automaton, out, layers[t], seen, t);
      std::ranges::sort(layers[t], {}, [&](std::size_t s) { return place[s]; });
      if (t == length_) break;
      std::vector<std::size_t> next;
      for (const std::size_t s : layers[t]) {
        for (const std::size_t a : out.at(s)) {
          const std::size_t to = index(automaton.arcs(a, 1));
          if (automaton.arcs(a, 2) >= 0 && met[to] != t) met[to] = t, next.push_back(to);
        }
        work += out.at(s).size();
        poll.tick(static_cast<std::uint32_t>(1 + out.at(s).size()));
      }
      if (work > most_arcs)
        throw std::invalid_argument(
            "the automaton is too large for such long strings. Use a smaller max_length, or fewer arcs.");
      if (next.empty()) {
        length_ = t;
        break;
      }
      layers.push_back(std::move(next));
    }
    keep_useful(automaton, out, layers);
  }

  // Add the states that are reached without reading; `seen` holds the last position at which one was.
  static void close(const Automaton& automaton, const Outgoing& out, std::vector<std::size_t>& layer,
                    std::vector<std::size_t>& seen, std::size_t t) {
    for (const std::size_t s : layer) seen[s] = t;
    for (std::size_t k = 0; k < layer.size(); ++k) {
      for (const std::size_t a : out.at(layer[k])) {
        const std::size_t to = index(automaton.arcs(a, 1));
        if (automaton.arcs(a, 2) < 0 && seen[to] != t) seen[to] = t, layer.push_back(to);
      }
    }
  }

  // Nodes from which strings can end in time, the last ones first, then turned round.
  void keep_useful(const Automaton& automaton, const Outgoing& out,
                   const std::vector<std::vector<std::size_t>>& layers) {
    std::vector<std::int32_t> here(automaton.n_states, -1), next(automaton.n_states, -1);
    std::size_t longest = 0;
    for (std::size_t t = layers.size(); t-- > 0;) {
      if (t + 2 < layers.size()) {
        for (const std::size_t s : layers[t + 2]) here[s] = -1;
      }
      for (auto s = layers[t].rbegin(); s != layers[t].rend(); ++s) {
        const std::size_t first = arcs_.size();
        for (const std::size_t a : out.at(*s)) {
          const std::size_t to = index(automaton.arcs(a, 1));
          const Label symbol = automaton.arcs(a, 2);
          const std::int32_t target = symbol < 0 ? here[to] : next[to];
          if (target >= 0) arcs_.push_back({0, target, symbol, automaton.scores[a]});
        }
        if (arcs_.size() == first && automaton.finals[*s] == forbidden) continue;
        here[*s] = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back({t, first, arcs_.size(), automaton.finals[*s]});
        longest = std::max(longest, t);
      }
      std::swap(here, next);
    }
    length_ = longest;
    turn();
  }

  void turn() {
    const auto last = static_cast<std::int32_t>(nodes_.size()) - 1;
    std::vector<LatticeArc> arcs;
    arcs.reserve(arcs_.size());
    std::ranges::reverse(nodes_);
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      Node& node = nodes_[v];
      const std::size_t first = arcs.size();
      for (std::size_t a = node.first; a < node.last; ++a)
        arcs.push_back({static_cast<std::int32_t>(v), last - arcs_[a].to, arcs_[a].symbol, arcs_[a].score});
      node.first = first;
      node.last = arcs.size();
    }
    arcs_ = std::move(arcs);
  }

  std::size_t length_ = 0;
  std::vector<Node> nodes_;
  std::vector<LatticeArc> arcs_;
};

}  // namespace hedgehop::grammars
