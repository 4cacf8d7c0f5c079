// Weights that make the bound on a union of balls small (TRWS 3.3).
//
// Partition the balls A_j into clusters, with weights beta >= 0 that add up to at most 1 in each. Pointwise the union's
// indicator is at least 1 - prod_C (1 - sum_{j in C} beta_j [A_j]), so
//
//     1 - P(union) <= 1 - sum_j beta_j P(A_j) + sum over pairs j < k of different clusters of beta_j beta_k P(A_j and A_k),
//
// and P(A_j and A_k) is at most the overlap of the balls j and k themselves. Over several partitions, from one cluster
// to a cluster a ball, the largest bound on the labelings known is minimised by projected subgradients.
//
// Complexity: O(partitions * rounds * (K J + J^2)).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "matrix.hpp"

namespace hedgehop {

struct UnionWeights {
  std::vector<double> weights;
  double pairs = 0;  // sum over pairs of different clusters of beta_j beta_k overlap_jk
};

class UnionBound {
 public:
  // scores: what else each labeling has, in units of the balls' scale; overlaps: K x J, P(A_j) at each labeling;
  // between: J x J, overlaps of the balls among each other.
  UnionBound(std::span<const double> scores, MatrixView<const double> overlaps, MatrixView<const double> between)
      : scores_(scores), overlaps_(overlaps), between_(between), cluster_(overlaps.columns) {}

  UnionWeights best() {
    constexpr std::array thresholds{0.0, 0.1, 0.3, 0.6, 1.1};  // 0: one cluster; 1.1: a cluster a ball
    std::vector<std::vector<std::size_t>> tried;
    for (const double threshold : thresholds) {
      partition(threshold);
      if (std::find(tried.begin(), tried.end(), cluster_) != tried.end()) continue;
      tried.push_back(cluster_);
      descend();
    }
    return std::move(best_);
  }

 private:
  static constexpr int kRounds = 120;
  static constexpr double kLength = 0.3;  // of the first step

  // Balls that overlap a leader by the threshold join it; leaders in the order of their overlap with the labeling that
  // has the highest score.
  void partition(double threshold) {
    const std::size_t n = cluster_.size(), none = n;
    const auto top = static_cast<std::size_t>(std::max_element(scores_.begin(), scores_.end()) - scores_.begin());
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return overlaps_.row(top)[a] > overlaps_.row(top)[b];
    });
    std::fill(cluster_.begin(), cluster_.end(), none);
    n_clusters_ = 0;
    for (const std::size_t leader : order) {
      if (cluster_[leader] != none) continue;
      for (std::size_t j = 0; j < n; ++j) {
        if (cluster_[j] == none && (j == leader || between_.row(leader)[j] >= threshold)) cluster_[j] = n_clusters_;
      }
      ++n_clusters_;
    }
  }

  void descend() {
    const std::size_t n = cluster_.size();
    std::vector<double> size(n_clusters_), beta(n), slope(n);
    for (const std::size_t c : cluster_) size[c] += 1;
    for (std::size_t j = 0; j < n; ++j) beta[j] = 1 / size[cluster_[j]];
    for (int round = 0; round < kRounds; ++round) {
      const double pairs = cross_terms(beta, slope);
      const std::size_t worst = keep_if_best(beta, pairs);
      double norm = 0;
      for (std::size_t j = 0; j < n; ++j) {
        slope[j] = overlaps_.row(worst)[j] - slope[j];
        norm += slope[j] * slope[j];
      }
      const double step = kLength / std::sqrt(1.0 + round) / (std::sqrt(norm) + 1e-9);
      for (std::size_t j = 0; j < n; ++j) beta[j] += step * slope[j];
      project(beta);
    }
  }

  // slope_j = sum of beta_k overlap_jk over the other clusters; returns half of beta . slope.
  double cross_terms(const std::vector<double>& beta, std::vector<double>& slope) const {
    double total = 0;
    for (std::size_t j = 0; j < beta.size(); ++j) {
      slope[j] = 0;
      for (std::size_t k = 0; k < beta.size(); ++k) {
        if (cluster_[j] != cluster_[k]) slope[j] += beta[k] * between_.row(j)[k];
      }
      total += beta[j] * slope[j];
    }
    return total / 2;
  }

  // Returns the labeling with the largest bound.
  std::size_t keep_if_best(const std::vector<double>& beta, double pairs) {
    std::size_t worst = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      double value = scores_[k];
      for (std::size_t j = 0; j < beta.size(); ++j) value -= beta[j] * overlaps_.row(k)[j];
      if (value > largest) worst = k, largest = value;
    }
    if (largest + pairs < least_) {
      least_ = largest + pairs;
      best_ = {beta, pairs};
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
  MatrixView<const double> overlaps_, between_;
  std::vector<std::size_t> cluster_;
  std::size_t n_clusters_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  UnionWeights best_;
};

}  // namespace hedgehop
