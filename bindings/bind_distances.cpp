// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "counts/distance_terms.hpp"
#include "counts/envelope.hpp"
#include "counts/mixture.hpp"
#include "counts/union_weights.hpp"
#include "local/distance_moves.hpp"
#include "signals.hpp"
#include "trws_checks.hpp"

namespace hedgehop::bindings {

namespace {

using Tables = std::vector<Vector<double>>;
using Weights = std::vector<std::optional<Vector<double>>>;
using Seconds = std::vector<std::optional<Vector<Label>>>;

// Keeps the arrays of the terms alive.
class Terms {
 public:
  Terms(Matrix<Label> references, Seconds seconds, Weights weights, Tables values, Vector<double> units)
      : references_(std::move(references)),
        seconds_(std::move(seconds)),
        weights_(std::move(weights)),
        values_(std::move(values)),
        units_(units) {
    const Labelings rows = view_of(references_);
    require_size("seconds", seconds_.size(), rows.rows, "reference");
    require_size("weights", weights_.size(), rows.rows, "reference");
    require_size("values", values_.size(), rows.rows, "reference");
    require_size("units", units_.size(), rows.rows, "reference");
    for (std::size_t j = 0; j < rows.rows; ++j) {
      require(values_[j].size() > 0, "values must have at least one entry each");
      require(span_of(units_)[j] > 0, "units must be positive");
      if (weights_[j]) require_size("weights", weights_[j]->size(), rows.columns, "variable");
      if (seconds_[j]) require_size("seconds", seconds_[j]->size(), rows.columns, "variable");
      const auto own = weights_[j] ? span_of(*weights_[j]) : std::span<const double>();
      const auto second = seconds_[j] ? span_of(*seconds_[j]) : std::span<const Label>();
      terms_.push_back({rows.row(j), second, own, {span_of(values_[j]), span_of(units_)[j]}});
    }
  }

  std::size_t n_variables() const { return view_of(references_).columns; }
  DistanceTerms view() const { return terms_; }

  Result<double> distances(Matrix<Label> labelings) const {
    const Labelings rows = view_of(labelings);
    std::vector<double> out;
    {
      nb::gil_scoped_release release;
      require_columns("labelings", rows.columns, n_variables());
      for (std::size_t r = 0; r < rows.rows; ++r) {
        for (const DistanceTerm& term : terms_) out.push_back(term.distance(rows.row(r)));
      }
    }
    return give(std::move(out), {rows.rows, terms_.size()});
  }

  Result<double> linear(Vector<double> slopes, std::size_t n_labels) const {
    std::vector<double> out;
    {
      nb::gil_scoped_release release;
      require_size("slopes", slopes.size(), terms_.size(), "term");
      out.resize(checked_product(n_variables(), n_labels));
      add_slopes(terms_, span_of(slopes), {out, n_variables(), n_labels});
    }
    return give(std::move(out), {n_variables(), n_labels});
  }

 private:
  Matrix<Label> references_;
  Seconds seconds_;
  Weights weights_;
  Tables values_;
  Vector<double> units_;
  std::vector<DistanceTerm> terms_;
};

// Local searches on one model's pairs; keeps their arrays alive.
class Moves {
 public:
  Moves(std::size_t n_variables, std::size_t n_labels, Matrix<std::int32_t> edges, Vector<double> strengths)
      : n_(n_variables),
        n_labels_(n_labels),
        edges_(checked(edges, n_variables)),
        incidence_(n_variables, view_of(edges_)),
        held_(strengths),
        pairs_(PottsScores{span_of(strengths), n_labels}) {
    require_size("strengths", strengths.size(), view_of(edges_).rows, "edge");
    require_strengths(span_of(strengths));
  }

  Moves(std::size_t n_labels, Vector<std::int32_t> counts, Matrix<std::int32_t> edges, Vector<double> flat,
        Vector<std::int64_t> offsets, Vector<std::int32_t> columns)
      : n_(counts.size()),
        n_labels_(n_labels),
        edges_(checked(edges, n_)),
        incidence_(n_, view_of(edges_)),
        held_(flat),
        counts_(counts),
        columns_(columns),
        offsets_(offsets),
        pairs_(table_scores(counts, edges, flat, offsets, columns, n_labels)) {}

  Result<Label> improve(Matrix<double> unary, const Terms& terms, Vector<double> coefficients,
                        Vector<Label> labeling, std::size_t rounds) const {
    return run(unary, terms, coefficients, labeling, [&](auto& search, std::span<Label> labels, Poll& poll) {
      search.improve(labels, rounds, poll);
    });
  }

  Result<Label> ascend(Matrix<double> unary, const Terms& terms, Vector<double> coefficients,
                       Vector<Label> labeling, std::size_t moves) const {
    return run(unary, terms, coefficients, labeling, [&](auto& search, std::span<Label> labels, Poll& poll) {
      search.ascend(labels, moves, poll);
    });
  }

  Result<Label> mix(Matrix<double> unary, const Terms& terms, Vector<double> coefficients,
                    Vector<Label> labeling, Vector<Label> other) const {
    check_labels("other", other);
    return run(unary, terms, coefficients, labeling, [&](auto& search, std::span<Label> labels, Poll& poll) {
      search.mix(labels, span_of(other), poll);
    });
  }

 private:
  static Matrix<std::int32_t> checked(Matrix<std::int32_t> edges, std::size_t n_variables) {
    require_graph(view_of(edges), n_variables);
    return edges;
  }

  static TableScores table_scores(const Vector<std::int32_t>& counts, const Matrix<std::int32_t>& edges,
                                  const Vector<double>& flat, const Vector<std::int64_t>& offsets,
                                  const Vector<std::int32_t>& columns, std::size_t n_labels) {
    require_counts(span_of(counts), counts.size(), n_labels);
    return checked_tables(view_of(edges), span_of(counts), flat, offsets, columns);
  }

  void check_labels(const char* name, const Vector<Label>& labels) const {
    require_size(name, labels.size(), n_, "variable");
    require_in_range(name, span_of(labels), n_labels_);
    if (!counts_) return;
    for (std::size_t i = 0; i < n_; ++i) {
      require(span_of(labels)[i] < span_of(*counts_)[i],
              std::string(name) + " has a label its variable lacks");
    }
  }

  template <class Search>
  Result<Label> run(const Matrix<double>& unary, const Terms& terms, const Vector<double>& coefficients,
                    const Vector<Label>& labeling, Search search) const {
    check_labels("labeling", labeling);
    std::vector<Label> labels(labeling.data(), labeling.data() + labeling.size());
    {
      nb::gil_scoped_release release;
      const MatrixView<const double> scores = view_of(unary);
      require(scores.rows == n_ && scores.columns == n_labels_, "unary must have one row per variable");
      require(terms.n_variables() == n_, "the terms must have one label per variable");
      require_size("coefficients", coefficients.size(), terms.view().size(), "term");
      std::vector<DistanceTerm> used;
      std::vector<double> factors;
      for (std::size_t j = 0; j < coefficients.size(); ++j) {
        if (span_of(coefficients)[j] == 0.0 || !terms.view()[j].second.empty()) continue;
        used.push_back(terms.view()[j]);
        factors.push_back(span_of(coefficients)[j]);
      }
      Poll poll = python_poll();
      std::visit(
          [&](const auto& pairs) {
            DistanceMoves moves(scores, view_of(edges_), incidence_, pairs, used, factors);
            search(moves, std::span(labels), poll);
          },
          pairs_);
    }
    return give(std::move(labels), {n_});
  }

  std::size_t n_, n_labels_;
  Matrix<std::int32_t> edges_;
  Incidence incidence_;
  Vector<double> held_;  // strengths or tables
  std::optional<Vector<std::int32_t>> counts_, columns_;
  std::optional<Vector<std::int64_t>> offsets_;
  std::variant<PottsScores, TableScores> pairs_;
};

Result<double> mixture(Vector<double> scores, Matrix<double> distances, Tables secants, Vector<double> units,
                       Vector<double> coefficients, Matrix<double> coupling, Vector<double> rates,
                       Vector<double> start, std::size_t rounds, double tolerance) {
  std::vector<double> weights(start.data(), start.data() + start.size());
  {
    nb::gil_scoped_release release;
    const MatrixView<const double> rows = view_of(distances);
    require_size("scores", scores.size(), rows.rows, "labeling");
    require_size("start", start.size(), rows.rows, "labeling");
    require_size("secants", secants.size(), rows.columns, "term");
    require_size("units", units.size(), rows.columns, "term");
    require_size("coefficients", coefficients.size(), rows.columns, "term");
    const MatrixView<const double> factors = view_of(coupling);
    require(factors.rows == factors.columns && factors.rows <= rows.columns,
            "coupling must be a square of terms");
    require_size("rates", rates.size(), factors.rows, "coupled term");
    std::vector<SlopeCurve> curves;
    for (std::size_t j = 0; j < rows.columns; ++j) {
      curves.push_back({span_of(secants[j]), span_of(units)[j], span_of(coefficients)[j]});
    }
    Mixture(span_of(scores), rows, curves, {factors, span_of(rates)}, weights).run(rounds, tolerance);
  }
  const std::size_t count = weights.size();
  return give(std::move(weights), {count});
}

Result<double> envelope(Vector<double> table) {
  std::vector<double> values(table.data(), table.data() + table.size());
  {
    nb::gil_scoped_release release;
    for (const double value : values) require(std::isfinite(value), "table must be finite");
    concave_envelope(values);
  }
  const std::size_t count = values.size();
  return give(std::move(values), {count});
}

std::tuple<Result<double>, Result<std::int32_t>, bool> union_weights(Vector<double> scores,
                                                                     Matrix<double> overlaps,
                                                                     Matrix<double> between,
                                                                     Matrix<double> meet) {
  UnionWeights found;
  {
    nb::gil_scoped_release release;
    const MatrixView<const double> rows = view_of(overlaps), pairs = view_of(between), both = view_of(meet);
    const std::size_t n = rows.columns;
    require(rows.rows > 0 && n > 0, "overlaps must have at least one row and one column");
    require_size("scores", scores.size(), rows.rows, "labeling");
    require(pairs.rows == n && pairs.columns == n, "between must be a square, a row per ball");
    require(both.rows == 0 || (both.rows == rows.rows && both.columns == checked_product(n, n)),
            "meet must have no rows, or one per labeling with an entry per pair of balls");
    for (const double x : span_of(scores)) require(std::isfinite(x), "scores must be finite");
    found = UnionBound(span_of(scores), rows, pairs, both).best();
  }
  const std::size_t count = found.weights.size();
  const bool meets = meet.shape(0) > 0 && found.n_clusters <= UnionBound::kMostMeeting;
  return {give(std::move(found.weights), {count}), give(std::move(found.clusters), {count}), meets};
}

#define HEDGEHOP_INT32 "numpy.typing.NDArray[numpy.int32]"
#define HEDGEHOP_INT64 "numpy.typing.NDArray[numpy.int64]"
#define HEDGEHOP_REAL "numpy.typing.NDArray[numpy.float64]"

void register_terms(nb::module_& m) {
  nb::class_<Terms>(
      m, "DistanceTerms",
      "Functions of the distances to (J, n) references: values at 0, unit, 2 unit, ...; linear between.\n\n"
      "With a second labeling, a term counts the variables where the two differ and y is neither.")
      .def(nb::init<Matrix<Label>, Seconds, Weights, Tables, Vector<double>>(),
           nb::arg("references").noconvert(), nb::arg("seconds"), nb::arg("weights"), nb::arg("values"),
           nb::arg("units").noconvert(),
           nb::sig("def __init__(self, references: " HEDGEHOP_INT32 ", seconds: list[" HEDGEHOP_INT32
                   " | None], weights: list[" HEDGEHOP_REAL " | None], values: list[" HEDGEHOP_REAL
                   "], units: " HEDGEHOP_REAL ") -> None"))
      .def("distances", &Terms::distances, nb::arg("labelings").noconvert(),
           nb::sig("def distances(self, labelings: " HEDGEHOP_INT32 ") -> " HEDGEHOP_REAL),
           "Weighted Hamming distances of (m, n) labelings to the references: (m, J).")
      .def("linear", &Terms::linear, nb::arg("slopes").noconvert(), nb::arg("n_labels"),
           nb::sig("def linear(self, slopes: " HEDGEHOP_REAL ", n_labels: int) -> " HEDGEHOP_REAL),
           "The distances times slopes (J,), as scores of each variable's labels: (n, n_labels).");
}

void register_searches(nb::module_& m) {
  nb::class_<Moves>(m, "DistanceMoves", "Local searches on pairwise scores plus functions of distances.")
      .def_static(
          "potts",
          [](std::size_t n, std::size_t n_labels, Matrix<std::int32_t> edges, Vector<double> strengths) {
            return std::make_unique<Moves>(n, n_labels, edges, strengths);
          },
          nb::arg("n_variables"), nb::arg("n_labels"), nb::arg("edges").noconvert(),
          nb::arg("strengths").noconvert(),
          nb::sig("def potts(n_variables: int, n_labels: int, edges: " HEDGEHOP_INT32
                  ", strengths: " HEDGEHOP_REAL ") -> DistanceMoves"))
      .def_static(
          "tables",
          [](std::size_t n_labels, Vector<std::int32_t> counts, Matrix<std::int32_t> edges,
             Vector<double> flat, Vector<std::int64_t> offsets, Vector<std::int32_t> columns) {
            return std::make_unique<Moves>(n_labels, counts, edges, flat, offsets, columns);
          },
          nb::arg("n_labels"), nb::arg("label_counts").noconvert(), nb::arg("edges").noconvert(),
          nb::arg("flat").noconvert(), nb::arg("offsets").noconvert(), nb::arg("columns").noconvert(),
          nb::sig("def tables(n_labels: int, label_counts: " HEDGEHOP_INT32 ", edges: " HEDGEHOP_INT32
                  ", flat: " HEDGEHOP_REAL ", offsets: " HEDGEHOP_INT64 ", columns: " HEDGEHOP_INT32
                  ") -> DistanceMoves"))
      .def("improve", &Moves::improve, nb::arg("unary").noconvert(), nb::arg("terms"),
           nb::arg("coefficients").noconvert(), nb::arg("labeling").noconvert(), nb::arg("rounds"),
           nb::sig("def improve(self, unary: " HEDGEHOP_REAL
                   ", terms: DistanceTerms, coefficients: " HEDGEHOP_REAL ", labeling: " HEDGEHOP_INT32
                   ", rounds: int) -> " HEDGEHOP_INT32),
           "Change one variable at a time while the sum of scores and coefficients times terms grows.")
      .def("ascend", &Moves::ascend, nb::arg("unary").noconvert(), nb::arg("terms"),
           nb::arg("coefficients").noconvert(), nb::arg("labeling").noconvert(), nb::arg("moves"),
           nb::sig("def ascend(self, unary: " HEDGEHOP_REAL
                   ", terms: DistanceTerms, coefficients: " HEDGEHOP_REAL ", labeling: " HEDGEHOP_INT32
                   ", moves: int) -> " HEDGEHOP_INT32),
           "The same, the change that gains most first, at most so many changes.")
      .def(
          "mix", &Moves::mix, nb::arg("unary").noconvert(), nb::arg("terms"),
          nb::arg("coefficients").noconvert(), nb::arg("labeling").noconvert(), nb::arg("other").noconvert(),
          nb::sig("def mix(self, unary: " HEDGEHOP_REAL ", terms: DistanceTerms, coefficients: " HEDGEHOP_REAL
                  ", labeling: " HEDGEHOP_INT32 ", other: " HEDGEHOP_INT32 ") -> " HEDGEHOP_INT32),
          "Switch connected parts of the labeling to another labeling while the same sum grows.");
}

}  // namespace

void register_distances(nb::module_& m) {
  register_terms(m);
  register_searches(m);
  m.def("mixture", &mixture, nb::arg("scores").noconvert(), nb::arg("distances").noconvert(),
        nb::arg("secants"), nb::arg("units").noconvert(), nb::arg("coefficients").noconvert(),
        nb::arg("coupling").noconvert(), nb::arg("rates").noconvert(), nb::arg("start").noconvert(),
        nb::arg("rounds") = 100, nb::arg("tolerance") = 0.0,
        nb::sig("def mixture(scores: " HEDGEHOP_REAL ", distances: " HEDGEHOP_REAL
                ", secants: list[" HEDGEHOP_REAL "], units: " HEDGEHOP_REAL ", coefficients: " HEDGEHOP_REAL
                ", coupling: " HEDGEHOP_REAL ", rates: " HEDGEHOP_REAL ", start: " HEDGEHOP_REAL
                ", rounds: int = 100, tolerance: float = 0.0) -> " HEDGEHOP_REAL),
        "Weights of labelings (K,) that maximise mean score plus concave functions of the mean distances (K, "
        "J).\n\n"
        "The functions are given by the secants of their tables; coupling (C, C) adds, for pairs of the "
        "first C\n"
        "terms, factors of exp(-(rate d + rate d) / 2). start is where the search begins.");
  m.def("concave_envelope", &envelope, nb::arg("table").noconvert(),
        nb::sig("def concave_envelope(table: " HEDGEHOP_REAL ") -> " HEDGEHOP_REAL),
        "Least concave table above a finite one.");
  m.def("union_weights", &union_weights, nb::arg("scores").noconvert(), nb::arg("overlaps").noconvert(),
        nb::arg("between").noconvert(), nb::arg("meet").noconvert(),
        nb::sig("def union_weights(scores: " HEDGEHOP_REAL ", overlaps: " HEDGEHOP_REAL
                ", between: " HEDGEHOP_REAL ", meet: " HEDGEHOP_REAL ") -> tuple[" HEDGEHOP_REAL
                ", " HEDGEHOP_INT32 ", bool]"),
        "Weights (J,) of balls, their clusters, and whether the bound they make small uses `meet`.\n\n"
        "1 - P(union) <= 1 - sum of weights times overlaps + sum over pairs of different clusters of both "
        "weights\n"
        "times what they have in common: between (J, J) for any labeling, meet (K, J * J) for the (K,) ones "
        "known.");
}

}  // namespace hedgehop::bindings
