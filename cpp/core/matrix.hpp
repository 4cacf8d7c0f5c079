// SPDX-License-Identifier: BSD-3-Clause
// Arrays that somebody else owns: the shapes in which all kernels take and return them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace hedgehop {

using Label = std::int32_t;

// A label, or the number of a variable or an edge, as a subscript.
template <std::integral T>
constexpr std::size_t index(T number) {
  return static_cast<std::size_t>(number);
}

// Row-major.
template <class T>
struct MatrixView {
  std::span<T> data;
  std::size_t rows = 0;
  std::size_t columns = 0;  // kept apart from data.size(): a matrix may have rows but no columns

  std::span<T> row(std::size_t i) const { return data.subspan(i * columns, columns); }

  template <std::integral I, std::integral J>
  T& operator()(I i, J j) const {
    return data[index(i) * columns + index(j)];
  }
};

using Labelings = MatrixView<const Label>;  // m labelings of n variables
using Unaries = MatrixView<const double>;   // n variables by L labels
using UnaryScores = std::variant<MatrixView<const float>, MatrixView<const double>>;  // the same, as given

// The two ends of each edge.
struct Edges : MatrixView<const std::int32_t> {
  std::size_t size() const { return rows; }
  std::size_t first(std::size_t e) const { return index(data[2 * e]); }
  std::size_t second(std::size_t e) const { return index(data[2 * e + 1]); }

  template <class F>
  void for_each(F f) const {  // f(edge, first end, second end)
    for (std::size_t e = 0; e < rows; ++e) f(e, first(e), second(e));
  }
};

}  // namespace hedgehop
