// SPDX-License-Identifier: BSD-3-Clause
// Variable elimination: the best labeling of any factors, exact, in time and memory that grow exponentially
// with the width of the graph and not with its size (Bertele and Brioschi 1972; Dechter 1999).
//
// Variables are eliminated one by one: all factors that name one are added up and maximised over it, which
// leaves a factor of its neighbours. The order is greedy, by the fewest new pairs of neighbours ("min-fill").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::graphs {

// Which variables each factor names; its table is row-major in that order.
struct Scopes {
  std::span<const std::int32_t> variables;
  std::span<const std::int64_t> starts;  // where each factor's begin, and the end

  std::size_t size() const { return starts.size() - 1; }
  std::span<const std::int32_t> operator[](std::size_t f) const {
    return variables.subspan(index(starts[f]), index(starts[f + 1] - starts[f]));
  }
};

// Chooses the order, and counts the cells of all tables, those of the variable eliminated included.
class MinFill {
 public:
  MinFill(std::span<const std::int32_t> label_counts, const Scopes& scopes)
      : counts_(label_counts), n_(label_counts.size()), adjacent_(n_), near_(n_), fill_(n_) {
    for (auto& row : adjacent_) row.assign(n_, false);
    for (std::size_t f = 0; f < scopes.size(); ++f) {
      for (const auto a : scopes[f]) {
        for (const auto b : scopes[f]) join(index(a), index(b));
      }
    }
    for (std::size_t v = 0; v < n_; ++v) fill_[v] = fill_of(v);
  }

  // Empty if the tables have more cells than `most`.
  std::vector<Label> order(double most, Poll& poll) {
    std::vector<Label> result;
    double cells = 0;
    for (std::vector<bool> gone(n_, false); result.size() < n_;) {
      const std::size_t v = next(gone);
      cells += table_size(v);
      if (cells > most) return {};
      gone[v] = true;
      result.push_back(static_cast<Label>(v));
      remove(v);
      poll.tick(static_cast<std::uint32_t>(n_));
    }
    return result;
  }

 private:
  void join(std::size_t a, std::size_t b) {
    if (a == b || adjacent_[a][b]) return;
    adjacent_[a][b] = adjacent_[b][a] = true;
    near_[a].push_back(b), near_[b].push_back(a);
  }

  std::size_t fill_of(std::size_t v) const {
    std::size_t missing = 0;
    for (std::size_t i = 0; i < near_[v].size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) missing += !adjacent_[near_[v][i]][near_[v][j]];
    }
    return missing;
  }

  double table_size(std::size_t v) const {
    double size = counts_[v];
    for (const std::size_t w : near_[v]) size *= counts_[w];
    return size;
  }

  std::size_t next(const std::vector<bool>& gone) const {
    std::size_t best = n_;
    for (std::size_t v = 0; v < n_; ++v) {
      if (!gone[v] && (best == n_ || fill_[v] < fill_[best])) best = v;
    }
    return best;
  }

  // Joins the neighbours of v and takes it out; only they and their neighbours see another fill.
  void remove(std::size_t v) {
    const std::vector<std::size_t> around = near_[v];
    for (const std::size_t a : around) {
      std::erase(near_[a], v);
      for (const std::size_t b : around) join(a, b);
    }
    std::vector<std::size_t> changed = around;
    for (const std::size_t a : around) changed.insert(changed.end(), near_[a].begin(), near_[a].end());
    std::ranges::sort(changed);
    changed.erase(std::ranges::unique(changed).begin(), changed.end());
    for (const std::size_t w : changed) fill_[w] = fill_of(w);
  }

  std::span<const std::int32_t> counts_;
  std::size_t n_;
  std::vector<std::vector<bool>> adjacent_;
  std::vector<std::vector<std::size_t>> near_;
  std::vector<std::size_t> fill_;
};

class Elimination {
 public:
  Elimination(std::span<const std::int32_t> label_counts, const Scopes& scopes,
              std::span<const double> tables, std::span<const Label> order)
      : counts_(label_counts), order_(order), place_(order.size()), buckets_(order.size()) {
    for (std::size_t k = 0; k < order.size(); ++k) place_[index(order[k])] = k;
    std::size_t from = 0;
    for (std::size_t f = 0; f < scopes.size(); ++f) {
      const auto scope = scopes[f];
      std::size_t cells = 1;
      for (const auto v : scope) cells *= index(counts_[index(v)]);
      put({{scope.begin(), scope.end()}, {}, tables.subspan(from, cells)});
      from += cells;
    }
  }

  // Returns the value of the best labeling, -inf if none is allowed.
  double solve(std::span<Label> labeling, Poll& poll) {
    std::vector<Decision> decisions;
    for (std::size_t k = 0; k < order_.size(); ++k) decisions.push_back(eliminate(k, poll));
    for (std::size_t k = order_.size(); k-- > 0;) {
      std::size_t cell = 0;
      for (const auto v : decisions[k].scope)
        cell = cell * index(counts_[index(v)]) + index(labeling[index(v)]);
      labeling[index(order_[k])] = decisions[k].labels[cell];
    }
    return value_;
  }

 private:
  struct Factor {
    std::vector<std::int32_t> scope;
    std::vector<double> own;           // of a factor that was made here
    std::span<const double> borrowed;  // of one that was given

    const double* table() const { return own.empty() ? borrowed.data() : own.data(); }
  };

  // The best label of a variable for every labeling of those that were its neighbours.
  struct Decision {
    std::vector<std::int32_t> scope;
    std::vector<std::uint16_t> labels;
  };

  // A factor belongs to the first of its variables that is eliminated.
  void put(Factor&& factor) {
    if (factor.scope.empty()) {
      value_ += factor.table()[0];
      return;
    }
    std::size_t first = order_.size();
    for (const auto v : factor.scope) first = std::min(first, place_[index(v)]);
    buckets_[first].push_back(std::move(factor));
  }

  Decision eliminate(std::size_t k, Poll& poll) {
    const std::int32_t v = order_[k];
    std::vector<Factor> factors = std::move(buckets_[k]);
    std::vector<std::int32_t> scope;
    for (const Factor& factor : factors) {
      for (const auto w : factor.scope) {
        if (w != v && std::ranges::find(scope, w) == scope.end()) scope.push_back(w);
      }
    }
    std::size_t cells = 1;
    for (const auto w : scope) cells *= index(counts_[index(w)]);
    Factor left{scope, std::vector<double>(cells), {}};
    Decision decision{scope, std::vector<std::uint16_t>(cells)};
    Walk walk(*this, factors, scope, v);
    const std::size_t labels = index(counts_[index(v)]);
    std::vector<double> sums(labels);
    for (std::size_t cell = 0; cell < cells; ++cell, walk.advance()) {
      std::ranges::fill(sums, 0.0);
      for (std::size_t f = 0; f < factors.size(); ++f) walk.add(f, sums);
      const auto best = std::ranges::max_element(sums);  // the first of equals
      left.own[cell] = *best;
      decision.labels[cell] = static_cast<std::uint16_t>(best - sums.begin());
      poll.tick(static_cast<std::uint32_t>(factors.size() * labels));
    }
    put(std::move(left));
    return decision;
  }

  // Visits all labelings of a scope, the last variable fastest, and knows where each factor's table is then.
  class Walk {
   public:
    Walk(const Elimination& owner, const std::vector<Factor>& factors, std::span<const std::int32_t> scope,
         std::int32_t eliminated)
        : labels_(scope.size(), 0), at_(factors.size(), 0), step_(factors.size(), 0) {
      for (const auto w : scope) sizes_.push_back(owner.counts_[index(w)]);
      strides_.assign(factors.size(), std::vector<std::size_t>(scope.size(), 0));
      for (std::size_t f = 0; f < factors.size(); ++f) {
        tables_.push_back(factors[f].table());
        std::size_t stride = 1;
        for (std::size_t i = factors[f].scope.size(); i-- > 0;) {
          const auto w = factors[f].scope[i];
          const auto place = static_cast<std::size_t>(std::ranges::find(scope, w) - scope.begin());
          (w == eliminated ? step_[f] : strides_[f][place]) = stride;
          stride *= index(owner.counts_[index(w)]);
        }
      }
    }

    void add(std::size_t f, std::span<double> sums) const {
      const double* from = tables_[f] + at_[f];
      for (std::size_t l = 0; l < sums.size(); ++l) sums[l] += from[l * step_[f]];
    }

    void advance() {
      for (std::size_t i = labels_.size(); i-- > 0;) {
        if (++labels_[i] < sizes_[i]) {
          for (std::size_t f = 0; f < at_.size(); ++f) at_[f] += strides_[f][i];
          return;
        }
        labels_[i] = 0;
        for (std::size_t f = 0; f < at_.size(); ++f) at_[f] -= strides_[f][i] * index(sizes_[i] - 1);
      }
    }

   private:
    std::vector<std::int32_t> labels_, sizes_;
    std::vector<std::size_t> at_, step_;
    std::vector<std::vector<std::size_t>> strides_;
    std::vector<const double*> tables_;
  };

  std::span<const std::int32_t> counts_;
  std::span<const Label> order_;
  std::vector<std::size_t> place_;
  std::vector<std::vector<Factor>> buckets_;
  double value_ = 0;
};

}  // namespace hedgehop::graphs
