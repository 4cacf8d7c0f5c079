// SPDX-License-Identifier: BSD-3-Clause
// What must hold before arrays become a TRW-S solver.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "trws/build.hpp"

namespace hedgehop::bindings {

using Ranks = std::optional<Vector<std::int32_t>>;

inline void require_sizes(std::size_t n, std::size_t n_labels, std::size_t n_edges) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max() - 1;
  require(n <= most && n_edges <= most, "at most 2^31 - 2 variables and edges");
  require(n == 0 || n_labels > 0, "unary must have at least one label per variable");
  checked_product(checked_product(std::max(n, n_edges), std::max<std::size_t>(n_labels, 16)), 8);
}

inline void require_graph(const Edges& edges, std::size_t n) {
  require_edges(edges, n);
  for (std::size_t e = 0; e < edges.rows; ++e) {
    require(edges.row(e)[0] != edges.row(e)[1], "edge " + std::to_string(e) + " is a self-loop");
  }
}

inline void require_counts(std::span<const std::int32_t> counts, std::size_t n, std::size_t n_labels) {
  require_size("label_counts", counts.size(), n, "variable");
  for (const std::int32_t count : counts) {
    require(count >= 1 && static_cast<std::size_t>(count) <= n_labels,
            "label_counts must lie in 1.." + std::to_string(n_labels));
  }
}

inline void require_strengths(std::span<const double> strengths) {
  bool ok = true;
  for (const double s : strengths) ok &= s >= 0.0 && s < std::numeric_limits<double>::infinity();
  require(ok, "strengths must be finite and >= 0; give tables for other scores");
}

inline std::span<const std::int32_t> checked_ranks(const Vector<std::int32_t>& ranks, std::size_t n) {
  const auto values = span_of(ranks);
  require_size("ranks", values.size(), n, "variable");
  require_in_range("ranks", values, n);
  std::vector<std::uint8_t> seen(n, 0);
  for (const std::int32_t r : values) {
    require(seen[static_cast<std::size_t>(r)]++ == 0, "ranks must be a permutation");
  }
  return values;
}

inline std::vector<std::int32_t> ranks_of(const Ranks& ranks, std::size_t n, const Edges& edges) {
  if (!ranks) return trws_ranks(n, edges);
  const auto given = checked_ranks(*ranks, n);
  return {given.begin(), given.end()};
}

inline TableScores checked_tables(const Edges& edges, std::span<const std::int32_t> counts,
                                  const Vector<double>& flat, const Vector<std::int64_t>& offsets,
                                  const Vector<std::int32_t>& columns) {
  require_size("offsets", offsets.size(), edges.rows, "edge");
  require_size("columns", columns.size(), edges.rows, "edge");
  require_scores("flat", span_of(flat));
  const TableScores scores{span_of(flat), span_of(offsets), span_of(columns), counts};
  for (std::size_t e = 0; e < edges.rows; ++e) {
    const std::int64_t rows = counts[static_cast<std::size_t>(edges.row(e)[0])];
    const std::int64_t used = counts[static_cast<std::size_t>(edges.row(e)[1])];
    const std::int64_t width = scores.columns[e], start = scores.offsets[e];
    const std::int64_t room = static_cast<std::int64_t>(flat.size()) - ((rows - 1) * width + used);
    require(width >= used && start >= 0 && start <= room,
            "the table of edge " + std::to_string(e) + " does not fit into flat");
  }
  return scores;
}

}  // namespace hedgehop::bindings
