// SPDX-License-Identifier: BSD-3-Clause
// Exact gain of the smooth Hamming-ball coverage.
//
// Keep each position i independently with probability 1 - exp(-a_i); call the kept set T. The coverage D(S)
// is the expected number of different patterns y_T among y in S: a coverage function, so monotone and
// submodular, in which two labelings overlap by exp(-sum of a_i where they differ). The gain of y is the
// probability that its pattern is new, that is, that T hits every D_j = {i : y_i != y_j,i}. By
// inclusion-exclusion over the members A it missed,
//
//     gain(y | S) = sum_A (-1)^|A| exp(-u(A)),   u(A) = sum of a_i over the union of D_j, j in A.
//
// Each position carries a bit mask of the members that disagree with y; u(A) is
// the decay of the masks that meet A, for all A at once by a butterfly like the
// zeta transform (Bjorklund, Husfeldt, Kaski, Koivisto, STOC 2007).
//
// Where there are fewer positions than members, the kept sets themselves are fewer: each hits some members,
// and those that hit all make the gain.
//
// Complexity: O(n k + min(k 2^k, 2^n)) time per labeling, O(2^min(k, n)) scratch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::counts {

// Two arrays of 2^20 doubles: beyond this the exact formula is the wrong tool.
inline constexpr std::size_t max_ball_members = 20;

// Computes gains against one fixed list; keeps its scratch memory between calls.
class BallGain {
 public:
  BallGain(Labelings chosen, std::span<const double> decay)
      : chosen_(chosen),
        decay_(decay),
        n_subsets_(std::size_t{1} << chosen.rows),
        hit_(lists_kept_sets() ? 0 : n_subsets_),
        total_(hit_.size()) {}

  double operator()(std::span<const Label> labeling) {
    if (chosen_.rows == 0) return 1.0;
    if (lists_kept_sets()) {
      list_kept_sets(labeling);
      return hits_all(chosen_.rows);
    }
    if (!collect_masks(labeling)) return 0.0;  // y is already in the list: exactly no gain
    sum_hits();
    const auto [lower, upper] = bounds();
    for (double& value : hit_) value = std::expm1(-value);
    return std::clamp(alternate(n_subsets_), lower, upper);
  }

  // out[k] = gain of the labeling on top of the first k + 1 members.
  void prefixes(std::span<const Label> labeling, std::span<double> out) {
    if (lists_kept_sets()) {
      list_kept_sets(labeling);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = hits_all(k + 1);
      return;
    }
    collect_masks(labeling);
    sum_hits();
    const std::vector<double> hit = hit_;  // sets of the first members come first
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t subsets = std::size_t{2} << k;
      for (std::size_t a = 0; a < subsets; ++a) hit_[a] = std::expm1(-hit[a]);
      out[k] = std::clamp(alternate(subsets), 0.0, k == 0 ? 1.0 : out[k - 1]);
    }
  }

 private:
  struct Bounds {
    double lower, upper;
  };
  struct KeptSet {
    std::uint32_t hit;  // members that disagree at a kept position
    double probability;
  };

  bool lists_kept_sets() const { return decay_.size() < chosen_.rows; }

  void list_kept_sets(std::span<const Label> labeling) {
    kept_.assign(1, {0, 1.0});
    for (std::size_t i = 0; i < labeling.size(); ++i) {
      std::uint32_t mask = 0;
      for (std::size_t j = 0; j < chosen_.rows; ++j) {
        mask |= static_cast<std::uint32_t>(labeling[i] != chosen_.row(j)[i]) << j;
      }
      if (mask == 0) continue;
      const double keeps = -std::expm1(-decay_[i]), drops = std::exp(-decay_[i]);
      for (std::size_t a = 0, size = kept_.size(); a < size; ++a) {
        kept_.push_back({kept_[a].hit | mask, kept_[a].probability * keeps});
        kept_[a].probability *= drops;
      }
    }
  }

  // The probability that all of the first members are hit.
  double hits_all(std::size_t members) const {
    const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << members) - 1);
    double total = 0.0;
    for (const KeptSet& set : kept_) total += (set.hit & all) == all ? set.probability : 0.0;
    return std::min(total, 1.0);
  }

  // total_[mask] = decay of the positions whose disagreeing members are exactly
  // mask. False if some member never disagrees.
  bool collect_masks(std::span<const Label> labeling) {
    constexpr std::size_t block = 1024;  // masks of one block stay in the first-level cache
    std::uint32_t masks[block];
    std::uint32_t seen = 0;
    std::fill(total_.begin(), total_.end(), 0.0);
    for (std::size_t begin = 0; begin < labeling.size(); begin += block) {
      const std::size_t size = std::min(block, labeling.size() - begin);
      const auto labels = labeling.subspan(begin, size);
      std::fill_n(masks, size, 0u);
      for (std::size_t j = 0; j < chosen_.rows; ++j) {
        const auto member = chosen_.row(j).subspan(begin, size);
        for (std::size_t i = 0; i < size; ++i) {
          masks[i] |= static_cast<std::uint32_t>(labels[i] != member[i]) << j;
        }
      }
      for (std::size_t i = 0; i < size; ++i) {
        seen |= masks[i];
        total_[masks[i]] += decay_[begin + i];
      }
    }
    return seen == n_subsets_ - 1;
  }

  // hit_[A] = sum of total_[mask] over the masks that meet A. Only additions of
  // nonnegative numbers: the textbook "everything minus the masks inside the
  // complement" cancels digits, and is inf - inf for infinite decay.
  void sum_hits() {
    std::fill(hit_.begin(), hit_.end(), 0.0);
    // Invariant: within each block of 2^b entries hit_ is the answer for the
    // low b bits, and total_ at the block's start is the decay of the block.
    for (std::size_t half = 1; half < n_subsets_; half *= 2) {
      for (std::size_t begin = 0; begin < n_subsets_; begin += 2 * half) {
        const double with_bit = total_[begin + half];
        for (std::size_t a = begin; a < begin + half; ++a) {
          const double without_bit_hit = hit_[a];
          hit_[a] += hit_[a + half];
          hit_[a + half] = without_bit_hit + with_bit;
        }
        total_[begin] += with_bit;
      }
    }
  }

  // The events "T hits D_j" are increasing in T, so Harris' inequality gives the
  // product as a lower bound; one event alone is an upper bound. They keep the
  // rounding of the alternating sum from making a gain negative or too large.
  Bounds bounds() const {
    Bounds result{1.0, 1.0};
    for (std::size_t j = 0; j < chosen_.rows; ++j) {
      const double hits_member = -std::expm1(-hit_[std::size_t{1} << j]);
      result.lower *= hits_member;
      result.upper = std::min(result.upper, hits_member);
    }
    return result;
  }

  // The alternating sum as k rounds of pairwise differences; after round b an entry is a probability again
  // ("misses A, hits the first b members"), so sizes shrink as they go. exp - 1 instead of exp: the ones
  // cancel exactly, and small decays keep their digits.
  double alternate(std::size_t subsets) {
    for (std::size_t size = subsets / 2; size > 0; size /= 2) {
      for (std::size_t a = 0; a < size; ++a) hit_[a] -= hit_[a + size];
    }
    return hit_[0];
  }

  Labelings chosen_;
  std::span<const double> decay_;
  std::size_t n_subsets_;
  std::vector<double> hit_;
  std::vector<double> total_;
  std::vector<KeptSet> kept_;
};

}  // namespace hedgehop::counts
