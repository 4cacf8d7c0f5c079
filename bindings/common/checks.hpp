// SPDX-License-Identifier: BSD-3-Clause
// The checks without which bad input could touch memory it should not; what is wrong, what was given.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "common/arrays.hpp"
#include "core/matrix.hpp"

namespace hedgehop::bindings {

// The message is a text, or a function that makes it: checks in loops must not build texts in vain.
template <class Message>
void require(bool condition, const Message& message) {
  if (condition) return;
  if constexpr (std::is_invocable_v<Message>) {
    throw std::invalid_argument(message());
  } else {
    throw std::invalid_argument(message);
  }
}

inline void require_size(const char* name, std::size_t got, std::size_t wanted, const char* meaning) {
  if (got == wanted) return;
  throw std::invalid_argument(std::string(name) + " must have " + std::to_string(wanted) +
                              " entries, one per " + meaning + "; got " + std::to_string(got));
}

inline void require_columns(const char* name, std::size_t got, std::size_t wanted) {
  if (got == wanted) return;
  throw std::invalid_argument(std::string(name) + " must have " + std::to_string(wanted) + " columns; got " +
                              std::to_string(got));
}

// What an optional array holds, one entry each; nothing if it is left out.
template <class T>
std::span<const T> optional_span(const char* name, const std::optional<Vector<T>>& array, std::size_t wanted,
                                 const char* meaning) {
  if (!array) return {};
  require_size(name, array->size(), wanted, meaning);
  return span_of(*array);
}

// One row per variable, one column per label.
template <class T>
void require_shape(const char* name, const MatrixView<T>& array, std::size_t n_variables,
                   std::size_t n_labels) {
  require_size(name, array.rows, n_variables, "variable");
  require_columns(name, array.columns, n_labels);
}

// Every value in [0, limit).
inline void require_in_range(const char* name, std::span<const std::int32_t> values, std::size_t limit) {
  // The sign of value | top - value tells, without a branch: compilers keep it in vectors.
  const auto top = static_cast<std::uint32_t>(std::min<std::size_t>(limit, std::size_t{1} << 31)) - 1;
  std::uint32_t signs = 0;
  for (const std::int32_t value : values) {
    signs |= static_cast<std::uint32_t>(value) | (top - static_cast<std::uint32_t>(value));
  }
  if (signs >> 31 == 0) return;
  throw std::invalid_argument(std::string(name) + " must be at least 0 and below " + std::to_string(limit));
}

// Every value in [0, n) once.
inline void require_permutation(const char* name, std::span<const std::int32_t> values, std::size_t n) {
  require_size(name, values.size(), n, "variable");
  require_in_range(name, values, n);
  std::vector<bool> seen(n, false);
  for (const std::int32_t value : values) seen[index(value)] = true;
  require(std::ranges::count(seen, true) == static_cast<std::ptrdiff_t>(n),
          std::string(name) + " must be a permutation");
}

// Scores may be -inf; +inf and NaN would turn sums into NaN.
template <class T>
void require_scores(const char* name, std::span<const T> values) {
  bool ok = true;
  for (const T value : values) ok &= value < std::numeric_limits<T>::infinity();
  require(ok, std::string(name) + " must not contain NaN or +inf");
}

inline bool are_finite(std::span<const double> values) {
  bool ok = true;
  for (const double value : values) ok &= std::isfinite(value);
  return ok;
}

inline void require_finite(const char* name, std::span<const double> values) {
  require(are_finite(values), std::string(name) + " must be finite");
}

// What Potts scores must be for solvers that need attraction.
inline void require_attractive(std::span<const double> strengths) {
  bool ok = true;
  for (const double s : strengths) ok &= s >= 0.0 && s < std::numeric_limits<double>::infinity();
  require(ok, "strengths must be finite and >= 0; give tables for other scores");
}

inline void require_edges(const Edges& edges, std::size_t n_variables) {
  require_columns("edges", edges.columns, 2);
  require_in_range("edges", edges.data, n_variables);
}

// Sizes whose products, in bytes, do not wrap around.
inline void require_model_size(std::size_t n, std::size_t n_labels, std::size_t n_edges) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max() - 1;
  require(n <= most && n_edges <= most, "at most 2^31 - 2 variables and edges");
  require(n == 0 || n_labels > 0, "there must be at least one label per variable");
  checked_product(checked_product(std::max(n, n_edges), std::max<std::size_t>(n_labels, 16)), 8);
}

// Where each of several lists begins in an array of `size` entries, and the end.
inline void require_starts(const char* name, std::span<const std::int64_t> starts, std::size_t size,
                           const char* meaning) {
  require(!starts.empty() && starts.front() == 0 && std::ranges::is_sorted(starts) &&
              starts.back() == static_cast<std::int64_t>(size),
          std::string(name) + " must not decrease, from 0 to the number of " + meaning);
}

}  // namespace hedgehop::bindings
