// SPDX-License-Identifier: BSD-3-Clause
// Arrays of integers or of real numbers, checked, as flows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "flow/csr.hpp"
#include "flow/grid.hpp"
#include "flow/real.hpp"

namespace hedgehop::bindings {

using flow::AnyFlow;
using flow::Index;
using flow::RealFlow;

template <class T>
using AnyArray = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

// The numbers of a flow; arrays of capacities in the order of the edges, one an edge list or one a direction.
template <class T>
struct Terms {
  std::span<const T> terminals;
  std::vector<std::span<const T>> forward, backward;
  bool symmetric = false;  // backward is forward
};

struct Measured {
  TermSizes terminals, forward, backward;

  double total() const { return terminals.total + 2 * (forward.total + backward.total); }
  double largest() const { return std::max({terminals.largest, forward.largest, backward.largest}); }
  flow::Sizes sizes() const { return {terminals.largest, forward.largest + backward.largest, total()}; }
};

template <class T>
Measured measured(const Terms<T>& terms) {
  Measured sizes;
  sizes.terminals.add(terms.terminals);
  for (const auto& values : terms.forward) sizes.forward.add(values);
  for (const auto& values : terms.backward) sizes.backward.add(values);
  require(std::isfinite(sizes.total()), "capacities and terminals must be finite, and so must be their sum");
  require(sizes.forward.smallest >= 0 && sizes.backward.smallest >= 0, "capacities must be at least 0");
  return sizes;
}

// An integer flow, or a real one. Exactly one is set.
struct Made {
  std::unique_ptr<AnyFlow> integers;
  std::optional<RealFlow> real;
};

// build(largest, sizes, convert) makes the integer flow of the terms, each value passed through convert.
template <class T, class Build>
Made make(const Terms<T>& terms, std::size_t max_degree, Build build) {
  const Measured all = measured(terms);
  if constexpr (std::is_integral_v<T>) {
    return {build(all.largest(), all.sizes(), [](T value) { return value; }), std::nullopt};
  } else {
    TermSizes capacities = all.forward;
    capacities.total += all.backward.total, capacities.nonzero += all.backward.nonzero;
    const auto [terminal, pair, total] = all.sizes();
    const Quantiser scale(capacities, all.terminals, terminal + static_cast<double>(max_degree) * pair,
                          total);
    std::size_t rounded = 0;
    for (const auto& values : terms.forward) rounded += scale.count_rounded(values);
    for (const auto& values : terms.backward) rounded += terms.symmetric ? 0 : scale.count_rounded(values);
    // Rounding adds at most 1/2 to a value; the scale leaves far more than these margins.
    const auto scaled = [&](double x) { return std::ldexp(x, scale.exponent()); };
    const flow::Sizes sizes{scaled(terminal) + 1, scaled(pair) + 2, scaled(total) * 1.5};
    const double largest =
        scale.is_narrow() ? scaled(all.largest()) + 1 : std::numeric_limits<double>::infinity();
    auto integers = build(largest, sizes, [&scale](T value) { return scale(value); });
    return {nullptr, RealFlow(std::move(integers), scale, terms.terminals, rounded)};
  }
}

template <class T>
Made make_general(std::size_t n, Edges edges, const Terms<T>& terms) {
  std::vector<std::uint32_t> degrees(std::is_integral_v<T> ? 0 : n);
  if (!degrees.empty()) {
    for (const Index v : edges.data) ++degrees[static_cast<std::size_t>(v)];
  }
  const std::size_t most = degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
  return make(terms, most, [&](double largest, const flow::Sizes& sizes, auto convert) {
    return flow::make_flow<flow::CsrLayout<std::int32_t>>(largest, sizes, [&]<class Layout>() {
      using Cap = typename Layout::Cap;
      const auto value = [&convert](std::span<const T> from) {
        return [from, &convert](std::size_t i) { return static_cast<Cap>(convert(from[i])); };
      };
      return Layout(n, edges, value(terms.terminals), value(terms.forward[0]), value(terms.backward[0]));
    });
  });
}

template <int K, class T>
Made make_grid(const flow::Shape& shape, const Terms<T>& terms) {
  return make(terms, K, [&](double largest, const flow::Sizes& sizes, auto convert) {
    return flow::make_flow<flow::GridLayout<std::int32_t, K>>(largest, sizes, [&]<class Layout>() {
      using Cap = typename Layout::Cap;
      const auto value = [&convert](std::span<const T> from) {
        return [data = from.data(), &convert](std::size_t i) { return static_cast<Cap>(convert(data[i])); };
      };
      return Layout(
          shape, value(terms.terminals),
          [&](int k) { return value(terms.forward[static_cast<std::size_t>(k)]); },
          [&](int k) { return value(terms.backward[static_cast<std::size_t>(k)]); });
    });
  });
}

// Checks that there is one array a direction, each with an entry for every pixel that has a neighbour there.
template <int K, class T>
Made make_checked_grid(const flow::Shape& shape, const Terms<T>& terms) {
  for (const auto* arrays : {&terms.forward, &terms.backward}) {
    require(arrays->size() == K / 2,
            "there must be " + std::to_string(K / 2) + " arrays of capacities, one a direction");
    for (std::size_t k = 0; k < arrays->size(); ++k) {
      require_size("capacities", (*arrays)[k].size(),
                   flow::edges_along(shape, flow::directions<K>()[k]).pixels(), "edge");
    }
  }
  return make_grid<K>(shape, terms);
}

template <class T>
Made make_any_grid(const flow::Shape& shape, std::size_t dimensions, int connectivity,
                   const Terms<T>& terms) {
  require_size("terminals", terms.terminals.size(), shape.pixels(), "pixel");
  if (dimensions == 2 && connectivity == 4) return make_checked_grid<4>(shape, terms);
  if (dimensions == 2 && connectivity == 8) return make_checked_grid<8>(shape, terms);
  if (dimensions == 3 && connectivity == 6) return make_checked_grid<6>(shape, terms);
  if (dimensions == 3 && connectivity == 26) return make_checked_grid<26>(shape, terms);
  throw std::invalid_argument("connectivity must be 4 or 8 in 2-D and 6 or 26 in 3-D");
}

}  // namespace hedgehop::bindings
