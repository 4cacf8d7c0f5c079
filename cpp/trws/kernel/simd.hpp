// SPDX-License-Identifier: BSD-3-Clause
// W 32-bit integers at once, by the compiler's vector extension where there is one (GCC, Clang) and by plain
// loops elsewhere. Every operation gives the same bits on every machine. Compiled once per instruction set,
// in its own namespace; a vector type wider than the target's registers would go through the stack, hence W
// per set.
#pragma once

#include <cstdint>

#include "trws/graph.hpp"

#ifndef HEDGEHOP_TRWS_ISA
#error "include this only from a kernel file that names its instruction set"
#endif

namespace hedgehop::trws::HEDGEHOP_TRWS_ISA {
namespace {

#if defined(__GNUC__)

template <int W>
struct Lanes {
  typedef std::int32_t Int __attribute__((vector_size(W * 4)));
  typedef float Real __attribute__((vector_size(W * 4)));
};
template <int W>
using Int = typename Lanes<W>::Int;

template <int W>
inline Int<W> load(const std::int32_t* from) {
  Int<W> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <int W>
inline void store(std::int32_t* to, Int<W> v) {
  __builtin_memcpy(to, &v, sizeof v);
}

template <int W>
inline Int<W> spread(std::int32_t x) {
  return Int<W>{} + x;
}

template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}

// x where a == b, else y.
template <class V>
inline V where_equal(V a, V b, V x, V y) {
  return a == b ? x : y;
}

// Rounds to float, multiplies, truncates towards zero: defined to the bit by IEEE 754.
template <int W>
inline Int<W> times(Int<W> v, float factor) {
  return __builtin_convertvector(__builtin_convertvector(v, typename Lanes<W>::Real) * factor, Int<W>);
}

template <int W>
inline std::int32_t largest(Int<W> v) {
  if constexpr (W > 4) {
    Int<W / 2> half[2];
    __builtin_memcpy(half, &v, sizeof v);
    return largest<W / 2>(larger(half[0], half[1]));
  } else {
#if defined(__clang__)
    v = larger(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    v = larger(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
#else
    v = larger(v, __builtin_shuffle(v, Int<4>{2, 3, 0, 1}));
    v = larger(v, __builtin_shuffle(v, Int<4>{1, 0, 3, 2}));
#endif
    return v[0];
  }
}

#else

template <int W>
struct Int {
  std::int32_t at[W];
  std::int32_t& operator[](int k) { return at[k]; }
};

template <int W, class F>
inline Int<W> each(F f) {
  Int<W> v;
  for (int k = 0; k < W; ++k) v.at[k] = f(k);
  return v;
}

template <int W>
inline Int<W> operator+(const Int<W>& a, const Int<W>& b) {
  return each<W>([&](int k) { return a.at[k] + b.at[k]; });
}
template <int W>
inline Int<W> operator-(const Int<W>& a, const Int<W>& b) {
  return each<W>([&](int k) { return a.at[k] - b.at[k]; });
}
template <int W>
inline Int<W> operator*(const Int<W>& a, const Int<W>& b) {
  return each<W>([&](int k) { return a.at[k] * b.at[k]; });
}
template <int W>
inline Int<W> load(const std::int32_t* from) {
  return each<W>([&](int k) { return from[k]; });
}
template <int W>
inline void store(std::int32_t* to, const Int<W>& v) {
  for (int k = 0; k < W; ++k) to[k] = v.at[k];
}
template <int W>
inline Int<W> spread(std::int32_t x) {
  return each<W>([&](int) { return x; });
}
template <int W>
inline Int<W> larger(const Int<W>& a, const Int<W>& b) {
  return each<W>([&](int k) { return a.at[k] > b.at[k] ? a.at[k] : b.at[k]; });
}
template <int W>
inline Int<W> where_equal(const Int<W>& a, const Int<W>& b, const Int<W>& x, const Int<W>& y) {
  return each<W>([&](int k) { return a.at[k] == b.at[k] ? x.at[k] : y.at[k]; });
}
template <int W>
inline Int<W> times(const Int<W>& v, float factor) {
  return each<W>([&](int k) { return static_cast<std::int32_t>(static_cast<float>(v.at[k]) * factor); });
}
template <int W>
inline std::int32_t largest(const Int<W>& v) {
  std::int32_t best = v.at[0];
  for (int k = 1; k < W; ++k) best = v.at[k] > best ? v.at[k] : best;
  return best;
}

#endif

template <int W>
inline Int<W> count_from(std::int32_t start) {
  Int<W> v = spread<W>(start);
  for (int k = 0; k < W; ++k) v[k] += k;
  return v;
}

// A row of one value per label, in registers where the number of vectors N is known (N = 0: any number, on
// the stack).
template <int W, int N>
class Row {
 public:
  explicit Row(const Graph& graph) : n_(N != 0 ? N : graph.slot / W) {}

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
    Int<W> negative = spread<W>(-kMostLabels);  // of the index, so that the largest is the first
    const Int<W> wanted = spread<W>(value);
    for (int v = size() - 1; v >= 0; --v) {
      negative = where_equal(lane_[v], wanted, spread<W>(0) - count_from<W>(v * W), negative);
    }
    return -largest<W>(negative);
  }

 private:
  Int<W> lane_[N != 0 ? N : kMostLabels / W];
  int n_;
};

// A slot, score row or table row. 64-bit: 2^31 edges of 64 labels are more than 2^31 values.
template <int W, int N>
std::int64_t row_start(const Graph& g, std::int64_t index) {
  return index * (N != 0 ? W * N : g.slot);
}

// Adds what edge `e` gives to each label of one end when the other end has `label`; `tables` are those whose
// rows are that other end's labels. Potts scores are seen as bonus w for agreeing, a constant away from -w
// for not.
template <int W, int N, bool Table>
inline void add_pair(const Graph& g, const std::int32_t* tables, std::int32_t e, std::int32_t label,
                     Row<W, N>& row) {
  if constexpr (Table) {
    const std::int64_t slot = row_start<W, N>(g, 1);
    row.add(g.tables + row_start<W, N>(g, tables[e] * slot + label));
  } else {
    row.add_at(label, g.strengths[e]);
  }
}

}  // namespace
}  // namespace hedgehop::trws::HEDGEHOP_TRWS_ISA
