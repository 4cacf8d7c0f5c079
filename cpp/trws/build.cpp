// SPDX-License-Identifier: BSD-3-Clause
// Solvers from arrays, with the best kernels that this machine can run.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "graphs/cuthill_mckee.hpp"
#include "trws/fixed_tables.hpp"
#include "trws/solver.hpp"

namespace hedgehop::trws {

namespace {

// How far apart the finite scores of each variable are.
template <class T>
std::vector<double> ranges_of(const MatrixView<const T>& unary, const TableScores& tables) {
  std::vector<double> ranges(unary.rows, 0.0);
  for (std::size_t i = 0; i < unary.rows; ++i) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const T x : unary.row(i).first(tables.label_count(i))) {
      if (!std::isfinite(x)) continue;
      low = std::min(low, static_cast<double>(x)), high = std::max(high, static_cast<double>(x));
    }
    if (high > low) ranges[i] = high - low;
  }
  return ranges;
}

FixedPairs fixed_pairs(const Pairs& pairs, const Schedule& schedule, const UnaryScores& unary) {
  if (const auto* potts = std::get_if<PottsScores>(&pairs.scores)) {
    return fixed_potts(schedule, pairs.edges, [&](std::size_t e) { return potts->strengths[e]; });
  }
  const auto& tables = std::get<TableScores>(pairs.scores);
  FixedTables fixed(schedule, pairs.edges, tables, index(slot_size(pairs.n_labels)));
  if (fixed.forbids()) {
    fixed.penalise(std::visit([&](const auto& scores) { return ranges_of(scores, tables); }, unary));
  }
  return fixed.build();
}

}  // namespace

Solver make_solver(const UnaryScores& unary, const Pairs& pairs, std::span<const std::int32_t> ranks,
                   const Kernel& kernel) {
  const std::vector<std::int32_t> own = ranks.empty() ? default_ranks(pairs) : std::vector<std::int32_t>();
  Schedule schedule(pairs.n_variables, pairs.edges, ranks.empty() ? own : ranks);
  FixedPairs fixed = fixed_pairs(pairs, schedule, unary);
  return Solver(std::move(schedule), std::move(fixed), pairs.n_labels, pairs.label_counts, kernel);
}

Solver make_solver(const GridPairs& pairs, std::size_t n_labels, const Kernel& kernel) {
  Schedule schedule(pairs.edges().n_variables(), pairs.edges(), {});
  FixedPairs fixed = fixed_potts(schedule, pairs.edges(), [&](std::size_t e) { return pairs.strength(e); });
  return Solver(std::move(schedule), std::move(fixed), n_labels, {}, kernel);
}

std::vector<std::int32_t> default_ranks(const Pairs& pairs) {
  return graphs::ReverseCuthillMcKee(pairs.n_variables, pairs.edges).ranks();
}

std::int32_t slot_size(std::size_t n_labels) {
  if (n_labels > index(kMostLabels)) {
    throw std::invalid_argument("at most " + std::to_string(kMostLabels) + " labels; got " +
                                std::to_string(n_labels));
  }
  const auto wanted = static_cast<std::int32_t>(n_labels);
  for (const std::int32_t size : {4, 8, 16, 24, 32, 48, 64}) {
    if (wanted <= size) return size;
  }
  return (wanted + 15) / 16 * 16;
}

const Kernel& kernel_for(std::string_view instruction_set) {
#ifdef HEDGEHOP_TRWS_AVX512
  const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                          __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  if (has_avx512 && (instruction_set.empty() || instruction_set == "avx512")) return avx512::kernel;
#endif
#ifdef HEDGEHOP_TRWS_AVX2
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2 && (instruction_set.empty() || instruction_set == "avx2")) return avx2::kernel;
#endif
  if (instruction_set.empty() || instruction_set == "baseline") return baseline::kernel;
  throw std::invalid_argument("no kernels for the instruction set '" + std::string(instruction_set) +
                              "' on this machine");
}

}  // namespace hedgehop::trws
