// SPDX-License-Identifier: BSD-3-Clause
// The list dual on forests as Python holds it: rounds, and what another search needs to go on.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"
#include "counts/forest_dual.hpp"

namespace hedgehop::bindings {

class PyForestDual {
 public:
  using Slopes =
      std::tuple<Result<std::int32_t>, Result<double>>;  // the cell of each variable, slopes of cells

  PyForestDual(Matrix<double> unary, const PyPairs& pairs, Vector<double> weights, Vector<double> h,
               Matrix<Label> rows, Vector<double> scores, double stake, double unit, double constant,
               int iterations)
      : kept_(kept(unary, weights, h)), pairs_(pairs) {
    const Unaries unaries = pairs_.checked_unary(unary);
    require_size("weights", weights.size(), pairs_.n_variables(), "variable");
    require_finite("weights", span_of(weights));
    require(h.size() > 2, "h must have at least three values");
    require_finite("h", span_of(h));
    require_columns("rows", rows.shape(1), pairs_.n_variables());
    require_size("rows", rows.shape(0), h.size() - 1, "labeling of a list");
    pairs_.values(rows);  // refuses what are no labels
    require_size("scores", scores.size(), rows.shape(0), "labeling");
    require_finite("scores", span_of(scores));
    require(std::isfinite(stake) && stake > 0 && std::isfinite(unit) && unit > 0,
            "stake and unit must be positive");
    const nb::gil_scoped_release free;
    const counts::DualProblem problem{
        unaries, pairs_.view(), pairs_.forest_order(), span_of(weights), span_of(h), stake, unit, constant};
    dual_.emplace(problem, begun(problem, iterations), view_of(rows), span_of(scores));
  }

  // A bound, the slopes that prove it, the labeling found, and the whole part of the best mixture.
  std::tuple<double, Slopes, Result<Label>, Result<Label>> round() {
    const Busy busy(busy_, "search");
    Poll poll = python_poll();
    const auto found = dual_->round(poll);
    Result<Label> labeling{1, found.labeling.size()};
    labeling.values = found.labeling;
    return {found.bound, as_slopes(found.slopes), std::move(labeling), rows_of(dual_->whole_part())};
  }

  double best() const { return dual_->best(); }
  double lower() const { return dual_->lower(); }
  int stuck() const { return dual_->stuck(); }
  bool found_new() const { return dual_->found_new(); }
  bool exceeds() const { return dual_->exceeds(); }
  Slopes held() const { return as_slopes(dual_->cells()); }
  Result<Label> known() const {
    std::vector<std::size_t> all(dual_->known().size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
    return rows_of(all);
  }

 private:
  static counts::SlopeCells begun(const counts::DualProblem& problem, int iterations) {
    Poll poll = python_poll();
    const MatrixView<const double> weights{problem.weights, problem.weights.size(), 1};
    const double unit = *std::max_element(problem.weights.begin(), problem.weights.end());
    require(unit > 0, "some weight must be positive");
    return std::visit(
        [&](const auto& scores) {
          counts::ListSweeps messages(problem.unary, problem.pairs, scores, weights, problem.h, unit);
          for (int k = 0; k < iterations; ++k) messages.iterate(poll);
          return messages.cells(poll);
        },
        problem.pairs.scores);
  }

  Slopes as_slopes(const counts::CellTable& cells) const {
    Result<double> slopes{cells.slopes.size() / pairs_.n_labels(), pairs_.n_labels()};
    slopes.values = cells.slopes;
    return {Result<std::int32_t>(std::span<const std::int32_t>(cells.cell)), std::move(slopes)};
  }

  Result<Label> rows_of(const std::vector<std::size_t>& places) const {
    Result<Label> rows{places.size(), pairs_.n_variables()};
    for (std::size_t r = 0; r < places.size(); ++r) {
      std::ranges::copy(dual_->known()[places[r]], rows.view().row(r).begin());
    }
    return rows;
  }

  Kept kept_;
  PyPairs pairs_;
  std::optional<counts::ForestDual> dual_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace hedgehop::bindings
