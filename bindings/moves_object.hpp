// SPDX-License-Identifier: BSD-3-Clause
// A problem for moves as Python holds it, together with the arrays that it reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "busy.hpp"
#include "moves/expansion.hpp"
#include "moves/fusion.hpp"
#include "moves/problem.hpp"
#include "moves/swap.hpp"
#include "moves_checks.hpp"
#include "signals.hpp"

namespace hedgehop::bindings {

using Kept = std::vector<nb::ndarray<>>;  // arrays that stay alive
using MovesResult = std::pair<Result<Label>, double>;

template <class... Arrays>
Kept kept(const Arrays&... arrays) {
  return {nb::ndarray<>(arrays)...};
}

class PyMoves {
 public:
  PyMoves(MoveProblem&& problem, Kept model) : problem_(std::move(problem)), model_(std::move(model)) {}

  void set_linear(const std::optional<Matrix<double>>& theta) {
    const Busy busy(busy_, "solver");
    {
      nb::gil_scoped_release release;
      if (theta) require_linear(view_of(*theta), problem_);
      problem_.set_linear(theta ? view_of(*theta).data : std::span<const double>());
    }
    linear_ = theta ? kept(*theta) : Kept();
  }

  void set_label_weights(const std::optional<Matrix<double>>& w,
                         const std::optional<Vector<std::int64_t>>& least) {
    const Busy busy(busy_, "solver");
    require(w.has_value() == least.has_value(), "give w and least_counts, or neither");
    LabelWeights weights;
    if (w) weights = {view_of(*w), span_of(*least)};
    require_weights(weights, problem_);
    problem_.set_label_weights(weights);
    labels_ = w ? kept(*w, *least) : Kept();
  }

  void set_transition_weights(const std::optional<Matrix<double>>& w, bool ordered) {
    const Busy busy(busy_, "solver");
    if (w) require_transitions(view_of(*w), ordered, problem_);
    problem_.set_transition_weights({w ? view_of(*w).data : std::span<const double>(), ordered});
    transitions_ = w ? kept(*w) : Kept();
  }

  void set_regions(const std::optional<Vector<std::int32_t>>& members,
                   const std::optional<Vector<std::int64_t>>& offsets,
                   const std::optional<Matrix<double>>& mu,
                   const std::optional<Vector<std::int64_t>>& slack) {
    const Busy busy(busy_, "solver");
    const int given = members.has_value() + offsets.has_value() + mu.has_value() + slack.has_value();
    require(given == 0 || given == 4, "give members, offsets, mu and slack, or none of them");
    RegionWeights regions;
    if (members) regions = {span_of(*members), span_of(*offsets), view_of(*mu), span_of(*slack)};
    require_regions(regions, problem_);
    problem_.set_regions(regions);
    regions_ = members ? kept(*members, *offsets, *mu, *slack) : Kept();
  }

  MovesResult expand(const Vector<Label>& start, const std::optional<Matrix<std::uint8_t>>& candidates,
                     std::size_t rounds, std::size_t cuts_per_move) {
    return improve(start, [&](std::vector<Label>& labels, Poll& poll) {
      MatrixView<const std::uint8_t> allowed;
      if (candidates) allowed = view_of(*candidates);
      if (candidates) require_shape("candidates", allowed, problem_);
      return Expansion(problem_, labels, allowed, cuts_per_move).run(rounds, poll);
    });
  }

  MovesResult swap(const Vector<Label>& start, std::size_t rounds, std::size_t cuts_per_move) {
    return improve(start, [&](std::vector<Label>& labels, Poll& poll) {
      return Swap(problem_, labels, cuts_per_move).run(rounds, poll);
    });
  }

  MovesResult fuse(const Vector<Label>& start, const Vector<Label>& proposal, std::size_t cuts_per_move) {
    return improve(start, [&](std::vector<Label>& labels, Poll& poll) {
      require_labeling("proposal", span_of(proposal), problem_);
      return hedgehop::fuse(problem_, labels, span_of(proposal), cuts_per_move, poll);
    });
  }

 private:
  template <class Run>
  MovesResult improve(const Vector<Label>& start, Run run) {
    const Busy busy(busy_, "solver");
    std::vector<Label> labels(start.data(), start.data() + start.size());
    const std::size_t n = labels.size();
    double gained = 0;
    {
      nb::gil_scoped_release release;
      require_labeling("start", labels, problem_);
      Poll poll = python_poll();
      gained = static_cast<double>(run(labels, poll)) / problem_.scale();
    }
    return {give(std::move(labels), {n}), gained};
  }

  MoveProblem problem_;
  Kept model_, linear_, labels_, transitions_, regions_;
  std::atomic_flag busy_;
};

}  // namespace hedgehop::bindings
