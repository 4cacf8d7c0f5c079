// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "graphs/arborescence.hpp"
#include "signals.hpp"

namespace hedgehop::bindings {

namespace {

std::pair<Result<Label>, double> best(Matrix<double> scores, bool single_root) {
  std::vector<Label> heads;
  double value;
  {
    nb::gil_scoped_release release;
    const auto arcs = view_of(scores);
    require_columns("scores", arcs.columns, arcs.rows + 1);
    require_scores("scores", arcs.data);
    heads.resize(arcs.rows);
    value = best_arborescence(arcs, single_root, heads, python_poll());
  }
  const std::size_t size = heads.size();
  return {give(std::move(heads), {size}), value};
}

Result<std::uint8_t> check(Matrix<Label> heads, bool single_root) {
  std::vector<std::uint8_t> answers(heads.shape(0));
  {
    nb::gil_scoped_release release;
    const Labelings rows = view_of(heads);
    require_in_range("heads", rows.data, rows.columns + 1);
    for (std::size_t k = 0; k < rows.rows; ++k) answers[k] = is_arborescence(rows.row(k), single_root);
  }
  const std::size_t size = answers.size();
  return give(std::move(answers), {size});
}

}  // namespace

void register_arborescence(nb::module_& m) {
  m.def("are_arborescences", &check, nb::arg("heads").noconvert(), nb::arg("single_root"),
        nb::sig("def are_arborescences(heads: numpy.typing.NDArray[numpy.int32], single_root: bool) -> "
                "numpy.typing.NDArray[numpy.uint8]"),
        "Whether following (m, n) heads of words 1..n ends at the root 0 from everywhere.");
  m.def("best_arborescence", &best, nb::arg("scores").noconvert(), nb::arg("single_root"),
        nb::sig("def best_arborescence(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> "
                "tuple[numpy.typing.NDArray[numpy.int32], float]"),
        "Best heads of words 1..n and their score, scores[i, h] being that of head h (0: the root) for word "
        "i + 1.\n\n"
        "The score is -inf if every arborescence is forbidden.");
}

}  // namespace hedgehop::bindings
