// SPDX-License-Identifier: BSD-3-Clause
// Labels that every best labeling of an attractive Potts model has, found from the scores alone.
//
// A label that leads all others at its variable by more than the strengths around it is right whatever its
// neighbours do. Once it is known, the edges to it are scores of the neighbours, whose leads grow and whose
// other edges are fewer: so certainty spreads. A special case of dead-end elimination (Desmet et al., Nature
// 1992; Goldstein 1994), of whole variables. O(n L + E), and O(L) more for each known label that a neighbour
// does not lead with.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/cell_scores.hpp"
#include "core/grid.hpp"
#include "core/incidence.hpp"
#include "core/matrix.hpp"

namespace hedgehop::scores {

inline constexpr Label not_sure = -1;

// The neighbours of pixels, without a list of edges.
class PixelNeighbours {
 public:
  PixelNeighbours(const Grid& grid, const std::vector<std::span<const double>>& strengths)
      : depth_(narrow(grid.shape.depth)),
        height_(narrow(grid.shape.height)),
        width_(narrow(grid.shape.width)) {
    grid.with_connectivity([&]<int K>() {
      static constexpr auto all = directions<K>();
      for (std::size_t d = 0; d < all.size(); ++d) add(all[d], edges_along(grid.shape, all[d]), strengths[d]);
    });
  }

  // f(neighbour, strength)
  template <class F>
  void for_each(std::size_t i, F f) const {
    const int pixel = narrow(i), line = pixel / width_, z = line / height_;  // all below 2^31
    const int x = pixel - line * width_, y = line - z * height_;
    for (const Direction& d : directions_) {
      if (contains(z + d.offset[0], y + d.offset[1], x + d.offset[2]))
        f(i + d.step, d.strengths[d.edge(z, y, x)]);
      if (contains(z - d.offset[0], y - d.offset[1], x - d.offset[2]))
        f(i - d.step, d.strengths[d.edge(z - d.offset[0], y - d.offset[1], x - d.offset[2])]);
    }
  }

 private:
  struct Direction {
    Offset offset;
    std::size_t step;  // to the neighbour's number; neighbours ahead have larger ones
    const double* strengths;
    int rows, columns;  // of the pixels that have a neighbour ahead

    // The edge that leaves a pixel.
    std::size_t edge(int z, int y, int x) const {
      const auto line = index(z - (offset[0] < 0)) * index(rows) + index(y - (offset[1] < 0));
      return line * index(columns) + index(x - (offset[2] < 0));
    }
  };

  static int narrow(std::size_t size) { return static_cast<int>(size); }
  bool contains(int z, int y, int x) const {
    return z >= 0 && y >= 0 && x >= 0 && z < depth_ && y < height_ && x < width_;
  }
  void add(const Offset& o, const Shape& from, std::span<const double> strengths) {
    const std::ptrdiff_t step = (static_cast<std::ptrdiff_t>(o[0]) * height_ + o[1]) * width_ + o[2];
    directions_.push_back({o, static_cast<std::size_t>(step), strengths.data(), static_cast<int>(from.height),
                           static_cast<int>(from.width)});
  }

  int depth_, height_, width_;
  std::vector<Direction> directions_;
};

// The neighbours in a list of edges.
class ListedNeighbours {
 public:
  ListedNeighbours(std::size_t n, Edges edges, std::span<const double> strengths)
      : around_(n, edges), strengths_(strengths) {}

  template <class F>
  void for_each(std::size_t i, F f) const {
    for (const Neighbour& next : around_.at(i)) f(next.node(), strengths_[next.edge()]);
  }

 private:
  Incidence around_;
  std::span<const double> strengths_;
};

// Unary scores with a change. One thread at a time.
template <class Real>
struct ChangedScores {
  MatrixView<const Real> unary;
  Change change;
  mutable std::vector<double> row = {};

  // f(at), at(l) the score of label l at variable i.
  template <class F>
  auto with_row(std::size_t i, F f) const {
    const Real* own = unary.data.data() + i * unary.columns;
    if (std::holds_alternative<std::monostate>(change)) {
      return f([own](std::size_t l) { return static_cast<double>(own[l]); });
    }
    if (const auto* cells = std::get_if<CellScores>(&change)) {
      row.resize(unary.columns);
      cells->add(i, unary.row(i), std::span(row));
      return f([all = row.data()](std::size_t l) { return all[l]; });
    }
    const double* more = std::get<std::span<const double>>(change).data() + i * unary.columns;
    return f([own, more](std::size_t l) { return static_cast<double>(own[l]) + more[l]; });
  }
};

template <class Real, class Neighbours>
class SureLabels {
 public:
  // reaches: the sum of the strengths around each variable.
  SureLabels(ChangedScores<Real> scores, std::span<const double> reaches)
      : scores_(scores), variables_(reaches.size()) {
    for (std::size_t i = 0; i < reaches.size(); ++i) variables_[i].open = reaches[i];
  }

  // Labels of all variables, not_sure where nothing is known. `make` returns the neighbours, if anybody asks.
  template <class MakeNeighbours>
  void find(MakeNeighbours make, std::span<Label> labels) {
    std::fill(labels.begin(), labels.end(), not_sure);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      look_alone(i);
      if (variables_[i].is_sure(variables_[i].lead)) know(i, labels);
    }
    if (known_.empty()) return;
    const Neighbours around = make();
    while (!known_.empty()) {  // the last one first: its neighbours are at hand
      const std::size_t i = known_.back();
      known_.pop_back();
      spread(i, around, labels);
    }
  }

 private:
  static constexpr std::size_t ways = 4;
  static constexpr double rounding = 0x1p-36;  // of what is compared: far more than sums of it are off
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  struct Variable {
    double open = 0.0;             // strengths to neighbours that have not told their labels
    double top = 0.0, lead = 0.0;  // the best score, and by how much it is at least ahead
    double missed = 0.0;           // by how much it may be further ahead
    Label leading = not_sure;
    bool has_told = false;

    // Whether a lead is more than what the open edges can make up for.
    bool is_sure(double by) const {
      return by - open > rounding * (std::abs(top) + std::abs(open) + std::abs(by)) || by == infinity;
    }
  };

  void know(std::size_t i, std::span<Label> labels) {
    labels[i] = variables_[i].leading;
    known_.push_back(i);
  }

  // Best score and its lead over the second best, several maxima at a time.
  void look_alone(std::size_t i) {
    scores_.with_row(i, [&](auto at) {
      std::array<double, ways> first, second;
      first.fill(-infinity), second.fill(-infinity);
      const auto take = [&](std::size_t l, std::size_t k) {
        const double x = at(l), worse = x < first[k] ? x : first[k];
        second[k] = worse > second[k] ? worse : second[k];
        first[k] = x > first[k] ? x : first[k];
      };
      const std::size_t n_labels = scores_.unary.columns;
      std::size_t l = 0;
      for (; l + ways <= n_labels; l += ways) {
        for (std::size_t k = 0; k < ways; ++k) take(l + k, k);
      }
      for (; l < n_labels; ++l) take(l, 0);
      double best = first[0], other = second[0];
      for (std::size_t k = 1; k < ways; ++k) {
        other = std::max({other, second[k], std::min(best, first[k])});
        best = std::max(best, first[k]);
      }
      Label leading = 0;
      while (at(index(leading)) != best) ++leading;
      set(i, leading, best, other);
    });
  }

  void set(std::size_t i, Label leading, double best, double other) {
    Variable& v = variables_[i];
    v.leading = leading;
    v.top = best;
    v.lead = best == -infinity ? 0.0 : best - other;
    v.missed = 0.0;
  }

  // Tells the neighbours of a variable whose label is known. A label that does not lead lowers the lead by no
  // more than the strength; what that may miss is looked at only if it would decide.
  void spread(std::size_t i, const Neighbours& around, std::span<Label> labels) {
    variables_[i].has_told = true;
    around.for_each(i, [&](std::size_t j, double strength) {
      if (labels[j] != not_sure) return;
      Variable& v = variables_[j];
      const bool agrees = v.leading == labels[i];
      v.open -= strength;
      v.lead += agrees ? strength : -strength;
      v.missed += agrees ? 0.0 : strength;
      const bool may_lead = v.lead < 0.0 || v.is_sure(v.lead + v.missed);
      if (v.missed > 0.0 && may_lead && !v.is_sure(v.lead)) look_around(j, around, labels);
      if (v.is_sure(v.lead)) know(j, labels);
    });
  }

  // Best score and lead given the neighbours that have told their labels.
  void look_around(std::size_t j, const Neighbours& around, std::span<const Label> labels) {
    row_.resize(scores_.unary.columns);
    scores_.with_row(j, [&](auto at) {
      for (std::size_t l = 0; l < row_.size(); ++l) row_[l] = at(l);
    });
    around.for_each(j, [&](std::size_t k, double strength) {
      if (variables_[k].has_told) row_[index(labels[k])] += strength;
    });
    const auto best = std::max_element(row_.begin(), row_.end());
    const double top = std::exchange(*best, -infinity);
    set(j, static_cast<Label>(best - row_.begin()), top, *std::max_element(row_.begin(), row_.end()));
  }

  ChangedScores<Real> scores_;
  std::vector<Variable> variables_;
  std::vector<std::size_t> known_;  // who will tell
  std::vector<double> row_;
};

}  // namespace hedgehop::scores
