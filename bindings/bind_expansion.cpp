#include "expansion.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "signals.hpp"

namespace hedgehop::bindings {

namespace {

template <class T>
std::span<const T> optional_span(const std::optional<Vector<T>>& array) {
  return array ? span_of(*array) : std::span<const T>();
}

void require_labels(std::span<const Label> labels, const MoveProblem& problem) {
  require_size("start", labels.size(), problem.n_variables(), "variable");
  require_in_range("start", labels, problem.n_labels());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(problem.allows(i, labels[i]), "start gives variable " + std::to_string(i) + " a forbidden label");
  }
}

void require_finite(const char* name, std::span<const double> values) {
  const bool ok = std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  require(ok, std::string(name) + " must be finite");
}

std::pair<Result<Label>, double> expand(Matrix<double> unary, Matrix<std::int32_t> edges,
                                        std::optional<Vector<double>> strengths,
                                        std::optional<Vector<double>> tables,
                                        std::optional<Vector<double>> label_weights, Vector<Label> start,
                                        std::optional<Matrix<std::uint8_t>> candidates, std::size_t rounds,
                                        std::size_t cuts_per_move) {
  std::vector<Label> labels(start.data(), start.data() + start.size());
  double gained = 0;
  {
    nb::gil_scoped_release release;
    const MatrixView<const double> scores = view_of(unary);
    const Edges pairs = view_of(edges);
    require_edges(pairs, scores.rows);
    require_scores("unary", scores.data);
    require(strengths.has_value() != tables.has_value(), "give strengths or tables, one of them");
    if (strengths) require_size("strengths", strengths->size(), pairs.rows, "edge");
    if (tables) require_size("tables", tables->size(), pairs.rows * scores.columns * scores.columns, "pair");
    if (label_weights) require_size("label_weights", label_weights->size(), scores.columns, "label");
    require_finite("strengths", optional_span(strengths));
    require_finite("tables", optional_span(tables));
    require_finite("label_weights", optional_span(label_weights));
    const MoveProblem problem(scores, pairs, optional_span(strengths), optional_span(tables),
                              optional_span(label_weights));
    require_labels(labels, problem);
    MatrixView<const std::uint8_t> allowed;
    if (candidates) {
      allowed = view_of(*candidates);
      require_size("candidates", allowed.data.size(), scores.data.size(), "variable and label");
    }
    Poll poll = python_poll();
    Expansion expansion(problem, labels, allowed, cuts_per_move);
    gained = static_cast<double>(expansion.run(rounds, poll)) / problem.scale();
  }
  const std::size_t n = labels.size();
  return {give(std::move(labels), {n}), gained};
}

}  // namespace

#define HEDGEHOP_REAL "numpy.typing.NDArray[numpy.float64]"
#define HEDGEHOP_INT32 "numpy.typing.NDArray[numpy.int32]"

void register_expansion(nb::module_& m) {
  m.def(
      "expand", &expand, nb::arg("unary").noconvert(), nb::arg("edges").noconvert(),
      nb::arg("strengths").noconvert().none(), nb::arg("tables").noconvert().none(),
      nb::arg("label_weights").noconvert().none(), nb::arg("start").noconvert(),
      nb::arg("candidates").noconvert() = nb::none(), nb::arg("rounds") = 20, nb::arg("cuts_per_move") = 64,
      nb::sig("def expand(unary: " HEDGEHOP_REAL ", edges: " HEDGEHOP_INT32 ", strengths: " HEDGEHOP_REAL
              " | None, tables: " HEDGEHOP_REAL " | None, label_weights: " HEDGEHOP_REAL
              " | None, start: " HEDGEHOP_INT32
              ", candidates: numpy.typing.NDArray[numpy.uint8] | None = None, rounds: int = 20, "
              "cuts_per_move: int = 64) -> tuple[" HEDGEHOP_INT32 ", float]"),
      "Expansion moves from a labeling until none improves: the labeling reached, and what it gained.\n\n"
      "Scores are maximised: unary (n, L), -strengths[e] where the ends of an edge differ or tables (flat,\n"
      "E x L x L), and label_weights[l] once if label l is used, of any sign. candidates (n, L) restricts\n"
      "which labels a variable may change to.");
}

}  // namespace hedgehop::bindings
