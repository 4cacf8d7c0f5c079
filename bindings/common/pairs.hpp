// SPDX-License-Identifier: BSD-3-Clause
// The pairwise scores of a model as Python holds them, made and checked once for all kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "graphs/forest_order.hpp"

namespace hedgehop::bindings {

// Immutable; copies share the arrays. What only some kernels refuse is found out once and asked for by them.
class PyPairs {
 public:
  using Counts = std::optional<Vector<std::int32_t>>;
  using Size = std::pair<std::size_t, std::size_t>;  // variables, labels

  static PyPairs potts(Size shape, Matrix<std::int32_t> edges, Vector<double> strengths,
                       Counts label_counts) {
    PyPairs result(shape, edges, label_counts, kept(strengths));
    result.set_potts(span_of(strengths));
    return result;
  }

  static PyPairs tables(Size shape, Matrix<std::int32_t> edges, Vector<double> flat,
                        Vector<std::int64_t> offsets, Vector<std::int32_t> columns, Counts label_counts) {
    PyPairs result(shape, edges, label_counts, kept(flat, offsets, columns));
    const Pairs& pairs = result.pairs_;
    result.set_tables(
        {span_of(flat), span_of(offsets), span_of(columns), pairs.label_counts, pairs.n_labels});
    return result;
  }

  const Pairs& view() const { return pairs_; }
  std::size_t n_variables() const { return pairs_.n_variables; }
  std::size_t n_labels() const { return pairs_.n_labels; }
  // Made once; throws if the edges contain a cycle.
  const graphs::ForestOrder& forest_order() const {
    std::call_once(order_->once, [this] { order_->made.emplace(n_variables(), pairs_.edges); });
    return *order_->made;
  }
  bool has_all_labels() const {  // at every variable
    return std::ranges::all_of(pairs_.label_counts, [this](Label c) { return index(c) == n_labels(); });
  }

  Result<double> values(const Matrix<Label>& labelings) const {
    const Labelings rows = view_of(labelings);
    require_columns("labelings", rows.columns, n_variables());
    Result<double> out{rows.rows};
    for (std::size_t r = 0; r < rows.rows; ++r) {
      require_labels("labelings", rows.row(r));
      out.values[r] = pairs_.value(rows.row(r));
    }
    return out;
  }

  // ---- what kernels may ask for

  void require_no_loops() const {
    require(loop_ == none, "edge " + std::to_string(loop_) + " is a self-loop");
  }
  void require_finite() const {
    require(is_finite_, pairs_.are_potts() ? "strengths must be finite" : "flat must be finite");
  }
  void require_attractive() const {  // tables may hold anything
    if (const auto* potts = std::get_if<PottsScores>(&pairs_.scores))
      bindings::require_attractive(potts->strengths);
  }
  template <class T>
  MatrixView<const T> checked_unary(const Matrix<T>& unary) const {
    require_shape("unary", view_of(unary), n_variables(), n_labels());
    require_scores("unary", span_of(unary));
    return view_of(unary);
  }
  std::span<const Label> checked_labeling(const char* name, const Vector<Label>& labels) const {
    require_size(name, labels.size(), n_variables(), "variable");
    require_labels(name, span_of(labels));
    return span_of(labels);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  PyPairs(Size shape, const Matrix<std::int32_t>& edges, const Counts& counts, Kept arrays)
      : kept_(std::move(arrays)) {
    const auto [n, n_labels] = shape;
    pairs_ = {n, n_labels, {}, edges_of(edges), PottsScores{}};
    require_model_size(n, n_labels, pairs_.edges.rows);
    require_edges(pairs_.edges, n);
    pairs_.edges.for_each([this](std::size_t e, std::size_t i, std::size_t j) {
      if (i == j && loop_ == none) loop_ = e;
    });
    kept_.push_back(nb::ndarray<>(edges));
    if (counts) set_counts(*counts);
  }

  void require_labels(const char* name, std::span<const Label> labels) const {
    require_in_range(name, labels, n_labels());
    for (std::size_t i = 0; i < pairs_.label_counts.size(); ++i) {
      require(index(labels[i]) < pairs_.label_count(i), [&] {
        return std::string(name) + " has a label that variable " + std::to_string(i) + " lacks";
      });
    }
  }

  void set_counts(const Vector<std::int32_t>& counts) {
    require_size("label_counts", counts.size(), n_variables(), "variable");
    for (const std::int32_t count : span_of(counts)) {
      require(count >= 1 && index(count) <= n_labels(),
              [&] { return "label_counts must lie in 1.." + std::to_string(n_labels()); });
    }
    pairs_.label_counts = span_of(counts);
    kept_.push_back(nb::ndarray<>(counts));
  }

  void set_potts(std::span<const double> strengths) {
    require_size("strengths", strengths.size(), pairs_.edges.rows, "edge");
    bool ok = true;
    for (const double s : strengths) ok &= s > forbidden;  // the score is -s; false for NaN
    require(ok, "strengths must not contain NaN or -inf");
    is_finite_ = are_finite(strengths);
    pairs_.scores = PottsScores{strengths, n_labels()};
  }

  void set_tables(const TableScores& tables) {
    require_size("offsets", tables.offsets.size(), pairs_.edges.rows, "edge");
    require_size("columns", tables.columns.size(), pairs_.edges.rows, "edge");
    require_scores("flat", tables.flat);
    pairs_.edges.for_each([&](std::size_t e, std::size_t i, std::size_t j) {
      require_table(tables, e, tables.label_count(i), tables.label_count(j));
    });
    is_finite_ = are_finite(tables.flat);
    pairs_.scores = tables;
  }

  static void require_table(const TableScores& tables, std::size_t e, std::size_t rows, std::size_t used) {
    const std::int64_t width = tables.columns[e], start = tables.offsets[e];
    // Products of two int32 fit; the offset is compared, never added, because it may be anything.
    const auto last = static_cast<std::int64_t>(rows - 1) * width + static_cast<std::int64_t>(used);
    const std::int64_t room = static_cast<std::int64_t>(tables.flat.size()) - last;
    require(width >= static_cast<std::int64_t>(used) && start >= 0 && start <= room, [&] {
      return "the table of edge " + std::to_string(e) + " does not fit into flat (offset " +
             std::to_string(start) + ", " + std::to_string(rows) + " rows, " + std::to_string(width) +
             " columns)";
    });
  }

  struct Order {
    std::once_flag once;
    std::optional<graphs::ForestOrder> made;
  };

  Pairs pairs_;
  Kept kept_;
  std::shared_ptr<Order> order_ = std::make_shared<Order>();
  std::size_t loop_ = none;  // the first edge that joins a variable with itself
  bool is_finite_ = true;
};

// run(order, scores) with the kind of scores known.
template <class Run>
auto on_forest(const PyPairs& pairs, Run run) {
  const graphs::ForestOrder& order = pairs.forest_order();
  return std::visit([&](const auto& scores) { return run(order, scores); }, pairs.view().scores);
}

}  // namespace hedgehop::bindings
