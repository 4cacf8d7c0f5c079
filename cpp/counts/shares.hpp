// SPDX-License-Identifier: BSD-3-Clause
// Multipliers of functions that earn or pay a weight once, one share of it per member (docs/theory.md 11):
//
//     f(sum x) <= sum_i delta_i x_i + max_x' ( f(sum x') - sum_i delta_i x'_i ),
//     f(k) = weight * clip((k - start) / width, 0, 1),
//
// x_i = 1 where slot i carries the function's code. A subgradient of the right side is what the labeling
// carries minus the best x'.
//
// Complexity: O(members) for everything but functions with a rest, which sort their shares.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::counts {

struct ShareFunction {
  double weight, start, width;
  double cap;         // what the shares may add up to, of the sign of the weight
  std::int64_t code;  // of the slots that count

  double at(double count) const { return weight * std::clamp((count - start) / width, 0.0, 1.0); }
  // Shares that add up to the weight leave nothing else of a plain cost or of a reward for all.
  bool has_rest() const { return width > 1 || (weight < 0 && start > 0); }
};

class Shares {
 public:
  // slots[first[k]:first[k + 1]] are the members of function k, `delta` their shares; no slots: all of them,
  // of each.
  Shares(std::vector<ShareFunction> functions, std::vector<std::int64_t> first,
         std::vector<std::int32_t> slots, std::vector<double> delta)
      : functions_(std::move(functions)),
        first_(std::move(first)),
        slots_(std::move(slots)),
        delta_(std::move(delta)),
        direction_(delta_.size(), 0) {}

  std::span<const double> delta() const { return delta_; }

  // Adds the shares to the scores of slots and codes; also to the code's twin, if it has another one.
  void add_to(MatrixView<double> total, std::span<const std::int64_t> twins = {}) const {
    for (std::size_t k = 0; k < functions_.size(); ++k) {
      const auto code = index(functions_[k].code);
      const std::size_t twin = twins.empty() ? code : index(twins[code]);
      for (std::size_t p = begin(k); p < end(k); ++p) {
        if (delta_[p] == 0) continue;
        total(slot(k, p), code) += delta_[p];
        if (twin != code) total(slot(k, p), twin) += delta_[p];
      }
    }
  }

  // What the functions may add beside the shares.
  double rest() const {
    double sum = 0;
    for (std::size_t k = 0; k < functions_.size(); ++k) {
      if (functions_[k].has_rest()) sum += best(k).value;
    }
    return sum;
  }

  // Prepares a step against the subgradient where slots carry `codes`; returns its squared length.
  double slope(std::span<const std::int64_t> codes) {
    std::size_t length = 0;
    for (std::size_t k = 0; k < functions_.size(); ++k) {
      for (std::size_t p = begin(k); p < end(k); ++p) direction_[p] = codes[slot(k, p)] == functions_[k].code;
      if (functions_[k].has_rest()) {
        for (const std::size_t p : best(k).members) --direction_[p];
      }
      for (std::size_t p = begin(k); p < end(k); ++p) length += direction_[p] != 0;
    }
    return static_cast<double>(length);
  }

  // Makes the prepared step, this long per unit, and returns to sensible shares: of the weight's sign, a
  // reward's adding up to its cap, a cost's to no more.
  void step(double length) {
    for (std::size_t k = 0; k < functions_.size(); ++k) {
      const double cap = std::abs(functions_[k].cap), sign = functions_[k].cap > 0 ? 1.0 : -1.0;
      double sum = 0;
      for (std::size_t p = begin(k); p < end(k); ++p) {
        const double moved = std::max(0.0, sign * (delta_[p] - length * direction_[p]));
        delta_[p] = sign * moved;
        sum += moved;
      }
      if (sum == 0 && sign > 0) {  // shared out whole
        std::fill(delta_.begin() + static_cast<std::ptrdiff_t>(begin(k)),
                  delta_.begin() + static_cast<std::ptrdiff_t>(end(k)),
                  cap / static_cast<double>(end(k) - begin(k)));
      } else if (sum > 0 && (sign > 0 || sum > cap)) {
        for (std::size_t p = begin(k); p < end(k); ++p) delta_[p] *= cap / sum;
      }
    }
  }

 private:
  struct Best {
    double value;
    std::vector<std::size_t> members;  // places in delta_
  };

  std::size_t begin(std::size_t k) const { return index(first_[k]); }
  std::size_t end(std::size_t k) const { return index(first_[k + 1]); }

  std::size_t slot(std::size_t k, std::size_t p) const {
    return slots_.empty() ? p - begin(k) : index(slots_[p]);
  }

  // max_x f(sum x) - delta x: x takes the members with the smallest shares.
  Best best(std::size_t k) const {
    Best found{functions_[k].at(0), std::vector<std::size_t>(end(k) - begin(k))};
    std::iota(found.members.begin(), found.members.end(), begin(k));
    std::stable_sort(found.members.begin(), found.members.end(),
                     [this](std::size_t a, std::size_t b) { return delta_[a] < delta_[b]; });
    double taken = 0;
    std::size_t count = 0;
    for (std::size_t c = 1; c <= found.members.size(); ++c) {
      taken += delta_[found.members[c - 1]];
      const double value = functions_[k].at(static_cast<double>(c)) - taken;
      if (value > found.value) found.value = value, count = c;
    }
    found.members.resize(count);
    return found;
  }

  std::vector<ShareFunction> functions_;
  std::vector<std::int64_t> first_;
  std::vector<std::int32_t> slots_;
  std::vector<double> delta_;
  std::vector<std::int8_t> direction_;
};

}  // namespace hedgehop::counts
