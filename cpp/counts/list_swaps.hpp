// SPDX-License-Identifier: BSD-3-Clause
// Lists of known labelings: filled one by one, and improved by swaps of single ones while F grows,
//
//     F(T) = sum of l_k over k in T + sum_g w_g h_g(c_g),    c_g = how many labelings of T are in group g.
//
// Complexity: one look at all labelings O(entries of all labelings).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "counts/slope_master.hpp"

namespace hedgehop::counts {

// What groups weigh, and which row of the tables h(0..m) they have.
struct CountedGroups {
  std::span<const double> weights;
  std::span<const std::int32_t> curve;
  MatrixView<const double> tables;
};

class ListSwaps {
 public:
  using List = std::vector<std::int32_t>;

  // near: a row and a column per labeling, not 0 if a list may not hold both; no rows if it may hold all.
  ListSwaps(CountedGroups groups, Memberships members, std::span<const double> scores,
            MatrixView<const std::uint8_t> near)
      : groups_(groups),
        members_(members),
        scores_(scores),
        near_(near),
        counts_(groups.weights.size(), 0),
        held_(scores.size(), 0) {}

  // Adds the best labeling until there are m; nothing if no further one fits.
  std::optional<List> filled(List list, std::size_t m) {
    hold(list);
    while (list.size() < m) {
      const std::size_t best = best_of();
      if (best == scores_.size()) return std::nullopt;
      list.push_back(static_cast<std::int32_t>(best));
      change(best, 1);
    }
    return list;
  }

  // Swaps single labelings for others that gain more by more than `enough`, at most `rounds` times each.
  List settled(List list, std::size_t rounds, double enough, Poll& poll) {
    hold(list);
    bool changed = true;
    for (std::size_t round = 0; round < rounds && changed; ++round) {
      changed = false;
      for (std::int32_t& place : list) {
        const std::size_t before = index(place);
        change(before, -1);
        const std::size_t best = best_of();
        const bool better = best < scores_.size() && gain(best) > gain(before) + enough;
        if (better) place = static_cast<std::int32_t>(best);
        change(index(place), 1);
        changed |= better;
        poll.tick(static_cast<std::uint32_t>(std::min<std::size_t>(members_.groups.size(), 1U << 20)));
      }
    }
    return list;
  }

 private:
  void hold(const List& list) {
    std::ranges::fill(counts_, 0);
    std::ranges::fill(held_, 0);
    for (const std::int32_t k : list) change(index(k), 1);
  }

  void change(std::size_t k, std::int32_t by) {
    held_[k] += by;
    for (const std::int32_t g : members_.of(k)) counts_[index(g)] += by;
  }

  // What labeling k adds to F of the list.
  double gain(std::size_t k) const {
    double sum = scores_[k];
    for (const std::int32_t entry : members_.of(k)) {
      const std::size_t g = index(entry), c = index(counts_[g]);
      const auto h = groups_.tables.row(index(groups_.curve[g]));
      sum += groups_.weights[g] * (h[c + 1] - h[c]);
    }
    return sum;
  }

  bool fits(std::size_t k) const {
    if (near_.rows == 0) return true;
    const auto row = near_.row(k);
    for (std::size_t j = 0; j < held_.size(); ++j) {
      if (held_[j] > 0 && row[j] != 0) return false;
    }
    return true;
  }

  // The first of the best labelings that fit; the number of all if none does.
  std::size_t best_of() const {
    std::size_t best = scores_.size();
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      if (!fits(k)) continue;
      const double own = gain(k);
      if (best == scores_.size() || own > most) best = k, most = own;
    }
    return best;
  }

  CountedGroups groups_;
  Memberships members_;
  std::span<const double> scores_;
  MatrixView<const std::uint8_t> near_;
  std::vector<std::int32_t> counts_, held_;
};

}  // namespace hedgehop::counts
