// SPDX-License-Identifier: BSD-3-Clause
// The terminals of a cut from the scores of two labels, in one pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/matrix.hpp"
#include "core/sums.hpp"

namespace hedgehop::flow {

// scores + changes + offsets, (n, 2) each, of which the latter two may be empty.
template <class Real>
struct TwoLabels {
  MatrixView<const Real> scores;
  MatrixView<const double> changes, offsets;

  double operator()(std::size_t v, std::size_t label) const {
    double score = static_cast<double>(scores(v, label));
    if (!changes.data.empty()) score += changes(v, label);
    if (!offsets.data.empty()) score += offsets(v, label);
    return score;
  }
};

struct TerminalSums {
  double score = 0;  // of the labeling that takes the base label everywhere
  double size = 0;   // of all |terminal|
};

// costs(v): of the other label against `base`, no larger than limit = factor * around(v) + more, which is
// more than all edges at v can save. A forbidden label costs that much, and so do scores beyond: nothing
// changes, and a few huge ones do not cost all others their digits.
template <class Real>
TerminalSums terminals(const TwoLabels<Real>& score, std::size_t base, std::span<const double> around,
                       double factor, double more, std::span<double> costs) {
  constexpr std::size_t block = 4096;  // costs are still at hand when their sizes are added up
  TerminalSums sums;
  for (std::size_t start = 0; start < around.size(); start += block) {
    const std::size_t count = std::min(block, around.size() - start);
    sums.score += blocked_sum(count, [&](std::size_t i) {
      const std::size_t v = start + i;
      const double zero = score(v, base), one = score(v, 1 - base), limit = factor * around[v] + more;
      const double cost = zero - one;
      const bool neither = std::isnan(cost);  // no label is allowed: the score of the labeling will be -inf
      costs[v] = neither ? 0.0 : std::clamp(cost, -limit, limit);
      return neither ? -limit : std::max(zero, one - limit);
    });
    sums.size += blocked_sum(count, [&](std::size_t i) { return std::abs(costs[start + i]); });
  }
  return sums;
}

}  // namespace hedgehop::flow
