// SPDX-License-Identifier: BSD-3-Clause
// Small random problems for moves, with the score of a labeling from the definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"
#include "moves/problem.hpp"

namespace hedgehop::test {

using moves::Problem;

// What an instance has besides scores; weights are of any sign unless said otherwise.
struct Traits {
  enum Pairs { potts, metric, any_tables } pairs = potts;
  bool labels = true, regions = false, transitions = false, ordered = false;
  int least = 1;                 // labels count from up to so many variables on
  int slack = 1;                 // of regions, up to
  bool robust_rewards = true;    // regions with slack above 1 are rewarded only
  bool transition_costs = true;  // or rewards only
};

struct Instance : PairwiseModel {
  bool is_potts, ordered = false;
  std::vector<double> label_weights, transitions, mu;
  std::vector<std::int64_t> least, region_offsets, slack;
  std::vector<std::int32_t> members;

  Instance(Random& random, bool potts)
      : PairwiseModel(random, 1 + random.below(7), 1 + random.below(4), false), is_potts(potts) {}

  Pairs pairs() const { return is_potts ? PairwiseModel::pairs(potts()) : PairwiseModel::pairs(tables()); }

  double score(std::span<const Label> y) const {
    const double own = is_potts ? value(potts(), y) : value(tables(), y);
    return own + score_of_labels(y) + score_of_transitions(y) + score_of_regions(y);
  }

  double score_of_labels(std::span<const Label> y) const {
    double total = 0;
    for (std::size_t k = 0; k < least.size(); ++k) {
      for (std::size_t l = 0; l < n_labels; ++l) {
        if (std::count(y.begin(), y.end(), static_cast<Label>(l)) >= least[k])
          total += label_weights[k * n_labels + l];
      }
    }
    return total;
  }

  double score_of_transitions(std::span<const Label> y) const {
    double total = 0;
    for (std::size_t a = 0; a < n_labels && !transitions.empty(); ++a) {
      for (std::size_t b = ordered ? 0 : a + 1; b < n_labels; ++b) {
        bool carried = false;
        edge_view().for_each([&](std::size_t, std::size_t i, std::size_t j) {
          const auto u = index(y[i]), v = index(y[j]);
          carried |= (u == a && v == b) || (!ordered && u == b && v == a);
        });
        if (a != b && carried) total += transitions[a * n_labels + b];
      }
    }
    return total;
  }

  double score_of_regions(std::span<const Label> y) const {
    double total = 0;
    for (std::size_t c = 0; c < slack.size(); ++c) {
      for (std::size_t l = 0; l < n_labels; ++l) {
        double misses = 0;
        for (std::int64_t k = region_offsets[c]; k < region_offsets[c + 1]; ++k)
          misses += y[index(members[index(k)])] != static_cast<Label>(l);
        const auto most = static_cast<double>(slack[c]);
        total += mu[c * n_labels + l] * std::max(0.0, most - misses) / most;
      }
    }
    return total;
  }

  Problem problem() const {
    Problem result(unary_view(), pairs());
    if (!least.empty()) result.set_label_weights({{label_weights, least.size(), n_labels}, least});
    if (!transitions.empty()) result.set_transition_weights({transitions, ordered});
    if (!slack.empty()) result.set_regions({members, region_offsets, {mu, slack.size(), n_labels}, slack});
    return result;
  }
};

class Instances {
 public:
  Instances(std::uint32_t seed, const Traits& traits) : random_(seed), traits_(traits) {}

  Instance next() {
    Instance x(random_, traits_.pairs == Traits::potts);
    x.set_unary([&](Label) { return between(0, 9); });
    add_edges(x);
    if (traits_.labels) add_labels(x);
    if (traits_.transitions) add_transitions(x);
    if (traits_.regions) add_regions(x);
    return x;
  }

  std::vector<Label> labeling(const Instance& x) { return random_.labels(x.n, x.n_labels); }
  Label label(const Instance& x) { return static_cast<Label>(random_.below(x.n_labels)); }

 private:
  double between(int low, int high) {
    return low + static_cast<double>(random_.below(index(high - low + 1)));
  }

  void add_edges(Instance& x) {
    for (std::size_t i = 0; i < x.n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (random_.below(3) == 0) add_edge(x, i, j);
      }
    }
  }

  // A metric plus parts of one end each: not symmetric, yet every move on it is submodular. Or anything.
  void add_edge(Instance& x, std::size_t i, std::size_t j) {
    const double strength = between(0, 5), tilt = between(0, 4), lean = between(0, 2);
    x.add_edge(random_, i, j, strength, [&](Label a, Label b) {
      if (traits_.pairs == Traits::any_tables) return between(-4, 4);
      return tilt * a - lean * b - strength * std::abs(a - b);
    });
  }

  void add_labels(Instance& x) {
    const std::size_t levels = traits_.least > 1 ? 2 : 1;
    for (std::size_t k = 0; k < levels; ++k) {
      x.least.push_back(1 + static_cast<std::int64_t>(random_.below(index(traits_.least))));
      for (std::size_t l = 0; l < x.n_labels; ++l) x.label_weights.push_back(between(-8, 8));
    }
  }

  void add_transitions(Instance& x) {
    x.ordered = traits_.ordered;
    x.transitions.assign(x.n_labels * x.n_labels, 0);
    for (std::size_t a = 0; a < x.n_labels; ++a) {
      for (std::size_t b = 0; b < x.n_labels; ++b) {
        const double w = between(traits_.transition_costs ? -8 : 0, 8);
        x.transitions[a * x.n_labels + b] = w;
        if (!x.ordered) x.transitions[b * x.n_labels + a] = w;
      }
    }
  }

  void add_regions(Instance& x) {
    x.region_offsets.push_back(0);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < x.n; ++i) {
        if (random_.below(2) == 0) x.members.push_back(static_cast<std::int32_t>(i));
      }
      x.region_offsets.push_back(static_cast<std::int64_t>(x.members.size()));
      const auto slack = 1 + static_cast<std::int64_t>(random_.below(index(traits_.slack)));
      x.slack.push_back(slack);
      const int low = slack > 1 && traits_.robust_rewards ? 0 : -8;
      for (std::size_t l = 0; l < x.n_labels; ++l)
        x.mu.push_back(static_cast<double>(slack) * between(low, 8));
    }
  }

  Random random_;
  Traits traits_;
};

}  // namespace hedgehop::test
