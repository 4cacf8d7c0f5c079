// SPDX-License-Identifier: BSD-3-Clause
// Weights that a labeling earns (or pays, if negative) once, however often the occasion arises.
//
//     labels:       w(k, l) if at least least(k) variables take label l
//     transitions:  w(a, b) if some edge carries the labels a != b
//     regions:      mu(c, l) * max(0, 1 - misses / slack(c)), misses = members of c without label l
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix.hpp"

namespace hedgehop::moves {

struct LabelWeights {
  MatrixView<const double> w;           // levels x labels
  std::span<const std::int64_t> least;  // one a level, at least 1
};

struct TransitionWeights {
  std::span<const double> w;  // labels x labels, symmetric unless ordered; the diagonal does not count
  bool ordered = false;       // along the direction of an edge
};

struct RegionWeights {
  std::span<const std::int32_t> members;  // region after region, no variable twice in one
  std::span<const std::int64_t> offsets;  // where each region begins, and the end
  MatrixView<const double> mu;            // regions x labels
  std::span<const std::int64_t> slack;    // one a region, at least 1

  std::size_t size() const { return slack.size(); }
  std::span<const std::int32_t> region(std::size_t c) const {
    const auto first = index(offsets[c]), last = index(offsets[c + 1]);
    return members.subspan(first, last - first);
  }
};

inline double largest_size(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

inline double sum_of_sizes(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

}  // namespace hedgehop::moves
