// SPDX-License-Identifier: BSD-3-Clause
// Flows as Python objects: interruptible, safe against two threads in one object.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/threads.hpp"
#include "flow/build.hpp"
#include "flow/label_parts.hpp"

namespace hedgehop::bindings {

using flow::Index;
using Nodes = Vector<Index>;
using Number = std::variant<std::int64_t, double>;

// One flow, integer or real. Only one thread may be inside at a time: others are told so.
class PyFlow {
 public:
  explicit PyFlow(flow::BuiltFlow&& built) : built_(std::move(built)) {}

  // The same flow once more: what is done to one does not show in the other.
  PyFlow* copy() {
    const Busy busy(busy_, "flow");
    auto other = std::make_unique<PyFlow>(built_.copy());
    other->minimum_ = minimum_;
    return other.release();
  }

  Number solve() {
    const Busy busy(busy_, "flow");
    Poll poll = python_poll();
    minimum_ = built_.real ? Number(built_.real->solve(poll)) : Number(built_.integers->solve(poll));
    return minimum_;
  }

  Number minimum() const {
    require_solved();
    return minimum_;
  }

  double error() const {
    require_solved();
    return built_.real ? built_.real->error() : 0.0;
  }

  Filled<Label> labels(bool sink) {
    const Busy busy(busy_, "flow");
    require_solved();
    Filled<Label> result(size());
    flow().read_labels(result.span(), sink);
    return result;
  }

  template <class T>
  void add_terminals(Array<T> values, std::optional<Nodes> nodes) {
    const Busy busy(busy_, "flow");
    require(!built_.real,
            "a flow of real numbers takes set_terminals, which does not add up rounding errors");
    if (!nodes) {
      require_size("deltas", values.size(), size(), "node");
      return built_.integers->add_terminals(span_of(values));
    }
    require_nodes(span_of(*nodes), values.size());
    built_.integers->add_terminals(span_of(*nodes), span_of(values));
  }

  template <class T>
  void set_terminals(Array<T> values, std::optional<Nodes> nodes) {
    const Busy busy(busy_, "flow");
    require(built_.real.has_value(),
            "a flow of integers takes add_terminals: it does not keep its terminals");
    if (!nodes) {
      require_size("terminals", values.size(), size(), "node");
      return built_.real->set_terminals(span_of(values));
    }
    const auto listed = span_of(*nodes);
    require_nodes(listed, values.size());
    require(std::ranges::adjacent_find(listed, std::greater_equal<>()) == listed.end(),
            "nodes must increase");
    built_.real->set_terminals(listed, span_of(values));
  }

  std::size_t size() const { return index(flow().size()); }
  std::size_t bytes() const { return built_.real ? built_.real->bytes() : built_.integers->bytes(); }
  int bits() const { return flow().bits(); }
  void keep_forests_up_to(std::size_t changes) { flow().keep_forests_up_to(changes); }

 private:
  const flow::AnyFlow& flow() const { return built_.real ? built_.real->integers() : *built_.integers; }
  flow::AnyFlow& flow() { return built_.real ? built_.real->integers() : *built_.integers; }

  void require_solved() const {
    if (!flow().is_solved()) throw std::runtime_error("the flow is not solved: call solve() first");
  }

  void require_nodes(std::span<const Index> nodes, std::size_t count) const {
    require_size("nodes", nodes.size(), count, "value");
    require_in_range("nodes", nodes, size());
  }

  flow::BuiltFlow built_;
  Number minimum_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

class PyGeneralFlow : public PyFlow {
 public:
  template <class T>
  PyGeneralFlow(std::size_t n_nodes, Matrix<Index> edges, Vector<T> forward,
                std::optional<Vector<T>> backward, Array<T> terminals)
      : PyFlow(build(n_nodes, edges_of(edges), span_of(forward),
                     backward ? std::optional(span_of(*backward)) : std::nullopt, span_of(terminals))) {}

 private:
  template <class T>
  static flow::BuiltFlow build(std::size_t n, Edges edges, std::span<const T> forward,
                               std::optional<std::span<const T>> backward, std::span<const T> terminals) {
    const flow::Terms<T> terms{terminals, {forward}, {backward.value_or(forward)}, !backward};
    require_edges(edges, n);
    require_size("terminals", terminals.size(), n, "node");
    require_size("forward", forward.size(), edges.rows, "edge");
    require_size("backward", terms.backward[0].size(), edges.rows, "edge");
    return flow::build_general(n, edges, terms);
  }
};

template <class T>
using Arrays = std::vector<Array<T>>;

// One array per direction, with an entry for every pixel that has a neighbour there.
template <class T>
std::vector<std::span<const T>> checked_capacities(const GridEdges& edges, const Arrays<T>& arrays) {
  require(arrays.size() == edges.n_directions(), "there must be " + std::to_string(edges.n_directions()) +
                                                     " arrays of capacities, one per direction");
  std::vector<std::span<const T>> capacities;
  for (const auto& values : arrays) {
    require_size("capacities", values.size(), edges.size(capacities.size()), "edge");
    capacities.push_back(span_of(values));
  }
  return capacities;
}

class PyGridFlow : public PyFlow {
 public:
  template <class T>
  PyGridFlow(const std::vector<std::size_t>& shape, int connectivity, const Arrays<T>& forward,
             const std::optional<Arrays<T>>& backward, Array<T> terminals)
      : PyFlow(build(Grid(shape, connectivity), forward, backward, span_of(terminals))) {}

 private:
  template <class T>
  static flow::BuiltFlow build(const Grid& grid, const Arrays<T>& forward,
                               const std::optional<Arrays<T>>& backward, std::span<const T> terminals) {
    require_size("terminals", terminals.size(), grid.shape.pixels(), "pixel");
    const GridEdges edges(grid);
    const flow::Terms<T> terms{terminals, checked_capacities(edges, forward),
                               checked_capacities(edges, backward ? *backward : forward), !backward};
    return flow::build_grid(grid, terms);
  }
};

// For each label the best set of variables: one flow per label.
class PyLabelParts {
 public:
  using Answer = std::tuple<Result<double>, Result<std::uint8_t>>;

  static PyLabelParts general(std::pair<std::size_t, std::size_t> shape, Matrix<std::int32_t> edges,
                              Vector<double> capacities, std::optional<Vector<std::int32_t>> members,
                              std::optional<Vector<std::int64_t>> offsets,
                              std::optional<Matrix<double>> limits) {
    const auto [n, n_labels] = shape;
    require_model_size(n, n_labels, edges.shape(0));
    require_edges(edges_of(edges), n);
    require_size("capacities", capacities.size(), edges.shape(0), "edge");
    require_capacities("capacities", span_of(capacities));
    require(members.has_value() == limits.has_value() && offsets.has_value() == limits.has_value(),
            "give members, offsets and limits, or none of them");
    flow::Regions regions{};
    if (limits) {
      regions = {span_of(*members), span_of(*offsets), view_of(*limits)};
      require_size("offsets", offsets->size(), regions.size() + 1, "region and the end");
      require_starts("offsets", regions.offsets, members->size(), "members");
      require_in_range("members", regions.members, n);
      require_columns("limits", limits->shape(1), n_labels);
      require_capacities("limits", span_of(*limits));
    }
    auto parts = flow::general_label_parts(n, n_labels, edges_of(edges), span_of(capacities), regions);
    return {std::move(parts), n, n_labels, regions.size()};
  }

  static PyLabelParts grid(const std::vector<std::size_t>& sizes, int connectivity, std::size_t n_labels,
                           const Arrays<double>& capacities, std::size_t bytes) {
    const Grid grid(sizes, connectivity);
    const std::size_t n = grid.shape.pixels();
    require_model_size(n, n_labels, 0);
    std::vector<std::vector<double>> along;
    for (const auto values : checked_capacities(GridEdges(grid), capacities)) {
      require_capacities("capacities", values);
      along.emplace_back(values.begin(), values.end());
    }
    return {flow::grid_label_parts(grid, n_labels, std::move(along), bytes), n, n_labels, 0};
  }

  PyLabelParts(flow::LabelParts&& parts, std::size_t n, std::size_t n_labels, std::size_t n_regions)
      : parts_(std::move(parts)), n_(n), n_labels_(n_labels), n_regions_(n_regions) {}
  PyLabelParts(PyLabelParts&& from) noexcept
      : PyLabelParts(std::move(from.parts_), from.n_, from.n_labels_, from.n_regions_) {}

  Answer solve(Matrix<double> scores, std::optional<Matrix<double>> rewards, Vector<double> reach) {
    const Busy busy(busy_, "solver");
    require_shape("scores", view_of(scores), n_, n_labels_);
    require_scores("scores", span_of(scores));
    require_size("reach", reach.size(), n_labels_, "label");
    require_capacities("reach", span_of(reach));
    flow::PartQuestion ask{view_of(scores), {{}, 0, n_labels_}, span_of(reach)};
    require(rewards.has_value() == (n_regions_ > 0), "rewards must be given where there are regions");
    if (rewards) {
      require_size("rewards", rewards->shape(0), n_regions_, "region");
      require_columns("rewards", rewards->shape(1), n_labels_);
      require_capacities("rewards", span_of(*rewards));
      ask.rewards = view_of(*rewards);
    }
    Result<double> values{n_labels_};
    Result<std::uint8_t> members{n_labels_, n_};
    Poll poll = python_poll();
    parts_.solve(ask, {values.values, members.view()}, poll);
    return {std::move(values), std::move(members)};
  }

 private:
  static void require_capacities(const char* name, std::span<const double> values) {
    bool ok = true;
    for (const double x : values) ok &= x >= 0.0 && std::isfinite(x);
    require(ok, std::string(name) + " must be finite and >= 0");
  }

  flow::LabelParts parts_;
  std::size_t n_, n_labels_, n_regions_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace hedgehop::bindings
