// SPDX-License-Identifier: BSD-3-Clause
// Iterated conditional modes (Besag 1986) on the positions marked stale; ties keep the label, so it ends.
#pragma once

#include "trws/kernel/simd.hpp"

namespace hedgehop::trws::HEDGEHOP_TRWS_ISA {
namespace {

template <int W, int N, bool Table>
class Polish {
 public:
  Polish(const Graph& graph, std::int32_t* labels, std::uint8_t* stale)
      : g_(graph), labels_(labels), stale_(stale) {}

  // Returns what was gained: 0 only if nothing changed.
  std::int64_t run(std::int32_t first, std::int32_t last) const {
    std::int64_t gained = 0;
    for (std::int32_t i = first; i < last; ++i) {
      if (stale_[i] == 0) continue;
      stale_[i] = 0;
      gained += improve(i);
    }
    return gained;
  }

 private:
  std::int32_t improve(std::int32_t i) const {
    Row<W, N> row(g_);
    row.read(g_.scores + row_start<W, N>(g_, i));
    for (std::int32_t e = g_.up[i]; e < g_.up[i + 1]; ++e) {
      add_pair<W, N, Table>(g_, g_.table_down, e, labels_[g_.up_node[e]], row);
    }
    for (std::int32_t o = g_.down[i]; o < g_.down[i + 1]; ++o) {
      add_pair<W, N, Table>(g_, g_.table_up, g_.down_edge[o], labels_[g_.down_node[o]], row);
    }
    const std::int32_t best = row.max();
    std::int32_t values[N != 0 ? W * N : kMostLabels];
    row.write(values);
    const std::int32_t gain = best - values[labels_[i]];
    if (gain == 0) return 0;
    labels_[i] = row.first(best);
    for (std::int32_t e = g_.up[i]; e < g_.up[i + 1]; ++e) stale_[g_.up_node[e]] = 1;
    for (std::int32_t o = g_.down[i]; o < g_.down[i + 1]; ++o) stale_[g_.down_node[o]] = 1;
    return gain;
  }

  const Graph& g_;
  std::int32_t* labels_;
  std::uint8_t* stale_;
};

}  // namespace
}  // namespace hedgehop::trws::HEDGEHOP_TRWS_ISA
