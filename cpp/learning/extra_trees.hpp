// SPDX-License-Identifier: BSD-3-Clause
// Extremely randomised trees (Geurts, Ernst, Wehenkel, Machine Learning 2006) that are never stored: while a
// tree grows on the examples, all rows fall down it, and each leaf tells its rows the shares of the labels.
//
// A node draws about sqrt(features) features that are not constant there and a threshold for each, uniform
// between the extremes; the split with the purest children is taken (Gini). Labels weigh the same in total,
// however many examples they have. Nodes are split until they are pure.
//
// Complexity: O(trees * depth * (rows + sqrt(features) * examples)).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::learning {

class ExtraTrees {
 public:
  // labels[k] is the label of row examples[k]; every label has an example.
  ExtraTrees(MatrixView<const double> rows, std::span<const std::int32_t> examples,
             std::span<const Label> labels, std::size_t n_labels, std::uint64_t seed)
      : rows_(rows), weight_(n_labels), features_(rows.columns), random_(seed) {
    std::vector<double> counts(n_labels);
    for (const Label label : labels) counts[index(label)] += 1.0;
    for (std::size_t l = 0; l < n_labels; ++l) {
      weight_[l] = static_cast<double>(labels.size()) / (static_cast<double>(n_labels) * counts[l]);
    }
    for (std::size_t k = 0; k < examples.size(); ++k) examples_.push_back({index(examples[k]), labels[k]});
    std::iota(features_.begin(), features_.end(), std::size_t{0});
    falling_.resize(rows.rows);
    std::iota(falling_.begin(), falling_.end(), std::size_t{0});
    tries_ = std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(static_cast<double>(rows.columns))));
  }

  // Adds the shares of the labels of one more tree to those of all rows, (rows, labels).
  void grow(MatrixView<double> shares, Poll& poll) {
    std::vector<Node> open{{0, examples_.size(), 0, falling_.size()}};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if (node.row == node.last_row) continue;  // its value is never used
      poll.tick(static_cast<std::uint32_t>(node.last_row - node.row + node.last - node.first));
      const auto totals = totals_of(node);
      const Split split = pure(totals) ? Split{} : best_split(node, totals);
      if (!split.found) {
        tell(node, totals, shares);
        continue;
      }
      const auto left = [&](std::size_t row) { return rows_(row, split.feature) <= split.threshold; };
      const auto middle = std::partition(at(examples_, node.first), at(examples_, node.last),
                                         [&](const Example& example) { return left(example.row); });
      const auto middle_row = std::partition(at(falling_, node.row), at(falling_, node.last_row), left);
      const auto cut = static_cast<std::size_t>(middle - examples_.begin());
      const auto cut_row = static_cast<std::size_t>(middle_row - falling_.begin());
      open.push_back({node.first, cut, node.row, cut_row});
      open.push_back({cut, node.last, cut_row, node.last_row});
    }
  }

 private:
  struct Example {
    std::size_t row;
    Label label;
  };
  struct Node {  // ranges of the examples and of the rows in it
    std::size_t first, last, row, last_row;
  };
  struct Split {
    bool found = false;
    std::size_t feature = 0;
    double threshold = 0.0, purity = -1.0;
  };

  template <class T>
  static typename std::vector<T>::iterator at(std::vector<T>& values, std::size_t place) {
    return values.begin() + static_cast<std::ptrdiff_t>(place);
  }

  std::vector<double> totals_of(const Node& node) const {
    std::vector<double> totals(weight_.size());
    for (std::size_t k = node.first; k < node.last; ++k) {
      const std::size_t label = index(examples_[k].label);
      totals[label] += weight_[label];
    }
    return totals;
  }

  static bool pure(std::span<const double> totals) {
    return std::count_if(totals.begin(), totals.end(), [](double total) { return total > 0; }) < 2;
  }

  Split best_split(const Node& node, std::span<const double> totals) {
    Split best;
    std::size_t tried = 0;
    for (std::size_t drawn = 0; drawn < features_.size() && tried < tries_; ++drawn) {
      std::swap(features_[drawn], features_[drawn + below(features_.size() - drawn)]);
      const std::size_t feature = features_[drawn];
      const auto [low, high] = extremes(node, feature);
      if (!(low < high)) continue;
      ++tried;
      double threshold = low + uniform() * (high - low);
      if (!(threshold < high)) threshold = low;  // rounding: both children need an example
      const double purity = purity_of(node, feature, threshold, totals);
      if (purity > best.purity) best = {true, feature, threshold, purity};
    }
    return best;
  }

  std::pair<double, double> extremes(const Node& node, std::size_t feature) const {
    double low = rows_(examples_[node.first].row, feature), high = low;
    for (std::size_t k = node.first + 1; k < node.last; ++k) {
      const double value = rows_(examples_[k].row, feature);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    return {low, high};
  }

  // Minus the weighted Gini impurity of the children, up to a constant.
  double purity_of(const Node& node, std::size_t feature, double threshold, std::span<const double> totals) {
    left_.assign(totals.size(), 0.0);
    for (std::size_t k = node.first; k < node.last; ++k) {
      const std::size_t label = index(examples_[k].label);
      if (rows_(examples_[k].row, feature) <= threshold) left_[label] += weight_[label];
    }
    double here = 0, there = 0, here_squares = 0, there_squares = 0;
    for (std::size_t l = 0; l < totals.size(); ++l) {
      const double rest = std::max(0.0, totals[l] - left_[l]);
      here += left_[l];
      there += rest;
      here_squares += left_[l] * left_[l];
      there_squares += rest * rest;
    }
    return here_squares / std::max(here, tiny) + there_squares / std::max(there, tiny);
  }

  void tell(const Node& node, std::span<const double> totals, MatrixView<double> shares) const {
    const double sum = std::accumulate(totals.begin(), totals.end(), 0.0);
    for (std::size_t k = node.row; k < node.last_row; ++k) {
      for (std::size_t l = 0; l < totals.size(); ++l) shares(falling_[k], l) += totals[l] / sum;
    }
  }

  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }  // the same on all platforms
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  static constexpr double tiny = 1e-300;

  MatrixView<const double> rows_;
  std::vector<double> weight_, left_;
  std::vector<Example> examples_;
  std::vector<std::size_t> features_, falling_;
  std::size_t tries_ = 1;
  std::mt19937_64 random_;
};

}  // namespace hedgehop::learning
