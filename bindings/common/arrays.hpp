// SPDX-License-Identifier: BSD-3-Clause
// The border between numpy and the kernels: arrays in, never converted, and arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/storage.hpp"

namespace hedgehop::bindings {

namespace nb = nanobind;
using namespace nb::literals;

// Kernels run without the GIL. Arguments and results of a function with this guard are made with it.
using NoGil = nb::call_guard<nb::gil_scoped_release>;

// C-contiguous, of exactly this type: everything else is a TypeError, also within lists.
template <class T, class... Dimensions>
struct Array : nb::ndarray<nb::numpy, const T, nb::c_contig, nb::device::cpu, Dimensions...> {
  using Plain = nb::ndarray<nb::numpy, const T, nb::c_contig, nb::device::cpu, Dimensions...>;
};
template <class T>
using Vector = Array<T, nb::ndim<1>>;
template <class T>
using Matrix = Array<T, nb::ndim<2>>;

template <class T, class... Dimensions>
std::span<const T> span_of(const Array<T, Dimensions...>& array) {
  return {array.data(), array.size()};
}

template <class T>
MatrixView<const T> view_of(const Matrix<T>& array) {
  return {span_of(array), array.shape(0), array.shape(1)};
}

inline Edges edges_of(const Matrix<std::int32_t>& array) {
  return {view_of(array)};
}

// Arrays that stay alive.
using Kept = std::vector<nb::ndarray<>>;

template <class... Arrays>
Kept kept(const Arrays&... arrays) {
  return {nb::ndarray<>(arrays)...};
}

// Product of sizes; a wrapped-around one would allocate too little.
inline std::size_t checked_product(std::size_t a, std::size_t b) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b) throw std::bad_alloc();
  return a * b;
}

// An array of at most three dimensions that numpy will own: zeros of a shape, or values.
template <class T>
struct Result {
  std::vector<T> values;
  std::array<std::size_t, 3> shape;
  std::size_t dimensions = 0;

  Result() = default;
  Result(std::initializer_list<std::size_t> sizes) {
    std::size_t count = 1;
    for (const std::size_t size : sizes) {
      count = checked_product(count, size);
      shape[dimensions++] = size;
    }
    values.resize(count);
  }
  explicit Result(std::vector<T>&& given) : values(std::move(given)), shape{values.size()}, dimensions(1) {}
  explicit Result(std::span<const T> given) : Result(std::vector<T>(given.begin(), given.end())) {}

  MatrixView<T> view() { return {values, shape[0], shape[1]}; }
};

// An array of one dimension that numpy will own, of which a kernel writes every entry: no zeros before.
template <class T>
struct Filled {
  Storage<T> values;

  Filled() = default;
  explicit Filled(std::size_t n) : values(n) {}

  std::span<T> span() { return {values.data(), values.size()}; }
};

}  // namespace hedgehop::bindings

namespace nanobind::detail {

template <class T, class... Dimensions>
struct type_caster<hedgehop::bindings::Array<T, Dimensions...>> {
  using Array = hedgehop::bindings::Array<T, Dimensions...>;
  using Caster = make_caster<typename Array::Plain>;
  NB_TYPE_CASTER(Array, Caster::Name)

  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
    Caster caster;
    if (!caster.from_python(source, flags & ~static_cast<Flags>(cast_flags::convert), cleanup)) return false;
    value = {std::move(caster.value)};
    return true;
  }
};

template <class T>
struct type_caster<hedgehop::bindings::Result<T>> {
  using Result = hedgehop::bindings::Result<T>;
  using Plain = ndarray<numpy, T, c_contig>;
  using Caster = make_caster<Plain>;
  NB_TYPE_CASTER(Result, Caster::Name)

  static handle from_cpp(Result&& result, rv_policy, cleanup_list* cleanup) noexcept {
    auto* values = new std::vector<T>(std::move(result.values));
    capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    const Plain array(values->data(), result.dimensions, result.shape.data(), owner);
    return Caster::from_cpp(array, rv_policy::automatic, cleanup);
  }
};

template <class T>
struct type_caster<hedgehop::bindings::Filled<T>> {
  using Filled = hedgehop::bindings::Filled<T>;
  using Plain = ndarray<numpy, T, ndim<1>, c_contig>;
  using Caster = make_caster<Plain>;
  NB_TYPE_CASTER(Filled, Caster::Name)

  static handle from_cpp(Filled&& result, rv_policy, cleanup_list* cleanup) noexcept {
    using Storage = hedgehop::Storage<T>;
    auto* const values = new Storage(std::move(result.values));
    capsule owner(values, [](void* p) noexcept { delete static_cast<Storage*>(p); });
    const Plain array(values->data(), {values->size()}, owner);
    return Caster::from_cpp(array, rv_policy::automatic, cleanup);
  }
};

}  // namespace nanobind::detail
