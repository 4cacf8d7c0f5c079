// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"
#include "moves/expansion.hpp"
#include "moves/fusion.hpp"
#include "moves/problem.hpp"
#include "moves/swap.hpp"
#include "objects/cell_scores.hpp"

namespace hedgehop::bindings {

namespace {

using Moved = std::pair<Result<Label>, double>;

// ---- what must hold before arrays become part of a problem

void require_at_least_one(const char* name, std::span<const std::int64_t> values) {
  const bool ok = std::ranges::all_of(values, [](std::int64_t x) { return x >= 1; });
  require(ok, std::string(name) + " must be at least 1");
}

template <class T>
void require_padding(const MatrixView<const T>& unary, const Pairs& pairs) {
  for (std::size_t i = 0; i < pairs.label_counts.size(); ++i) {
    for (const T score : unary.row(i).subspan(pairs.label_count(i)))
      require(std::isinf(score), "unary must be -inf beyond the label_counts");
  }
}

void require_label_weights(const moves::LabelWeights& weights, const moves::Problem& problem) {
  require_size("least_counts", weights.least.size(), weights.w.rows, "row of w");
  if (weights.w.rows > 0) require_columns("w", weights.w.columns, problem.n_labels());
  require_finite("w", weights.w.data);
  require_at_least_one("least_counts", weights.least);
}

void require_transitions(const MatrixView<const double>& w, bool ordered, const moves::Problem& problem) {
  require_size("w", w.rows, problem.n_labels(), "label");
  require_columns("w", w.columns, problem.n_labels());
  require_finite("w", w.data);
  for (std::size_t a = 0; a < w.rows && !ordered; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      require(w(a, b) == w(b, a), "w must be symmetric for unordered pairs; give ordered=True");
  }
}

void require_regions(const moves::RegionWeights& regions, const moves::Problem& problem) {
  const std::size_t count = regions.size();
  require_size("offsets", regions.offsets.size(), count + 1, "region and the end");
  require_size("mu", regions.mu.rows, count, "region");
  require_columns("mu", regions.mu.columns, problem.n_labels());
  require_finite("mu", regions.mu.data);
  require_at_least_one("slack", regions.slack);
  require_in_range("members", regions.members, problem.n_variables());
  require_starts("offsets", regions.offsets, regions.members.size(), "members");
  std::vector<std::size_t> seen(problem.n_variables(), count);
  for (std::size_t c = 0; c < count; ++c) {
    for (const std::int32_t i : regions.region(c))
      require(std::exchange(seen[index(i)], c) != c, [&] {
        return "region " + std::to_string(c) + " has variable " + std::to_string(i) + " twice";
      });
  }
}

void require_labeling(const char* name, std::span<const Label> labels, const moves::Problem& problem) {
  require_size(name, labels.size(), problem.n_variables(), "variable");
  require_in_range(name, labels, problem.n_labels());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(problem.allows(i, labels[i]), [&] {
      return std::string(name) + " gives variable " + std::to_string(i) + " a forbidden label";
    });
  }
}

// A problem for moves, together with the arrays that it reads.
class PyMoves {
 public:
  template <class T>
  PyMoves(Matrix<T> unary, const PyPairs& pairs)
      : problem_(checked(unary, pairs), pairs.view()), pairs_(pairs), unary_(kept(unary)) {}

  template <class Theta>
  void set_linear(const Theta& theta) {
    const Busy busy(busy_, "solver");
    HeldChange change("theta", theta, problem_.n_variables(), problem_.n_labels());
    if (const auto* table = std::get_if<std::span<const double>>(&change.change))
      require_scores("theta", *table);
    problem_.set_linear(change.change);
    linear_ = std::move(change.arrays);
  }

  void set_label_weights(std::optional<Matrix<double>> w, std::optional<Vector<std::int64_t>> least) {
    const Busy busy(busy_, "solver");
    require(w.has_value() == least.has_value(), "give w and least_counts, or neither");
    moves::LabelWeights weights;
    if (w) weights = {view_of(*w), span_of(*least)};
    require_label_weights(weights, problem_);
    problem_.set_label_weights(weights);
    labels_ = w ? kept(*w, *least) : Kept();
  }

  void set_transition_weights(std::optional<Matrix<double>> w, bool ordered) {
    const Busy busy(busy_, "solver");
    if (w) require_transitions(view_of(*w), ordered, problem_);
    problem_.set_transition_weights({w ? span_of(*w) : std::span<const double>(), ordered});
    transitions_ = w ? kept(*w) : Kept();
  }

  void set_regions(std::optional<Vector<std::int32_t>> members, std::optional<Vector<std::int64_t>> offsets,
                   std::optional<Matrix<double>> mu, std::optional<Vector<std::int64_t>> slack) {
    const Busy busy(busy_, "solver");
    const int given = members.has_value() + offsets.has_value() + mu.has_value() + slack.has_value();
    require(given == 0 || given == 4, "give members, offsets, mu and slack, or none of them");
    moves::RegionWeights regions;
    if (members) regions = {span_of(*members), span_of(*offsets), view_of(*mu), span_of(*slack)};
    if (members && regions.size() + members->size() > 0) require_regions(regions, problem_);
    problem_.set_regions(regions);
    regions_ = members ? kept(*members, *offsets, *mu, *slack) : Kept();
  }

  Moved expand(Vector<Label> start, std::optional<Matrix<std::uint8_t>> candidates, std::size_t rounds,
               std::size_t cuts_per_move) {
    return improve(start, [&](std::vector<Label>& labels, Poll& poll) {
      MatrixView<const std::uint8_t> allowed;
      if (candidates) allowed = view_of(*candidates);
      if (candidates) require_shape("candidates", allowed, problem_.n_variables(), problem_.n_labels());
      return moves::Expansion(problem_, labels, allowed, cuts_per_move).run(rounds, poll);
    });
  }

  Moved swap(Vector<Label> start, std::size_t rounds, std::size_t cuts_per_move) {
    return improve(start, [&](std::vector<Label>& labels, Poll& poll) {
      return moves::Swap(problem_, labels, cuts_per_move).run(rounds, poll);
    });
  }

  Moved fuse(Vector<Label> start, Vector<Label> proposal, std::size_t cuts_per_move) {
    return improve(start, [&](std::vector<Label>& labels, Poll& poll) {
      require_labeling("proposal", span_of(proposal), problem_);
      return moves::fuse(problem_, labels, span_of(proposal), cuts_per_move, poll);
    });
  }

 private:
  template <class T>
  static MatrixView<const T> checked(const Matrix<T>& unary, const PyPairs& pairs) {
    pairs.require_no_loops();
    pairs.require_finite();
    const auto scores = pairs.checked_unary(unary);
    require_padding(scores, pairs.view());
    return scores;
  }

  template <class Run>
  Moved improve(const Vector<Label>& start, Run run) {
    const Busy busy(busy_, "solver");
    Result<Label> labels(span_of(start));
    require_labeling("start", labels.values, problem_);
    Poll poll = python_poll();
    const double gained = static_cast<double>(run(labels.values, poll)) / problem_.scale();
    return {std::move(labels), gained};
  }

  moves::Problem problem_;
  PyPairs pairs_;
  Kept unary_, linear_, labels_, transitions_, regions_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

void def_weights(nb::class_<PyMoves>& type) {
  type.def("set_linear", &PyMoves::set_linear<PyCellScores>, "theta"_a, NoGil());
  type.def("set_linear", &PyMoves::set_linear<std::optional<Matrix<double>>>, "theta"_a.none(), NoGil(),
           "Scores become unary + theta (not added to an earlier theta); None: unary alone.");
  type.def("set_label_weights", &PyMoves::set_label_weights, "w"_a.none(), "least_counts"_a = nb::none(),
           NoGil(),
           "w[k, l] once if at least least_counts[k] variables take label l, of any sign; None: no weights.");
  type.def("set_transition_weights", &PyMoves::set_transition_weights, "w"_a.none(), "ordered"_a = false,
           NoGil(), "w[a, b] once if some edge carries a != b, of any sign; None: no weights.");
  type.def(
      "set_regions", &PyMoves::set_regions, "members"_a.none(), "offsets"_a = nb::none(), "mu"_a = nb::none(),
      "slack"_a = nb::none(), NoGil(),
      "mu[c, l] * max(0, 1 - misses / slack[c]), of any sign, where misses are the members of region c,\n"
      "members[offsets[c]:offsets[c + 1]], that do not take label l; None: no regions.");
}

void def_moves(nb::class_<PyMoves>& type) {
  type.def("expand", &PyMoves::expand, "start"_a, "candidates"_a = nb::none(), "rounds"_a = 20,
           "cuts_per_move"_a = 64, NoGil(),
           "Expansion moves until none improves: the labeling reached, and what it gained.\n\n"
           "candidates (n, L) restricts which labels a variable may change to.");
  type.def("swap", &PyMoves::swap, "start"_a, "rounds"_a = 20, "cuts_per_move"_a = 64, NoGil(),
           "Swap moves until none improves: the labeling reached, and what it gained.");
  type.def("fuse", &PyMoves::fuse, "start"_a, "proposal"_a, "cuts_per_move"_a = 64, NoGil(),
           "A mixture of two labelings that is no worse than either, and what it gained over the start.");
}

}  // namespace

void register_moves(nb::module_& m) {
  nb::class_<PyMoves> type(
      m, "Moves",
      "Expansion, swap and fusion moves (maximisation). Scores never fall; a labeling's gain is exact up to\n"
      "rounding to fixed point. Pairs must be finite. Arrays given are kept by reference: they must not\n"
      "change while the solver lives. Not for several threads at once.");
  type.def(nb::init<Matrix<float>, const PyPairs&>(), "unary"_a, "pairs"_a, NoGil());
  type.def(nb::init<Matrix<double>, const PyPairs&>(), "unary"_a, "pairs"_a, NoGil());
  def_weights(type);
  def_moves(type);
}

}  // namespace hedgehop::bindings
