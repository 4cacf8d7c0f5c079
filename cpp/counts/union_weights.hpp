// SPDX-License-Identifier: BSD-3-Clause
// Weights that make the bound on a union of balls small.
//
// Partition the balls A_j into clusters, with weights beta >= 0 that add up to at most 1 in each. Pointwise
// the union's indicator is at least 1 - prod_C (1 - sum_{j in C} beta_j [A_j]), so
//
//     1 - P(union) <= 1 - sum_j beta_j P(A_j) + sum over pairs j < k of different clusters of beta_j beta_k
//     P(A_j and A_k).
//
// What the two balls and the labeling's own have in common, P(A_j and A_k), is at most the overlap x_jk of
// the balls themselves, whatever the labeling. A function of the labeling that is never larger and often much
// smaller, `meet_jk`, may be used where there are at most three clusters (see oracles/terms.py).
//
// Over several partitions, from one cluster to a cluster a ball, the largest bound on the labelings known is
// minimised by projected subgradients. Complexity: O(partitions * rounds * K J^2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::counts {

struct UnionWeights {
  std::vector<double> weights;
  std::vector<std::int32_t> clusters;  // of each ball
  std::size_t n_clusters = 0;
};

class UnionBound {
 public:
  static constexpr std::size_t kMostMeeting = 3;  // clusters up to which `meet` may be used

  // scores: what else each labeling has, in units of the balls' scale; overlaps: K x J, P(A_j) at each
  // labeling; between: J x J, overlaps of the balls among each other; meet: K x J^2, or no rows: `between`
  // for all labelings.
  UnionBound(std::span<const double> scores, MatrixView<const double> overlaps,
             MatrixView<const double> between, MatrixView<const double> meet)
      : scores_(scores), overlaps_(overlaps), between_(between), meet_(meet), cluster_(overlaps.columns) {
    order_.resize(overlaps.columns);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto top = index(std::max_element(scores.begin(), scores.end()) - scores.begin());
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return overlaps_.row(top)[a] > overlaps_.row(top)[b];
    });
  }

  UnionWeights best() {
    for (const double threshold : {0.0, 0.1, 0.3, 0.6, 1.1}) {  // 0: one cluster; 1.1: a cluster a ball
      by_threshold(threshold);
      try_partition();
    }
    for (std::size_t leaders = 2; leaders <= kMostMeeting && meet_.rows > 0; ++leaders) {
      by_leaders(leaders);
      try_partition();
    }
    return std::move(best_);
  }

 private:
  static constexpr int kRounds = 100;
  static constexpr double kLength = 0.3;  // of the first step

  // Balls that overlap a leader by the threshold join it; leaders in the order of their overlap with the
  // labeling that has the highest score.
  void by_threshold(double threshold) {
    const std::size_t none = cluster_.size();
    std::fill(cluster_.begin(), cluster_.end(), none);
    n_clusters_ = 0;
    for (const std::size_t leader : order_) {
      if (cluster_[leader] != none) continue;
      for (std::size_t j = 0; j < cluster_.size(); ++j) {
        if (cluster_[j] == none && (j == leader || between_.row(leader)[j] >= threshold))
          cluster_[j] = n_clusters_;
      }
      ++n_clusters_;
    }
  }

  // So many leaders, far from each other; every ball joins the one it overlaps most.
  void by_leaders(std::size_t count) {
    std::fill(cluster_.begin(), cluster_.end(), std::size_t{0});
    std::vector<double> nearest(cluster_.size(), -1.0);
    std::size_t leader = order_[0];
    n_clusters_ = std::min(count, cluster_.size());
    for (std::size_t c = 0; c < n_clusters_; ++c) {
      for (std::size_t j = 0; j < cluster_.size(); ++j) {
        const double overlap = j == leader ? 2.0 : between_.row(leader)[j];
        if (overlap > nearest[j]) nearest[j] = overlap, cluster_[j] = c;
      }
      leader = index(std::min_element(nearest.begin(), nearest.end()) - nearest.begin());
    }
  }

  void try_partition() {
    if (std::find(tried_.begin(), tried_.end(), cluster_) != tried_.end()) return;
    tried_.push_back(cluster_);
    const std::size_t n = cluster_.size();
    std::vector<double> size(n_clusters_), beta(n);
    for (const std::size_t c : cluster_) size[c] += 1;
    set_common();
    for (std::size_t j = 0; j < n; ++j) beta[j] = 1 / size[cluster_[j]];
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t worst = keep_if_best(beta);
      slope_.assign(n, 0.0);
      double norm = 0;
      for (std::size_t j = 0; j < n; ++j) {
        slope_[j] = overlaps_.row(worst)[j] - dot(common(worst, j), beta);
        norm += slope_[j] * slope_[j];
      }
      const double step = kLength / std::sqrt(1.0 + round) / (std::sqrt(norm) + 1e-9);
      for (std::size_t j = 0; j < n; ++j) beta[j] += step * slope_[j];
      project(beta);
    }
  }

  // What balls of different clusters have in common, 0 for others: J x J for each labeling, or for all alike.
  void set_common() {
    const std::size_t n = cluster_.size();
    const bool meets = meet_.rows > 0 && n_clusters_ <= kMostMeeting;
    common_.assign((meets ? scores_.size() : 1) * n * n, 0.0);
    for (std::size_t at = 0; at < common_.size(); ++at) {
      const std::size_t pair = at % (n * n);
      if (cluster_[pair / n] != cluster_[pair % n])
        common_[at] = meets ? meet_.data[at] : between_.data[pair];
    }
  }

  std::span<const double> common(std::size_t labeling, std::size_t j) const {
    const std::size_t n = cluster_.size();
    const std::size_t start = common_.size() > n * n ? labeling * n * n : 0;
    return std::span<const double>(common_).subspan(start + j * n, n);
  }

  // sum over pairs of balls of different clusters of beta_j beta_k P(A_j and A_k).
  double pairs(std::size_t labeling, const std::vector<double>& beta) const {
    double total = 0;
    for (std::size_t j = 0; j < beta.size(); ++j) {
      if (beta[j] > 0) total += beta[j] * dot(common(labeling, j), beta);
    }
    return total / 2;
  }

  static double dot(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

  // Returns the labeling with the largest bound.
  std::size_t keep_if_best(const std::vector<double>& beta) {
    const bool alike = common_.size() <= beta.size() * beta.size();
    const double shared = alike ? pairs(0, beta) : 0.0;
    std::size_t worst = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      const double value = scores_[k] - dot(overlaps_.row(k), beta) + (alike ? shared : pairs(k, beta));
      if (value > largest) worst = k, largest = value;
    }
    if (largest < least_) {
      least_ = largest;
      best_ = {beta, {cluster_.begin(), cluster_.end()}, n_clusters_};
    }
    return worst;
  }

  // To the nearest weights >= 0 that add up to at most 1 in each cluster.
  void project(std::vector<double>& beta) const {
    std::vector<double> members;
    for (std::size_t c = 0; c < n_clusters_; ++c) {
      members.clear();
      double sum = 0;
      for (std::size_t j = 0; j < beta.size(); ++j) {
        if (cluster_[j] != c) continue;
        beta[j] = std::max(beta[j], 0.0);
        sum += beta[j];
        members.push_back(beta[j]);
      }
      if (sum <= 1) continue;
      const double excess = level(members);
      for (std::size_t j = 0; j < beta.size(); ++j) {
        if (cluster_[j] == c) beta[j] = std::max(beta[j] - excess, 0.0);
      }
    }
  }

  // What to take from every entry so that the positive rest adds up to 1.
  static double level(std::vector<double>& entries) {
    std::sort(entries.rbegin(), entries.rend());
    double sum = 0, result = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      sum += entries[k];
      const double candidate = (sum - 1) / static_cast<double>(k + 1);
      if (entries[k] > candidate) result = candidate;
    }
    return result;
  }

  std::span<const double> scores_;
  MatrixView<const double> overlaps_, between_, meet_;
  std::vector<std::size_t> cluster_, order_;
  std::vector<std::vector<std::size_t>> tried_;
  std::vector<double> slope_, common_;
  std::size_t n_clusters_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  UnionWeights best_;
};

}  // namespace hedgehop::counts
