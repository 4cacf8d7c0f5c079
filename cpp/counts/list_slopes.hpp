// SPDX-License-Identifier: BSD-3-Clause
// Where the search for slopes of the list dual begins (docs/list_dual.md), for groups (variable, label) of
// pairwise models: TRW-S (Kolmogorov, PAMI 2006) on the sum of all m labelings of a list, in which every
// visit of a variable also chooses its slopes.
//
// With beliefs B, the part of the bound that belongs to the variable is
//
//     m max_l [B_l + a_l s_l] + sum_l a_l h*(s_l),    h*(s) = max_{0 <= c <= m} h(c) - s c.
//
// It is smallest at s_l = clip((nu - B_l) / a_l, d_m, d_1), d_c = h(c) - h(c - 1), where nu is the price at
// which m units sell: it lies between the m-th largest of all B_l + a_l d_c and the next one.
//
// Slopes of any origin prove a bound by one exact step, so messages may be floats here. Variables whose
// slopes are alike form a cell: the search treats them as one.
//
// Complexity: one sweep O(n L m + messages through all edges).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"

namespace hedgehop::counts {

// The cell of each variable, and the mean slopes of each cell: those of labels[starts[c]] .. labels[starts[c
// + 1] - 1], the others are the steepest.
struct SlopeCells {
  std::vector<std::int32_t> cell, starts;
  std::vector<Label> labels;
  std::vector<double> slopes;
};

template <class Scores>  // PottsScores or TableScores
class ListSweeps {
 public:
  // weights: n x 1, or n x L, all >= 0. unit: of the numbers that messages hold as floats.
  ListSweeps(const UnaryScores& unary, const Pairs& pairs, const Scores& scores,
             MatrixView<const double> weights, std::span<const double> h, double unit)
      : unary_(unary),
        pairs_(pairs),
        scores_(scores),
        weights_(weights),
        h_(h),
        unit_(unit),
        incidence_(pairs.n_variables, pairs.edges),
        messages_(pairs.edges.size() * pairs.n_labels, 0.0F) {}

  // A sweep forward and one backward.
  void iterate(Poll& poll) {
    for (const bool forward : {true, false}) {
      for (std::size_t k = 0; k < pairs_.n_variables; ++k) {
        visit(forward ? k : pairs_.n_variables - 1 - k, forward);
        poll.tick(static_cast<std::uint32_t>(pairs_.n_labels));
      }
    }
  }

  // One more sweep forward, which puts variables with like slopes together.
  SlopeCells cells(Poll& poll) {
    SlopeCells found{std::vector<std::int32_t>(pairs_.n_variables), {0}, {}, {}};
    std::unordered_map<std::uint64_t, std::int32_t> known;
    std::vector<double> sizes;
    for (std::size_t i = 0; i < pairs_.n_variables; ++i) {
      visit(i, true);
      const auto [at, is_new] = known.try_emplace(key(), static_cast<std::int32_t>(sizes.size()));
      if (is_new) begin_cell(found, sizes);
      const std::size_t cell = index(found.cell[i] = at->second);
      sizes[cell] += 1.0;
      for (std::size_t e = index(found.starts[cell]); e < index(found.starts[cell + 1]); ++e) {
        const std::size_t l = index(found.labels[e]);
        found.slopes[e] += l < slope_.size() ? slope_[l] : steepest();
      }
      poll.tick(static_cast<std::uint32_t>(pairs_.n_labels));
    }
    for (std::size_t cell = 0; cell < sizes.size(); ++cell) {
      for (std::size_t e = index(found.starts[cell]); e < index(found.starts[cell + 1]); ++e)
        found.slopes[e] = std::clamp(found.slopes[e] / sizes[cell], flattest(), steepest());
    }
    return found;
  }

 private:
  static constexpr double kLevels = 16.0;    // slopes that differ by less of their range are alike
  static constexpr double kRounding = 1e-9;  // of the same range
  static constexpr double kLeast = -1e30;    // of a message, in units
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  std::size_t m() const { return h_.size() - 1; }
  double rise(std::size_t c) const { return h_[c] - h_[c - 1]; }  // d_c
  double steepest() const { return rise(1); }
  double flattest() const { return rise(m()); }
  double weight(std::size_t i, std::size_t l) const { return weights_(i, weights_.columns == 1 ? 0 : l); }
  std::span<float> message(std::size_t edge) {
    return std::span(messages_).subspan(edge * pairs_.n_labels, pairs_.n_labels);
  }

  // Sends messages ahead, after the messages from behind have arrived. Each edge has one row of messages: to
  // the end that is visited next.
  void visit(std::size_t i, bool forward) {
    const auto neighbours = incidence_.at(i);
    std::size_t below = 0;
    gather_scores(i);
    for (const Neighbour& j : neighbours) {
      const auto in = message(j.edge());
      for (std::size_t l = 0; l < belief_.size(); ++l) belief_[l] += unit_ * in[l];
      below += j.node() < i;
    }
    choose_slopes(i);
    const std::size_t chains = std::max<std::size_t>({below, neighbours.size() - below, 1});
    for (const Neighbour& j : neighbours) {
      if ((j.node() > i) == forward) send(j, 1.0 / static_cast<double>(chains));
    }
  }

  // Scores below the variable's best one.
  void gather_scores(std::size_t i) {
    belief_.resize(pairs_.label_count(i));
    std::visit(
        [&](const auto& unary) {
          const auto row = unary.row(i).first(belief_.size());
          const double top = *std::max_element(row.begin(), row.end());
          for (std::size_t l = 0; l < row.size(); ++l) belief_[l] = row[l] - top;
        },
        unary_);
  }

  // Adds the slopes that bound this variable best to its beliefs.
  void choose_slopes(std::size_t i) {
    const double nu = price(i);
    slope_.assign(belief_.size(), steepest());
    for (std::size_t l = 0; l < belief_.size(); ++l) {
      const double a = weight(i, l);
      if (a > 0) slope_[l] = std::clamp((nu - belief_[l]) / a, flattest(), steepest());
      belief_[l] += a * slope_[l];
    }
  }

  double price(std::size_t i) {
    worth_.resize(belief_.size());
    taken_.assign(belief_.size(), 0);
    for (std::size_t l = 0; l < belief_.size(); ++l) worth_[l] = belief_[l] + weight(i, l) * rise(1);
    double last = kNone, next = kNone;
    for (std::size_t unit = 0; unit <= m(); ++unit) {
      const auto at =
          static_cast<std::size_t>(std::max_element(worth_.begin(), worth_.end()) - worth_.begin());
      (unit < m() ? last : next) = worth_[at];
      const std::size_t c = ++taken_[at];
      worth_[at] = c < m() ? belief_[at] + weight(i, at) * rise(c + 1) : kNone;
    }
    return next > kNone ? 0.5 * (last + next) : last;
  }

  void send(const Neighbour& j, double share) {
    const auto row = message(j.edge());
    from_.resize(belief_.size());
    to_.resize(pairs_.label_count(j.node()));
    for (std::size_t l = 0; l < from_.size(); ++l) from_[l] = share * belief_[l] - unit_ * row[l];
    scores_.message(j.edge(), !j.is_first(), from_, to_);
    const double top = *std::max_element(to_.begin(), to_.end());
    for (std::size_t l = 0; l < to_.size(); ++l)
      row[l] = static_cast<float>(std::max((to_[l] - top) / unit_, kLeast));
  }

  // What tells cells apart: the level of a slope, one of its own if it is the steepest.
  std::uint64_t level(double slope) const {
    const double range = steepest() - flattest();
    if (steepest() - slope <= kRounding * range) return static_cast<std::uint64_t>(kLevels) + 1;
    return static_cast<std::uint64_t>(std::lround(kLevels * (slope - flattest()) / range));
  }

  // The levels of all labels, mixed: different ones with the same number would share slopes, which any
  // variables may.
  std::uint64_t key() const {
    std::uint64_t mixed = 0;
    for (std::size_t l = 0; l < pairs_.n_labels; ++l) {
      mixed = (mixed ^ level(l < slope_.size() ? slope_[l] : steepest())) * 0x9E3779B97F4A7C15ULL;
      mixed ^= mixed >> 29U;
    }
    return mixed;
  }

  void begin_cell(SlopeCells& found, std::vector<double>& sizes) const {
    for (std::size_t l = 0; l < slope_.size(); ++l) {
      if (level(slope_[l]) > static_cast<std::uint64_t>(kLevels)) continue;
      found.labels.push_back(static_cast<Label>(l));
      found.slopes.push_back(0.0);
    }
    found.starts.push_back(static_cast<std::int32_t>(found.labels.size()));
    sizes.push_back(0.0);
  }

  UnaryScores unary_;
  const Pairs& pairs_;
  const Scores& scores_;
  MatrixView<const double> weights_;
  std::span<const double> h_;
  double unit_;
  Incidence incidence_;
  std::vector<float> messages_;
  std::vector<double> belief_, slope_, worth_, from_, to_;
  std::vector<std::size_t> taken_;
};

}  // namespace hedgehop::counts
