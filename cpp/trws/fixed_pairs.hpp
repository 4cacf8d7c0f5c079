// SPDX-License-Identifier: BSD-3-Clause
// Pairwise scores in fixed point, in the order of the schedule, with what they imply: the scale, and the
// floor below which no score of a variable needs to be kept (trws/fixed_point.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trws/fixed_point.hpp"
#include "trws/schedule.hpp"

namespace hedgehop::trws {

struct FixedPairs {
  FixedPointScale scale;
  std::vector<std::int32_t> strengths;             // one an edge (Potts) ...
  FixedPoints tables;                              // ... or square tables of slot x slot values, <= 0,
  std::vector<std::int32_t> table_up, table_down;  // and for each edge the one for either direction
  std::vector<std::int32_t> floors;                // of each position; 0 where no edge can matter
  CarefulSum constant;                             // what was taken out of the tables
  double reach = 0.0;                              // sum over the variables, for the bound's rounding
};

// What the edges around each variable can do, summed over its edges.
class Reaches {
 public:
  explicit Reaches(std::size_t n) : reach_(n, 0.0), spread_(n, 0.0) {}

  void add(std::size_t variable, double reach, double spread) {
    reach_[variable] += reach;
    spread_[variable] += spread;
  }
  FixedPointScale scale() const { return {largest(reach_), largest(spread_)}; }
  double total() const {
    double sum = 0.0;
    for (const double r : reach_) sum += r;
    return sum;
  }
  bool matters(std::size_t variable) const { return reach_[variable] > 0.0; }

 private:
  static double largest(const std::vector<double>& values) {
    return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
  }
  std::vector<double> reach_, spread_;
};

// Floors from the reach of each edge in fixed point; reach_of takes the edge in the schedule's order.
template <class ReachOf>
std::vector<std::int32_t> floors(const Schedule& schedule, const Reaches& reaches, ReachOf reach_of) {
  std::vector<std::int64_t> sums(schedule.n_variables(), 0);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (auto e = schedule.up[i]; e < schedule.up[i + 1]; ++e) {
      const std::int64_t reach = reach_of(index(e));
      sums[i] += reach;
      sums[index(schedule.up_node[index(e)])] += reach;
    }
  }
  std::vector<std::int32_t> result(sums.size(), 0);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool matters = reaches.matters(index(schedule.variable_of[i]));
    if (matters) result[i] = FixedPointScale::floor_for(sums[i]);
  }
  return result;
}

// P_e(a, b) = -strength(e) [a != b], strengths finite and >= 0. Edges as for the schedule.
template <class Source, class Strength>
FixedPairs fixed_potts(const Schedule& schedule, const Source& edges, Strength strength) {
  Reaches reaches(schedule.n_variables());
  edges.for_each([&](std::size_t e, std::size_t a, std::size_t b) {
    const double s = strength(e);
    reaches.add(a, s, s);
    reaches.add(b, s, s);
  });
  FixedPairs result;
  result.scale = reaches.scale();
  result.reach = reaches.total();
  result.strengths.reserve(schedule.n_edges());
  for (const std::int32_t e : schedule.edge_of) {
    result.strengths.push_back(result.scale.truncate(strength(index(e))));
  }
  result.floors = floors(schedule, reaches, [&](std::size_t e) { return result.strengths[e]; });
  return result;
}

}  // namespace hedgehop::trws
