// SPDX-License-Identifier: BSD-3-Clause
// The edges of an image or a volume, without a list of them: direction after direction, in the order of
// hedgehop.models.grid.directions (right, down, down-right, down-left for an 8-connected image).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hedgehop {

class GridEdges {
 public:
  using Offset = std::array<int, 3>;  // slow axis first; an image is a volume of one slice

  // shape: 2 or 3 sizes; connectivity 4 or 8 (images), 6 or 26 (volumes).
  GridEdges(std::span<const std::size_t> shape, int connectivity) {
    if (shape.size() != 2 && shape.size() != 3) throw std::invalid_argument("a grid has 2 or 3 dimensions");
    const bool image = shape.size() == 2;
    std::copy(shape.begin(), shape.end(), shape_.begin() + (image ? 1 : 0));
    const int reach = connectivity == (image ? 4 : 6)    ? 1
                      : connectivity == (image ? 8 : 26) ? static_cast<int>(shape.size())
                                                         : 0;
    if (reach == 0)
      throw std::invalid_argument("connectivity must be 4 or 8 for images, 6 or 26 for volumes");
    for (int axes = 1; axes <= reach; ++axes) add_directions(axes, image);
    starts_.push_back(0);
    for (const Offset& o : offsets_) starts_.push_back(starts_.back() + edges_along(o));
  }

  std::size_t n_variables() const { return shape_[0] * shape_[1] * shape_[2]; }
  std::size_t n_directions() const { return offsets_.size(); }
  std::size_t size() const { return starts_.back(); }
  std::size_t size(std::size_t direction) const { return starts_[direction + 1] - starts_[direction]; }

  // f(edge, from, to); from < to always.
  template <class F>
  void for_each(F f) const {
    for (std::size_t d = 0; d < offsets_.size(); ++d) for_each_along(d, f);
  }

 private:
  // Half of the neighbours that differ in `axes` axes: those whose first step is +1, tried in the order 0, 1,
  // -1.
  void add_directions(int axes, bool image) {
    for (const int z : {0, 1, -1}) {
      for (const int y : {0, 1, -1}) {
        for (const int x : {0, 1, -1}) {
          const int first = z != 0 ? z : y != 0 ? y : x;
          const bool wanted = first > 0 && (z != 0) + (y != 0) + (x != 0) == axes && !(image && z != 0);
          if (wanted) offsets_.push_back({z, y, x});
        }
      }
    }
  }

  struct Range {
    std::size_t first, last;
  };

  // Where an edge may start so that it ends inside.
  Range starts_on(std::size_t axis, int step) const {
    const std::size_t n = shape_[axis];
    return {step < 0 ? 1U : 0U, step > 0 ? n - std::min<std::size_t>(n, 1) : n};
  }

  std::size_t edges_along(const Offset& o) const {
    std::size_t product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Range r = starts_on(axis, o[axis]);
      product *= r.last > r.first ? r.last - r.first : 0;
    }
    return product;
  }

  template <class F>
  void for_each_along(std::size_t direction, F& f) const {
    const Offset& o = offsets_[direction];
    const Range z = starts_on(0, o[0]), y = starts_on(1, o[1]), x = starts_on(2, o[2]);
    const auto step =
        (o[0] * static_cast<std::ptrdiff_t>(shape_[1]) + o[1]) * static_cast<std::ptrdiff_t>(shape_[2]) +
        o[2];
    std::size_t edge = starts_[direction];
    for (std::size_t k = z.first; k < z.last; ++k) {
      for (std::size_t j = y.first; j < y.last; ++j) {
        for (std::size_t i = x.first; i < x.last; ++i) {
          const std::size_t from = (k * shape_[1] + j) * shape_[2] + i;
          f(edge++, from, static_cast<std::size_t>(static_cast<std::ptrdiff_t>(from) + step));
        }
      }
    }
  }

  std::array<std::size_t, 3> shape_{1, 1, 1};
  std::vector<Offset> offsets_;
  std::vector<std::size_t> starts_;  // first edge of each direction
};

// The strengths of all directions as if they were one array. Throws if the arrays do not fit the edges.
class GridStrengths {
 public:
  GridStrengths(const GridEdges& edges, std::vector<std::span<const double>> arrays)
      : arrays_(std::move(arrays)) {
    bool fits = arrays_.size() == edges.n_directions();
    for (std::size_t d = 0; fits && d < arrays_.size(); ++d) fits = arrays_[d].size() == edges.size(d);
    if (!fits) throw std::invalid_argument("strengths must be one array a direction, one entry an edge");
  }

  double operator()(std::size_t edge) const {
    std::size_t d = 0;
    while (edge >= arrays_[d].size()) edge -= arrays_[d++].size();
    return arrays_[d][edge];
  }

 private:
  std::vector<std::span<const double>> arrays_;
};

}  // namespace hedgehop
