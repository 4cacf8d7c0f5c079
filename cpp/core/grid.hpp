// SPDX-License-Identifier: BSD-3-Clause
// Images and volumes: which pixels are neighbours, and their edges without a list of them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/sums.hpp"

namespace hedgehop {

struct Shape {
  std::size_t depth, height, width;  // depth 1: an image

  std::size_t pixels() const {
    constexpr std::size_t limit = std::size_t{1} << 31;  // saturates: no solver takes as many
    if (depth == 0 || height == 0 || width == 0) return 0;
    if (depth > limit / height || depth * height > limit / width) return limit;
    return depth * height * width;
  }
};

using Offset = std::array<int, 3>;  // slow axis first

// Half of the K neighbours, nearest first, as hedgehop.models.grid.directions orders them: right, down,
// down-right, down-left in 2-D.
template <int K>
constexpr std::array<Offset, K / 2> directions() {
  static_assert(K == 4 || K == 8 || K == 6 || K == 26);
  constexpr int steps[3] = {0, 1, -1},
                reach = K == 26  ? 3
                        : K == 8 ? 2
                                 : 1,
                depths = K == 4 || K == 8 ? 1 : 3;
  std::array<Offset, K / 2> result{};
  std::size_t count = 0;
  for (int far = 1; far <= reach; ++far) {
    for (int code = 0; code < 9 * depths; ++code) {
      const Offset o{steps[code / 9], steps[code / 3 % 3], steps[code % 3]};
      const int first = o[0] != 0 ? o[0] : o[1] != 0 ? o[1] : o[2];
      if (first > 0 && (o[0] != 0) + (o[1] != 0) + (o[2] != 0) == far) result[count++] = o;
    }
  }
  return result;
}

// The pixels whose neighbour in a direction exists.
inline Shape edges_along(const Shape& shape, const Offset& offset) {
  return {shape.depth - (offset[0] != 0 && shape.depth > 0),
          shape.height - (offset[1] != 0 && shape.height > 0),
          shape.width - (offset[2] != 0 && shape.width > 0)};
}

// A shape of 2 or 3 sizes, and how many neighbours a pixel has: 4 or 8 in 2-D, 6 or 26 in 3-D.
struct Grid {
  Shape shape;
  int connectivity;

  Grid(std::span<const std::size_t> sizes, int neighbours) : connectivity(neighbours) {
    if (sizes.size() != 2 && sizes.size() != 3) throw std::invalid_argument("shape must have 2 or 3 numbers");
    const bool image = sizes.size() == 2;
    shape = {image ? 1 : sizes[0], sizes[sizes.size() - 2], sizes.back()};
    if (connectivity != (image ? 4 : 6) && connectivity != (image ? 8 : 26))
      throw std::invalid_argument("connectivity must be 4 or 8 in 2-D and 6 or 26 in 3-D");
  }

  // f.template operator()<K>(), K the connectivity.
  template <class F>
  auto with_connectivity(F f) const {
    switch (connectivity) {
      case 4:
        return f.template operator()<4>();
      case 8:
        return f.template operator()<8>();
      case 6:
        return f.template operator()<6>();
      default:
        return f.template operator()<26>();
    }
  }
};

// Direction after direction, each from pixels in row-major order.
class GridEdges {
 public:
  explicit GridEdges(const Grid& grid) : shape_(grid.shape) {
    grid.with_connectivity([this]<int K>() {
      static constexpr auto all = directions<K>();
      directions_ = all;
    });
    for (const Offset& o : directions_) starts_.push_back(starts_.back() + edges_along(shape_, o).pixels());
  }

  std::size_t n_variables() const { return shape_.pixels(); }
  std::size_t n_directions() const { return directions_.size(); }
  std::size_t size() const { return starts_.back(); }
  std::size_t size(std::size_t direction) const { return starts_[direction + 1] - starts_[direction]; }

  // f(edge, from, to); from < to always.
  template <class F>
  void for_each(F f) const {
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      for_each_row(d, [&](std::size_t edge, std::size_t from, std::size_t to, std::size_t count) {
        for (std::size_t x = 0; x < count; ++x) f(starts_[d] + edge + x, from + x, to + x);
      });
    }
  }

  // f(edge, from, to, count) for each row of pixels: edges edge + x of the direction join from + x and to +
  // x.
  template <class F>
  void for_each_row(std::size_t direction, F f) const {
    const Offset& o = directions_[direction];
    const Shape count = edges_along(shape_, o);
    const auto width = static_cast<std::ptrdiff_t>(shape_.width);
    const std::ptrdiff_t step = (o[0] * static_cast<std::ptrdiff_t>(shape_.height) + o[1]) * width + o[2];
    std::size_t edge = 0;
    for (std::size_t z = 0; z < count.depth; ++z) {
      for (std::size_t y = 0; y < count.height; ++y) {
        // The first of the row; where a step is negative, pixels begin one further.
        const std::size_t from =
            ((z + (o[0] < 0)) * shape_.height + y + (o[1] < 0)) * shape_.width + (o[2] < 0);
        f(edge, from, static_cast<std::size_t>(static_cast<std::ptrdiff_t>(from) + step), count.width);
        edge += count.width;
      }
    }
  }

 private:
  Shape shape_;
  std::span<const Offset> directions_;
  std::vector<std::size_t> starts_{0};  // first edge of each direction
};

// Potts scores -strengths where labels differ; one array of strengths per direction, read as if they were
// one.
class GridPairs {
 public:
  // Throws if the arrays do not fit the grid.
  GridPairs(const Grid& grid, std::vector<std::span<const double>> strengths)
      : edges_(grid), strengths_(std::move(strengths)) {
    bool fits = strengths_.size() == edges_.n_directions();
    for (std::size_t d = 0; fits && d < strengths_.size(); ++d) fits = strengths_[d].size() == edges_.size(d);
    if (!fits) throw std::invalid_argument("strengths must be one array per direction, one entry per edge");
  }

  const GridEdges& edges() const { return edges_; }

  double strength(std::size_t edge) const {
    std::size_t d = 0;
    while (edge >= strengths_[d].size()) edge -= strengths_[d++].size();
    return strengths_[d][edge];
  }

  double value(std::span<const Label> y) const {
    double total = 0.0;
    for_each_row([&](const double* strengths, std::size_t from, std::size_t to, std::size_t count) {
      const Label *const a = y.data() + from, *const b = y.data() + to;
      total -= blocked_sum(count, [&](std::size_t x) { return only_if(a[x] != b[x], strengths[x]); });
    });
    return total;
  }

  // sums(i) grows by the strengths of all edges at pixel i.
  void add_strengths(std::span<double> sums) const {
    for_each_row([&](const double* strengths, std::size_t from, std::size_t to, std::size_t count) {
      for (std::size_t x = 0; x < count; ++x) sums[from + x] += strengths[x];
      for (std::size_t x = 0; x < count; ++x) sums[to + x] += strengths[x];
    });
  }

 private:
  // f(strengths, from, to, count) for each row of edges.
  template <class F>
  void for_each_row(F f) const {
    for (std::size_t d = 0; d < strengths_.size(); ++d) {
      edges_.for_each_row(d, [&](std::size_t edge, std::size_t from, std::size_t to, std::size_t count) {
        f(strengths_[d].data() + edge, from, to, count);
      });
    }
  }

  GridEdges edges_;
  std::vector<std::span<const double>> strengths_;
};

}  // namespace hedgehop
