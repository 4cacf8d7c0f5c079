// SPDX-License-Identifier: BSD-3-Clause
// Scores by cell as Python holds them, together with the arrays that they read, and changes of unary scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "core/cell_scores.hpp"
#include "core/sums.hpp"

namespace hedgehop::bindings {

inline void require_cells(std::span<const std::int32_t> cell, std::span<const std::int32_t> starts,
                          std::span<const Label> labels, std::size_t n_labels) {
  require(!starts.empty() && starts.front() == 0 && std::ranges::is_sorted(starts) &&
              index(starts.back()) == labels.size(),
          "starts must not decrease, from 0 to the number of labels");
  require_in_range("cell", cell, starts.size() - 1);
  require_in_range("labels", labels, n_labels);
}

class PyCellScores {
 public:
  PyCellScores(std::size_t n_labels, Vector<std::int32_t> cell, Vector<std::int32_t> starts,
               Vector<Label> labels, Vector<double> amounts, double base,
               std::optional<Vector<double>> weights)
      : n_labels_(n_labels),
        view_{span_of(cell),
              span_of(starts),
              span_of(labels),
              span_of(amounts),
              optional_span("weights", weights, cell.size(), "variable"),
              base},
        kept_(kept(cell, starts, labels, amounts)) {
    if (weights) kept_.push_back(nb::ndarray<>(*weights));
    require_cells(view_.cell, view_.starts, view_.labels, n_labels);
    require_size("amounts", amounts.size(), labels.size(), "label");
    require_finite("amounts", view_.amounts);
    require_finite("base", std::span(&base, 1));
    require_finite("weights", view_.weights);
  }

  const CellScores& view() const { return view_; }
  const Kept& arrays() const { return kept_; }
  std::size_t n_variables() const { return view_.cell.size(); }
  std::size_t n_labels() const { return n_labels_; }
  std::pair<std::size_t, std::size_t> shape() const { return {n_variables(), n_labels_}; }

  Result<double> rows(Vector<std::int64_t> variables) const {
    Result<double> out{variables.size(), n_labels_};
    const std::vector<double> zeros(n_labels_, 0.0);
    for (std::size_t k = 0; k < variables.size(); ++k) {
      const std::int64_t i = span_of(variables)[k];
      require(i >= 0 && index(i) < n_variables(), "variables must be at least 0 and below their number");
      view_.add(index(i), std::span(zeros), out.view().row(k));
    }
    return out;
  }

  Result<double> values(Matrix<Label> labelings) const {
    const Labelings all = view_of(labelings);
    require_columns("labelings", all.columns, n_variables());
    require_in_range("labelings", all.data, n_labels_);
    Result<double> out{all.rows};
    for (std::size_t r = 0; r < all.rows; ++r) {
      const auto y = all.row(r);
      out.values[r] = blocked_sum(y.size(), [&](std::size_t i) { return view_.at(i, y[i]); });
    }
    return out;
  }

 private:
  std::size_t n_labels_;
  CellScores view_;
  Kept kept_;
};

// A change of unary scores, and the arrays it reads.
struct HeldChange {
  Change change;
  Kept arrays;

  HeldChange() = default;
  HeldChange(const char* name, const std::optional<Matrix<double>>& theta, std::size_t n,
             std::size_t n_labels) {
    if (!theta) return;
    require_shape(name, view_of(*theta), n, n_labels);
    change = span_of(*theta), arrays = kept(*theta);
  }
  HeldChange(const char* name, const PyCellScores& theta, std::size_t n, std::size_t n_labels)
      : change(theta.view()), arrays(theta.arrays()) {
    require_size(name, theta.n_variables(), n, "variable");
    require_columns(name, theta.n_labels(), n_labels);
  }

  bool empty() const { return std::holds_alternative<std::monostate>(change); }
};

}  // namespace hedgehop::bindings
