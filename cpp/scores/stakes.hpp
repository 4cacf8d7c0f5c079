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

inline constexpr std::size_t sample_size = 1024;  // evenly spaced, of which quantiles are taken

// Best minus least allowed score of a row; 0 if none is allowed. Several running extremes become vectors.
template <std::size_t ways = 4, class Real>
double range_of(const Real* row, std::size_t columns) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  std::array<Real, ways> high, low;
  high.fill(-infinity), low.fill(infinity);
  const auto take = [&](std::size_t k, std::size_t way) {
    const Real x = row[k], above = x == -infinity ? infinity : x;
    high[way] = x > high[way] ? x : high[way];
    low[way] = above < low[way] ? above : low[way];
  };
  std::size_t k = 0;
  for (; k + ways <= columns; k += ways) {
    for (std::size_t way = 0; way < ways; ++way) take(k + way, way);
  }
  for (; k < columns; ++k) take(k, k % ways);
  const Real top = *std::max_element(high.begin(), high.end());
  const Real bottom = *std::min_element(low.begin(), low.end());
  return bottom <= top ? static_cast<double>(top) - static_cast<double>(bottom) : 0.0;
}

// out(i) = range of row i, no more than reaches(i) where that is above 0; no reaches means no such limit.
template <class Real>
void row_ranges(MatrixView<const Real> table, std::span<const double> reaches, std::span<double> out) {
  const auto fill = [&](auto range) {
    const Real* row = table.data.data();
    if (reaches.empty()) {
      for (std::size_t i = 0; i < table.rows; ++i, row += table.columns) out[i] = range(row);
      return;
    }
    for (std::size_t i = 0; i < table.rows; ++i, row += table.columns) {
      const double each = range(row), reach = reaches[i];
      out[i] = reach > 0 && reach < each ? reach : each;
    }
  };
  if (table.columns == 2) {  // known to the compiler, which then needs no inner loop
    fill([](const Real* row) { return range_of<1>(row, 2); });
  } else {
    fill([&](const Real* row) { return range_of(row, table.columns); });
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

// The extent of all that extents of short blocks say, each at hand when its extent is found.
template <class Real, class Block>
Extent<Real> by_blocks(std::size_t size, Block extent_of_block) {
  constexpr std::size_t block = 1024;
  Extent<Real> total;
  bool is_nan = false;
  for (std::size_t start = 0; start < size; start += block) {
    const Extent<Real> found = extent_of_block(start, std::min(start + block, size));
    is_nan |= std::isnan(found.low);
    total = {std::min(total.low, found.low), std::max(total.high, found.high)};
  }
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  return is_nan ? Extent<Real>{nan, nan} : total;
}

// out(i) = values(i); returns the least and the largest of them, nan where one is nan.
template <class Real>
Extent<Real> copy(std::span<const Real> values, std::span<Real> out) {
  return by_blocks<Real>(values.size(), [&](std::size_t start, std::size_t end) {
    std::copy(values.begin() + start, values.begin() + end, out.begin() + start);
    return extent(values.subspan(start, end - start));
  });
}

// out(i) = factor * values(i); returns the least and the largest of them, nan where one is nan.
inline Extent<double> scale(std::span<const double> values, double factor, std::span<double> out) {
  return by_blocks<double>(values.size(), [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) out[i] = factor * values[i];
    return extent(std::span<const double>(out.subspan(start, end - start)));
  });
}

inline bool counts(double range) {
  return range > 0 && range < std::numeric_limits<double>::infinity();
}

// The ranges that count: how many, the largest, their sum, and evenly spaced ones.
class Sizes {
 public:
  Sizes() = default;
  explicit Sizes(const Ranges& ranges) {
    for (const auto& values : ranges) add(values);
  }

  // Those of both.
  void join(const Sizes& other) {
    arrays_.insert(arrays_.end(), other.arrays_.begin(), other.arrays_.end());
    count_ += other.count_, nonzero_ += other.nonzero_, size_ += other.size_;
    largest_ = std::max(largest_, other.largest_), total_ += other.total_;
  }

  std::size_t count() const { return count_; }
  std::size_t nonzero() const { return nonzero_; }  // infinite ones included
  double largest() const { return largest_; }
  double total() const { return total_; }

  // Quantile of a sample, one of its values, so that a huge one does not raise the lower quartile of a few;
  // there must be some range that counts.
  double quantile(double share) const {
    std::vector<double> sample = sampled();
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(sample.size() - 1));
    std::nth_element(sample.begin(), sample.begin() + place, sample.end());
    return sample[static_cast<std::size_t>(place)];
  }

  // Whether quantile(share) >= value, which needs no order.
  bool is_quantile_at_least(double share, double value) const {
    const std::vector<double> sample = sampled();
    const auto below = std::count_if(sample.begin(), sample.end(), [&](double x) { return x < value; });
    return below <= static_cast<std::ptrdiff_t>(share * static_cast<double>(sample.size() - 1));
  }

 private:
  // Short blocks: in most of them all ranges count, which their least and largest show.
  void add(std::span<const double> values) {
    constexpr std::size_t block = 256;
    for (std::size_t start = 0; start < values.size(); start += block) {
      add_block(values.subspan(start, std::min(block, values.size() - start)));
    }
    size_ += values.size();
    arrays_.push_back(values);
  }

  void add_block(std::span<const double> values) {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sum{}, high{}, low;
    low.fill(std::numeric_limits<double>::infinity());
    const auto take = [&](std::size_t lane, double x) {
      sum[lane] += x;
      low[lane] = x < low[lane] ? x : low[lane];
      high[lane] = x > high[lane] ? x : high[lane];
    };
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, values[i + lane]);
    }
    for (; i < values.size(); ++i) take(0, values[i]);
    for (std::size_t lane = 1; lane < lanes; ++lane) {
      sum[0] += sum[lane], low[0] = std::min(low[0], low[lane]), high[0] = std::max(high[0], high[lane]);
    }
    if (!(low[0] > 0 && high[0] < std::numeric_limits<double>::infinity() && sum[0] > 0)) {  // nan included
      return add_each(values);
    }
    count_ += values.size(), nonzero_ += values.size();
    largest_ = std::max(largest_, high[0]), total_ += sum[0];
  }

  void add_each(std::span<const double> values) {
    for (const double x : values) {
      nonzero_ += x != 0;
      if (!counts(x)) continue;
      ++count_, total_ += x, largest_ = std::max(largest_, x);
    }
  }

  // Evenly spaced among all if that finds enough, which looks at few of them; otherwise among those that
  // count.
  std::vector<double> sampled() const {
    std::vector<double> sample;
    const std::size_t stride = 1 + size_ / sample_size;
    std::size_t next = 0;  // ranges until the next one is taken
    for (const auto& values : arrays_) {
      std::size_t i = next;
      for (; i < values.size(); i += stride) {
        if (counts(values[i])) sample.push_back(values[i]);
      }
      next = i - values.size();
    }
    return stride == 1 || 4 * sample.size() >= sample_size ? sample : sampled_of_counted();
  }

  std::vector<double> sampled_of_counted() const {
    const std::size_t stride = 1 + count_ / sample_size;
    std::vector<double> sample;
    std::size_t next = 0;
    for (const auto& values : arrays_) {
      for (const double x : values) {
        if (!counts(x)) continue;
        if (next == 0) sample.push_back(x);
        next = next == 0 ? stride - 1 : next - 1;
      }
    }
    return sample;
  }

  Ranges arrays_;
  std::size_t count_ = 0, nonzero_ = 0, size_ = 0;
  double largest_ = 0, total_ = 0;
};

struct OrdinarySizes {
  double largest = 0, total = 0;  // of all
  std::vector<Sizes> kinds;
  bool are_even = true;        // whether none is huge against the two below, which are not looked for then
  double median = 0, low = 0;  // of all; lowest of the kinds' lower quartiles
};

// Huge: above `times` the median, or above `mixed` times the lower quartile of some kind.
inline OrdinarySizes ordinary_sizes(std::span<const Ranges> kinds, double times, double mixed) {
  Sizes all;
  OrdinarySizes result;
  for (const Ranges& kind : kinds) all.join(result.kinds.emplace_back(kind));
  if (all.count() == 0) return result;
  result.largest = all.largest(), result.total = all.total();
  result.are_even = all.is_quantile_at_least(0.5, result.largest / times);
  for (const Sizes& kind : result.kinds) {
    result.are_even &= kind.count() == 0 || kind.is_quantile_at_least(0.25, result.largest / mixed);
  }
  if (result.are_even) return result;
  result.median = all.quantile(0.5), result.low = std::numeric_limits<double>::infinity();
  for (const Sizes& kind : result.kinds) {
    if (kind.count() > 0) result.low = std::min(result.low, kind.quantile(0.25));
  }
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
