// SPDX-License-Identifier: BSD-3-Clause
// Solvers from arrays. Arguments are checked by the caller: edges in range and without self-loops, strengths
// finite and
// >= 0, tables inside their array, ranks a permutation; counts empty means n_labels everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/pairs.hpp"
#include "trws/grid.hpp"
#include "trws/solver.hpp"
#include "trws/tables.hpp"

namespace hedgehop {

// A good order for a graph of which nothing is known but its edges.
std::vector<std::int32_t> trws_ranks(std::size_t n, Edges edges);

struct TrwsShape {
  std::size_t n_variables, n_labels;
  std::span<const std::int32_t> counts;
};

Trws make_trws_potts(const TrwsShape& shape, Edges edges, std::span<const double> strengths,
                     std::span<const std::int32_t> ranks, const TrwsKernel& kernel);

// unary_ranges: how far apart the finite scores of each variable are; the penalty of forbidden pairs depends
// on it.
Trws make_trws_tables(const TrwsShape& shape, Edges edges, const TableScores& scores,
                      std::span<const double> unary_ranges, std::span<const std::int32_t> ranks,
                      const TrwsKernel& kernel);

Trws make_trws_grid(const GridEdges& edges, const GridStrengths& strengths, std::size_t n_labels,
                    const TrwsKernel& kernel);

// Pairwise scores of a labeling, in doubles.
double potts_value(Edges edges, std::span<const double> strengths, std::span<const Label> labeling);
double grid_value(const GridEdges& edges, const GridStrengths& strengths, std::span<const Label> labeling);

}  // namespace hedgehop
