// SPDX-License-Identifier: BSD-3-Clause
// Flows from arrays of integers or of real numbers. Sizes of arrays are checked by the caller, values here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/grid.hpp"
#include "core/matrix.hpp"
#include "flow/any.hpp"
#include "flow/csr.hpp"
#include "flow/grid.hpp"
#include "flow/quantise.hpp"
#include "flow/real.hpp"

namespace hedgehop::flow {

// The numbers of a flow; capacities in the order of the edges, one array per edge list or one per direction.
template <class T>
struct Terms {
  std::span<const T> terminals;
  std::vector<std::span<const T>> forward, backward;
  bool symmetric = false;  // backward is forward
  bool wide = false;       // real numbers as 64-bit integers, though 32 bits would be precise
};

// A flow of integers or of real numbers. Exactly one is set.
struct BuiltFlow {
  std::unique_ptr<AnyFlow> integers;
  std::optional<RealFlow> real;

  BuiltFlow copy() const { return {integers ? integers->clone() : nullptr, real}; }
};

struct MeasuredTerms {
  TermSizes terminals, forward, backward;

  double total() const { return terminals.total + 2 * (forward.total + backward.total); }
  double largest() const { return std::max({terminals.largest, forward.largest, backward.largest}); }
  Sizes sizes() const { return {terminals.largest, forward.largest + backward.largest, total()}; }
};

template <class T>
MeasuredTerms measured(const Terms<T>& terms) {
  MeasuredTerms sizes;
  sizes.terminals.add(terms.terminals);
  for (const auto& values : terms.forward) sizes.forward.add(values);
  if (terms.symmetric) {
    sizes.backward = sizes.forward;
  } else {
    for (const auto& values : terms.backward) sizes.backward.add(values);
  }
  if (!std::isfinite(sizes.total()))
    throw std::invalid_argument("capacities and terminals must be finite, and so must be their sum");
  if (sizes.forward.smallest < 0 || sizes.backward.smallest < 0)
    throw std::invalid_argument("capacities must be at least 0");
  return sizes;
}

// build(largest, sizes, convert) makes the integer flow of the terms, each value passed through convert.
template <class T, class Build>
BuiltFlow build_flow(const Terms<T>& terms, std::size_t max_degree, Build build) {
  const MeasuredTerms all = measured(terms);
  if constexpr (std::is_integral_v<T>) {
    return {build(all.largest(), all.sizes(), [](T value) { return value; }), std::nullopt};
  } else {
    TermSizes capacities = all.forward;
    capacities.total += all.backward.total, capacities.nonzero += all.backward.nonzero;
    const auto [terminal, pair, total] = all.sizes();
    const double load = terminal + static_cast<double>(max_degree) * pair;
    const Quantiser scale(capacities, all.terminals, load, total, terms.wide);
    std::size_t rounded = 0;
    for (const auto& values : terms.forward) rounded += scale.count_rounded(values);
    if (!terms.symmetric) {
      for (const auto& values : terms.backward) rounded += scale.count_rounded(values);
    }
    // Rounding adds at most 1/2 to a value; the scale leaves far more than these margins.
    const auto scaled = [&](double x) { return std::ldexp(x, scale.exponent()); };
    const Sizes sizes{scaled(terminal) + 1, scaled(pair) + 2, scaled(total) * 1.5};
    const double largest =
        scale.is_narrow() ? scaled(all.largest()) + 1 : std::numeric_limits<double>::infinity();
    auto integers = scale.is_narrow() ? build(largest, sizes, [scale](T value) { return scale.small(value); })
                                      : build(largest, sizes, [scale](T value) { return scale(value); });
    return {nullptr, RealFlow(std::move(integers), scale, terms.terminals, rounded)};
  }
}

// An array as a function of the index, converted to the numbers of a flow.
template <class Cap, class T, class Convert>
auto converted(std::span<const T> from, const Convert& convert) {
  return [data = from.data(), convert](std::size_t i) { return static_cast<Cap>(convert(data[i])); };
}

inline std::size_t max_degree(std::size_t n, Edges edges) {
  std::vector<std::uint32_t> degrees(n);
  for (const Index v : edges.data) ++degrees[index(v)];
  return n == 0 ? 0 : *std::max_element(degrees.begin(), degrees.end());
}

template <class T>
BuiltFlow build_general(std::size_t n, Edges edges, const Terms<T>& terms) {
  const std::size_t degree = std::is_integral_v<T> ? 0 : max_degree(n, edges);  // integers do not need it
  return build_flow(terms, degree, [&](double largest, const Sizes& sizes, auto convert) {
    return make_flow<CsrLayout<std::int32_t>>(largest, sizes, [&]<class Layout>() {
      using Cap = typename Layout::Cap;
      return Layout(n, edges, converted<Cap>(terms.terminals, convert),
                    converted<Cap>(terms.forward[0], convert), converted<Cap>(terms.backward[0], convert));
    });
  });
}

template <int K, class T>
BuiltFlow build_grid_of(const Shape& shape, const Terms<T>& terms) {
  return build_flow(terms, K, [&](double largest, const Sizes& sizes, auto convert) {
    return make_flow<GridLayout<std::int32_t, K>>(largest, sizes, [&]<class Layout>() {
      using Cap = typename Layout::Cap;
      return Layout(
          shape, converted<Cap>(terms.terminals, convert),
          [&](int k) { return converted<Cap>(terms.forward[index(k)], convert); },
          [&](int k) { return converted<Cap>(terms.backward[index(k)], convert); });
    });
  });
}

template <class T>
BuiltFlow build_grid(const Grid& grid, const Terms<T>& terms) {
  return grid.with_connectivity([&]<int K>() { return build_grid_of<K>(grid.shape, terms); });
}

}  // namespace hedgehop::flow
