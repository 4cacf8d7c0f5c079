// SPDX-License-Identifier: BSD-3-Clause
// The master problem of the list dual (docs/list_dual.md): the best mixture of the labelings known so far,
// held near slopes that proved well,
//
//     max_mu  m l.mu + sum_g w_g min_s [ h*(s) + s x_g + t/2 (s - s0_g)^2 ],    x_g = m sum of mu_k over k in
//     g
//
// over distributions mu, h concave on 0..m and h*(s) = max_c h(c) - s c. The inner minimum has a closed form,
// and mu moves between two labelings at a time: from the lowest in use to the highest (SMO).
//
// Where labelings must differ, they are in clusters of which a list holds one labeling at most: no cluster
// has more than 1/m of the mixture.
//
// Complexity: one move O(entries of all labelings).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::counts {

// A concave function h of counts 0..m, held near a slope with the stiffness t.
struct HeldCurve {
  std::span<const double> h;
  double t;

  std::size_t m() const { return h.size() - 1; }
  double rise(std::size_t c) const { return h[c] - h[c - 1]; }  // d_c

  // argmin_s h*(s) + s x + t/2 (s - centre)^2 = max(d_m, max_c min(centre + (c - x) / t, d_c)), d_0 = d_1.
  double slope(double x, double centre) const {
    const double step = 1.0 / t, first = centre - x * step;
    double s = std::min(first, rise(1));
    for (std::size_t c = 1; c <= m(); ++c) {
      s = std::max(s, std::min(first + static_cast<double>(c) * step, rise(c)));
    }
    return std::max(s, rise(m()));
  }

  double conjugate(double s) const {
    double best = h[0];
    for (std::size_t c = 1; c <= m(); ++c) best = std::max(best, h[c] - s * static_cast<double>(c));
    return best;
  }

  // h between whole numbers.
  double interpolated(double x) const {
    const double inside = std::clamp(x, 0.0, static_cast<double>(m()));
    const std::size_t c = std::min(m() - 1, static_cast<std::size_t>(inside));
    return h[c] + (inside - static_cast<double>(c)) * rise(c + 1);
  }
};

// Groups: what they weigh, where their slopes are held, which curve they have.
struct SlopeGroups {
  std::span<const double> weights, centre;
  std::span<const std::int32_t> curve;

  std::size_t size() const { return weights.size(); }
};

// Which groups each labeling belongs to, in rising order: entries starts[k] .. starts[k + 1] of `groups`.
struct Memberships {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> groups;

  std::span<const std::int32_t> of(std::size_t k) const {
    return groups.subspan(index(starts[k]), index(starts[k + 1] - starts[k]));
  }
};

class SlopeMaster {
 public:
  // `clusters`: a number below that of the labelings for each of them; empty where labelings may be repeated.
  SlopeMaster(std::vector<HeldCurve> curves, SlopeGroups groups, Memberships members,
              std::span<const double> scores, std::vector<double> mixture,
              std::span<const std::int32_t> clusters = {})
      : curves_(std::move(curves)),
        groups_(groups),
        members_(members),
        scores_(scores),
        clusters_(clusters),
        mixture_(std::move(mixture)),
        counts_(groups.size(), 0.0),
        slopes_(groups.size()),
        values_(scores.size()) {
    for (std::size_t k = 0; k < mixture_.size(); ++k) {
      if (mixture_[k] <= 0) continue;
      for (const std::int32_t g : members_.of(k)) counts_[index(g)] += many() * mixture_[k];
    }
    for (std::size_t g = 0; g < slopes_.size(); ++g) slopes_[g] = slope(g, 0.0);
  }

  // Moves weight until no labeling is `enough` above the lowest in use, at most `most` times.
  void solve(double enough, std::size_t most, Poll& poll) {
    evaluate();
    for (std::size_t step = 0; step < most; ++step) {
      const Pair pair = clusters_.empty() ? widest() : widest_with_room();
      if (pair.most <= 0 || values_[pair.up] - values_[pair.down] <= enough) return;
      move(pair, 0.05 * enough);
      evaluate();
      poll.tick(static_cast<std::uint32_t>(std::min<std::size_t>(members_.groups.size(), 1U << 20)));
    }
  }

  std::span<const double> mixture() const { return mixture_; }
  std::span<const double> slopes() const { return slopes_; }

  // What the slopes would prove if no labeling were better than those known.
  double bound() const {
    double sum = clusters_.empty() ? many() * *std::max_element(values_.begin(), values_.end()) : best_list();
    for (std::size_t g = 0; g < slopes_.size(); ++g)
      sum += groups_.weights[g] * curve(g).conjugate(slopes_[g]);
    return sum;
  }

  // What the mixture is worth: no slopes prove less than that.
  double worth() const {
    double sum = 0;
    for (std::size_t k = 0; k < mixture_.size(); ++k) sum += many() * mixture_[k] * scores_[k];
    for (std::size_t g = 0; g < slopes_.size(); ++g) {
      sum += groups_.weights[g] * curve(g).interpolated(counts_[g]);
    }
    return sum;
  }

 private:
  static constexpr int kSearch = 12;       // tries of a line search
  static constexpr double kLeast = 1e-12;  // of the mixture: less room than that is none

  // Weight moves from one labeling to another, not more than `most`.
  struct Pair {
    std::size_t up = 0, down = 0;
    double most = 0;
  };

  // A cluster's best labeling and its lowest one in use, and how much of the mixture it may still take.
  struct Cluster {
    std::size_t up, down;
    double room;
  };

  const HeldCurve& curve(std::size_t g) const { return curves_[index(groups_.curve[g])]; }
  double many() const { return static_cast<double>(curves_[0].m()); }
  double slope(std::size_t g, double more) const {
    return curve(g).slope(counts_[g] + more, groups_.centre[g]);
  }

  // Each labeling's score with the slopes: the gradient of the mixture's value, divided by m.
  void evaluate() {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      double sum = scores_[k];
      for (const std::int32_t g : members_.of(k)) sum += groups_.weights[index(g)] * slopes_[index(g)];
      values_[k] = sum;
    }
  }

  bool lower(std::size_t k, std::size_t than) const {
    return mixture_[k] > 0 && (than == mixture_.size() || values_[k] < values_[than]);
  }

  // The highest labeling and the lowest in use.
  Pair widest() const {
    std::size_t up = 0, down = mixture_.size();
    for (std::size_t k = 0; k < mixture_.size(); ++k) {
      if (values_[k] > values_[up]) up = k;
      if (lower(k, down)) down = k;
    }
    return {up, down, mixture_[down]};
  }

  std::vector<Cluster> summed() const {
    const std::size_t none = mixture_.size();
    std::vector<Cluster> found(none, {none, none, 1.0 / many()});
    for (std::size_t k = 0; k < none; ++k) {
      Cluster& own = found[index(clusters_[k])];
      if (own.up == none || values_[k] > values_[own.up]) own.up = k;
      if (lower(k, own.down)) own.down = k;
      own.room -= mixture_[k];
    }
    return found;
  }

  // The widest pair within a cluster, or into one that has room.
  Pair widest_with_room() const {
    const std::size_t none = mixture_.size();
    Pair open{none, none, 0.0}, best{};
    double room = 0, width = 0;
    for (const Cluster& own : summed()) {
      if (own.up == none) continue;
      if (own.room > kLeast && (open.up == none || values_[own.up] > values_[open.up])) {
        open.up = own.up, room = own.room;
      }
      if (own.down == none) continue;
      if (lower(own.down, open.down)) open.down = own.down;
      if (values_[own.up] - values_[own.down] > width) {
        width = values_[own.up] - values_[own.down];
        best = {own.up, own.down, mixture_[own.down]};
      }
    }
    if (open.up == none || values_[open.up] - values_[open.down] <= width) return best;
    const bool same = clusters_[open.up] == clusters_[open.down];
    return {open.up, open.down, same ? mixture_[open.down] : std::min(room, mixture_[open.down])};
  }

  // The sum of the best labelings of m clusters; of fewer, as often as they may.
  double best_list() const {
    std::vector<double> best;
    for (const Cluster& own : summed()) {
      if (own.up < mixture_.size()) best.push_back(values_[own.up]);
    }
    const std::size_t count = std::min(best.size(), curves_[0].m());
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count), best.end(),
                      std::greater<>());
    double sum = 0;
    for (std::size_t k = 0; k < curves_[0].m(); ++k) sum += best[std::min(k, count - 1)];
    return sum;
  }

  // How fast the value rises after a share z has moved.
  double rise(double z) const {
    double sum = ahead_;
    for (const std::int32_t g : gains_) sum += groups_.weights[index(g)] * slope(index(g), many() * z);
    for (const std::int32_t g : loses_) sum -= groups_.weights[index(g)] * slope(index(g), -many() * z);
    return sum;
  }

  void move(const Pair& pair, double enough) {
    const std::size_t up = pair.up, down = pair.down;
    const auto to = members_.of(up), from = members_.of(down);
    gains_.clear();
    loses_.clear();
    std::set_difference(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(gains_));
    std::set_difference(from.begin(), from.end(), to.begin(), to.end(), std::back_inserter(loses_));
    ahead_ = scores_[up] - scores_[down];
    const double z = best_share(pair.most, enough);
    mixture_[up] += z;
    mixture_[down] = z >= mixture_[down] ? 0.0 : mixture_[down] - z;
    for (const std::int32_t g : gains_) counts_[index(g)] += many() * z;
    for (const std::int32_t g : loses_) counts_[index(g)] -= many() * z;
    for (const std::int32_t g : gains_) slopes_[index(g)] = slope(index(g), 0.0);
    for (const std::int32_t g : loses_) slopes_[index(g)] = slope(index(g), 0.0);
  }

  // The zero of a falling function in [0, most]: secants and halvings in turn.
  double best_share(double most, double enough) const {
    double low = 0, high = most, at_low = rise(low), at_high = rise(high), z = most;
    if (at_high >= 0) return most;
    for (int k = 0; k < kSearch; ++k) {
      z = k % 2 == 1 ? 0.5 * (low + high) : low + (high - low) * (at_low / (at_low - at_high));
      const double at = rise(z);
      if (std::abs(at) <= enough) break;
      if (at > 0) {
        low = z, at_low = at;
      } else {
        high = z, at_high = at;
      }
    }
    return z;
  }

  std::vector<HeldCurve> curves_;
  SlopeGroups groups_;
  Memberships members_;
  std::span<const double> scores_;
  std::span<const std::int32_t> clusters_;
  std::vector<double> mixture_, counts_, slopes_, values_;
  std::vector<std::int32_t> gains_, loses_;  // groups of one of the two labelings only
  double ahead_ = 0;
};

}  // namespace hedgehop::counts
