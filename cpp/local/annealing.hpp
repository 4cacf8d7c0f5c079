// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing of single labels (Kirkpatrick, Gelatt, Vecchi, Science 1983), several times, and the
// best mixture of what the runs end with: two labelings are mixed part by part, a part being a connected
// set of variables in which they differ. For models whose pairs and cliques contradict each other, where
// cuts and messages round badly; it proves nothing.
//
// Complexity: O(n + sum of the labels of changed variables' neighbours) per sweep, O(E + C) per mixture.
// SplitMix64 use whole numbers only, so that every platform takes the same path.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "local/factors.hpp"

namespace hedgehop::local {

// A random generator (Steele, Lea, Flood, OOPSLA 2014).
class SplitMix64 {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::size_t below(std::size_t limit) { return index((next() >> 32) * limit >> 32); }

  // About exponential: -log2 of a uniform number, linear between powers of two.
  double exponential() {
    const std::uint64_t bits = next() | 1;
    const int zeros = std::countl_zero(bits);
    const double mantissa = static_cast<double>((bits << zeros) >> 11) * 0x1.0p-53;  // in [1/2, 1)
    return zeros + 2.0 * (1.0 - mantissa);
  }

 private:
  std::uint64_t state_ = 0;
};

template <class Scores>
class Annealing {
 public:
  Annealing(const Factors<Scores>& factors, std::span<const Label> start)
      : factors_(factors), best_(factors, start), now_(factors, start) {}

  // Runs until many in a row have brought nothing.
  void search(std::size_t runs, std::size_t sweeps, double temperature, Poll& poll) {
    for (std::size_t r = 0, idle = 0; r < runs && idle < kPatience; ++r) {
      idle = run(sweeps, temperature, poll) > rounding_ ? 0 : idle + 1;
    }
  }

  // Cools from `temperature` to 0 in so many sweeps; mixes what is better into the best labeling, and returns
  // what that gained.
  double run(std::size_t sweeps, double temperature, Poll& poll) {
    now_.sum_fields();
    rounding_ = 1e-9 * temperature;
    for (std::size_t k = 0; k < sweeps; ++k) {
      sweep(temperature * static_cast<double>(sweeps - k) / static_cast<double>(sweeps), poll);
    }
    while (sweep(0.0, poll)) {
    }
    return mix(poll);
  }

  std::span<const Label> best() const { return best_.labels(); }

 private:
  bool sweep(double temperature, Poll& poll) {
    bool changed = false;
    for (std::size_t i = 0; i < factors_.n_variables(); ++i) {
      poll.tick();
      const std::size_t others = factors_.label_count(i) - 1;
      if (others == 0) continue;
      auto label = static_cast<Label>(draws_.below(others));
      label += label >= now_.labels()[i];  // any but the present one
      if (temperature == 0.0) label = now_.best_label(i);
      const double gain = now_.field_gain(i, label);
      if (gain > rounding_ || (temperature > 0.0 && -gain < temperature * draws_.exponential())) {
        now_.set_with_fields(i, label);
        changed = true;
      }
    }
    return changed;
  }

  // Takes every part of the present labeling that is better than that of the best.
  double mix(Poll& poll) {
    double gained = 0.0;
    seen_.assign(factors_.n_variables(), 0);
    for (std::size_t i = 0; i < factors_.n_variables(); ++i) {
      poll.tick();
      if (seen_[i] == 0 && differs(i)) gained += take_if_better(i);
    }
    return gained;
  }

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
      gain += best_.set(i, now_.labels()[i]);
    }
    if (gain > 0.0) return gain;
    for (std::size_t k = 0; k < part_.size(); ++k) best_.set(part_[k], old_[k]);
    return 0.0;
  }

  bool differs(std::size_t i) const { return best_.labels()[i] != now_.labels()[i]; }

  static constexpr std::size_t kPatience = 32;

  const Factors<Scores>& factors_;
  FactorLabels<Scores> best_, now_;
  SplitMix64 draws_;
  double rounding_ = 0.0;  // gains below it are none, or sweeps would not end
  std::vector<std::uint8_t> seen_;
  std::vector<std::size_t> part_;
  std::vector<Label> old_;
};

}  // namespace hedgehop::local
