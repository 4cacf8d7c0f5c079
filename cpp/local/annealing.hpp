// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing of single labels (Kirkpatrick, Gelatt, Vecchi, Science 1983), several times, and the
// best mixture of what the runs end with: two labelings are mixed part by part, a part being a connected
// set of variables in which they differ (mixture.hpp). For models whose pairs and cliques contradict each
// other, where cuts and messages round badly; it proves nothing.
//
// Complexity: O(n + sum of the labels of changed variables' neighbours) per sweep, O(E + C) per mixture.
// SplitMix64 use whole numbers only, so that every platform takes the same path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "core/random.hpp"
#include "local/factors.hpp"
#include "local/mixture.hpp"

namespace hedgehop::local {

template <class Scores>
class Annealing {
 public:
  Annealing(const Factors<Scores>& factors, std::span<const Label> start, std::uint64_t seed = 0)
      : factors_(factors), best_(factors, start), now_(factors, start), draws_(seed) {}

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
    return best_.take(now_.labels(), poll);
  }

  std::span<const Label> best() const { return best_.labels(); }
  std::span<const Label> now() const { return now_.labels(); }  // what the last run ended with

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

  static constexpr std::size_t kPatience = 32;

  const Factors<Scores>& factors_;
  Mixture<Scores> best_;
  FactorLabels<Scores> now_;
  SplitMix64 draws_;
  double rounding_ = 0.0;  // gains below it are none, or sweeps would not end
};

}  // namespace hedgehop::local
