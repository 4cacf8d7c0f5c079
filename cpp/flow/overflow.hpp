// SPDX-License-Identifier: BSD-3-Clause
// Whether the sums of a flow provably fit its integers.
//
// However flow moves, the excess of a node and the residuals around it stay below its load: |excess| plus the
// capacities of all arcs at it, both ways (a push keeps the capacities of an edge together constant and moves
// excess by no more than them). 32 bits hold as long as every load does; sums over all nodes are 64 bits wide
// anyway. For 64 bits the sum of all loads is held below 2^62, which makes those sums safe too. The bound
// kept here is cheap and may be too high; it is measured exactly before anything is refused.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "flow/types.hpp"

namespace hedgehop::flow {

// What is known of a network's numbers without looking at every node.
struct Sizes {
  double terminal = std::numeric_limits<double>::infinity();  // largest |t|
  double pair = std::numeric_limits<double>::infinity();      // largest sum of the two capacities of an edge
  double total = std::numeric_limits<double>::infinity();     // sum of all loads
};

template <class Cap>
class OverflowGuard {
 public:
  static constexpr bool narrow = sizeof(Cap) == 4;
  static constexpr double limit = narrow ? 2147483647.0 : 4611686018427387904.0;

  // `growth(v)`: how much the load of v is about to grow. Throws std::overflow_error if that might not fit.
  template <class Layout, class Growth>
  void measure(const Layout& graph, Growth growth) {
    double bound = 0;
    for (Index v = 0; v < graph.size(); ++v) add(bound, load(graph, v) + growth(v));
    if (bound > limit)
      throw std::overflow_error("the capacities and terminals of a flow are too large for its integers");
    bound_ = bound;
  }

  // Takes a growth of at most `each` at every node and `total` in all, if it surely fits.
  bool take(double each, double total) {
    const double bound = bound_ + (narrow ? each : total);
    if (!(bound <= limit)) return false;
    bound_ = bound;
    return true;
  }

  template <class Layout>
  static double load(const Layout& graph, Index v) {
    double sum = std::abs(static_cast<double>(graph.node(v).excess));
    for (auto s = graph.begin(v), end = graph.end(v); s < end; ++s) {
      sum += static_cast<double>(graph.out(v, s)) + static_cast<double>(graph.in(v, s));
    }
    return sum;
  }

 private:
  static void add(double& bound, double load) { bound = narrow ? std::max(bound, load) : bound + load; }

  double bound_ = 0;
};

}  // namespace hedgehop::flow
