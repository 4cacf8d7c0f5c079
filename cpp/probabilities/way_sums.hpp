// SPDX-License-Identifier: BSD-3-Clause
// Sums over the ways through a graph without cycles: the log of their total weight, and the chance of each
// arc (forward and backward sums, Baum 1972).
//
// Backwards, every node gets the chances of its arcs given that a way passes it. Forwards, these are
// multiplied: nothing is subtracted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::probabilities {

struct Ways {
  MatrixView<const std::int32_t> arcs;  // (E, 2): from a node to a later one, in the order of the first
  std::span<const double> scores;       // of the arcs; -inf closes one
  std::span<const double> finals;       // what ending at each node adds; -inf if ways cannot end there
};

// Ways begin at node 0. `given` and `ending` are the chances to leave a node by an arc, or to end there,
// given that a way passes it; `chances` are those of arcs. Returns the log of the total weight.
inline double way_sums(const Ways& ways, std::span<double> given, std::span<double> ending,
                       std::span<double> chances, Poll& poll) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const std::size_t n = ways.finals.size();
  std::vector<double> behind(n, none);
  std::size_t last = ways.arcs.rows;
  for (std::size_t v = n; v-- > 0;) {
    std::size_t first = last;
    double top = ways.finals[v];
    while (first > 0 && index(ways.arcs(first - 1, 0)) == v) {
      --first;
      given[first] = ways.scores[first] + behind[index(ways.arcs(first, 1))];
      top = std::max(top, given[first]);
    }
    const double shift = top == none ? 0.0 : top;
    double sum = ending[v] = std::exp(ways.finals[v] - shift);
    for (std::size_t a = first; a < last; ++a) sum += given[a] = std::exp(given[a] - shift);
    behind[v] = top == none ? none : top + std::log(sum);
    for (std::size_t a = first; a < last; ++a) given[a] = sum > 0.0 ? given[a] / sum : 0.0;
    ending[v] = sum > 0.0 ? ending[v] / sum : 0.0;
    poll.tick(static_cast<std::uint32_t>(1 + last - first));
    last = first;
  }
  std::vector<double> passed(n);
  passed[0] = 1.0;
  for (std::size_t a = 0; a < chances.size(); ++a) {
    chances[a] = passed[index(ways.arcs(a, 0))] * given[a];
    passed[index(ways.arcs(a, 1))] += chances[a];
  }
  for (std::size_t v = 0; v < n; ++v) ending[v] *= passed[v];
  return behind[0];
}

}  // namespace hedgehop::probabilities
