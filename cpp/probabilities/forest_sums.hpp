// SPDX-License-Identifier: BSD-3-Clause
// Sum-product on forests: log partition, marginals and exact samples of p(y) ~ exp(score(y)).
//
// The passes are those of max-sum (graphs/forest.hpp) with sums for maxima, in plain numbers where they fit
// and in logarithms elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"
#include "graphs/forest.hpp"
#include "probabilities/log_messages.hpp"
#include "probabilities/numbers.hpp"
#include "probabilities/weight_messages.hpp"

namespace hedgehop::probabilities {

using graphs::labels_of;

// Messages to the roots; beliefs become their start times messages of children. Returns
// log sum_y exp(score(y)).
template <class Sums, class Keep>
double sum_up(const ForestOrder& order, const Sums& sums, MatrixView<double> beliefs, Keep keep) {
  graphs::pass_up<typename Sums::Joining>(order, sums, beliefs, keep);
  CarefulSum total;
  total.add(sums.shift());
  for (const auto& visit : order.visits()) {
    if (visit.parent != ForestOrder::none) continue;
    total.add(sums.log_total(labels_of(sums, beliefs, visit.variable)));
  }
  return total.value();
}

// The label that a number in [0, 1) falls on; never one of chance 0.
inline Label drawn(std::span<const double> chances, double uniform) {
  std::size_t last = 0;
  for (std::size_t l = 0; l < chances.size(); ++l) {
    if (chances[l] == 0.0) continue;
    last = l;
    uniform -= chances[l];
    if (uniform < 0.0) break;
  }
  return static_cast<Label>(last);
}

template <class Sums>
double marginals(const ForestOrder& order, Unaries unaries, const Sums& sums, MatrixView<double> out) {
  const std::vector<double> start = sums.start(unaries);
  std::copy(start.begin(), start.end(), out.data.begin());
  std::vector<double> storage(start.size());
  const MatrixView<double> messages{storage, unaries.rows, unaries.columns};
  const double total = sum_up(order, sums, out, [&](const auto& visit, const auto& message) {
    std::copy(message.begin(), message.end(), messages.row(visit.variable).begin());
  });
  const Unaries begin{start, unaries.rows, unaries.columns};
  graphs::DownwardPass<Sums, typename Sums::Joining> send_down(order, sums, begin, out, messages);
  for (const auto& visit : order.visits()) {
    send_down(visit);
    const auto row = out.row(visit.variable);
    const std::size_t width = sums.label_count(visit.variable);
    sums.normalise(row.first(width));
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(width), row.end(), 0.0);
  }
  return total;
}

template <class Sums>
void sample(const ForestOrder& order, Unaries unaries, const Sums& sums, MatrixView<const double> uniforms,
            MatrixView<Label> out, Poll poll) {
  std::vector<double> storage = sums.start(unaries), chances(unaries.columns);
  const MatrixView<double> beliefs{storage, unaries.rows, unaries.columns};
  sum_up(order, sums, beliefs, [](const auto&, const auto&) {});
  for (std::size_t k = 0; k < out.rows; ++k) {
    for (const auto& visit : order.visits()) {
      poll.tick();
      const auto belief = labels_of(sums, beliefs, visit.variable);
      const auto given = std::span(chances).first(belief.size());
      std::copy(belief.begin(), belief.end(), given.begin());
      if (visit.parent != ForestOrder::none) {
        const auto above = index(out.row(k)[order.visits()[visit.parent].variable]);
        sums.condition(visit.edge, visit.child_is_first, above, given);
      }
      sums.normalise(given);
      out.row(k)[visit.variable] = drawn(given, uniforms.row(k)[visit.variable]);
    }
  }
}

// run(sums) with the simplest numbers that lose nothing.
template <class Scores, class Run>
auto with_sums(const ForestOrder& order, Unaries unaries, const Scores& scores, Run run) {
  return InWeights<Scores>::fits(order, unaries, scores) ? run(InWeights<Scores>(scores))
                                                         : run(InLogs<Scores>(scores));
}

// Writes p(y_i = l) into out, 0 for labels a variable does not have; returns the log partition. Some labeling
// must be allowed.
template <class Scores>
double forest_marginals(const ForestOrder& order, Unaries unaries, const Scores& scores,
                        MatrixView<double> out) {
  return with_sums(order, unaries, scores,
                   [&](const auto& sums) { return marginals(order, unaries, sums, out); });
}

// Exact samples, one per row: the roots first, then every child given its parent. `uniforms`, in [0, 1), has
// one number for each label that is drawn.
template <class Scores>
void forest_samples(const ForestOrder& order, Unaries unaries, const Scores& scores,
                    MatrixView<const double> uniforms, MatrixView<Label> out, Poll poll) {
  with_sums(order, unaries, scores,
            [&](const auto& sums) { sample(order, unaries, sums, uniforms, out, poll); });
}

}  // namespace hedgehop::probabilities
