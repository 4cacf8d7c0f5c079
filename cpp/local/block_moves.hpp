// SPDX-License-Identifier: BSD-3-Clause
// Moves over blocks: while all other variables keep their labels, those of a block of bounded path width
// change together, to their best labels by dynamic programming. One change crosses what holds variables
// together, such as equalities, where changes of single labels are forbidden at every step (trees of
// variables: Hamze and de Freitas, UAI 2004; wider blocks: Selby, arXiv 1409.3934).
//
// A block grows along a front. A variable that comes next to it joins, if a table of all labelings of the
// front then has room; otherwise it keeps its label. A variable leaves the front, maximised over, once all of
// its neighbours are decided. With noise on the scores labelings are drawn instead of improved ("perturb and
// maximise", Papandreou and Yuille, ICCV 2011).
//
// Complexity: O(d C) per variable of the block, d its factors, C the cells of the table; O(C) memory per
// variable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/poll.hpp"
#include "core/random.hpp"
#include "local/factors.hpp"

namespace hedgehop::local {

template <class Scores>
class BlockMoves {
 public:
  // No table has more than so many cells.
  BlockMoves(const Factors<Scores>& factors, std::size_t most_cells)
      : factors_(factors),
        most_cells_(most_cells),
        places_(factors.n_variables()),
        pending_(factors.n_variables()),
        choices_(factors.n_variables()),
        chosen_(factors.n_variables()) {}

  // Changes the labels of blocks that cover what they can to those that are best with noise of a temperature;
  // with none, the sum of scores does not fall. Returns how many cells that took.
  std::size_t move(FactorLabels<Scores>& labels, double temperature, SplitMix64& draws, Poll& poll) {
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      choices_[i].resize(factors_.label_count(i));
      std::iota(choices_[i].begin(), choices_[i].end(), Label{0});
    }
    return move_among_choices(labels, temperature, draws, poll);
  }

  // The same without noise, among the present labels and those of another labeling.
  std::size_t fuse(FactorLabels<Scores>& labels, std::span<const Label> other, SplitMix64& draws,
                   Poll& poll) {
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      choices_[i].assign(1, labels.labels()[i]);
      if (other[i] != labels.labels()[i]) choices_[i].push_back(other[i]);
    }
    return move_among_choices(labels, 0.0, draws, poll);
  }

 private:
  std::size_t move_among_choices(FactorLabels<Scores>& labels, double temperature, SplitMix64& draws,
                                 Poll& poll) {
    labels_ = &labels, draws_ = &draws, temperature_ = temperature, work_ = factors_.n_variables();
    const std::size_t n = factors_.n_variables();
    std::ranges::fill(places_, kOpen);
    count_pending();
    table_.assign(1, 0.0);
    decisions_.clear();
    const std::size_t first = draws.below(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t root = first + k < n ? first + k : first + k - n;
      if (places_[root] != kOpen) continue;
      grow_from(root, poll);
      decide();
    }
    return work_;
  }

  static constexpr std::uint8_t kOpen = 0, kFree = 1, kHeld = 2;

  // A variable maximised over, and its best choice for every labeling of the front that is left.
  struct Decision {
    std::size_t variable;
    std::vector<std::size_t> front;
    std::vector<std::uint16_t> choices;
  };

  void count_pending() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      pending_[i] = factors_.neighbours(i).size();
      for (const auto& [clique, stride] : factors_.memberships(i))
        pending_[i] += factors_.members(clique).size() - 1;
    }
  }

  void grow_from(std::size_t root, Poll& poll) {
    add_or_hold(root);
    while (!front_.empty()) {
      add_or_hold(next_of(narrowest()));
      poll.tick(static_cast<std::uint32_t>(table_.size()));
    }
  }

  void add_or_hold(std::size_t i) {
    const std::size_t many = choices_[i].size();
    if (many > 1 && table_.size() * many <= most_cells_) {
      add(i);
    } else {
      hold(i);
    }
  }

  // The variable of the front with the fewest open neighbours: it can leave soonest.
  std::size_t narrowest() {
    std::size_t best = 0, ties = 1;
    for (std::size_t k = 1; k < front_.size(); ++k) {
      const std::size_t now = pending_[front_[k]], least = pending_[front_[best]];
      if (now < least)
        best = k, ties = 1;
      else if (now == least && draws_->below(++ties) == 0)
        best = k;
    }
    return front_[best];
  }

  std::size_t next_of(std::size_t i) {
    std::size_t found = i, ties = 0;
    factors_.for_neighbours(i, [&](std::size_t j) {
      if (places_[j] == kOpen && draws_->below(++ties) == 0) found = j;
    });
    return found;
  }

  void hold(std::size_t i) {
    places_[i] = kHeld;
    for (const Neighbour to : factors_.neighbours(i)) {
      if (places_[to.node()] == kFree) add_line(to, i);
    }
    for (const auto& [clique, stride] : factors_.memberships(i)) {
      if (is_decided(clique) && free_members(clique) > 0) add_clique(clique);
    }
    settle(i);
  }

  // The neighbours of a variable wait for one less; those that wait for none leave the front.
  void settle(std::size_t i) {
    factors_.for_neighbours(i, [&](std::size_t j) {
      if (j != i) --pending_[j];
    });
    for (std::size_t k = front_.size(); k-- > 0;) {
      if (pending_[front_[k]] == 0) leave(k);
    }
  }

  void add(std::size_t i) {
    places_[i] = kFree;
    front_.push_back(i);
    const auto own = own_scores(i);
    const std::size_t before = table_.size();
    table_.resize(before * own.size());
    for (std::size_t a = own.size(); a-- > 0;) {
      for (std::size_t x = 0; x < before; ++x) table_[a * before + x] = table_[x] + own[a];
    }
    for (const Neighbour to : factors_.neighbours(i)) {
      if (places_[to.node()] == kFree) add_pair(to, i);
    }
    for (const auto& [clique, stride] : factors_.memberships(i)) {
      if (is_decided(clique) && free_members(clique) > 1) add_clique(clique);
    }
    work_ += table_.size();
    settle(i);
  }

  // Unary, noise, and what joins i with variables that keep their labels.
  std::span<const double> own_scores(std::size_t i) {
    const auto& labels = choices_[i];
    own_.clear();
    for (const Label label : labels) own_.push_back(factors_.unary(i)[index(label)]);
    if (temperature_ > 0.0) {
      for (double& score : own_) score += temperature_ * draws_->exponential();
    }
    for (const Neighbour to : factors_.neighbours(i)) {
      if (places_[to.node()] != kHeld) continue;
      const std::size_t label = index(labels_->labels()[to.node()]);
      for (std::size_t a = 0; a < own_.size(); ++a) {
        own_[a] += factors_.pairs().score(to.edge(), to.is_first(), label, index(labels[a]));
      }
    }
    for (const auto& [clique, stride] : factors_.memberships(i)) {
      if (!is_decided(clique) || free_members(clique) > 1) continue;
      const std::size_t from = labels_->cell(clique) - stride * index(labels_->labels()[i]);
      for (std::size_t a = 0; a < own_.size(); ++a)
        own_[a] += factors_.cell(from + index(labels[a]) * stride);
    }
    return own_;
  }

  bool is_decided(std::size_t clique) const {
    return std::ranges::all_of(factors_.members(clique), [&](auto j) { return places_[index(j)] != kOpen; });
  }
  std::ptrdiff_t free_members(std::size_t clique) const {
    return std::ranges::count_if(factors_.members(clique),
                                 [&](auto j) { return places_[index(j)] == kFree; });
  }

  // What joins i, the last of the front, with another of the front.
  void add_pair(Neighbour to, std::size_t i) {
    const auto [stride, many] = place_of(to.node());
    const std::size_t before = table_.size() / choices_[i].size();
    for (std::size_t a = 0; a < choices_[i].size(); ++a) {
      for (std::size_t b = 0; b < many; ++b) {
        const double score = factors_.pairs().score(to.edge(), to.is_first(), index(choices_[to.node()][b]),
                                                    index(choices_[i][a]));
        for (std::size_t high = a * before + b * stride; high < (a + 1) * before; high += many * stride) {
          for (std::size_t low = 0; low < stride; ++low) table_[high + low] += score;
        }
      }
    }
    work_ += table_.size();
  }

  // What joins another of the front with i, which keeps its label.
  void add_line(Neighbour to, std::size_t i) {
    const auto [stride, many] = place_of(to.node());
    const std::size_t label = index(labels_->labels()[i]);
    for (std::size_t b = 0; b < many; ++b) {
      const double score =
          factors_.pairs().score(to.edge(), to.is_first(), index(choices_[to.node()][b]), label);
      for (std::size_t high = b * stride; high < table_.size(); high += many * stride) {
        for (std::size_t low = 0; low < stride; ++low) table_[high + low] += score;
      }
    }
    work_ += table_.size();
  }

  void add_clique(std::size_t clique) {
    std::size_t from = labels_->cell(clique);
    for (const auto j : factors_.members(clique)) {
      if (places_[index(j)] == kFree)
        from -= stride_in(clique, index(j)) * index(labels_->labels()[index(j)]);
    }
    cells_.assign(1, from);
    for (const std::size_t u : front_) {
      const std::size_t before = cells_.size(), stride = stride_in(clique, u);
      cells_.resize(before * choices_[u].size());
      for (std::size_t a = choices_[u].size(); a-- > 0;) {
        for (std::size_t x = 0; x < before; ++x)
          cells_[a * before + x] = cells_[x] + stride * index(choices_[u][a]);
      }
    }
    for (std::size_t x = 0; x < table_.size(); ++x) table_[x] += factors_.cell(cells_[x]);
    work_ += 4 * table_.size();
  }

  // Of a variable in a clique's table; 0 if it is no member.
  std::size_t stride_in(std::size_t clique, std::size_t i) const {
    for (const auto& [other, stride] : factors_.memberships(i)) {
      if (other == clique) return stride;
    }
    return 0;
  }

  // The stride of a variable of the front in the table, and how many labels it has.
  std::pair<std::size_t, std::size_t> place_of(std::size_t i) const {
    std::size_t stride = 1, k = 0;
    for (; front_[k] != i; ++k) stride *= choices_[front_[k]].size();
    return {stride, choices_[i].size()};
  }

  // Maximises over a variable of the front.
  void leave(std::size_t k) {
    const std::size_t i = front_[k];
    const auto [stride, many] = place_of(i);
    const std::size_t cells = table_.size() / many;
    front_.erase(front_.begin() + static_cast<std::ptrdiff_t>(k));
    Decision decision{i, front_, std::vector<std::uint16_t>(cells, 0)};
    left_.resize(cells);
    for (std::size_t x = 0, high = 0; x < cells; x += stride, high += many * stride) {
      std::copy_n(table_.begin() + static_cast<std::ptrdiff_t>(high), stride,
                  left_.begin() + static_cast<std::ptrdiff_t>(x));
      for (std::size_t a = 1; a < many; ++a) {
        const double* row = table_.data() + high + a * stride;
        for (std::size_t low = 0; low < stride; ++low) {
          const bool better = row[low] > left_[x + low];
          left_[x + low] = better ? row[low] : left_[x + low];
          decision.choices[x + low] = better ? static_cast<std::uint16_t>(a) : decision.choices[x + low];
        }
      }
    }
    work_ += table_.size();
    std::swap(table_, left_);
    decisions_.push_back(std::move(decision));
  }

  void decide() {
    for (; !decisions_.empty(); decisions_.pop_back()) {
      const Decision& last = decisions_.back();
      std::size_t cell = 0;
      for (std::size_t k = last.front.size(); k-- > 0;) {
        cell = cell * choices_[last.front[k]].size() + chosen_[last.front[k]];
      }
      chosen_[last.variable] = last.choices[cell];
      labels_->put(last.variable, choices_[last.variable][last.choices[cell]]);
    }
    table_.assign(1, 0.0);
  }

  const Factors<Scores>& factors_;
  std::size_t most_cells_;
  std::vector<std::uint8_t> places_;
  std::vector<std::size_t> pending_, front_;
  std::vector<std::vector<Label>> choices_;
  std::vector<std::size_t> chosen_;
  std::vector<double> table_, left_, own_;
  std::vector<std::size_t> cells_;
  std::vector<Decision> decisions_;
  FactorLabels<Scores>* labels_ = nullptr;
  SplitMix64* draws_ = nullptr;
  double temperature_ = 0.0;
  std::size_t work_ = 0;
};

}  // namespace hedgehop::local
