// SPDX-License-Identifier: BSD-3-Clause
// Rows of one value per label, held in registers when the number of vectors N is known (N = 0: any number, on
// the stack), and the pairwise scores of one edge added to such a row.
#pragma once

#include "trws/graph.hpp"
#include "trws/simd.hpp"

namespace hedgehop::HEDGEHOP_TRWS_ISA {
namespace {

template <int W, int N>
class Row {
 public:
  explicit Row(const TrwsGraph& graph) : n_(N != 0 ? N : graph.slot / W) {}

  int size() const { return N != 0 ? N : n_; }
  Int<W>& operator[](int v) { return lane_[v]; }
  const Int<W>& operator[](int v) const { return lane_[v]; }

  void read(const std::int32_t* from) {
    for (int v = 0; v < size(); ++v) lane_[v] = load<W>(from + v * W);
  }
  void write(std::int32_t* to) const {
    for (int v = 0; v < size(); ++v) store<W>(to + v * W, lane_[v]);
  }
  void add(const std::int32_t* from) {
    for (int v = 0; v < size(); ++v) lane_[v] = lane_[v] + load<W>(from + v * W);
  }
  void add_at(std::int32_t label, std::int32_t amount) {
    const Int<W> zero = spread<W>(0), wanted = spread<W>(label), bonus = spread<W>(amount);
    for (int v = 0; v < size(); ++v)
      lane_[v] = lane_[v] + where_equal(count_from<W>(v * W), wanted, bonus, zero);
  }
  std::int32_t max() const {
    Int<W> m = lane_[0];
    for (int v = 1; v < size(); ++v) m = larger(m, lane_[v]);
    return largest<W>(m);
  }
  std::int32_t first(std::int32_t value) const {
    Int<W> negative = spread<W>(-kTrwsMostLabels);  // of the index, so that the largest is the first
    const Int<W> wanted = spread<W>(value);
    for (int v = size() - 1; v >= 0; --v) {
      negative = where_equal(lane_[v], wanted, spread<W>(0) - count_from<W>(v * W), negative);
    }
    return -largest<W>(negative);
  }

 private:
  Int<W> lane_[N != 0 ? N : kTrwsMostLabels / W];
  int n_;
};

// A slot, score row or table row. 64-bit: 2^31 edges of 64 labels are more than 2^31 values.
template <int W, int N>
std::int64_t row_start(const TrwsGraph& g, std::int64_t index) {
  return index * (N != 0 ? W * N : g.slot);
}

// Adds what edge `e` gives to each label of one end when the other end has `label`; `tables` are those whose
// rows are that other end's labels. Potts scores are seen as bonus w for agreeing, a constant away from -w
// for not.
template <int W, int N, bool Table>
inline void add_pair(const TrwsGraph& g, const std::int32_t* tables, std::int32_t e, std::int32_t label,
                     Row<W, N>& row) {
  if constexpr (Table) {
    const std::int64_t slot = row_start<W, N>(g, 1);
    row.add(g.tables + row_start<W, N>(g, tables[e] * slot + label));
  } else {
    row.add_at(label, g.strengths[e]);
  }
}

}  // namespace
}  // namespace hedgehop::HEDGEHOP_TRWS_ISA
