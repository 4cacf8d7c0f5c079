// SPDX-License-Identifier: BSD-3-Clause
// Counting over many labelings at once: Hamming distances, labels used,
// transitions used. These are the sufficient statistics of the group-coverage
// diversities of Prasad, Jegelka, Batra (NIPS 2014): gains are functions of them.
//
// Complexity: distances O(m k n), label counts O(m n), transition counts O(m E).
// Labels and edge ends must be in range; callers check.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/sums.hpp"

namespace hedgehop::counts {

// The bits that are set in any of the values: no value is larger, and none is negative unless this is.
inline std::int32_t all_bits(std::span<const std::int32_t> values) {
  std::int32_t bits = 0;
  for (const std::int32_t value : values) bits |= value;
  return bits;
}

// Whether every label of every labeling is one of its variable's. Blocks of variables, so that their counts
// stay at hand; the bits of two labels, or four, say enough without comparing each.
inline bool are_labels(Labelings labelings, std::span<const std::int32_t> label_counts) {
  constexpr std::size_t block = 4096;
  for (std::size_t start = 0; start < label_counts.size(); start += block) {
    const auto counts = label_counts.subspan(start, std::min(block, label_counts.size() - start));
    const std::int32_t least = *std::ranges::min_element(counts);
    for (std::size_t r = 0; r < labelings.rows; ++r) {
      const auto labels = labelings.row(r).subspan(start, counts.size());
      const std::int32_t bits = all_bits(labels);
      if (bits >= 0 && bits < least) continue;
      std::int32_t wrong = bits < 0;
      for (std::size_t i = 0; i < labels.size(); ++i) wrong |= labels[i] >= counts[i];
      if (wrong != 0) return false;
    }
  }
  return true;
}

inline std::int64_t hamming_distance(std::span<const Label> a, std::span<const Label> b) {
  // Blocks with a 32-bit count: as wide as a label, so that a vector register holds twice as many as with 64
  // bits.
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::int64_t count = 0;
  for (std::size_t start = 0; start < a.size(); start += kBlock) {
    const std::size_t end = std::min(start + kBlock, a.size());
    std::int32_t part = 0;
    for (std::size_t i = start; i < end; ++i) part += a[i] != b[i];
    count += part;
  }
  return count;
}

inline double weighted_hamming_distance(std::span<const Label> a, std::span<const Label> b,
                                        std::span<const double> weights) {
  // Four running sums break the chain of dependent additions; the order is
  // fixed by us, not by the compiler, so the rounding is the same everywhere.
  std::array<double, 4> sums{};
  const std::size_t n = a.size();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      sums[lane] += a[i + lane] != b[i + lane] ? weights[i + lane] : 0.0;
    }
  }
  for (; i < n; ++i) sums[0] += a[i] != b[i] ? weights[i] : 0.0;
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// No weights means weight 1 each, here and below.
inline double distance(std::span<const Label> a, std::span<const Label> b, std::span<const double> weights) {
  return weights.empty() ? static_cast<double>(hamming_distance(a, b))
                         : weighted_hamming_distance(a, b, weights);
}

// out(r, c) = distance of labeling r to reference c.
inline void hamming_distances(Labelings labelings, Labelings references, std::span<const double> weights,
                              MatrixView<double> out) {
  for (std::size_t r = 0; r < labelings.rows; ++r) {
    for (std::size_t c = 0; c < references.rows; ++c) {
      out(r, c) = distance(labelings.row(r), references.row(c), weights);
    }
  }
}

// Adds the distances of labeling r to all before it in a block of variables, of labels 0 and 1: by counts of
// ones, once through each labeling.
inline void add_distances_of_two(Labelings labelings, std::size_t start, std::size_t count,
                                 std::span<double> out) {
  constexpr std::size_t block = 1024;
  std::array<std::int32_t, block> ones{};
  for (std::size_t r = 0; r < labelings.rows; ++r) {
    const auto labels = labelings.row(r).subspan(start, count);
    const auto before = static_cast<std::int32_t>(r);
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += labels[i] != 0 ? before - ones[i] : ones[i];
      ones[i] += labels[i];
    }
    out[r] += sum;
  }
}

// out(r) = sum of the distances of labeling r to all before it.
inline void distances_to_earlier(Labelings labelings, std::span<const double> weights,
                                 std::span<double> out) {
  constexpr std::size_t block = 1024,
                        most_rows = std::size_t{1} << 20;  // whose sums of distances fit 32 bits
  std::fill(out.begin(), out.end(), 0.0);
  if (!weights.empty() || labelings.rows > most_rows) {
    for (std::size_t r = 0; r < labelings.rows; ++r) {
      for (std::size_t c = 0; c < r; ++c) out[r] += distance(labelings.row(r), labelings.row(c), weights);
    }
    return;
  }
  for (std::size_t start = 0; start < labelings.columns; start += block) {
    const std::size_t count = std::min(block, labelings.columns - start);
    std::int32_t bits = 0;
    for (std::size_t r = 0; r < labelings.rows; ++r) bits |= all_bits(labelings.row(r).subspan(start, count));
    if (bits == (bits & 1)) {
      add_distances_of_two(labelings, start, count, out);
      continue;
    }
    for (std::size_t r = 0; r < labelings.rows; ++r) {
      const auto labels = labelings.row(r).subspan(start, count);
      for (std::size_t c = 0; c < r; ++c) {
        out[r] += static_cast<double>(hamming_distance(labels, labelings.row(c).subspan(start, count)));
      }
    }
  }
}

// out(r, l) = number of variables of labeling r that carry label l.
inline void label_counts(Labelings labelings, MatrixView<std::int64_t> out) {
  std::fill(out.data.begin(), out.data.end(), 0);
  for (std::size_t r = 0; r < labelings.rows; ++r) {
    const auto counts = out.row(r);
    for (const Label label : labelings.row(r)) ++counts[index(label)];
  }
}

// visit(i, number of labelings that give variable i label 1), of two labels: by additions alone, in blocks
// that stay at hand.
template <class Visit>
void for_each_count_of_ones(Labelings labelings, Visit visit) {
  constexpr std::size_t block = 2048;
  std::array<std::int32_t, block> ones;
  for (std::size_t start = 0; start < labelings.columns; start += block) {
    const std::size_t count = std::min(block, labelings.columns - start);
    std::fill_n(ones.begin(), count, 0);
    for (std::size_t r = 0; r < labelings.rows; ++r) {
      const auto labels = labelings.row(r).subspan(start, count);
      for (std::size_t i = 0; i < count; ++i) ones[i] += labels[i];
    }
    for (std::size_t i = 0; i < count; ++i) visit(start + i, ones[i]);
  }
}

inline void counts_of_two(Labelings labelings, MatrixView<std::int64_t> out) {
  for_each_count_of_ones(labelings, [&](std::size_t i, std::int32_t ones) {
    out.data[2 * i] = static_cast<std::int64_t>(labelings.rows) - ones;
    out.data[2 * i + 1] = ones;
  });
}

// out(i, l) = number of labelings that give variable i the label l.
inline void variable_counts(Labelings labelings, MatrixView<std::int64_t> out) {
  std::fill(out.data.begin(), out.data.end(), 0);
  if (out.columns == 2) return counts_of_two(labelings, out);
  for (std::size_t r = 0; r < labelings.rows; ++r) {
    const auto labels = labelings.row(r);
    for (std::size_t i = 0; i < labels.size(); ++i) ++out(i, labels[i]);
  }
}

// out(i, l) = factor times the number of labelings that give variable i another label than l, times its
// weight, if any.
inline void differing_counts(Labelings labelings, std::span<const double> weights, double factor,
                             MatrixView<double> out) {
  const auto all = static_cast<double>(labelings.rows);
  const double plain = weights.empty() ? factor : 1.0;
  if (out.columns == 2) {
    for_each_count_of_ones(labelings, [&](std::size_t i, std::int32_t ones) {
      out.data[2 * i] = plain * ones, out.data[2 * i + 1] = plain * (all - ones);
    });
  } else {
    constexpr std::size_t block = 256;  // variables, whose counts stay at hand
    for (std::size_t start = 0; start < out.rows; start += block) {
      const std::size_t end = std::min(start + block, out.rows);
      const auto counts = out.data.subspan(start * out.columns, (end - start) * out.columns);
      std::ranges::fill(counts, all);
      for (std::size_t r = 0; r < labelings.rows; ++r) {
        const auto labels = labelings.row(r);
        for (std::size_t i = start; i < end; ++i) out(i, labels[i]) -= 1.0;
      }
      if (plain == 1.0) continue;
      for (double& count : counts) count *= plain;
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (double& count : out.row(i)) count = factor * (count * weights[i]);
  }
}

// out(r) = sum of of(scores(i, y_i)) over the variables i of labeling r; in double, in a fixed order.
template <class Real, class Of>
void linear_scores(MatrixView<const Real> scores, Labelings labelings, Of of, std::span<double> out) {
  for (std::size_t r = 0; r < labelings.rows; ++r) {
    const auto labels = labelings.row(r);
    out[r] = blocked_sum(labels.size(),
                         [&](std::size_t i) { return of(static_cast<double>(scores(i, labels[i]))); });
  }
}

// out(r, a * n_labels + b) = number of edges (i, j) with y_i = a and y_j = b in labeling r.
inline void transition_counts(Labelings labelings, Edges edges, std::size_t n_labels,
                              MatrixView<std::int64_t> out) {
  std::fill(out.data.begin(), out.data.end(), 0);
  for (std::size_t r = 0; r < labelings.rows; ++r) {
    const auto labels = labelings.row(r);
    const auto counts = out.row(r);
    edges.for_each([&](std::size_t, std::size_t i, std::size_t j) {
      ++counts[index(labels[i]) * n_labels + index(labels[j])];
    });
  }
}

}  // namespace hedgehop::counts
