// SPDX-License-Identifier: BSD-3-Clause
#include "graphs/forest.hpp"

#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "graphs/forest_counts.hpp"
#include "signals.hpp"

namespace hedgehop::bindings {

namespace {

using Answer = std::pair<Result<Label>, double>;
using Counts = Vector<std::int32_t>;
using Offsets = Vector<std::int64_t>;

bool check_forest(std::size_t n_variables, Matrix<std::int32_t> edges) {
  const Edges pairs = view_of(edges);
  nb::gil_scoped_release release;
  require_edges(pairs, n_variables);
  return is_forest(n_variables, pairs);
}

void require_model(const Unaries& unaries, const Edges& edges) {
  require(unaries.rows == 0 || unaries.columns > 0, "unary must have at least one label per variable");
  require_scores("unary", unaries.data);
  require_edges(edges, unaries.rows);
}

PottsScores potts(const Unaries& unaries, const Edges& edges, const Vector<double>& strengths) {
  require_model(unaries, edges);
  require_size("strengths", strengths.size(), edges.rows, "edge");
  bool ok = true;
  for (const double s : span_of(strengths)) ok &= s > forbidden;  // the score is -s; false for NaN
  require(ok, "strengths must not contain NaN or -inf");
  return {span_of(strengths), unaries.columns};
}

TableScores tables(const Unaries& unaries, const Counts& label_counts, const Edges& edges,
                   const Vector<double>& flat, const Offsets& offsets, const Counts& columns) {
  require_model(unaries, edges);
  require_size("label_counts", label_counts.size(), unaries.rows, "variable");
  require_size("offsets", offsets.size(), edges.rows, "edge");
  require_size("columns", columns.size(), edges.rows, "edge");
  require_scores("flat", span_of(flat));
  const TableScores scores{span_of(flat), span_of(offsets), span_of(columns), span_of(label_counts)};
  for (const std::int32_t count : scores.label_counts) {
    require(count >= 1 && static_cast<std::size_t>(count) <= unaries.columns,
            "label_counts must lie in 1.." + std::to_string(unaries.columns));
  }
  for (std::size_t e = 0; e < edges.rows; ++e) {
    const auto n_rows =
        static_cast<std::int64_t>(scores.label_count(static_cast<std::size_t>(edges.row(e)[0])));
    const auto n_used =
        static_cast<std::int64_t>(scores.label_count(static_cast<std::size_t>(edges.row(e)[1])));
    const std::int64_t width = scores.columns[e], start = scores.offsets[e];
    // Products of two int32 fit; the offset is compared, never added, because it may be anything.
    const std::int64_t room = static_cast<std::int64_t>(flat.size()) - ((n_rows - 1) * width + n_used);
    require(width >= n_used && start >= 0 && start <= room,
            "the table of edge " + std::to_string(e) + " does not fit into flat (offset " +
                std::to_string(start) + ", " + std::to_string(n_rows) + " rows, " + std::to_string(width) +
                " columns)");
  }
  return scores;
}

// Both kinds of scores run through these two; make_scores() checks the input, without the GIL.
template <class MakeScores>
Answer run_argmax(const Unaries& unaries, const Edges& edges, MakeScores make_scores) {
  std::vector<Label> labeling;
  double value;
  {
    nb::gil_scoped_release release;
    const auto scores = make_scores();
    labeling.resize(unaries.rows);
    value = argmax(ForestOrder(unaries.rows, edges), unaries, scores, std::span(labeling));
  }
  return {give(std::move(labeling), {unaries.rows}), value};
}

template <class MakeScores>
Result<double> run_max_marginals(const Unaries& unaries, const Edges& edges, MakeScores make_scores) {
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    const auto scores = make_scores();
    out.resize(unaries.data.size());
    max_marginals(ForestOrder(unaries.rows, edges), unaries, scores, {out, unaries.rows, unaries.columns});
  }
  return give(std::move(out), {unaries.rows, unaries.columns});
}

// What the counted variants take beside the model: a reference, whole weights, a value for every count.
struct Counted {
  Vector<Label> reference;
  Counts weights;
  Vector<double> table;

  void check(std::size_t n_variables) const {
    require_size("reference", reference.size(), n_variables, "variable");
    require_size("weights", weights.size(), n_variables, "variable");
    std::size_t total = 0;
    for (const std::int32_t weight : span_of(weights)) {
      require(weight >= 0, "weights must be nonnegative");
      total += static_cast<std::size_t>(weight);
    }
    require_size("table", table.size(), total + 1, "count");
    require_scores("table", span_of(table));
  }
};

template <class MakeScores>
Answer run_counted(const Unaries& unaries, const Edges& edges, const Counted& counted,
                   MakeScores make_scores) {
  std::vector<Label> labeling;
  double value;
  {
    nb::gil_scoped_release release;
    const auto scores = make_scores();
    counted.check(unaries.rows);
    labeling.resize(unaries.rows);
    Poll poll = python_poll();
    const ForestOrder order(unaries.rows, edges);
    CountedForest forest(order, unaries, scores, span_of(counted.reference), span_of(counted.weights), poll);
    value = forest.argmax(span_of(counted.table), std::span(labeling));
  }
  return {give(std::move(labeling), {unaries.rows}), value};
}

Answer counted_potts(Matrix<double> unary, Matrix<std::int32_t> edges, Vector<double> strengths,
                     Vector<Label> reference, Counts weights, Vector<double> table) {
  const Unaries u = view_of(unary);
  const Edges e = view_of(edges);
  return run_counted(u, e, {reference, weights, table}, [&] { return potts(u, e, strengths); });
}

Answer counted_tables(Matrix<double> unary, Counts label_counts, Matrix<std::int32_t> edges,
                      Vector<double> flat, Offsets offsets, Counts columns, Vector<Label> reference,
                      Counts weights, Vector<double> table) {
  const Unaries u = view_of(unary);
  const Edges e = view_of(edges);
  return run_counted(u, e, {reference, weights, table},
                     [&] { return tables(u, label_counts, e, flat, offsets, columns); });
}

Answer argmax_potts(Matrix<double> unary, Matrix<std::int32_t> edges, Vector<double> strengths) {
  const Unaries u = view_of(unary);
  const Edges e = view_of(edges);
  return run_argmax(u, e, [&] { return potts(u, e, strengths); });
}

Answer argmax_tables(Matrix<double> unary, Counts label_counts, Matrix<std::int32_t> edges,
                     Vector<double> flat, Offsets offsets, Counts columns) {
  const Unaries u = view_of(unary);
  const Edges e = view_of(edges);
  return run_argmax(u, e, [&] { return tables(u, label_counts, e, flat, offsets, columns); });
}

Result<double> max_marginals_potts(Matrix<double> unary, Matrix<std::int32_t> edges,
                                   Vector<double> strengths) {
  const Unaries u = view_of(unary);
  const Edges e = view_of(edges);
  return run_max_marginals(u, e, [&] { return potts(u, e, strengths); });
}

Result<double> max_marginals_tables(Matrix<double> unary, Counts label_counts, Matrix<std::int32_t> edges,
                                    Vector<double> flat, Offsets offsets, Counts columns) {
  const Unaries u = view_of(unary);
  const Edges e = view_of(edges);
  return run_max_marginals(u, e, [&] { return tables(u, label_counts, e, flat, offsets, columns); });
}

#define HEDGEHOP_POTTS                                                                                 \
  "(unary: numpy.typing.NDArray[numpy.float64], edges: numpy.typing.NDArray[numpy.int32], strengths: " \
  "numpy.typing.NDArray[numpy.float64]"
#define HEDGEHOP_POTTS_ARGS HEDGEHOP_POTTS ")"
#define HEDGEHOP_TABLE                                                                             \
  "(unary: numpy.typing.NDArray[numpy.float64], label_counts: numpy.typing.NDArray[numpy.int32], " \
  "edges: numpy.typing.NDArray[numpy.int32], flat: numpy.typing.NDArray[numpy.float64], offsets: " \
  "numpy.typing.NDArray[numpy.int64], "                                                            \
  "columns: numpy.typing.NDArray[numpy.int32]"
#define HEDGEHOP_TABLE_ARGS HEDGEHOP_TABLE ")"
#define HEDGEHOP_COUNTED                                                                                \
  ", reference: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.int32], table: " \
  "numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.int32], float]"

template <class Function, class... Extra>
void def_potts(nb::module_& m, const char* name, Function function, const Extra&... extra) {
  m.def(name, function, nb::arg("unary").noconvert(), nb::arg("edges").noconvert(),
        nb::arg("strengths").noconvert(), extra...);
}

template <class Function, class... Extra>
void def_tables(nb::module_& m, const char* name, Function function, const Extra&... extra) {
  m.def(name, function, nb::arg("unary").noconvert(), nb::arg("label_counts").noconvert(),
        nb::arg("edges").noconvert(), nb::arg("flat").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("columns").noconvert(), extra...);
}

}  // namespace

void register_forest(nb::module_& m) {
  m.def("is_forest", &check_forest, nb::arg("n_variables"), nb::arg("edges").noconvert(),
        nb::sig("def is_forest(n_variables: int, edges: numpy.typing.NDArray[numpy.int32]) -> bool"),
        "Whether (E, 2) edges have no cycle; self-loops and parallel edges are cycles.");
  def_potts(m, "forest_argmax_potts", &argmax_potts,
            nb::sig("def forest_argmax_potts" HEDGEHOP_POTTS_ARGS
                    " -> tuple[numpy.typing.NDArray[numpy.int32], float]"),
            "Best labeling of a forest and its score, Potts scores -strengths[e] where labels differ.\n\n"
            "Ties go to the lowest label; the score is -inf if every labeling is forbidden.");
  def_tables(m, "forest_argmax_tables", &argmax_tables,
             nb::sig("def forest_argmax_tables" HEDGEHOP_TABLE_ARGS
                     " -> tuple[numpy.typing.NDArray[numpy.int32], float]"),
             "Best labeling of a forest and its score, P_e(a, b) = flat[offsets[e] + a * columns[e] + b].\n\n"
             "Ties go to the lowest label; the score is -inf if every labeling is forbidden.");
  def_potts(
      m, "forest_counted_argmax_potts", &counted_potts, nb::arg("reference").noconvert(),
      nb::arg("weights").noconvert(), nb::arg("table").noconvert(),
      nb::sig("def forest_counted_argmax_potts" HEDGEHOP_POTTS HEDGEHOP_COUNTED),
      "As forest_argmax_potts, of the score plus table[k], k = weight of the variables that differ from\n"
      "a reference. The table has an entry for each count up to the total weight.");
  def_tables(m, "forest_counted_argmax_tables", &counted_tables, nb::arg("reference").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("table").noconvert(),
             nb::sig("def forest_counted_argmax_tables" HEDGEHOP_TABLE HEDGEHOP_COUNTED),
             "As forest_argmax_tables, of the score plus table[k]; see forest_counted_argmax_potts.");
  def_potts(
      m, "forest_max_marginals_potts", &max_marginals_potts,
      nb::sig("def forest_max_marginals_potts" HEDGEHOP_POTTS_ARGS " -> numpy.typing.NDArray[numpy.float64]"),
      "Best score of a labeling with y_i = l, for each (i, l); arguments as in forest_argmax_potts.");
  def_tables(m, "forest_max_marginals_tables", &max_marginals_tables,
             nb::sig("def forest_max_marginals_tables" HEDGEHOP_TABLE_ARGS
                     " -> numpy.typing.NDArray[numpy.float64]"),
             "Best score of a labeling with y_i = l, for each (i, l); arguments as in forest_argmax_tables.");
}

}  // namespace hedgehop::bindings
