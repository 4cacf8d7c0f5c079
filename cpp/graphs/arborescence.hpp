// SPDX-License-Identifier: BSD-3-Clause
// Best arborescences: every word gets a head, without cycles, so that all hang from the root.
//
// Chu-Liu 1965 and Edmonds 1967 in Tarjan's dense form (1977): follow best heads from a word; what closes a
// cycle becomes one node, whose arcs score what they gain over the arcs they would replace; O(n^2) in all,
// because a contraction of k nodes costs O(k n). Words are 1..n, row i of the scores belongs to word i + 1,
// and column h to head h, 0 being the root; an arc of a word to itself is never looked at. -inf forbids an
// arc.
//
// With a single root, arcs from the root also cost one unit of a second, heavier currency (Gabow and Tarjan
// 1984): a best arborescence then has as few of them as possible. Kept as an integer beside the score, so
// that no digit is lost. Ties go to the lowest head at each decision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"

namespace hedgehop::graphs {

// Whether following heads from every word ends at the root; with `single_root`, whether one word only hangs
// there.
inline bool is_arborescence(std::span<const Label> heads, bool single_root) {
  const std::size_t n = heads.size();
  if (single_root && std::count(heads.begin(), heads.end(), 0) != 1) return false;
  std::vector<std::size_t> seen(n + 1, 0);  // from which word on; n + 1: known to end at the root
  seen[0] = n + 1;
  for (std::size_t word = 1; word <= n; ++word) {
    std::size_t at = word;
    for (; seen[at] == 0; at = index(heads[at - 1])) seen[at] = word;
    if (seen[at] != n + 1) return false;
    for (at = word; seen[at] != n + 1; at = index(heads[at - 1])) seen[at] = n + 1;
  }
  return true;
}

struct Arc {
  double score;
  std::int32_t from_root;  // 0 or fewer: minus the arcs from the root, relative to what is replaced
  std::int32_t word;       // the word it ends at; a contracted node holds several

  bool allowed() const { return score != forbidden; }

  bool better_than(const Arc& other) const {
    if (allowed() != other.allowed()) return allowed();
    if (from_root != other.from_root) return from_root > other.from_root;
    return score > other.score;
  }

  Arc over(const Arc& replaced) const {
    return {score - replaced.score, from_root - replaced.from_root, word};
  }
};

class Contraction {
 public:
  Contraction(MatrixView<const double> scores, bool single_root)
      : n_(scores.rows), arcs_(n_ * (n_ + 1)), row_(n_ + 1), node_(n_ + 1), above_(n_ + 1, none) {
    for (std::size_t v = 1; v <= n_; ++v) {
      row_[v] = v - 1;
      for (std::size_t head = 0; head <= n_; ++head) {
        const std::int32_t from_root = single_root && head == 0 ? -1 : 0;
        arcs_[(v - 1) * (n_ + 1) + head] = {scores.row(v - 1)[head], from_root, static_cast<std::int32_t>(v)};
      }
    }
    for (std::size_t v = 0; v <= n_; ++v) node_[v] = v;
    head_.resize(n_ + 1);
    chosen_.resize(n_ + 1);
  }

  // False if some node cannot be reached.
  bool run(Poll& poll) {
    std::vector<bool> settled(2 * n_ + 1, false), on_path(2 * n_ + 1, false);
    settled[0] = true;
    for (std::size_t word = 1; word <= n_; ++word) {
      std::vector<std::size_t> path;
      for (std::size_t next = node_[word]; !settled[next];) {
        if (on_path[next]) {
          next = contract(path, next, poll);
        }
        path.push_back(next);
        on_path[next] = true;
        if (!choose(next)) return false;
        poll.tick(static_cast<std::uint32_t>(n_));
        next = node_[head_[next]];
      }
      for (const std::size_t node : path) settled[node] = true;
    }
    return true;
  }

  // Undoes the contractions, newest first: the arc into a node replaces those of the nodes inside that hold
  // its word.
  void expand(std::span<Label> heads) const {
    std::vector<bool> done(above_.size(), false);
    for (std::size_t node = above_.size(); node-- > 1;) {
      if (done[node]) continue;
      const auto word = index(chosen_[node].word);
      heads[word - 1] = static_cast<Label>(head_[node]);
      for (std::size_t inside = word; inside != node; inside = above_[inside]) done[inside] = true;
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::span<Arc> arcs_into(std::size_t node) {
    return std::span(arcs_).subspan(row_[node] * (n_ + 1), n_ + 1);
  }

  bool choose(std::size_t node) {
    Arc best{forbidden, 0, 0};
    const auto arcs = arcs_into(node);
    for (std::size_t head = 0; head <= n_; ++head) {
      if (node_[head] == node || !arcs[head].better_than(best)) continue;
      best = arcs[head];
      head_[node] = head;
    }
    chosen_[node] = best;
    return best.allowed();
  }

  // Makes one node of the end of the path, from `first` on, in the row of `first`.
  std::size_t contract(std::vector<std::size_t>& path, std::size_t first, Poll& poll) {
    const std::size_t node = above_.size();
    const auto begin = std::find(path.begin(), path.end(), first);
    const auto into = arcs_into(first);
    for (Arc& arc : into) arc = arc.over(chosen_[first]);
    for (auto member = begin; member != path.end(); ++member) {
      above_[*member] = node;
      if (*member == first) continue;
      const auto arcs = arcs_into(*member);
      for (std::size_t head = 0; head <= n_; ++head) {
        const Arc arc = arcs[head].over(chosen_[*member]);
        if (arc.better_than(into[head])) into[head] = arc;
      }
      poll.tick(static_cast<std::uint32_t>(n_));
    }
    path.erase(begin, path.end());
    above_.push_back(none);
    row_.push_back(row_[first]);
    head_.push_back(0);
    chosen_.push_back({});
    for (std::size_t& top : node_) {
      if (above_[top] == node) top = node;
    }
    return node;
  }

  std::size_t n_;
  std::vector<Arc> arcs_;           // a row per word, reused by the nodes that contain it
  std::vector<std::size_t> row_;    // of each node; nodes 0..n are the root and the words
  std::vector<std::size_t> node_;   // the outermost node of the root and of each word
  std::vector<std::size_t> above_;  // the node a node was contracted into
  std::vector<std::size_t> head_;   // the root or word where each node's chosen arc begins
  std::vector<Arc> chosen_;
};

// Writes the best heads of words 1..n and returns their score; -inf if no arborescence is allowed (the heads
// are then arbitrary). `scores` has n rows and n + 1 columns.
inline double best_arborescence(MatrixView<const double> scores, bool single_root, std::span<Label> heads,
                                Poll poll = {}) {
  Contraction contraction(scores, single_root);
  std::fill(heads.begin(), heads.end(), 0);
  if (!contraction.run(poll)) return forbidden;
  contraction.expand(heads);
  if (single_root && std::count(heads.begin(), heads.end(), 0) != 1) return forbidden;
  double value = 0.0;
  for (std::size_t i = 0; i < scores.rows; ++i) value += scores(i, heads[i]);
  return value;
}

}  // namespace hedgehop::graphs
