// SPDX-License-Identifier: BSD-3-Clause
// What is at stake in a model: ranges of scores, their ordinary sizes, and sums that a few huge ones do not
// rule (docs/theory.md 12).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/sums.hpp"

namespace hedgehop::scores {

// Ranges of one kind, such as those of all edges, in several arrays.
using Ranges = std::vector<std::span<const double>>;

inline constexpr std::size_t sample_size = std::size_t{1}
                                           << 14;  // evenly spaced, of which quantiles are taken

// Best minus least allowed score of a row; 0 if none is allowed.
template <class Real>
double range_of(const Real* row, std::size_t columns) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  Real high = -infinity, low = infinity;
  for (std::size_t k = 0; k < columns; ++k) {
    high = std::max(high, row[k]);
    low = std::min(low, row[k] == -infinity ? infinity : row[k]);
  }
  return low <= high ? static_cast<double>(high) - static_cast<double>(low) : 0.0;
}

// out(i) = range of row i, no more than reaches(i) where that is above 0; no reaches means no such limit.
template <class Real>
void row_ranges(MatrixView<const Real> table, std::span<const double> reaches, std::span<double> out) {
  const auto fill = [&](auto range) {
    for (std::size_t i = 0; i < table.rows; ++i) out[i] = range(table.data.data() + i * table.columns);
  };
  if (table.columns == 2) {  // known to the compiler, which then needs no inner loop
    fill([](const Real* row) { return range_of(row, 2); });
  } else {
    fill([&](const Real* row) { return range_of(row, table.columns); });
  }
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    out[i] = reaches[i] > 0 ? std::min(out[i], reaches[i]) : out[i];
  }
}

// Least and largest value; nan where one is nan, and nothing where there is none.
template <class Real>
struct Extent {
  Real low = std::numeric_limits<Real>::infinity(), high = -std::numeric_limits<Real>::infinity();
};

template <class Real>
Extent<Real> extent(std::span<const Real> values) {
  constexpr std::size_t lanes = 64 / sizeof(Real);
  Extent<Real> total;
  std::array<Real, lanes> low, high, sum{};
  low.fill(total.low), high.fill(total.high);
  const auto take = [&](std::size_t lane, Real x) {
    low[lane] = x < low[lane] ? x : low[lane];
    high[lane] = x > high[lane] ? x : high[lane];
    sum[lane] += x != x ? x : Real{0};
  };
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, values[i + lane]);
  }
  for (; i < values.size(); ++i) take(0, values[i]);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (sum[lane] != sum[lane]) return {sum[lane], sum[lane]};
    total = {std::min(total.low, low[lane]), std::max(total.high, high[lane])};
  }
  return total;
}

inline bool counts(double range) {
  return range > 0 && range < std::numeric_limits<double>::infinity();
}

// The ranges that count: how many, the largest, and evenly spaced ones.
class Sizes {
 public:
  explicit Sizes(const Ranges& ranges) {
    for (const auto& values : ranges) add(values);
  }

  // Those of both.
  void join(const Sizes& other) {
    arrays_.insert(arrays_.end(), other.arrays_.begin(), other.arrays_.end());
    count_ += other.count_, size_ += other.size_, largest_ = std::max(largest_, other.largest_);
  }

  std::size_t count() const { return count_; }
  double largest() const { return largest_; }

  // Quantile of a sample, one of its values, so that a huge one does not raise the lower quartile of a few;
  // there must be some range that counts.
  double quantile(double share) const {
    std::vector<double> sample = sampled();
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(sample.size() - 1));
    std::nth_element(sample.begin(), sample.begin() + place, sample.end());
    return sample[static_cast<std::size_t>(place)];
  }

 private:
  // Eight of everything, which the compiler may keep in vectors.
  void add(std::span<const double> values) {
    constexpr std::size_t lanes = 8;
    std::array<std::int64_t, lanes> count{};
    std::array<double, lanes> largest{};
    const auto take = [&](std::size_t lane, double x) {
      const double counted = counts(x) ? x : 0.0;
      largest[lane] = counted > largest[lane] ? counted : largest[lane];
      count[lane] += counted > 0;
    };
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, values[i + lane]);
    }
    for (; i < values.size(); ++i) take(0, values[i]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      count_ += static_cast<std::size_t>(count[lane]), largest_ = std::max(largest_, largest[lane]);
    }
    size_ += values.size();
    arrays_.push_back(values);
  }

  std::vector<double> sampled() const {
    const std::size_t stride = 1 + count_ / sample_size;
    std::vector<double> sample;
    std::size_t next = 0;  // ranges that count until the next one is taken
    for (const auto& values : arrays_) {
      std::size_t i = 0;
      if (count_ == size_) {  // all count
        for (i = next; i < values.size(); i += stride) sample.push_back(values[i]);
        next = i - values.size();
        continue;
      }
      for (; i < values.size(); ++i) {
        if (!counts(values[i])) continue;
        if (next == 0) sample.push_back(values[i]);
        next = next == 0 ? stride - 1 : next - 1;
      }
    }
    return sample;
  }

  Ranges arrays_;
  std::size_t count_ = 0, size_ = 0;
  double largest_ = 0;
};

struct OrdinarySizes {
  double median = 0, low = 0, largest = 0;  // of all; lowest of the kinds' lower quartiles; of all
};

inline OrdinarySizes ordinary_sizes(std::span<const Ranges> kinds) {
  Sizes all({});
  OrdinarySizes result;
  result.low = std::numeric_limits<double>::infinity();
  for (const Ranges& kind : kinds) {
    const Sizes sizes(kind);
    all.join(sizes);
    if (sizes.count() > 0) result.low = std::min(result.low, sizes.quantile(0.25));
  }
  if (all.count() == 0) return {};
  result.median = all.quantile(0.5), result.largest = all.largest();
  return result;
}

// Sum of the ranges that count, none as more than `most`.
inline double capped_sum(std::span<const Ranges> kinds, double most) {
  double total = 0;
  for (const Ranges& kind : kinds) {
    for (const auto& values : kind) {
      total += blocked_sum(
          values.size(), [&](std::size_t i) { return counts(values[i]) ? std::min(values[i], most) : 0.0; });
    }
  }
  return total;
}

}  // namespace hedgehop::scores
