// SPDX-License-Identifier: BSD-3-Clause
// Exact max-sum on forests plus any function of one count: score(y) + f(k(y)), k(y) = sum of the weights of
// the variables that differ from a reference labeling; weights are whole numbers >= 0.
//
// Each variable keeps, for each count within its subtree and each of its labels, the best score there. A
// child enters by a (max,+) convolution over counts; since tables are as long as the subtree's weight only,
// the convolutions cost O(W^2 L) in all (W = total weight), the messages O(n W L) for Potts scores and O(n W
// L^2) for tables. Memory: O(n W L) on chains, less on balanced trees. Ties go to the lowest count, then to
// the lowest label at each decision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"
#include "graphs/forest.hpp"
#include "graphs/forest_order.hpp"

namespace hedgehop::graphs {

using CountRows = std::vector<double>;  // best scores, a row per count from 0 on

// out(k) = max_{i + j = k} a(i) + b(j), in each of `width` columns.
inline CountRows convolve(const CountRows& a, const CountRows& b, std::size_t width, Poll& poll) {
  CountRows out(a.size() + b.size() - width, forbidden);
  for (std::size_t i = 0; i < a.size(); i += width) {
    poll.tick(static_cast<std::uint32_t>(b.size()));
    for (std::size_t j = 0; j < b.size(); j += width) {
      for (std::size_t l = 0; l < width; ++l) out[i + j + l] = std::max(out[i + j + l], a[i + l] + b[j + l]);
    }
  }
  return out;
}

// Convolutions of the first, the first two, ... parts.
inline std::vector<CountRows> joined(std::span<const CountRows> parts, Poll& poll) {
  std::vector<CountRows> upto{parts[0]};
  for (const CountRows& part : parts.subspan(1)) upto.push_back(convolve(upto.back(), part, 1, poll));
  return upto;
}

// Which count of each part makes the joined count best.
inline std::vector<std::size_t> split(std::span<const CountRows> parts, std::span<const CountRows> upto,
                                      std::size_t count) {
  std::vector<std::size_t> shares(parts.size());
  for (std::size_t p = parts.size(); p-- > 1;) {
    const CountRows &before = upto[p - 1], &own = parts[p];
    const std::size_t least = count < before.size() ? 0 : count - (before.size() - 1);
    std::size_t best = least;
    for (std::size_t k = least; k <= std::min(count, own.size() - 1); ++k) {
      if (before[count - k] + own[k] > before[count - best] + own[best]) best = k;
    }
    shares[p] = best;
    count -= best;
  }
  shares[0] = count;
  return shares;
}

template <class Scores>
class CountedForest {
 public:
  CountedForest(const ForestOrder& order, Unaries unaries, const Scores& scores,
                std::span<const Label> reference, std::span<const std::int32_t> weights, Poll& poll)
      : visits_(order.visits()),
        order_(order),
        unaries_(unaries),
        scores_(scores),
        reference_(reference),
        weights_(weights),
        poll_(poll),
        tables_(visits_.size()) {
    pass_up();
  }

  // Writes a labeling that maximises score plus table[count]; returns the maximum, -inf if nothing is allowed
  // (the labeling is then arbitrary). The table has an entry for each count up to the total weight.
  double argmax(std::span<const double> table, std::span<Label> labeling) {
    std::fill(labeling.begin(), labeling.end(), 0);
    if (visits_.empty()) return table[0];
    std::vector<CountRows> parts;
    for (std::size_t c = 0; c < order_.n_components(); ++c) parts.push_back(best_of_root(c));
    const auto upto = joined(parts, poll_);
    std::vector<double> values = upto.back();
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += table[k];
    const auto best = std::max_element(values.begin(), values.end());
    if (*best == forbidden) return forbidden;
    const auto shares = split(parts, upto, index(best - values.begin()));
    decide(shares, labeling);
    return *best;
  }

 private:
  std::size_t width() const { return unaries_.columns; }

  std::size_t count_of(std::size_t variable, std::size_t label) const {
    return static_cast<Label>(label) == reference_[variable] ? 0 : index(weights_[variable]);
  }

  std::span<double> row(CountRows& table, std::size_t count, std::size_t variable) const {
    return std::span(table).subspan(count * width(), scores_.label_count(variable));
  }

  void pass_up() {
    for (std::size_t at = visits_.size(); at-- > 0;) {
      const std::size_t variable = visits_[at].variable;
      CountRows table((index(weights_[variable]) + 1) * width(), forbidden);
      for (std::size_t l = 0; l < scores_.label_count(variable); ++l) {
        row(table, count_of(variable, l), variable)[l] = unaries_.row(variable)[l];
      }
      for (std::size_t child = visits_[at].children; child < visits_[at].children_end; ++child) {
        table = convolve(table, message(child), width(), poll_);
      }
      tables_[at] = std::move(table);
    }
  }

  // A child's table with the child's label maximised out, in the labels of its parent.
  CountRows message(std::size_t child) {
    const Visit& visit = visits_[child];
    CountRows result(tables_[child].size(), forbidden);
    for (std::size_t k = 0; k < result.size() / width(); ++k) {
      poll_.tick(static_cast<std::uint32_t>(width() * width()));
      scores_.message(visit.edge, visit.child_is_first, row(tables_[child], k, visit.variable),
                      row(result, k, visits_[visit.parent].variable));
    }
    return result;
  }

  CountRows best_of_root(std::size_t component) {
    const std::size_t at = order_.component(component).first;
    CountRows best(tables_[at].size() / width());
    for (std::size_t k = 0; k < best.size(); ++k) {
      best[k] = max_of(row(tables_[at], k, visits_[at].variable));
    }
    return best;
  }

  // From the roots down: each variable's label for the count of its subtree, then the counts of its children.
  void decide(std::span<const std::size_t> root_counts, std::span<Label> labeling) {
    std::vector<std::size_t> counts(visits_.size());
    for (std::size_t c = 0; c < root_counts.size(); ++c) counts[order_.component(c).first] = root_counts[c];
    for (std::size_t at = 0; at < visits_.size(); ++at) {
      const Visit& visit = visits_[at];
      const auto known = row(tables_[at], counts[at], visit.variable);
      std::vector<double> values(known.begin(), known.end());
      if (visit.parent != ForestOrder::none) add_pair_scores(visit, labeling, values);
      const auto label = index(std::max_element(values.begin(), values.end()) - values.begin());
      labeling[visit.variable] = static_cast<Label>(label);
      if (visit.children == visit.children_end) continue;
      const auto parts = parts_of(visit, label);
      const auto shares = split(parts, joined(parts, poll_), counts[at]);
      for (std::size_t c = 1; c < shares.size(); ++c) counts[visit.children + c - 1] = shares[c];
    }
  }

  void add_pair_scores(const Visit& visit, std::span<const Label> labeling, std::span<double> values) const {
    const auto above = index(labeling[visits_[visit.parent].variable]);
    for (std::size_t l = 0; l < values.size(); ++l) {
      values[l] += scores_.score(visit.edge, visit.child_is_first, l, above);
    }
  }

  // Given a variable's label: its own count, then the best scores of each child's subtree for each count.
  std::vector<CountRows> parts_of(const Visit& visit, std::size_t label) {
    const std::size_t own = count_of(visit.variable, label);
    std::vector<CountRows> parts{CountRows(own + 1, forbidden)};
    parts[0][own] = unaries_.row(visit.variable)[label];
    for (std::size_t child = visit.children; child < visit.children_end; ++child) {
      parts.push_back(best_below(child, label));
    }
    return parts;
  }

  CountRows best_below(std::size_t child, std::size_t label) {
    const Visit& visit = visits_[child];
    CountRows best(tables_[child].size() / width(), forbidden);
    for (std::size_t k = 0; k < best.size(); ++k) {
      poll_.tick(static_cast<std::uint32_t>(width()));
      const auto values = row(tables_[child], k, visit.variable);
      for (std::size_t l = 0; l < values.size(); ++l) {
        const double pair = scores_.score(visit.edge, visit.child_is_first, l, label);
        best[k] = std::max(best[k], values[l] + pair);
      }
    }
    return best;
  }

  std::span<const Visit> visits_;
  const ForestOrder& order_;
  Unaries unaries_;
  const Scores& scores_;
  std::span<const Label> reference_;
  std::span<const std::int32_t> weights_;
  Poll& poll_;
  std::vector<CountRows> tables_;  // a position's table: (counts of its subtree) by (its labels)
};

}  // namespace hedgehop::graphs
