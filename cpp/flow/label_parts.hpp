// SPDX-License-Identifier: BSD-3-Clause
// The best part of each label: the set X of variables, not empty, with the largest
//
//     sum_{i in X} score(i, l) - capacities of the edges that leave X + rewards of the regions within X.
//
// Potts costs are half the sum of the cuts of all labels' parts, so models whose variables may take any
// number of labels fall apart into these (docs/theory.md 11). A region is a node z with terminal -reward and
// arcs from its members, which z = 1 pays for each member outside of X. One flow per label is kept from
// question to question, in 64 bits: the errors of all labels add up in a bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "flow/build.hpp"

namespace hedgehop::flow {

struct Regions {
  std::span<const Index> members;
  std::span<const std::int64_t> offsets;  // where each region begins, and the end
  MatrixView<const double> limits;        // (regions, labels): what a member outside costs; reward <= limit

  std::size_t size() const { return limits.rows; }
};

struct PartQuestion {
  MatrixView<const double> scores;   // (variables, labels); -inf: not in X
  MatrixView<const double> rewards;  // (regions, labels), in [0, limit] each
  std::span<const double> reach;     // by label: how far below 0 a value is of interest
};

struct PartAnswer {
  std::span<double> values;          // by label; -inf if no variable can take it
  MatrixView<std::uint8_t> members;  // (labels, variables)
};

class LabelParts {
 public:
  using Build = std::function<RealFlow(std::size_t label, std::span<const double> terminals)>;

  LabelParts(std::size_t n_variables, std::size_t n_labels, Build build, std::vector<double> around,
             std::size_t kept)
      : build_(std::move(build)),
        around_(std::move(around)),
        n_(n_variables),
        flows_(std::clamp<std::size_t>(kept, 1, std::max<std::size_t>(n_labels, 1))) {}

  // Values are never below the truth, and above it by the rounding of the flow at most.
  void solve(const PartQuestion& ask, const PartAnswer& answer, Poll& poll) {
    for (std::size_t l = 0; l < answer.values.size(); ++l)
      answer.values[l] = solve_label(ask, l, answer.members.row(l), poll);
  }

 private:
  static constexpr double coarse =
      1e-13;  // error, against the sum of the terminals, from which to build again

  double solve_label(const PartQuestion& ask, std::size_t l, std::span<std::uint8_t> members, Poll& poll) {
    const std::size_t regions = ask.rewards.rows;
    terminals_.resize(n_ + regions), allowed_.clear(), labels_.resize(n_ + regions);
    for (std::size_t i = 0; i < n_; ++i) {
      // Beyond this a variable is in no X of interest: dropping it saves more than its edges and regions pay.
      const double most = around_[i] + ask.reach[l];
      terminals_[i] = std::min(-ask.scores(i, l), most);
      if (ask.scores(i, l) > forbidden) allowed_.push_back(static_cast<Index>(i));
    }
    for (std::size_t c = 0; c < regions; ++c) terminals_[n_ + c] = -ask.rewards(c, l);
    std::ranges::fill(members, std::uint8_t{0});
    if (allowed_.empty()) return forbidden;
    RealFlow& flow = solved(l, poll);
    const double cost = flow.cheapest_with(allowed_, labels_, poll);
    for (std::size_t i = 0; i < n_; ++i) members[i] = labels_[i] != 0;
    return flow.error() - cost;
  }

  // On from the last flow of this label; from scratch if its scale is too coarse or too fine for these
  // terminals.
  RealFlow& solved(std::size_t l, Poll& poll) {
    std::optional<RealFlow>& flow = flows_[l % flows_.size()];
    const std::span<const double> terminals(terminals_);
    double total = 0;
    for (const double t : terminals) total += std::abs(t);
    if (flow) {
      try {
        flow->set_terminals(terminals);
        flow->solve(poll);
        if (flow->error() <= coarse * total) return *flow;
      } catch (const std::overflow_error&) {
      }
    }
    flow.emplace(build_(l, terminals));
    flow->solve(poll);
    return *flow;
  }

  static constexpr double forbidden = -std::numeric_limits<double>::infinity();

  Build build_;
  std::vector<double> around_;  // by variable: what its edges and regions can pay for it
  std::size_t n_;
  std::vector<std::optional<RealFlow>> flows_;
  std::vector<double> terminals_;
  std::vector<Index> allowed_;
  std::vector<Label> labels_;
};

// Any graph, with regions as further nodes.
inline LabelParts general_label_parts(std::size_t n, std::size_t n_labels, Edges edges,
                                      std::span<const double> capacities, const Regions& regions) {
  std::vector<double> around(n, 0.0);
  edges.for_each([&](std::size_t e, std::size_t i, std::size_t j) {
    around[i] += capacities[e], around[j] += capacities[e];
  });
  std::vector<Index> ends(edges.data.begin(), edges.data.end());
  std::vector<std::size_t> owner;
  for (std::size_t c = 0; c < regions.size(); ++c) {
    const double most = std::ranges::max(regions.limits.row(c));
    for (std::int64_t p = regions.offsets[c]; p < regions.offsets[c + 1]; ++p) {
      const Index i = regions.members[index(p)];
      ends.insert(ends.end(), {i, static_cast<Index>(n + c)});
      owner.push_back(c);
      around[index(i)] += most * static_cast<double>(regions.offsets[c + 1] - regions.offsets[c]);
    }
  }
  std::vector<double> limits(regions.limits.data.begin(), regions.limits.data.end());
  const auto build = [n, n_labels, count = regions.size(), ends = std::move(ends), owner = std::move(owner),
                      limits = std::move(limits),
                      both = std::vector<double>(capacities.begin(), capacities.end())](
                         std::size_t l, std::span<const double> terminals) {
    std::vector<double> forward = both, backward = both;
    for (const std::size_t c : owner) forward.push_back(limits[c * n_labels + l]), backward.push_back(0.0);
    const Terms<double> terms{terminals, {forward}, {backward}, owner.empty(), true};
    const Edges all{{ends, ends.size() / 2, 2}};
    return std::move(*build_general(n + count, all, terms).real);
  };
  return LabelParts(n, n_labels, build, std::move(around), n_labels);
}

// The pixels of a grid, capacities by direction; as many flows are kept as fit into `bytes`.
inline LabelParts grid_label_parts(const Grid& grid, std::size_t n_labels,
                                   std::vector<std::vector<double>> capacities, std::size_t bytes) {
  const std::size_t n = grid.shape.pixels();
  double most = 0;
  for (const auto& along : capacities) most += 2 * (along.empty() ? 0.0 : std::ranges::max(along));
  const auto build = [grid, capacities = std::move(capacities)](std::size_t,
                                                                std::span<const double> terminals) {
    Terms<double> terms{terminals, {}, {}, true, true};
    terms.forward.assign(capacities.begin(), capacities.end());
    terms.backward = terms.forward;
    return std::move(*build_grid(grid, terms).real);
  };
  const std::size_t each = n * 8 * static_cast<std::size_t>(grid.connectivity + 4) + 1;
  return LabelParts(n, n_labels, build, std::vector<double>(n, most), bytes / each);
}

}  // namespace hedgehop::flow
