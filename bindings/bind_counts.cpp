// SPDX-License-Identifier: BSD-3-Clause
#include "counts/counts.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"

namespace hedgehop::bindings {

namespace {

Result<double> hamming(Matrix<Label> labelings, Matrix<Label> references,
                       std::optional<Vector<double>> weights) {
  const Labelings from = view_of(labelings), to = view_of(references);
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    require_columns("references", to.columns, from.columns);
    out.resize(checked_product(from.rows, to.rows));
    const MatrixView<double> distances{out, from.rows, to.rows};
    if (weights) {
      require_size("weights", weights->size(), from.columns, "variable");
      hamming_distances(from, to, span_of(*weights), distances);
    } else {
      hamming_distances(from, to, distances);
    }
  }
  return give(std::move(out), {from.rows, to.rows});
}

// count(labelings, out) fills a table of `rows` by n_labels.
template <class Count>
Result<std::int64_t> counted(const Labelings& view, std::size_t rows, std::size_t n_labels, Count count) {
  std::vector<std::int64_t> out;
  {
    nb::gil_scoped_release release;
    require_in_range("labelings", view.data, n_labels);
    out.resize(checked_product(rows, n_labels));
    count(view, MatrixView<std::int64_t>{out, rows, n_labels});
  }
  return give(std::move(out), {rows, n_labels});
}

Result<std::int64_t> count_labels(Matrix<Label> labelings, std::size_t n_labels) {
  return counted(view_of(labelings), labelings.shape(0), n_labels, label_counts);
}

Result<std::int64_t> count_variables(Matrix<Label> labelings, std::size_t n_labels) {
  return counted(view_of(labelings), labelings.shape(1), n_labels, variable_counts);
}

template <class Real>
Result<double> sum_linear(Matrix<Real> scores, Matrix<Label> labelings) {
  const Labelings view = view_of(labelings);
  std::vector<double> out(view.rows);
  {
    nb::gil_scoped_release release;
    const MatrixView<const Real> table = view_of(scores);
    require_size("scores", table.rows, view.columns, "variable");
    require_in_range("labelings", view.data, table.columns);
    linear_scores(table, view, out);
  }
  return give(std::move(out), {view.rows});
}

Result<std::int64_t> count_transitions(Matrix<Label> labelings, Matrix<std::int32_t> edges,
                                       std::size_t n_labels) {
  const Labelings view = view_of(labelings);
  const Edges pairs = view_of(edges);
  std::vector<std::int64_t> out;
  {
    nb::gil_scoped_release release;
    require_edges(pairs, view.columns);
    require_in_range("labelings", view.data, n_labels);
    out.resize(checked_product(view.rows, checked_product(n_labels, n_labels)));
    transition_counts(view, pairs, n_labels, {out, view.rows, n_labels * n_labels});
  }
  return give(std::move(out), {view.rows, n_labels, n_labels});
}

}  // namespace

void register_counts(nb::module_& m) {
  m.def("hamming", &hamming, nb::arg("labelings").noconvert(), nb::arg("references").noconvert(),
        nb::arg("weights").noconvert() = nb::none(),
        nb::sig("def hamming(labelings: numpy.typing.NDArray[numpy.int32], references: "
                "numpy.typing.NDArray[numpy.int32], "
                "weights: numpy.typing.NDArray[numpy.float64] | None = None) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "Hamming distances of (m, n) labelings to (k, n) references, optionally with (n,) weights: (m, k).");
  m.def("label_counts", &count_labels, nb::arg("labelings").noconvert(), nb::arg("n_labels"),
        nb::sig("def label_counts(labelings: numpy.typing.NDArray[numpy.int32], n_labels: int) -> "
                "numpy.typing.NDArray[numpy.int64]"),
        "Number of variables with each label in each of (m, n) labelings: (m, n_labels).");
  m.def("variable_counts", &count_variables, nb::arg("labelings").noconvert(), nb::arg("n_labels"),
        nb::sig("def variable_counts(labelings: numpy.typing.NDArray[numpy.int32], n_labels: int) -> "
                "numpy.typing.NDArray[numpy.int64]"),
        "Number of (m, n) labelings that give each variable each label: (n, n_labels).");
  const char* doc = "Sums of scores[i, y_i] over the variables of each of (m, n) labelings, in double: (m,).";
  m.def("linear_scores", &sum_linear<float>, nb::arg("scores").noconvert(), nb::arg("labelings").noconvert(),
        nb::sig("def linear_scores(scores: numpy.typing.NDArray[numpy.float32], labelings: "
                "numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.float64]"),
        doc);
  m.def("linear_scores", &sum_linear<double>, nb::arg("scores").noconvert(), nb::arg("labelings").noconvert(),
        nb::sig("def linear_scores(scores: numpy.typing.NDArray[numpy.float64], labelings: "
                "numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.float64]"),
        doc);
  m.def("transition_counts", &count_transitions, nb::arg("labelings").noconvert(),
        nb::arg("edges").noconvert(), nb::arg("n_labels"),
        nb::sig("def transition_counts(labelings: numpy.typing.NDArray[numpy.int32], edges: "
                "numpy.typing.NDArray[numpy.int32], "
                "n_labels: int) -> numpy.typing.NDArray[numpy.int64]"),
        "Number of (E, 2) edges (i, j) with labels (a, b) in each of (m, n) labelings: (m, n_labels, "
        "n_labels).");
}

}  // namespace hedgehop::bindings
