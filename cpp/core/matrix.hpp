// SPDX-License-Identifier: BSD-3-Clause
// A row-major matrix that somebody else owns: the one shape in which the
// kernels take and return arrays of more than one dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hedgehop {

using Label = std::int32_t;

template <class T>
struct MatrixView {
  std::span<T> data;
  std::size_t rows = 0;
  std::size_t columns = 0;  // kept apart from data.size(): a matrix may have rows but no columns

  std::span<T> row(std::size_t i) const { return data.subspan(i * columns, columns); }
};

using Labelings = MatrixView<const Label>;     // m labelings of n variables
using Edges = MatrixView<const std::int32_t>;  // two columns: the ends of each edge

}  // namespace hedgehop
