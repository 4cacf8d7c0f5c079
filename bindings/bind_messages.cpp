// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "local/max_product.hpp"
#include "signals.hpp"
#include "trws_checks.hpp"

namespace hedgehop::bindings {

namespace {

Result<double> cardinality_messages(Vector<double> gains, Vector<double> table) {
  std::vector<double> out(gains.size());
  {
    nb::gil_scoped_release release;
    require_size("table", table.size(), gains.size() + 1, "count");
    require_finite("table", span_of(table));
    for (const double gain : span_of(gains)) require(!std::isnan(gain), "gains must not contain NaN");
    CardinalityMessages()(span_of(gains), span_of(table), out);
  }
  const std::size_t count = out.size();
  return give(std::move(out), {count});
}

// The distances that a run takes beside the model, and how long and how damped it is.
struct Run {
  Matrix<Label> references;
  Matrix<double> tables;
  std::size_t sweeps;
  double damping;
};

void require_allowed(const Unaries& unaries) {
  require_scores("unary", unaries.data);
  for (std::size_t i = 0; i < unaries.rows; ++i) {
    const auto row = unaries.row(i);
    require(*std::max_element(row.begin(), row.end()) > forbidden,
            "variable " + std::to_string(i) + " has no allowed label");
  }
}

// make_scores() checks the pairs, without the GIL.
template <class MakeScores>
Result<Label> run(const Unaries& unaries, const Edges& edges, const Run& run, MakeScores make_scores) {
  std::vector<Label> decodes;
  const std::size_t rows = run.sweeps + 1;
  {
    nb::gil_scoped_release release;
    require_sizes(unaries.rows, unaries.columns, edges.rows);
    require_graph(edges, unaries.rows);
    require_allowed(unaries);
    const auto scores = make_scores();
    const Labelings references = view_of(run.references);
    const MatrixView<const double> tables = view_of(run.tables);
    require_columns("references", references.columns, unaries.rows);
    require(tables.rows == references.rows, "tables must have one row per reference");
    require_columns("tables", tables.columns, unaries.rows + 1);
    require_finite("tables", tables.data);
    require(run.damping >= 0.0 && run.damping < 1.0, "damping must be at least 0 and below 1");
    decodes.resize(checked_product(rows, unaries.rows));
    Poll poll = python_poll();
    MaxProduct solver(unaries, edges, scores, references, tables, run.damping);
    max_product(solver, {decodes, rows, unaries.rows}, poll);
  }
  return give(std::move(decodes), {rows, unaries.rows});
}

Result<Label> run_potts(Matrix<double> unary, Matrix<std::int32_t> edges, Vector<double> strengths,
                        Matrix<Label> references, Matrix<double> tables, std::size_t sweeps, double damping) {
  const Unaries u = view_of(unary);
  return run(u, view_of(edges), {references, tables, sweeps, damping}, [&] {
    require_size("strengths", strengths.size(), edges.shape(0), "edge");
    require_strengths(span_of(strengths));
    return PottsScores{span_of(strengths), u.columns};
  });
}

Result<Label> run_tables(Matrix<double> unary, Vector<std::int32_t> label_counts, Matrix<std::int32_t> edges,
                         Vector<double> flat, Vector<std::int64_t> offsets, Vector<std::int32_t> columns,
                         Matrix<Label> references, Matrix<double> tables, std::size_t sweeps,
                         double damping) {
  const Unaries u = view_of(unary);
  return run(u, view_of(edges), {references, tables, sweeps, damping}, [&] {
    require_counts(span_of(label_counts), u.rows, u.columns);
    require_finite("flat", span_of(flat));
    return checked_tables(view_of(edges), span_of(label_counts), flat, offsets, columns);
  });
}

#define HEDGEHOP_INT32 "numpy.typing.NDArray[numpy.int32]"
#define HEDGEHOP_REAL "numpy.typing.NDArray[numpy.float64]"
#define HEDGEHOP_RUN                                         \
  ", references: " HEDGEHOP_INT32 ", tables: " HEDGEHOP_REAL \
  ", sweeps: int, damping: float) -> " HEDGEHOP_INT32

}  // namespace

void register_messages(nb::module_& m) {
  m.def(
      "cardinality_messages", &cardinality_messages, nb::arg("gains").noconvert(),
      nb::arg("table").noconvert(),
      nb::sig("def cardinality_messages(gains: " HEDGEHOP_REAL ", table: " HEDGEHOP_REAL
              ") -> " HEDGEHOP_REAL),
      "What being on adds for each variable in the rest of max_x gains . x + table[sum x], in O(n log n).\n\n"
      "Infinite gains mean always on or off; the message of such a variable is 0.");
  m.def("max_product_potts", &run_potts, nb::arg("unary").noconvert(), nb::arg("edges").noconvert(),
        nb::arg("strengths").noconvert(), nb::arg("references").noconvert(), nb::arg("tables").noconvert(),
        nb::arg("sweeps"), nb::arg("damping"),
        nb::sig("def max_product_potts(unary: " HEDGEHOP_REAL ", edges: " HEDGEHOP_INT32
                ", strengths: " HEDGEHOP_REAL HEDGEHOP_RUN),
        "Labelings that loopy max-product decodes to after 0, 1, ... sweeps: (sweeps + 1, n).\n\n"
        "Beside the pairs there are functions of the distances to (J, n) references, tables (J, n + 1).");
  m.def("max_product_tables", &run_tables, nb::arg("unary").noconvert(), nb::arg("label_counts").noconvert(),
        nb::arg("edges").noconvert(), nb::arg("flat").noconvert(), nb::arg("offsets").noconvert(),
        nb::arg("columns").noconvert(), nb::arg("references").noconvert(), nb::arg("tables").noconvert(),
        nb::arg("sweeps"), nb::arg("damping"),
        nb::sig("def max_product_tables(unary: " HEDGEHOP_REAL ", label_counts: " HEDGEHOP_INT32
                ", edges: " HEDGEHOP_INT32 ", flat: " HEDGEHOP_REAL
                ", offsets: numpy.typing.NDArray[numpy.int64], columns: " HEDGEHOP_INT32 HEDGEHOP_RUN),
        "As max_product_potts, with P_e(a, b) = flat[offsets[e] + a * columns[e] + b], all finite.");
}

}  // namespace hedgehop::bindings
