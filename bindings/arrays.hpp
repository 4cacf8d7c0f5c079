// SPDX-License-Identifier: BSD-3-Clause
// The border between numpy and the kernels: array types, views, owned results,
// and the checks without which bad input could touch memory it should not.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Result = nb::ndarray<nb::numpy, T, nb::c_contig>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
MatrixView<const T> view_of(const Matrix<T>& array) {
  return {{array.data(), array.size()}, array.shape(0), array.shape(1)};
}

// Hands a vector to numpy, which frees it with the array. Needs the GIL.
template <class T>
Result<T> give(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto holder = std::make_unique<std::vector<T>>(std::move(values));
  nb::capsule owner(holder.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Result<T>(holder.release()->data(), shape, owner);
}

inline void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

// Product of sizes; a wrapped-around one would allocate too little.
inline std::size_t checked_product(std::size_t a, std::size_t b) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b) throw std::bad_alloc();
  return a * b;
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

// Every value in [0, limit).
inline void require_in_range(const char* name, std::span<const std::int32_t> values, std::size_t limit) {
  bool ok = true;
  for (const std::int32_t value : values) ok &= value >= 0 && static_cast<std::size_t>(value) < limit;
  if (ok) return;
  throw std::invalid_argument(std::string(name) + " must be at least 0 and below " + std::to_string(limit));
}

// Scores may be -inf; +inf and NaN would turn sums into NaN.
template <class T>
void require_scores(const char* name, std::span<const T> values) {
  bool ok = true;
  for (const T value : values) ok &= value < std::numeric_limits<T>::infinity();
  require(ok, std::string(name) + " must not contain NaN or +inf");
}

inline void require_finite(const char* name, std::span<const double> values) {
  bool ok = true;
  for (const double value : values) ok &= std::isfinite(value);
  require(ok, std::string(name) + " must be finite");
}

inline void require_edges(const Edges& edges, std::size_t n_variables) {
  require_columns("edges", edges.columns, 2);
  require_in_range("edges", edges.data, n_variables);
}

}  // namespace hedgehop::bindings
