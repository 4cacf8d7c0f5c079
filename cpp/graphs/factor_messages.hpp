// SPDX-License-Identifier: BSD-3-Clause
// Messages between factors and the variables they name (MPLP: Globerson and Jaakkola, NIPS 2007). They move
// scores from factors to variables, so that whatever the messages are,
//
//     max_y score(y) <= sum_i max b_i + sum_f max (T_f - sum_k m_fk),   b_i = sum_{f, k names i} m_fk,
//
// and no update of one factor's messages raises the sum. Factors of one variable are part of b_i.
//
// Complexity of a sweep: O(k C) for a factor of k variables and C cells. All scores are finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "graphs/elimination.hpp"

namespace hedgehop::graphs {

class FactorMessages {
 public:
  FactorMessages(std::span<const std::int32_t> label_counts, const Scopes& scopes,
                 std::span<const double> tables)
      : counts_(label_counts), scopes_(scopes), tables_(tables.begin(), tables.end()) {
    std::size_t cells = 0, sent = 0;
    for (std::size_t f = 0; f < scopes.size(); ++f) {
      first_cell_.push_back(cells);
      first_sent_.push_back(sent);
      std::size_t size = 1;
      for (const auto i : scopes[f]) size *= count(i), sent += count(i);
      cells += size;
    }
    first_cell_.push_back(cells);
    sent_.assign(sent, 0.0);
    std::size_t labels = 0;
    for (const auto c : label_counts) first_label_.push_back(labels), labels += index(c);
    beliefs_.assign(labels, 0.0);
    settle();
  }

  // Updates the messages of all factors, in their order or back.
  void sweep(bool back, Poll& poll) {
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      const std::size_t g = back ? scopes_.size() - 1 - f : f;
      if (scopes_[g].size() > 1) update(g);
      poll.tick(static_cast<std::uint32_t>(first_cell_[g + 1] - first_cell_[g]));
    }
  }

  // Sums up the beliefs again, without what rounding has added to them.
  void settle() {
    std::ranges::fill(beliefs_, 0.0);
    std::vector<std::size_t> terms(counts_.size(), 0);
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      for (std::size_t k = 0; k < scopes_[f].size(); ++k) {
        const auto i = scopes_[f][k];
        const double* from = scopes_[f].size() == 1 ? tables_.data() + first_cell_[f] : sent(f, k);
        for (std::size_t a = 0; a < count(i); ++a) belief(index(i))[a] += from[a];
        degree_ = std::max(degree_, ++terms[index(i)]);
      }
    }
  }

  // ---- what messages from outside change (graphs/cycle_messages.hpp)

  std::size_t count(std::int32_t i) const { return index(counts_[index(i)]); }
  std::size_t degree_of(std::size_t f) const { return degree_ + scopes_[f].size(); }

  // The scores of a factor of several variables, to be changed.
  std::span<double> table(std::size_t f) {
    return {tables_.data() + first_cell_[f], first_cell_[f + 1] - first_cell_[f]};
  }
  std::span<const double> table(std::size_t f) const {
    return {tables_.data() + first_cell_[f], first_cell_[f + 1] - first_cell_[f]};
  }

  // Other scores of the factors of one variable, end to end; messages stay.
  void set_unary(std::span<const double> scores) {
    std::size_t from = 0;
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      if (scopes_[f].size() != 1) continue;
      for (double& x : table(f)) x = scores[from++];
    }
    settle();
  }

  // The scores of a factor beside what its messages give away.
  void load_pair(std::size_t f, std::vector<double>& to) {
    load_rest(f);
    to.assign(table_.begin(), table_.end());
  }

  // What labelings with a label at a variable score at most beside all that others add, end to end.
  std::span<const double> beliefs() const { return beliefs_; }

  // The terms of the bound: one per variable, one per factor.
  std::vector<double> maxima() {
    std::vector<double> result;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      result.push_back(*std::max_element(belief(i), belief(i) + counts_[i]));
    }
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      if (scopes_[f].size() == 1) continue;
      load_rest(f);
      result.push_back(std::ranges::max(table_));
    }
    return result;
  }

  // How far the terms may be off by rounding, together: every sum of k numbers by k roundings of the largest
  // numbers there are.
  double error() const {
    double total = 0.0;
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      double size = 0.0;
      for (std::size_t c = first_cell_[f]; c < first_cell_[f + 1]; ++c) {
        size = std::max(size, std::abs(tables_[c]));
      }
      for (std::size_t k = 0; k < scopes_[f].size(); ++k) {
        double most = 0.0;
        for (std::size_t a = 0; a < count(scopes_[f][k]); ++a) most = std::max(most, std::abs(sent(f, k)[a]));
        size += most;
      }
      total += static_cast<double>(scopes_[f].size() + degree_) * size;
    }
    return 2.0 * std::numeric_limits<double>::epsilon() * total;
  }

 private:
  double* belief(std::size_t i) { return beliefs_.data() + first_label_[i]; }

  // Where the messages of factor f to its variable of number k begin.
  std::size_t begin_of(std::size_t f, std::size_t k) const {
    std::size_t at = first_sent_[f];
    for (std::size_t j = 0; j < k; ++j) at += count(scopes_[f][j]);
    return at;
  }
  double* sent(std::size_t f, std::size_t k) { return sent_.data() + begin_of(f, k); }
  const double* sent(std::size_t f, std::size_t k) const { return sent_.data() + begin_of(f, k); }

  void load(std::size_t f) {
    table_.assign(tables_.begin() + static_cast<std::ptrdiff_t>(first_cell_[f]),
                  tables_.begin() + static_cast<std::ptrdiff_t>(first_cell_[f + 1]));
  }

  void load_rest(std::size_t f) {
    load(f);
    for (std::size_t k = 0; k < scopes_[f].size(); ++k) add(f, k, sent(f, k), -1.0);
  }

  // visit(label, begin, end) for runs of cells in which variable k of factor f has one label.
  template <class Visit>
  void for_runs(std::size_t f, std::size_t k, Visit visit) const {
    std::size_t stride = 1;
    for (std::size_t j = scopes_[f].size(); j-- > k + 1;) stride *= count(scopes_[f][j]);
    const std::size_t many = count(scopes_[f][k]);
    for (std::size_t from = 0; from < table_.size();) {
      for (std::size_t a = 0; a < many; ++a, from += stride) visit(a, from, from + stride);
    }
  }

  void add(std::size_t f, std::size_t k, const double* scores, double sign) {
    for_runs(f, k, [&](std::size_t a, std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) table_[c] += sign * scores[a];
    });
  }

  // Shares what a factor and the beliefs of its variables without it score at best among these variables.
  void update(std::size_t f) {
    load(f);
    const auto scope = scopes_[f];
    for (std::size_t k = 0; k < scope.size(); ++k) {
      double *own = sent(f, k), *whole = belief(index(scope[k]));
      for (std::size_t a = 0; a < count(scope[k]); ++a) own[a] = whole[a] - own[a];
      add(f, k, own, 1.0);
    }
    for (std::size_t k = 0; k < scope.size(); ++k) {
      best_.assign(count(scope[k]), -std::numeric_limits<double>::infinity());
      for_runs(f, k, [&](std::size_t a, std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) best_[a] = std::max(best_[a], table_[c]);
      });
      double *own = sent(f, k), *whole = belief(index(scope[k]));
      for (std::size_t a = 0; a < best_.size(); ++a) {
        whole[a] = best_[a] / static_cast<double>(scope.size());
        own[a] = whole[a] - own[a];
      }
    }
  }

  std::span<const std::int32_t> counts_;
  Scopes scopes_;
  std::vector<double> tables_;
  std::vector<std::size_t> first_cell_, first_sent_, first_label_;
  std::vector<double> sent_, beliefs_, table_, best_;
  std::size_t degree_ = 0;
};

}  // namespace hedgehop::graphs
