// SPDX-License-Identifier: BSD-3-Clause
// One sweep of sequential tree-reweighted message passing (Kolmogorov, PAMI 2006), as maximisation, on
// integers.
//
// The bound. For ANY messages M and ANY vectors g,
//   r(y) <= sum_i max_l [B_i(l) - out_i g_i(l)] + sum_e max_{l,k} [g_i(l) - M_in(l) + P(l,k) - M_out(k)],
// where B_i is the score row plus all messages into i, and the second maximum is the h by which M_out is
// normalised. g = B / chains gives TRW-S's bound; g may be rounded at will, because in integers this very
// expression is exact. B is not normalised first: one horizontal maximum fewer on the critical path. share is
// a little below 1 / chains, so B - out * g <= 0 wherever B <= 0, whatever the rounding to float does.
#pragma once

#include "trws/kernel/simd.hpp"

namespace hedgehop::trws::HEDGEHOP_TRWS_ISA {
namespace {

template <int W, int N, bool Forward, bool Report, bool Table>
class Sweep {
 public:
  explicit Sweep(const Graph& graph) : g_(graph) {}

  std::int64_t run(std::int32_t first, std::int32_t last) const {
    std::int64_t bound = 0;
    if constexpr (Forward) {
      for (std::int32_t i = first; i < last; ++i) bound += visit(i);
    } else {
      for (std::int32_t i = last; i-- > first;) bound += visit(i);
    }
    return bound;
  }

 private:
  using Values = Row<W, N>;

  std::int64_t visit(std::int32_t i) const {
    Values belief(g_);
    belief.read(g_.scores + row_start<W, N>(g_, i));
    add_messages<Forward>(i, belief);  // from ahead
    if constexpr (Report) decode(i, belief);
    add_messages<!Forward>(i, belief);  // from behind
    const std::int32_t* ends = (Forward ? g_.up : g_.down) + i;
    Values portion(g_);
    for (int v = 0; v < portion.size(); ++v) portion[v] = times<W>(belief[v], g_.share[i]);
    std::int64_t bound = 0;
    if constexpr (Report) {
      if (g_.beliefs != nullptr) write_beliefs(i, belief, g_.beliefs, [](float x) { return x; });
      if (g_.close != nullptr) {
        write_beliefs(i, belief, g_.close, [this](float x) { return std::uint8_t{x >= g_.least}; });
      }
      bound = kept(belief, portion, ends[1] - ends[0]);
      if (g_.excess != nullptr) {
        g_.excess[i] = static_cast<std::int32_t>(bound) + (ends[1] - ends[0]) * portion.max() - belief.max();
      }
    }
    for (std::int32_t o = ends[0]; o < ends[1]; ++o) bound += send(i, Forward ? o : g_.down_edge[o], portion);
    return bound;
  }

  template <bool Up>
  void add_messages(std::int32_t i, Values& row) const {
    const std::int32_t* ends = (Up ? g_.up : g_.down) + i;
    for (std::int32_t o = ends[0]; o < ends[1]; ++o) {
      row.add(g_.messages + row_start<W, N>(g_, Up ? o : g_.down_edge[o]));
    }
  }

  // The best label given the labels already chosen behind and the messages from ahead (Kolmogorov 2006,
  // section 4).
  void decode(std::int32_t i, Values row) const {
    std::int32_t* labels = g_.decoded[Forward ? 0 : 1];
    const std::int32_t* ends = (Forward ? g_.down : g_.up) + i;
    const std::int32_t* tables = Forward ? g_.table_up : g_.table_down;
    for (std::int32_t o = ends[0]; o < ends[1]; ++o) {
      const std::int32_t edge = Forward ? g_.down_edge[o] : o;
      const std::int32_t neighbour = Forward ? g_.down_node[o] : g_.up_node[o];
      add_pair<W, N, Table>(g_, tables, edge, labels[neighbour], row);
    }
    labels[i] = row.first(row.max());
  }

  // The part of the belief that this position does not give away.
  static std::int64_t kept(const Values& belief, const Values& portion, std::int32_t n_out) {
    Int<W> best = belief[0] - portion[0] * spread<W>(n_out);
    for (int v = 1; v < belief.size(); ++v) best = larger(best, belief[v] - portion[v] * spread<W>(n_out));
    return largest<W>(best);
  }

  // Relative to the best. A score at the floor stands for any below it: such a label is in no optimal
  // labeling, and its belief is only an upper one.
  template <class T, class As>
  void write_beliefs(std::int32_t i, const Values& belief, T* all, As as) const {
    std::int32_t values[N != 0 ? W * N : kMostLabels];
    belief.write(values);
    const std::int32_t top = belief.max();
    const std::int32_t floor = g_.floors == nullptr ? INT32_MIN : g_.floors[i] != 0 ? g_.floors[i] : -1;
    const std::int32_t* scores = g_.scores + row_start<W, N>(g_, i);
    T* out = all + static_cast<std::int64_t>(g_.variable_of[i]) * g_.n_labels;
    for (std::int32_t l = 0; l < g_.n_labels; ++l) {
      out[l] = as(scores[l] <= floor ? g_.never : static_cast<float>(values[l] - top) * g_.unit);
    }
  }

  // Replaces the message into i by the one out of i; returns the constant taken out of it.
  std::int32_t send(std::int32_t i, std::int32_t edge, const Values& portion) const {
    std::int32_t* message = g_.messages + row_start<W, N>(g_, edge);
    Values out(g_);
    for (int v = 0; v < out.size(); ++v) out[v] = portion[v] - load<W>(message + v * W);
    if constexpr (Table) out = through_table(i, edge, out);
    const std::int32_t top = out.max();
    const Int<W> shift = spread<W>(top);
    if constexpr (Table) {
      for (int v = 0; v < out.size(); ++v) store<W>(message + v * W, out[v] - shift);
    } else {
      // max_k a(k) - w [k != l] = max(a(l), max a - w)
      const Int<W> floor = spread<W>(-g_.strengths[edge]);
      for (int v = 0; v < out.size(); ++v) store<W>(message + v * W, larger(out[v] - shift, floor));
    }
    return top;
  }

  // max_l from(l) + P(l, .) over the labels that i has; tables are kept both ways round so that rows are
  // contiguous.
  Values through_table(std::int32_t i, std::int32_t edge, const Values& from) const {
    std::int32_t values[N != 0 ? W * N : kMostLabels];
    from.write(values);
    const std::int64_t slot = row_start<W, N>(g_, 1);
    const std::int32_t* row = g_.tables + (Forward ? g_.table_up : g_.table_down)[edge] * slot * slot;
    const std::int32_t count = g_.counts != nullptr ? g_.counts[i] : g_.n_labels;
    Values best(g_);
    for (int v = 0; v < best.size(); ++v) best[v] = load<W>(row + v * W) + spread<W>(values[0]);
    for (std::int32_t l = 1; l < count; ++l) {
      row += slot;
      const Int<W> value = spread<W>(values[l]);
      for (int v = 0; v < best.size(); ++v) best[v] = larger(best[v], load<W>(row + v * W) + value);
    }
    return best;
  }

  const Graph& g_;
};

}  // namespace
}  // namespace hedgehop::trws::HEDGEHOP_TRWS_ISA
