// SPDX-License-Identifier: BSD-3-Clause
// The best labeling so far, and the best mixture of it with another one: they are mixed part by part, a part
// being a connected set of variables in which they differ.
//
// Complexity: O(E + C) per mixture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "local/factors.hpp"

namespace hedgehop::local {

template <class Scores>
class Mixture {
 public:
  Mixture(const Factors<Scores>& factors, std::span<const Label> start)
      : factors_(factors), best_(factors, start) {}

  std::span<const Label> labels() const { return best_.labels(); }

  // Takes every part of another labeling that is better, and returns what that gained.
  double take(std::span<const Label> other, Poll& poll) {
    other_ = other;
    double gained = 0.0;
    seen_.assign(factors_.n_variables(), 0);
    for (std::size_t i = 0; i < factors_.n_variables(); ++i) {
      poll.tick();
      if (seen_[i] == 0 && differs(i)) gained += take_if_better(i);
    }
    return gained;
  }

 private:
  double take_if_better(std::size_t first) {
    part_.assign(1, first);
    seen_[first] = 1;
    for (std::size_t k = 0; k < part_.size(); ++k) {
      factors_.for_neighbours(part_[k], [&](std::size_t j) {
        if (seen_[j] != 0 || !differs(j)) return;
        seen_[j] = 1;
        part_.push_back(j);
      });
    }
    old_.clear();
    double gain = 0.0;
    for (const std::size_t i : part_) {
      old_.push_back(best_.labels()[i]);
      gain += best_.set(i, other_[i]);
    }
    if (gain > 0.0) return gain;
    for (std::size_t k = 0; k < part_.size(); ++k) best_.set(part_[k], old_[k]);
    return 0.0;
  }

  bool differs(std::size_t i) const { return best_.labels()[i] != other_[i]; }

  const Factors<Scores>& factors_;
  FactorLabels<Scores> best_;
  std::span<const Label> other_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::size_t> part_;
  std::vector<Label> old_;
};

}  // namespace hedgehop::local
