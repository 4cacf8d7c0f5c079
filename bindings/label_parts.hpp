// SPDX-License-Identifier: BSD-3-Clause
// The parts of labels as a Python object: interruptible, safe against two threads in one object.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "flow/label_parts.hpp"
#include "threads.hpp"

namespace hedgehop::bindings {

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
                           const std::vector<Array<double>>& capacities, std::size_t bytes) {
    const Grid grid(sizes, connectivity);
    const std::size_t n = grid.shape.pixels();
    require_model_size(n, n_labels, 0);
    const GridEdges edges(grid);
    require(
        capacities.size() == edges.n_directions(),
        "there must be " + std::to_string(edges.n_directions()) + " arrays of capacities, one per direction");
    std::vector<std::vector<double>> along;
    for (std::size_t k = 0; k < capacities.size(); ++k) {
      require_size("capacities", capacities[k].size(), edges.size(k), "edge");
      require_capacities("capacities", span_of(capacities[k]));
      along.emplace_back(capacities[k].data(), capacities[k].data() + capacities[k].size());
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
