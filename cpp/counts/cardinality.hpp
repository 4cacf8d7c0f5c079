// SPDX-License-Identifier: BSD-3-Clause
// Max-sum messages of a factor f(k), k = number of variables that are "on" (Tarlow, Givoni, Zemel, AISTATS
// 2010).
//
// A variable that is on gains q_i. The message to i is what being on adds in the rest of the factor,
//
//     max_{x: x_i = 1} [sum_{j != i} q_j x_j + f(|x|)] - max_{x: x_i = 0} [sum_{j != i} q_j x_j + f(|x|)].
//
// With the gains in falling order and their prefix sums, the best k others of i are the first k, or the first
// k + 1 without i itself; prefix and suffix maxima then serve all variables. Gains of +inf and -inf mean on
// and off in any case: such variables shift the counts, and their own message is 0.
//
// Complexity: O(n log n) time, O(n) memory. The table must be finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace hedgehop::counts {

class CardinalityMessages {
 public:
  // n gains, a table of n + 1 values, n messages.
  void operator()(std::span<const double> gains, std::span<const double> table, std::span<double> messages) {
    std::fill(messages.begin(), messages.end(), 0.0);
    const std::size_t always_on = collect(gains);
    if (order_.empty()) return;
    const auto free = table.subspan(always_on, order_.size() + 1);
    sum_in_order(gains);
    find_suffixes(free);
    send(gains, free, messages);
  }

 private:
  // order_ = variables with a choice by falling gain; returns how many are always on.
  std::size_t collect(std::span<const double> gains) {
    order_.clear();
    std::size_t always_on = 0;
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (std::isfinite(gains[i])) {
        order_.push_back(i);
      } else {
        always_on += gains[i] > 0;
      }
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
    return always_on;
  }

  void sum_in_order(std::span<const double> gains) {
    sums_.assign(order_.size() + 1, 0.0);
    for (std::size_t c = 0; c < order_.size(); ++c) sums_[c + 1] = sums_[c] + gains[order_[c]];
  }

  // suffix_on_[r] = max_{c >= r} sums[c + 1] + f[c + 1]: the first c + 1, i among them;
  // suffix_off_[r] = max_{c >= r} sums[c + 1] + f[c]: the same without i, its gain still to be subtracted.
  void find_suffixes(std::span<const double> table) {
    const std::size_t n = order_.size();
    suffix_on_.resize(n);
    suffix_off_.resize(n);
    for (std::size_t c = n; c-- > 0;) {
      suffix_on_[c] = sums_[c + 1] + table[c + 1];
      suffix_off_[c] = sums_[c + 1] + table[c];
      if (c + 1 == n) continue;
      suffix_on_[c] = std::max(suffix_on_[c], suffix_on_[c + 1]);
      suffix_off_[c] = std::max(suffix_off_[c], suffix_off_[c + 1]);
    }
  }

  void send(std::span<const double> gains, std::span<const double> table, std::span<double> messages) const {
    double prefix_on = sums_[0] + table[1], prefix_off = sums_[0] + table[0];
    for (std::size_t r = 0; r < order_.size(); ++r) {
      prefix_on = std::max(prefix_on, sums_[r] + table[r + 1]);
      prefix_off = std::max(prefix_off, sums_[r] + table[r]);
      const double gain = gains[order_[r]];
      const double on = std::max(prefix_on, suffix_on_[r] - gain);
      const double off = std::max(prefix_off, suffix_off_[r] - gain);
      messages[order_[r]] = on - off;
    }
  }

  std::vector<std::size_t> order_;
  std::vector<double> sums_, suffix_on_, suffix_off_;
};

}  // namespace hedgehop::counts
