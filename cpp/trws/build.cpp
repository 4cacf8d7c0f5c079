// SPDX-License-Identifier: BSD-3-Clause
#include "trws/build.hpp"

#include <utility>

#include "trws/ordering.hpp"

namespace hedgehop {

namespace {

template <class Source, class Strength>
double value_of(const Source& edges, Strength strength, std::span<const Label> y) {
  double total = 0.0;
  edges.for_each(
      [&](std::size_t e, std::size_t a, std::size_t b) { total -= y[a] == y[b] ? 0.0 : strength(e); });
  return total;
}

}  // namespace

std::vector<std::int32_t> trws_ranks(std::size_t n, Edges edges) {
  return ReverseCuthillMcKee(n, EdgeList{edges}).ranks();
}

Trws make_trws_potts(const TrwsShape& shape, Edges edges, std::span<const double> strengths,
                     std::span<const std::int32_t> ranks, const TrwsKernel& kernel) {
  const EdgeList list{edges};
  TrwsSchedule schedule(shape.n_variables, list, ranks);
  TrwsPairwise pairwise = trws_potts(schedule, list, [&](std::size_t e) { return strengths[e]; });
  return Trws(std::move(schedule), std::move(pairwise), shape.n_labels, shape.counts, kernel);
}

Trws make_trws_tables(const TrwsShape& shape, Edges edges, const TableScores& scores,
                      std::span<const double> unary_ranges, std::span<const std::int32_t> ranks,
                      const TrwsKernel& kernel) {
  TrwsSchedule schedule(shape.n_variables, EdgeList{edges}, ranks);
  const auto slot = static_cast<std::size_t>(trws_slot(shape.n_labels));
  TrwsPairwise pairwise = trws_tables(schedule, edges, scores, slot, unary_ranges);
  return Trws(std::move(schedule), std::move(pairwise), shape.n_labels, shape.counts, kernel);
}

Trws make_trws_grid(const GridEdges& edges, const GridStrengths& strengths, std::size_t n_labels,
                    const TrwsKernel& kernel) {
  TrwsSchedule schedule(edges.n_variables(), edges, {});
  TrwsPairwise pairwise = trws_potts(schedule, edges, strengths);
  return Trws(std::move(schedule), std::move(pairwise), n_labels, {}, kernel);
}

double potts_value(Edges edges, std::span<const double> strengths, std::span<const Label> labeling) {
  return value_of(EdgeList{edges}, [&](std::size_t e) { return strengths[e]; }, labeling);
}

double grid_value(const GridEdges& edges, const GridStrengths& strengths, std::span<const Label> labeling) {
  return value_of(edges, strengths, labeling);
}

}  // namespace hedgehop
