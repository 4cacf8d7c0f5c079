// SPDX-License-Identifier: BSD-3-Clause
// p(y) ~ exp(sum of the scores of y's arcs) over arborescences, with any number of arcs to the root or just
// one.
//
// One arc to the root: weights of such arcs are multiplied by an epsilon that vanishes. Sums keep their
// leading order, which is that of trees with as few of them as possible.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"
#include "probabilities/forest_sums.hpp"
#include "probabilities/tree_samples.hpp"
#include "probabilities/tree_sums.hpp"

namespace hedgehop::probabilities {

class Arborescences {
 public:
  // scores: (n, n + 1), the root first; -inf forbids an arc. Some arborescence must be allowed.
  Arborescences(MatrixView<const double> scores, bool single_root, Poll poll)
      : n_(scores.rows),
        single_root_(single_root),
        poll_(std::move(poll)),
        logs_(scores.data.begin(), scores.data.end()) {
    for (std::size_t v = 0; v < n_; ++v) scale_row(v);
  }

  double log_total() const {
    CarefulSum sum;
    for (const double top : tops_) sum.add(top);
    with_weights([&]<class Number>(MatrixView<const Number> arcs) {
      sum.add(TreeSums<Number>(arcs, poll_).log_total());
    });
    return sum.value();
  }

  void marginals(MatrixView<double> out) const {
    with_weights(
        [&]<class Number>(MatrixView<const Number> arcs) { TreeSums<Number>(arcs, poll_).marginals(out); });
  }

  void sample(std::uint64_t seed, MatrixView<Label> out) const {
    std::vector<double> chances, roots;
    if (single_root_) {
      std::vector<double> all(logs_.size());
      marginals({all, n_, n_ + 1});
      for (std::size_t v = 0; v < n_; ++v) roots.push_back(all[v * (n_ + 1)]);
    }
    for (std::size_t k = 0; k < logs_.size(); ++k) {
      chances.push_back(single_root_ && k % (n_ + 1) == 0 ? 0.0 : std::exp(logs_[k]));
    }
    for (std::size_t v = 0; v < n_; ++v) normalise_row(std::span(chances).subspan(v * (n_ + 1), n_ + 1));
    with_weights([&]<class Number>(MatrixView<const Number> arcs) {
      TreeSampler<Number> draw(arcs, {chances, n_, n_ + 1}, roots, seed, poll_);
      for (std::size_t k = 0; k < out.rows; ++k) draw(out.row(k));
    });
  }

 private:
  // exp(60) levels of loops within loops, of which there are log2(n) at most, stay within doubles.
  static constexpr double narrow = 60.0;

  void scale_row(std::size_t v) {
    const auto row = std::span(logs_).subspan(v * (n_ + 1), n_ + 1);
    row[1 + v] = forbidden;
    tops_.push_back(graphs::max_of(row));
    for (double& value : row) {
      value -= tops_.back();
      if (value > forbidden) range_ = std::max(range_, -value);
    }
  }

  static void normalise_row(std::span<double> row) {
    double sum = 0.0;
    for (const double chance : row) sum += chance;
    for (double& chance : row) chance = sum > 0.0 ? chance / sum : 0.0;
  }

  // run(weights) with the simplest numbers that lose nothing.
  template <class Run>
  void with_weights(Run run) const {
    if (range_ <= narrow) {
      single_root_ ? on<Graded<double>>(run) : on<double>(run);
    } else {
      single_root_ ? on<Graded<LogNumber>>(run) : on<LogNumber>(run);
    }
  }

  template <class Number, class Run>
  void on(Run run) const {
    std::vector<Number> weights;
    weights.reserve(logs_.size());
    for (std::size_t k = 0; k < logs_.size(); ++k) {
      weights.push_back(Make<Number>::from_log(logs_[k], k % (n_ + 1) == 0 ? 1 : 0));
    }
    run(MatrixView<const Number>{weights, n_, n_ + 1});
  }

  std::size_t n_;
  bool single_root_;
  Poll poll_;
  std::vector<double> logs_, tops_;  // of weights, each row shifted to a maximum of 0
  double range_ = 0.0;
};

}  // namespace hedgehop::probabilities
