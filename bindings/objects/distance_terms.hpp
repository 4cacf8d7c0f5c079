// SPDX-License-Identifier: BSD-3-Clause
// Functions of distances as Python holds them, together with the arrays that they read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "counts/distance_terms.hpp"

namespace hedgehop::bindings {

template <class T>
using OptionalVectors = std::vector<std::optional<Vector<T>>>;

class PyDistanceTerms {
 public:
  PyDistanceTerms(Matrix<Label> references, OptionalVectors<Label> seconds, OptionalVectors<double> weights,
                  std::vector<Vector<double>> values, Vector<double> units)
      : references_(std::move(references)),
        seconds_(std::move(seconds)),
        weights_(std::move(weights)),
        values_(std::move(values)),
        units_(std::move(units)) {
    const std::size_t count = view_of(references_).rows;
    require_size("seconds", seconds_.size(), count, "reference");
    require_size("weights", weights_.size(), count, "reference");
    require_size("values", values_.size(), count, "reference");
    require_size("units", units_.size(), count, "reference");
    for (std::size_t j = 0; j < count; ++j) {
      require(values_[j].size() > 0, "values must have at least one entry each");
      require(span_of(units_)[j] > 0, "units must be positive");
      terms_.push_back({view_of(references_).row(j),
                        optional_span("seconds", seconds_[j], n_variables(), "variable"),
                        optional_span("weights", weights_[j], n_variables(), "variable"),
                        {span_of(values_[j]), span_of(units_)[j]}});
    }
  }

  std::size_t n_variables() const { return references_.shape(1); }
  counts::DistanceTerms view() const { return terms_; }

  Result<double> distances(Matrix<Label> labelings) const {
    const Labelings rows = view_of(labelings);
    require_columns("labelings", rows.columns, n_variables());
    Result<double> out{rows.rows, terms_.size()};
    for (std::size_t r = 0; r < rows.rows; ++r) {
      for (std::size_t j = 0; j < terms_.size(); ++j) out.view()(r, j) = terms_[j].distance(rows.row(r));
    }
    return out;
  }

  Result<double> linear(Vector<double> slopes, std::size_t n_labels) const {
    require_size("slopes", slopes.size(), terms_.size(), "term");
    Result<double> out{n_variables(), n_labels};
    counts::add_slopes(terms_, span_of(slopes), out.view());
    return out;
  }

 private:
  Matrix<Label> references_;
  OptionalVectors<Label> seconds_;
  OptionalVectors<double> weights_;
  std::vector<Vector<double>> values_;
  Vector<double> units_;
  std::vector<counts::DistanceTerm> terms_;
};

}  // namespace hedgehop::bindings
