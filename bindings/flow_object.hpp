// SPDX-License-Identifier: BSD-3-Clause
// Flows as Python objects: GIL released, interruptible, safe against two threads in one object.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "busy.hpp"
#include "flow_input.hpp"
#include "signals.hpp"

namespace hedgehop::bindings {

using Nodes = Vector<std::int32_t>;

// One flow, integer or real. Only one thread may be inside at a time: others are told so.
class PyFlow {
 public:
  explicit PyFlow(Made&& made) : made_(std::move(made)) {}

  nb::object solve() {
    const Busy busy(busy_, "flow");
    Poll poll = python_poll();
    if (made_.real) {
      nb::gil_scoped_release release;
      real_minimum_ = made_.real->solve(poll);
    } else {
      nb::gil_scoped_release release;
      minimum_ = made_.integers->solve(poll);
    }
    return minimum();
  }

  nb::object minimum() const {
    require_solved();
    return made_.real ? nb::cast(real_minimum_) : nb::cast(minimum_);
  }

  double error() const {
    require_solved();
    return made_.real ? made_.real->error() : 0.0;
  }

  Result<Label> labels() {
    const Busy busy(busy_, "flow");
    require_solved();
    std::vector<Label> result;
    {
      nb::gil_scoped_release release;
      result.resize(size());
      flow().read_labels(result);
    }
    return give(std::move(result), {size()});
  }

  nb::object residual_terminals() {
    const Busy busy(busy_, "flow");
    require_solved();
    std::vector<std::int64_t> integers(size());
    flow().read_residual_terminals(integers);
    if (!made_.real) return nb::cast(give(std::move(integers), {size()}));
    std::vector<double> reals(size());
    for (std::size_t v = 0; v < reals.size(); ++v) reals[v] = made_.real->scale().real(integers[v]);
    return nb::cast(give(std::move(reals), {size()}));
  }

  template <class T>
  void add_terminals(const AnyArray<T>& deltas, const std::optional<Nodes>& nodes) {
    const Busy busy(busy_, "flow");
    require(!made_.real, "a flow of real numbers takes set_terminals, which does not add up rounding errors");
    const std::span<const T> values(deltas.data(), deltas.size());
    nb::gil_scoped_release release;
    if (!nodes) {
      require_size("deltas", values.size(), size(), "node");
      return made_.integers->add_terminals(values);
    }
    require_nodes(span_of(*nodes), values.size());
    made_.integers->add_terminals(span_of(*nodes), values);
  }

  template <class T>
  void set_terminals(const AnyArray<T>& given, const std::optional<Nodes>& nodes) {
    const Busy busy(busy_, "flow");
    require(made_.real.has_value(), "a flow of integers takes add_terminals: it does not keep its terminals");
    const std::span<const T> values(given.data(), given.size());
    nb::gil_scoped_release release;
    if (!nodes) {
      require_size("terminals", values.size(), size(), "node");
      return made_.real->set_terminals(values);
    }
    const auto listed = span_of(*nodes);
    require_nodes(listed, values.size());
    require(std::adjacent_find(listed.begin(), listed.end(), std::greater_equal<>()) == listed.end(),
            "nodes must increase");
    made_.real->set_terminals(listed, values);
  }

  std::size_t size() const { return static_cast<std::size_t>(flow().size()); }
  std::size_t bytes() const { return made_.real ? made_.real->bytes() : made_.integers->bytes(); }
  int bits() const { return flow().bits(); }
  void keep_forests_up_to(std::size_t changes) { flow().keep_forests_up_to(changes); }

 protected:
  // Arcs exist. Integer and real flows take deltas of their own kind only.
  template <class T>
  void change_capacities(std::span<const Index> tails, std::span<const std::uint32_t> slots,
                         std::span<const T> deltas) {
    if constexpr (std::is_integral_v<T>) {
      require(!made_.real, "a flow of real numbers needs changes of type float32 or float64");
      made_.integers->add_capacities(tails, slots, deltas);
    } else {
      require(made_.real.has_value(), "a flow of integers needs changes of type int32 or int64");
      made_.real->add_capacities(tails, slots, deltas);
    }
  }

  AnyFlow& flow() { return made_.real ? made_.real->integers() : *made_.integers; }
  const AnyFlow& flow() const { return made_.real ? made_.real->integers() : *made_.integers; }

  std::atomic_flag busy_;

 private:
  void require_solved() const {
    if (!flow().is_solved()) throw std::runtime_error("the flow is not solved: call solve() first");
  }

  void require_nodes(std::span<const Index> nodes, std::size_t count) const {
    require_size("nodes", nodes.size(), count, "value");
    require_in_range("nodes", nodes, size());
  }

  Made made_;
  std::int64_t minimum_ = 0;
  double real_minimum_ = 0;
};

class GeneralFlow : public PyFlow {
 public:
  GeneralFlow(Made&& made, Matrix<std::int32_t> edges) : PyFlow(std::move(made)), edges_(std::move(edges)) {}

  template <class T>
  void add_capacities(const Vector<std::int32_t>& listed, const AnyArray<T>& forward,
                      const AnyArray<T>& backward) {
    const Busy busy(busy_, "flow");
    const auto indices = span_of(listed);
    nb::gil_scoped_release release;
    require_size("forward", forward.size(), indices.size(), "listed edge");
    require_size("backward", backward.size(), indices.size(), "listed edge");
    const Edges ends = view_of(edges_);
    require_in_range("edges", indices, ends.rows);
    find_slots(ends);
    std::vector<Index> tails;
    std::vector<std::uint32_t> slots;
    std::vector<T> deltas;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto e = static_cast<std::size_t>(indices[i]);
      const Index u = ends.data[2 * e], v = ends.data[2 * e + 1];
      // The array of edges is shared, not copied: whoever changed it must not make us write beyond our
      // memory.
      require(flow().has_arc(u, slots_[e]) && flow().head(u, slots_[e]) == v,
              "the edges of a flow must not change");
      tails.insert(tails.end(), {u, v});
      slots.insert(slots.end(), {slots_[e], flow().rev(u, slots_[e])});
      deltas.insert(deltas.end(), {forward.data()[i], backward.data()[i]});
    }
    change_capacities<T>(tails, slots, deltas);
  }

 private:
  void find_slots(Edges ends) {
    if (!slots_.empty() || ends.rows == 0) return;
    require_edges(ends, size());
    slots_ = flow::forward_slots(size(), ends);
  }

  Matrix<std::int32_t> edges_;
  std::vector<std::uint32_t> slots_;
};

class GridFlow : public PyFlow {
 public:
  using PyFlow::PyFlow;

  template <class T>
  void add_capacities(const Nodes& nodes, const Vector<std::int32_t>& slots, const AnyArray<T>& deltas) {
    const Busy busy(busy_, "flow");
    const auto tails = span_of(nodes), given = span_of(slots);
    nb::gil_scoped_release release;
    require_size("slots", given.size(), tails.size(), "node");
    require_size("deltas", deltas.size(), tails.size(), "node");
    const std::vector<std::uint32_t> ways(given.begin(), given.end());
    for (std::size_t i = 0; i < tails.size(); ++i) {
      require(flow().has_arc(tails[i], ways[i]), "there is no neighbour of node " + std::to_string(tails[i]) +
                                                     " at slot " + std::to_string(given[i]));
    }
    change_capacities<T>(tails, ways, std::span<const T>(deltas.data(), deltas.size()));
  }
};

}  // namespace hedgehop::bindings
