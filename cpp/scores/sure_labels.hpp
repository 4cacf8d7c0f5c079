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
#include <vector>

#include "core/grid.hpp"
#include "core/incidence.hpp"
#include "core/matrix.hpp"

namespace hedgehop::scores {

inline constexpr Label not_sure = -1;

// The neighbours of pixels, without a list of edges.
class PixelNeighbours {
 public:
  PixelNeighbours(const Grid& grid, std::vector<std::span<const double>> strengths)
      : shape_(grid.shape), strengths_(std::move(strengths)) {
    grid.with_connectivity([this]<int K>() {
      static constexpr auto all = directions<K>();
      directions_ = all;
    });
  }

  // f(neighbour, strength)
  template <class F>
  void for_each(std::size_t i, F f) const {
    const std::size_t width = shape_.width, height = shape_.height;
    const Place at{signed_of(i / (width * height)), signed_of(i / width % height), signed_of(i % width)};
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      const Offset& o = directions_[d];
      const Place ahead{at[0] + o[0], at[1] + o[1], at[2] + o[2]};
      const Place behind{at[0] - o[0], at[1] - o[1], at[2] - o[2]};
      if (contains(ahead)) f(pixel(ahead), strengths_[d][edge(o, at)]);
      if (contains(behind)) f(pixel(behind), strengths_[d][edge(o, behind)]);
    }
  }

 private:
  using Place = std::array<std::ptrdiff_t, 3>;

  static std::ptrdiff_t signed_of(std::size_t k) { return static_cast<std::ptrdiff_t>(k); }
  bool contains(const Place& p) const {
    return p[0] >= 0 && p[1] >= 0 && p[2] >= 0 && p[0] < signed_of(shape_.depth) &&
           p[1] < signed_of(shape_.height) && p[2] < signed_of(shape_.width);
  }
  std::size_t pixel(const Place& p) const {
    return (index(p[0]) * shape_.height + index(p[1])) * shape_.width + index(p[2]);
  }
  // The edge that leaves a pixel in a direction, among those of the direction.
  std::size_t edge(const Offset& o, const Place& p) const {
    const Shape count = edges_along(shape_, o);
    const std::size_t z = index(p[0] - (o[0] < 0)), y = index(p[1] - (o[1] < 0)),
                      x = index(p[2] - (o[2] < 0));
    return (z * count.height + y) * count.width + x;
  }

  Shape shape_;
  std::span<const Offset> directions_;
  std::vector<std::span<const double>> strengths_;
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

// Unary scores with a change, which may be empty.
template <class Real>
struct ChangedScores {
  MatrixView<const Real> unary;
  std::span<const double> theta;

  double operator()(std::size_t i, std::size_t l) const {
    const std::size_t at = i * unary.columns + l;
    return static_cast<double>(unary.data[at]) + (theta.empty() ? 0.0 : theta[at]);
  }
};

template <class Real, class Neighbours>
class SureLabels {
 public:
  // reaches: the sum of the strengths around each variable.
  SureLabels(ChangedScores<Real> scores, std::span<const double> reaches)
      : scores_(scores),
        open_(reaches.begin(), reaches.end()),
        top_(reaches.size()),
        lead_(reaches.size()),
        missed_(reaches.size()),
        leading_(reaches.size()),
        told_(reaches.size(), 0) {}

  // Labels of all variables, not_sure where nothing is known. `make` returns the neighbours, if anybody asks.
  template <class MakeNeighbours>
  void find(MakeNeighbours make, std::span<Label> labels) {
    std::fill(labels.begin(), labels.end(), not_sure);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      look_alone(i);
      if (is_sure(i, lead_[i])) know(i, labels);
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

  // Whether a lead is more than what the open edges can make up for.
  bool is_sure(std::size_t i, double lead) const {
    const double sizes = std::abs(top_[i]) + std::abs(open_[i]) + std::abs(lead);
    return lead - open_[i] > rounding * sizes || lead == infinity;
  }

  void know(std::size_t i, std::span<Label> labels) {
    labels[i] = leading_[i];
    known_.push_back(i);
  }

  // Best score and its lead over the second best, several maxima at a time.
  void look_alone(std::size_t i) {
    std::array<double, ways> first, second;
    first.fill(-infinity), second.fill(-infinity);
    const auto take = [&](std::size_t l, std::size_t k) {
      const double x = scores_(i, l), worse = x < first[k] ? x : first[k];
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
    while (scores_(i, index(leading)) != best) ++leading;
    set(i, leading, best, other);
  }

  void set(std::size_t i, Label leading, double best, double other) {
    leading_[i] = leading;
    top_[i] = best;
    lead_[i] = best == -infinity ? 0.0 : best - other;
    missed_[i] = 0.0;
  }

  // Tells the neighbours of a variable whose label is known. A label that does not lead lowers the lead by no
  // more than the strength; what that may miss is looked at only if it would decide.
  void spread(std::size_t i, const Neighbours& around, std::span<Label> labels) {
    told_[i] = 1;
    around.for_each(i, [&](std::size_t j, double strength) {
      if (labels[j] != not_sure) return;
      open_[j] -= strength;
      if (leading_[j] == labels[i]) {
        lead_[j] += strength;
      } else {
        lead_[j] -= strength;
        missed_[j] += strength;
      }
      if (missed_[j] > 0.0 && !is_sure(j, lead_[j]) &&
          (lead_[j] < 0.0 || is_sure(j, lead_[j] + missed_[j]))) {
        look_around(j, around, labels);
      }
      if (is_sure(j, lead_[j])) know(j, labels);
    });
  }

  // Best score and lead given the neighbours that have told their labels.
  void look_around(std::size_t j, const Neighbours& around, std::span<const Label> labels) {
    row_.resize(scores_.unary.columns);
    for (std::size_t l = 0; l < row_.size(); ++l) row_[l] = scores_(j, l);
    around.for_each(j, [&](std::size_t k, double strength) {
      if (told_[k] != 0) row_[index(labels[k])] += strength;
    });
    const auto best = std::max_element(row_.begin(), row_.end());
    const double top = std::exchange(*best, -infinity);
    set(j, static_cast<Label>(best - row_.begin()), top, *std::max_element(row_.begin(), row_.end()));
  }

  ChangedScores<Real> scores_;
  std::vector<double> open_;  // strengths to neighbours that have not told their labels
  std::vector<double> top_, lead_, missed_;
  std::vector<Label> leading_;
  std::vector<std::uint8_t> told_;
  std::vector<std::size_t> known_;  // who will tell
  std::vector<double> row_;
};

}  // namespace hedgehop::scores
