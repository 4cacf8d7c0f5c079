// SPDX-License-Identifier: BSD-3-Clause
// The dual of a structured support vector machine over the planes known so far: every example spreads a
// budget C over its planes,
//
//     D(a) = sum_p a_p loss_p - 1/2 |w|^2,    w = [v]_+,    v = sum_p a_p change_p
//
// where [.]_+ clips the attractive weights, the last ones, at zero. One visit of an example moves budget from
// its lowest plane in use to its highest, as far as that raises D (pairwise Frank-Wolfe: Lacoste-Julien,
// Jaggi, NIPS 2015; by blocks: Osokin et al. 2016).
//
// Complexity: one visit O(entries that are not zero in the planes of the example).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/poll.hpp"

namespace hedgehop::learning {

// How far to go along one direction: exact, with the box of attractive weights inside. D(g) = l + g dl - 1/2
// |[v + g dv]_+|^2 is concave in g; its slope dl - <[v + g dv]_+, dv> falls piecewise linearly, with a kink
// where an attractive weight passes zero.
class MarginStep {
 public:
  explicit MarginStep(double loss) : slope_(loss) {}

  // One weight: where it is, how it moves, whether it is clipped at zero.
  void add(double v, double dv, bool attractive) {
    if (attractive) {
      boxed_.push_back({v, dv});
    } else {
      slope_ -= v * dv;
      fall_ += dv * dv;
    }
  }

  // The g in [0, most] with the largest D.
  double best(double most) const {
    if (slope(0.0) <= 0) return 0.0;
    if (slope(most) >= 0) return most;
    const auto knots = knots_below(most);
    const auto after =
        std::partition_point(knots.begin(), knots.end(), [&](double g) { return slope(g) > 0; });
    const double left = after == knots.begin() ? 0.0 : *(after - 1);
    const double right = after == knots.end() ? most : *after;
    const double from = slope(left), to = slope(right);  // from > 0 >= to, and a line between them
    return left + (right - left) * (from / (from - to));
  }

 private:
  struct Boxed {
    double v, dv;
  };

  double slope(double g) const {
    double result = slope_ - g * fall_;
    for (const Boxed& b : boxed_) result -= std::max(0.0, b.v + g * b.dv) * b.dv;
    return result;
  }

  std::vector<double> knots_below(double most) const {
    std::vector<double> knots;
    for (const Boxed& b : boxed_) {
      const double zero = b.dv == 0 ? 0.0 : -b.v / b.dv;
      if (zero > 0 && zero < most) knots.push_back(zero);
    }
    std::sort(knots.begin(), knots.end());
    return knots;
  }

  double slope_, fall_ = 0;
  std::vector<Boxed> boxed_;
};

// What a labeling costs: its height is loss - <w, change>.
struct MarginPlane {
  std::vector<std::uint32_t> columns;  // of change, where it is not zero
  std::vector<double> values;
  double loss = 0;
  double budget = 0;

  double height(std::span<const double> weights) const {
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) sum += values[k] * weights[columns[k]];
    return loss - sum;
  }
};

// A point of the dual: v, and the losses of the mixture.
struct MarginPoint {
  std::vector<double> v;
  double loss = 0;
};

class MarginDual {
 public:
  MarginDual(std::size_t size, std::size_t examples, std::size_t first_attractive, double budget)
      : attractive_(first_attractive),
        now_{std::vector<double>(size)},
        mean_{std::vector<double>(size)},
        weights_(size),
        direction_(size),
        blocks_(examples) {
    for (auto& block : blocks_) block.push_back({{}, {}, 0.0, budget});  // that of the right labeling
  }

  std::size_t size() const { return weights_.size(); }
  std::size_t examples() const { return blocks_.size(); }
  std::size_t entries() const { return entries_; }  // of all planes, what one pass looks at
  std::span<const double> weights() const { return weights_; }
  const MarginPoint& now() const { return now_; }
  const MarginPoint& mean() const { return mean_; }

  // Keeps a plane, without budget; where there are many, the oldest one not in use is forgotten.
  void add(std::size_t example, std::span<const double> change, double loss) {
    auto& block = blocks_[example];
    if (block.size() >= kPlanes) {
      const auto unused =
          std::find_if(block.begin(), block.end(), [](const MarginPlane& p) { return p.budget == 0; });
      if (unused != block.end()) {
        entries_ -= unused->columns.size();
        block.erase(unused);
      }
    }
    MarginPlane plane;
    plane.loss = loss;
    for (std::size_t c = 0; c < change.size(); ++c) {
      if (change[c] == 0) continue;
      plane.columns.push_back(static_cast<std::uint32_t>(c));
      plane.values.push_back(change[c]);
    }
    entries_ += plane.columns.size();
    block.push_back(std::move(plane));
  }

  // One step; returns how far the part of this example was from its best.
  double visit(std::size_t example) {
    auto& block = blocks_[example];
    std::size_t up = 0, down = block.size();
    double highest = 0, lowest = 0, spent = 0, mixed = 0;
    for (std::size_t p = 0; p < block.size(); ++p) {
      const double height = block[p].height(weights_);
      if (p == 0 || height > highest) up = p, highest = height;
      if (block[p].budget <= 0) continue;
      if (down == block.size() || height < lowest) down = p, lowest = height;
      spent += block[p].budget;
      mixed += block[p].budget * height;
    }
    if (down != block.size() && highest > lowest) move(block[up], block[down]);
    return std::max(0.0, spent * highest - mixed);
  }

  // Visits all examples in an order; returns the sum of what visit() returned.
  double pass(std::span<const std::int32_t> order, Poll& poll) {
    double open = 0;
    for (const std::int32_t n : order) {
      open += visit(static_cast<std::size_t>(n));
      poll.tick(256);
    }
    return open;
  }

  // Takes the point into the mean of all points, later ones with more weight.
  void average() {
    const double share = 2.0 / (static_cast<double>(averaged_++) + 2.0);
    for (std::size_t c = 0; c < size(); ++c) mean_.v[c] += share * (now_.v[c] - mean_.v[c]);
    mean_.loss += share * (now_.loss - mean_.loss);
  }

  std::vector<double> project(std::span<const double> v) const {
    std::vector<double> result(v.begin(), v.end());
    for (std::size_t c = attractive_; c < result.size(); ++c) result[c] = std::max(0.0, result[c]);
    return result;
  }

 private:
  static constexpr std::size_t kPlanes = 30;  // of one example; more are kept only while they are in use

  void move(MarginPlane& up, MarginPlane& down) {
    touched_.clear();
    spread(up, 1.0);
    spread(down, -1.0);
    MarginStep step(up.loss - down.loss);
    for (const std::uint32_t c : touched_) step.add(now_.v[c], direction_[c], c >= attractive_);
    const double far = step.best(down.budget);
    up.budget += far;
    down.budget = far == down.budget ? 0.0 : down.budget - far;
    now_.loss += far * (up.loss - down.loss);
    for (const std::uint32_t c : touched_) {
      now_.v[c] += far * std::exchange(direction_[c], 0.0);
      weights_[c] = c >= attractive_ ? std::max(0.0, now_.v[c]) : now_.v[c];
    }
  }

  // Adds a plane to the direction. No column is noted twice: planes hold no zeros.
  void spread(const MarginPlane& plane, double sign) {
    for (std::size_t k = 0; k < plane.columns.size(); ++k) {
      const std::uint32_t c = plane.columns[k];
      if (direction_[c] == 0) touched_.push_back(c);
      direction_[c] += sign * plane.values[k];
    }
  }

  std::size_t attractive_;
  MarginPoint now_, mean_;
  std::vector<double> weights_, direction_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::vector<MarginPlane>> blocks_;
  std::size_t entries_ = 0;
  std::uint64_t averaged_ = 0;
};

}  // namespace hedgehop::learning
