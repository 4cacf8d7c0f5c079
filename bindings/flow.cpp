// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "flow/terminals.hpp"
#include "objects/flow.hpp"

namespace hedgehop::bindings {

namespace {

// nanobind tries the overloads in turn; they differ only in the type of the numbers, which is never
// converted.
template <class T>
void def_numbers(nb::class_<PyFlow>& any, nb::class_<PyGeneralFlow, PyFlow>& general,
                 nb::class_<PyGridFlow, PyFlow>& grid) {
  if constexpr (std::is_integral_v<T>) {
    any.def("add_terminals", &PyFlow::add_terminals<T>, "values"_a, "nodes"_a = nb::none(), NoGil(),
            "Add to all terminals, or to those of the listed nodes.");
  } else {
    any.def("set_terminals", &PyFlow::set_terminals<T>, "values"_a, "nodes"_a = nb::none(), NoGil(),
            "Replace all terminals, or those of the listed, increasing nodes.");
  }
  general.def(nb::init<std::size_t, Matrix<Index>, Vector<T>, std::optional<Vector<T>>, Array<T>>(),
              "n_nodes"_a, "edges"_a, "forward"_a, "backward"_a.none(), "terminals"_a, NoGil());
  using Arrays = std::vector<Array<T>>;
  grid.def(
      nb::init<const std::vector<std::size_t>&, int, const Arrays&, const std::optional<Arrays>&, Array<T>>(),
      "shape"_a, "connectivity"_a, "forward"_a, "backward"_a.none(), "terminals"_a, NoGil());
}

void def_solving(nb::class_<PyFlow>& any) {
  any.def("solve", &PyFlow::solve, NoGil(),
          "Find a minimum cut, from the flow of the last one, and return its value.")
      .def_prop_ro("minimum", &PyFlow::minimum, "Value of the last solve.")
      .def_prop_ro(
          "error", &PyFlow::error,
          "Bound on |minimum - true minimum| of the last solve, from rounding real numbers; 0 for integers.")
      .def("copy", &PyFlow::copy, nb::rv_policy::take_ownership, NoGil(),
           "The same flow once more, with what was solved so far.")
      .def("labels", &PyFlow::labels, "sink"_a = true, NoGil(),
           "x of the last solve, flat; 1 - x if not `sink`.")
      .def("keep_forests_up_to", &PyFlow::keep_forests_up_to, "changes"_a,
           "Search on from the last solve if no more nodes than this change; n / 32 unless told.")
      .def_prop_ro("n_nodes", &PyFlow::size)
      .def_prop_ro("bytes", &PyFlow::bytes, "Memory in use.")
      .def_prop_ro("bits", &PyFlow::bits, "32 or 64: width of the integers inside.");
}

using Changes = std::optional<Matrix<double>>;

template <class Real>
std::tuple<Filled<double>, double, double> terminals(Matrix<Real> scores, Changes changes, Changes offsets,
                                                     int base, Vector<double> around, double factor,
                                                     double more) {
  flow::TwoLabels<Real> both{view_of(scores), {}, {}};
  const std::size_t n = both.scores.rows;
  require_shape("scores", both.scores, around.size(), 2);
  require(base == 0 || base == 1, "base must be 0 or 1");
  for (const auto& [given, kept] : {std::pair(&changes, &both.changes), std::pair(&offsets, &both.offsets)}) {
    if (!*given) continue;
    *kept = view_of(**given);
    require_shape("changes", *kept, n, 2);
  }
  Filled<double> costs(n);
  const auto sums =
      flow::terminals(both, static_cast<std::size_t>(base), span_of(around), factor, more, costs.span());
  return {std::move(costs), sums.score, sums.size};
}

void def_terminals(nb::module_& m) {
  const auto def = [&](auto* function) {
    m.def("terminals", function, "scores"_a, "changes"_a.none(), "offsets"_a.none(), "base"_a, "around"_a,
          "factor"_a, "more"_a, NoGil(),
          "Costs of the other label against `base`, no larger than factor * around + more; the score of the\n"
          "base label everywhere; and the sum of the sizes of the costs. Scores are scores + changes + "
          "offsets.");
  };
  def(&terminals<float>);
  def(&terminals<double>);
}

void def_label_parts(nb::module_& m) {
  nb::class_<PyLabelParts>(
      m, "LabelParts",
      "For each label the best set X of variables that is not empty:\n\n"
      "    sum of scores[i, l] in X - capacities of the edges that leave X + rewards[c, l] of regions within "
      "X,\n\n"
      "where each member outside of X takes limits[c, l] off a region's reward. One flow per label is kept.")
      .def_static("general", &PyLabelParts::general, "shape"_a, "edges"_a, "capacities"_a,
                  "members"_a = nb::none(), "offsets"_a = nb::none(), "limits"_a = nb::none(), NoGil(),
                  "Any graph of shape (variables, labels), with regions members[offsets[c]:offsets[c + 1]].")
      .def_static(
          "grid", &PyLabelParts::grid, "shape"_a, "connectivity"_a, "n_labels"_a, "capacities"_a, "bytes"_a,
          NoGil(),
          "The pixels of a grid, capacities by direction; as many flows are kept as fit into `bytes`.")
      .def("solve", &PyLabelParts::solve, "scores"_a, "rewards"_a.none(), "reach"_a, NoGil(),
           "Values by label, never below the truth, and the members of X, (labels, variables).\n\n"
           "Score -inf keeps a variable out; values below -reach[l] may be too high, those above are the "
           "best\n"
           "up to the rounding of flows.");
}

}  // namespace

void register_flow(nb::module_& m) {
  nb::class_<PyFlow> any(m, "AnyFlow", "What Flow and GridFlow have in common.");
  nb::class_<PyGeneralFlow, PyFlow> general(
      m, "Flow",
      "Minimise sum_v terminals[v] x[v] + sum_e forward[e] [x_u = 0, x_v = 1] + backward[e] [x_u = 1, x_v = "
      "0].\n\n"
      "edges is (E, 2); backward None means forward. All numbers are of one type: int32 or int64, solved\n"
      "exactly, or float32 or float64, rounded to integers inside. A terminal beyond the sum of the\n"
      "capacities at its node is as good as infinite.");
  nb::class_<PyGridFlow, PyFlow> grid(
      m, "GridFlow",
      "A Flow over the pixels of a 2-D or 3-D shape; one array of capacities per direction, in the order of\n"
      "hedgehop.models.directions, forward from the pixel to its neighbour there, backward the other way.");
  def_solving(any);
  def_numbers<std::int32_t>(any, general, grid);
  def_numbers<std::int64_t>(any, general, grid);
  def_numbers<float>(any, general, grid);
  def_numbers<double>(any, general, grid);
  def_terminals(m);
  def_label_parts(m);
}

}  // namespace hedgehop::bindings
