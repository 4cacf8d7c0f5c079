// SPDX-License-Identifier: BSD-3-Clause
// Tables that are replaced again and again, a finite one of L x L scores per edge: only those that differ
// from the last ones are made again, unless the scale changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "trws/fixed_pairs.hpp"

namespace hedgehop::trws {

class EdgeTables {
 public:
  EdgeTables(std::size_t n_labels, std::size_t slot) : labels_(n_labels), slot_(slot) {}

  // `flat` holds the tables in the order of the edges. The scale of `pairs` never gets finer, so that
  // messages that fit into it still do.
  void update(const Schedule& schedule, Edges edges, std::span<const double> flat, FixedPairs& pairs) {
    const bool is_new = flat_.empty();
    find_changes(edges.rows, flat, is_new);
    Reaches reaches(schedule.n_variables());
    CarefulSum constant;
    for (std::size_t e = 0; e < edges.rows; ++e) {
      for (const std::int32_t i : edges.row(e)) reaches.add(index(i), shapes_[e].reach, shapes_[e].range);
      constant.add(shapes_[e].top);
    }
    const FixedPointScale scale = reaches.scale().coarser(pairs.scale);
    const bool has_turned = pairs.tables.size() == 2 * edges.rows * slot_ * slot_;
    const bool all = is_new || scale.exponent() != pairs.scale.exponent() || has_turned == is_symmetric();
    if (all) lay_out(schedule, edges, pairs);
    for (std::size_t e = 0; e < edges.rows; ++e) {
      if (all || changed_[e] != 0) write(e, scale, pairs.tables.data());
    }
    pairs.scale = scale;
    pairs.constant = constant;
    pairs.reach = reaches.total();
    // Truncation may add one step to what separates two scores.
    pairs.floors = floors(schedule, reaches, [&](std::size_t e) {
      return std::int64_t{scale.truncate(shapes_[index(schedule.edge_of[e])].reach)} + 1;
    });
  }

 private:
  struct Shape {
    double top = 0, range = 0, reach = 0;  // see Block and reach_of (trws/fixed_tables.hpp)
    bool symmetric = true;
  };

  const double* table(std::size_t e) const { return flat_.data() + e * labels_ * labels_; }
  bool is_symmetric() const { return n_lopsided_ == 0; }

  void find_changes(std::size_t n_edges, std::span<const double> flat, bool is_new) {
    const std::size_t size = labels_ * labels_;
    if (is_new) {
      flat_.assign(flat.begin(), flat.end());
      shapes_.resize(n_edges);
      column_high_.resize(labels_), column_low_.resize(labels_);
    }
    changed_.assign(n_edges, 0);
    for (std::size_t e = 0; e < n_edges; ++e) {
      const double* next = flat.data() + e * size;
      if (!is_new && std::equal(next, next + size, table(e))) continue;
      std::copy(next, next + size, flat_.begin() + static_cast<std::ptrdiff_t>(e * size));
      changed_[e] = 1;
      n_lopsided_ -= shapes_[e].symmetric ? 0 : 1;
      shapes_[e] = shape_of(table(e));
      n_lopsided_ += shapes_[e].symmetric ? 0 : 1;
    }
  }

  Shape shape_of(const double* scores) {
    Shape shape;
    std::copy(scores, scores + labels_, column_high_.begin());
    std::copy(scores, scores + labels_, column_low_.begin());
    double low = scores[0];
    shape.top = scores[0];
    for (std::size_t a = 0; a < labels_; ++a) {
      const double* row = scores + a * labels_;
      double row_high = row[0], row_low = row[0];
      for (std::size_t b = 0; b < labels_; ++b) {
        row_high = std::max(row_high, row[b]), row_low = std::min(row_low, row[b]);
        column_high_[b] = std::max(column_high_[b], row[b]);
        column_low_[b] = std::min(column_low_[b], row[b]);
      }
      shape.top = std::max(shape.top, row_high), low = std::min(low, row_low);
      shape.reach = std::max(shape.reach, row_high - row_low);
      for (std::size_t b = 0; b < a && shape.symmetric; ++b)
        shape.symmetric = row[b] == scores[b * labels_ + a];
    }
    for (std::size_t b = 0; b < labels_; ++b)
      shape.reach = std::max(shape.reach, column_high_[b] - column_low_[b]);
    shape.range = shape.top - low;
    return shape;
  }

  // Where tables are: one per edge, or two of which the second is turned.
  void lay_out(const Schedule& schedule, Edges edges, FixedPairs& pairs) const {
    const std::size_t each = is_symmetric() ? 1 : 2;
    pairs.tables = FixedPoints(each * edges.rows * slot_ * slot_, 0);
    pairs.table_up.clear(), pairs.table_down.clear();
    for (std::size_t i = 0; i < schedule.n_variables(); ++i) {
      for (auto k = schedule.up[i]; k < schedule.up[i + 1]; ++k) {
        const auto e = index(schedule.edge_of[index(k)]);
        const auto upright = static_cast<std::int32_t>(each * e);
        const auto turned = static_cast<std::int32_t>(upright + static_cast<std::int32_t>(each) - 1);
        const bool first_is_lower = edges.row(e)[0] == schedule.variable_of[i];
        pairs.table_up.push_back(first_is_lower ? upright : turned);
        pairs.table_down.push_back(first_is_lower ? turned : upright);
      }
    }
  }

  // Columns beyond the labels get the row's least score, which keeps its range.
  void write(std::size_t e, const FixedPointScale& scale, std::int32_t* tables) const {
    const std::size_t each = is_symmetric() ? 1 : 2, size = slot_ * slot_;
    std::int32_t* upright = tables + each * e * size;
    for (std::size_t a = 0; a < labels_; ++a) {
      std::int32_t* row = upright + a * slot_;
      const double* scores = table(e) + a * labels_;
      for (std::size_t b = 0; b < labels_; ++b) row[b] = scale.truncate(scores[b] - shapes_[e].top);
      std::fill(row + labels_, row + slot_, *std::min_element(row, row + labels_));
    }
    for (std::size_t b = 0; b < labels_ && each == 2; ++b) {
      std::int32_t* row = upright + size + b * slot_;
      for (std::size_t a = 0; a < labels_; ++a) row[a] = upright[a * slot_ + b];
      std::fill(row + labels_, row + slot_, *std::min_element(row, row + labels_));
    }
  }

  std::size_t labels_, slot_;
  std::vector<double> flat_;
  std::vector<Shape> shapes_;
  std::vector<std::uint8_t> changed_;
  std::size_t n_lopsided_ = 0;
  std::vector<double> column_high_, column_low_;
};

}  // namespace hedgehop::trws
