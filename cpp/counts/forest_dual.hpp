// SPDX-License-Identifier: BSD-3-Clause
// The list dual on forests (docs/list_dual.md), for groups (variable, label): a proximal bundle method whose
// steps are max-sum on the forest, each of a few microseconds, so that a round costs little more than its
// master.
//
// For any slopes s, F(T) <= sum_i w_i sum_l h*(s_il) + m max_y [ r(y) + sum_i w_i s_(i, y_i) ], w_i the
// weight of variable i. Variables that no labeling so far distinguishes form a cell with common slopes.
//
// Complexity: one round O(n L^2) for the step, and the moves of the master problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"
#include "counts/list_slopes.hpp"
#include "counts/slope_master.hpp"
#include "graphs/forest.hpp"

namespace hedgehop::counts {

// Scores, weights w (n,), values h (m + 1) of counts. `stake`: how much labelings may differ by; `unit`: what
// the master problem's numbers are divided by; `constant`: what is added to the diversity's sum over groups.
struct DualProblem {
  Unaries unary;
  const Pairs& pairs;
  const graphs::ForestOrder& order;
  std::span<const double> weights, h;
  double stake, unit, constant;

  std::size_t m() const { return h.size() - 1; }
  double rise(std::size_t c) const { return h[c] - h[c - 1]; }
};

// The cell of each variable, and the slopes of all labels in each cell: cells x labels.
struct CellTable {
  std::vector<std::int32_t> cell;
  std::vector<double> slopes;
};

class ForestDual {
 public:
  // `begun`: cells of variables and the slopes they are first held near. The rows are a list of m labelings.
  ForestDual(DualProblem problem, const SlopeCells& begun, Labelings rows, std::span<const double> scores)
      : problem_(problem), cells_(table_of(begun)) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const std::size_t k = place(rows.row(r));
      if (k == known_.size()) add(rows.row(r), scores[r]);
      mixture_[k] += 1.0 / static_cast<double>(rows.rows);
    }
  }

  // What one step proves, by which slopes of which cells, and its labeling.
  struct Round {
    double bound = 0;
    CellTable slopes;
    std::vector<Label> labeling;
  };

  Round round(Poll& poll) {
    Round found{0, {cells_.cell, {}}, std::vector<Label>(problem_.unary.rows)};
    const double predicted = solve_master(found.slopes.slopes, poll);
    const auto [value, relevance] = step(found.slopes.slopes, found.labeling);
    found.bound = problem_.constant + conjugates(found.slopes.slopes) + many() * value;
    learn(found, relevance, predicted);
    return found;
  }

  double best() const { return best_; }
  double lower() const { return lower_; }  // what the best mixture is worth
  int stuck() const { return stuck_; }     // rounds in a row without a new labeling or a much better bound
  bool found_new() const { return found_new_; }
  // Whether the mixture has more of a labeling than a list without repetitions holds.
  bool exceeds() const { return *std::max_element(mixture_.begin(), mixture_.end()) > (1.0 + 1e-6) / many(); }
  const CellTable& cells() const { return cells_; }
  const std::vector<std::vector<Label>>& known() const { return known_; }

  // As often as a list of m labelings has them at least.
  std::vector<std::size_t> whole_part() const {
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < mixture_.size(); ++k) {
      found.insert(found.end(), static_cast<std::size_t>(many() * mixture_[k] + 1e-9), k);
    }
    return found;
  }

 private:
  static constexpr std::size_t kMoves = 500;    // of the master problem's mixture
  static constexpr double kSeriousShare = 0.1;  // of what was predicted: a smaller gain leaves the centre
  static constexpr double kNegligible = 1e-12;  // of what is at stake: a gap that need not be closed
  static constexpr double kLeastHold = 1.0 / 50.0, kMostHold = 8.0;
  static constexpr int kGridBits = 32;  // scores are whole multiples of stake / 2^32

  double many() const { return static_cast<double>(problem_.m()); }
  std::size_t n_labels() const { return problem_.pairs.n_labels; }
  std::size_t n_cells() const { return cells_.slopes.size() / n_labels(); }

  CellTable table_of(const SlopeCells& begun) const {
    const std::size_t n_cells = begun.starts.size() - 1;
    CellTable table{begun.cell, std::vector<double>(n_cells * n_labels(), problem_.rise(1))};
    for (std::size_t c = 0; c < n_cells; ++c) {
      for (std::size_t e = index(begun.starts[c]); e < index(begun.starts[c + 1]); ++e) {
        table.slopes[c * n_labels() + index(begun.labels[e])] = begun.slopes[e];
      }
    }
    return table;
  }

  std::size_t place(std::span<const Label> labeling) const {
    std::size_t k = 0;
    while (k < known_.size() && !std::ranges::equal(known_[k], labeling)) ++k;
    return k;
  }

  // Takes note of a labeling and splits the cells that it divides.
  void add(std::span<const Label> labeling, double score) {
    const std::size_t n = labeling.size(), width = n_labels();
    std::vector<std::int32_t> fresh(n_cells() * width, -1);
    for (std::size_t i = 0; i < n; ++i) fresh[index(cells_.cell[i]) * width + index(labeling[i])] = 0;
    std::int32_t count = 0;
    std::vector<double> slopes;
    std::vector<std::size_t> parents;
    std::vector<Label> labels;
    for (std::size_t key = 0; key < fresh.size(); ++key) {
      if (fresh[key] < 0) continue;
      fresh[key] = count++;
      const auto parent = cells_.slopes.begin() + static_cast<std::ptrdiff_t>(key / width * width);
      slopes.insert(slopes.end(), parent, parent + static_cast<std::ptrdiff_t>(width));
      parents.push_back(key / width);
      labels.push_back(static_cast<Label>(key % width));
    }
    weight_.assign(parents.size(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      std::int32_t& cell = cells_.cell[i];
      cell = fresh[index(cell) * width + index(labeling[i])];
      weight_[index(cell)] += problem_.weights[i];
    }
    for (auto& row : cell_labels_) {
      std::vector<Label> split(parents.size());
      for (std::size_t c = 0; c < split.size(); ++c) split[c] = row[parents[c]];
      row = std::move(split);
    }
    cells_.slopes = std::move(slopes);
    cell_labels_.push_back(std::move(labels));
    known_.emplace_back(labeling.begin(), labeling.end());
    scores_.push_back(score);
    mixture_.push_back(0.0);
  }

  // The slopes of all cells of the best mixture; what they would prove if no other labeling were better.
  double solve_master(std::vector<double>& slopes, Poll& poll) {
    const std::size_t width = n_labels();
    std::vector<std::int32_t> column(cells_.slopes.size(), -1);
    for (std::size_t k = 0; k < column.size(); ++k) column[k] = cells_.slopes[k] < problem_.rise(1) ? 0 : -1;
    for (const auto& row : cell_labels_) {
      for (std::size_t c = 0; c < row.size(); ++c) column[c * width + index(row[c])] = 0;
    }
    std::vector<double> weights, centre;
    double total = 0;
    for (std::size_t k = 0; k < column.size(); ++k) {
      if (column[k] < 0) continue;
      column[k] = static_cast<std::int32_t>(weights.size());
      weights.push_back(weight_[k / width] / problem_.unit);
      centre.push_back(cells_.slopes[k]);
      total += weights.back();
    }
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> groups;
    groups.reserve(cell_labels_.size() * n_cells());
    for (const auto& row : cell_labels_) {
      for (std::size_t c = 0; c < row.size(); ++c) groups.push_back(column[c * width + index(row[c])]);
      starts.push_back(static_cast<std::int64_t>(groups.size()));
    }
    const std::vector<std::int32_t> curve(weights.size(), 0);
    const double top = *std::max_element(scores_.begin(), scores_.end());
    const std::vector<double> scores = on_grid(top);
    SlopeMaster master({{problem_.h, hold_ * stiffness()}}, {weights, centre, curve}, {starts, groups},
                       scores, mixture_);
    master.solve(enough(total), kMoves, poll);
    const auto mixture = master.mixture();
    mixture_.assign(mixture.begin(), mixture.end());
    const double shift = problem_.constant + many() * top;
    lower_ = std::max(lower_, problem_.unit * master.worth() + shift);
    slopes.assign(column.size(), problem_.rise(1));
    for (std::size_t k = 0; k < column.size(); ++k) {
      if (column[k] >= 0) slopes[k] = master.slopes()[index(column[k])];
    }
    return problem_.unit * master.bound() + shift;
  }

  // Scores below the best one, in units and in tiny steps: last digits must not decide where the search goes.
  std::vector<double> on_grid(double top) const {
    int exponent = 0;
    std::frexp(problem_.stake / problem_.unit, &exponent);
    const double grid = std::ldexp(1.0, exponent - kGridBits);
    std::vector<double> found;
    for (const double score : scores_) {
      const double below = (score - top) / problem_.unit, steps = std::round(below / grid) * grid;
      found.push_back(std::isfinite(steps) ? steps : below);
    }
    return found;
  }

  double stiffness() const {
    const double first = problem_.rise(1), last = problem_.rise(problem_.m());
    const double largest = std::max(std::abs(first), std::abs(last));
    return many() / std::max(first - last, 1e-9 * std::max(1.0, largest));
  }

  // How exactly the master problem is to be solved: a small share of what is open, roughly.
  double enough(double total_weight) const {
    const double gap = best_ - lower_;
    if (!std::isfinite(gap)) {
      return 1e-3 * total_weight * (problem_.rise(1) - problem_.rise(problem_.m())) / many();
    }
    const double open = std::max(gap, kNegligible * many() * problem_.stake);
    int exponent = 0;  // the last digits of a gap must not steer the search
    std::frexp(tolerance_ * (open / problem_.unit) / many(), &exponent);
    return std::ldexp(1.0, exponent - 1);
  }

  double conjugates(std::span<const double> slopes) const {
    const HeldCurve curve{problem_.h, 1.0};
    double sum = 0;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      if (slopes[k] < problem_.rise(1))
        sum += weight_[k / n_labels()] * curve.conjugate(slopes[k]);
      else
        sum += weight_[k / n_labels()] * problem_.h[0];
    }
    return sum;
  }

  // The best labeling, what it is worth, and its relevance.
  std::pair<double, double> step(std::span<const double> slopes, std::span<Label> labeling) {
    const std::size_t width = n_labels(), n = problem_.unary.rows;
    changed_.assign(problem_.unary.data.begin(), problem_.unary.data.end());
    for (std::size_t i = 0; i < n; ++i) {
      const auto own = slopes.subspan(index(cells_.cell[i]) * width, width);
      for (std::size_t l = 0; l < width; ++l) changed_[i * width + l] += problem_.weights[i] * own[l];
    }
    const Unaries unary{changed_, n, width};
    const double bound = std::visit(
        [&](const auto& scores) { return graphs::argmax(problem_.order, unary, scores, labeling); },
        problem_.pairs.scores);
    double relevance = problem_.pairs.value(labeling), reward = 0;
    for (std::size_t i = 0; i < n; ++i) {
      relevance += problem_.unary(i, labeling[i]);
      reward += problem_.weights[i] * slopes[index(cells_.cell[i]) * width + index(labeling[i])];
    }
    return {std::max(bound, relevance + reward), relevance};
  }

  // Holds later slopes near these if they proved enough; takes note of the labeling.
  void learn(const Round& found, double relevance, double predicted) {
    const double hoped = best_ - predicted;
    const bool serious = !std::isfinite(best_) || found.bound < best_ - kSeriousShare * std::max(hoped, 0.0);
    if (serious) cells_.slopes = found.slopes.slopes;
    if (std::isfinite(hoped) && serious && found.bound < predicted + 0.5 * hoped) {
      hold_ = std::max(hold_ / 2.0, kLeastHold);
    } else if (std::isfinite(hoped) && !serious) {
      hold_ = std::min(hold_ * 1.25, kMostHold);
    }
    best_ = std::min(best_, found.bound);
    found_new_ = place(found.labeling) == known_.size();
    if (found_new_) add(found.labeling, relevance);
    stuck_ = found_new_ || serious ? 0 : stuck_ + 1;
    if (stuck_ > 0) {  // the master was too coarse, or held too tight
      tolerance_ = std::max(tolerance_ / 10.0, 1e-7);
      hold_ = std::max(hold_ / 3.0, kLeastHold);
    }
  }

  DualProblem problem_;
  CellTable cells_;                              // with the slopes they are held near
  std::vector<double> weight_;                   // of each cell
  std::vector<std::vector<Label>> cell_labels_;  // of each labeling
  std::vector<std::vector<Label>> known_;
  std::vector<double> scores_, mixture_, changed_;
  double best_ = std::numeric_limits<double>::infinity();
  double lower_ = -std::numeric_limits<double>::infinity();
  double hold_ = 1.0, tolerance_ = 0.02;
  int stuck_ = 0;
  bool found_new_ = true;
};

}  // namespace hedgehop::counts
