// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "core/grid.hpp"
#include "objects/cell_scores.hpp"
#include "scores/cells.hpp"
#include "scores/distinct_tables.hpp"
#include "scores/stakes.hpp"
#include "scores/sure_labels.hpp"

namespace hedgehop::bindings {

namespace {

using Arrays = std::vector<Array<double>>;

std::vector<std::span<const double>> spans_of(const Arrays& arrays) {
  std::vector<std::span<const double>> result;
  for (const auto& array : arrays) result.push_back(span_of(array));
  return result;
}

std::vector<scores::Ranges> kinds_of(const std::vector<Arrays>& kinds) {
  std::vector<scores::Ranges> result;
  for (const Arrays& kind : kinds) result.push_back(spans_of(kind));
  return result;
}

template <class Real>
Filled<double> row_ranges(Matrix<Real> table, std::optional<Vector<double>> reaches) {
  Filled<double> out(table.shape(0));
  scores::row_ranges(view_of(table), optional_span("reaches", reaches, out.span().size(), "row"), out.span());
  return out;
}

template <class Real>
std::tuple<double, double> extent(Array<Real> values) {
  const auto found = scores::extent(span_of(values));
  return {found.low, found.high};
}

template <class Real>
std::tuple<Filled<Real>, double, double> copied(Array<Real> values) {
  Filled<Real> out(values.size());
  const auto found = scores::copy(span_of(values), out.span());
  return {std::move(out), found.low, found.high};
}

std::tuple<Filled<double>, double, double> scaled(Vector<double> values, double factor) {
  Filled<double> out(values.size());
  const auto found = scores::scale(span_of(values), factor, out.span());
  return {std::move(out), found.low, found.high};
}

using KindSizes = std::vector<std::tuple<std::size_t, double>>;

std::tuple<bool, double, double, double, double, KindSizes> ordinary_sizes(const std::vector<Arrays>& kinds,
                                                                           double times, double mixed) {
  const auto sizes = scores::ordinary_sizes(kinds_of(kinds), times, mixed);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  KindSizes each;
  for (const auto& kind : sizes.kinds) {
    each.emplace_back(kind.nonzero(), kind.nonzero() > kind.count() ? infinity : kind.largest());
  }
  return {sizes.are_even, sizes.median, sizes.low, sizes.largest, sizes.total, std::move(each)};
}

double capped_sum(const std::vector<Arrays>& kinds, double most) {
  return scores::capped_sum(kinds_of(kinds), most);
}

Result<double> reaches(std::size_t n_variables, Matrix<std::int32_t> edges, Vector<double> spans) {
  const Edges ends = edges_of(edges);
  require_edges(ends, n_variables);
  require_size("spans", spans.size(), ends.rows, "edge");
  Result<double> out{n_variables};
  const auto values = span_of(spans);
  ends.for_each([&](std::size_t e, std::size_t i, std::size_t j) {
    out.values[i] += values[e], out.values[j] += values[e];
  });
  return out;
}

Filled<double> grid_reaches(const std::vector<std::size_t>& shape, int connectivity,
                            const Arrays& strengths) {
  const Grid grid(shape, connectivity);
  const GridPairs pairs(grid, spans_of(strengths));
  Filled<double> out(grid.shape.pixels());
  std::ranges::fill(out.span(), 0.0);
  pairs.add_strengths(out.span());
  return out;
}

Result<double> grid_scores(const std::vector<std::size_t>& shape, int connectivity, const Arrays& strengths,
                           Matrix<Label> labelings) {
  const Grid grid(shape, connectivity);
  const GridPairs pairs(grid, spans_of(strengths));
  const Labelings rows = view_of(labelings);
  require_columns("labelings", rows.columns, grid.shape.pixels());
  Result<double> out{rows.rows};
  for (std::size_t r = 0; r < rows.rows; ++r) out.values[r] = pairs.value(rows.row(r));
  return out;
}

template <class Real>
std::tuple<Filled<Real>, Result<std::int64_t>> distinct_tables(Vector<Real> flat,
                                                               Vector<std::int64_t> sizes) {
  std::int64_t room = static_cast<std::int64_t>(flat.size());
  for (const std::int64_t size : span_of(sizes)) {
    require(size >= 0 && size <= room, "the tables do not fit into flat");
    room -= size;
  }
  require(room == 0, "flat must hold the tables and nothing else");
  auto found = scores::TableFinder<Real>(span_of(flat)).find(span_of(sizes));
  const bool repeats = found.begins.size() < found.offsets.size();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < found.begins.size(); ++k) kept += index(found.ends[k] - found.begins[k]);
  Filled<Real> out(repeats ? kept : 0);
  auto to = out.span().begin();
  for (std::size_t k = 0; repeats && k < found.begins.size(); ++k) {
    to = std::copy(flat.data() + found.begins[k], flat.data() + found.ends[k], to);
  }
  return {std::move(out), Result<std::int64_t>(std::move(found.offsets))};
}

template <class Real>
scores::ChangedScores<Real> changed(const Matrix<Real>& unary, const HeldChange& theta,
                                    const Vector<double>& reaches) {
  require_size("reaches", reaches.size(), unary.shape(0), "variable");
  return {view_of(unary), theta.change};
}

template <class Real, class Theta>
Result<Label> sure_labels(Matrix<Real> unary, const Theta& theta, Vector<double> reaches,
                          Matrix<std::int32_t> edges, Vector<double> strengths) {
  const Edges ends = edges_of(edges);
  require_edges(ends, unary.shape(0));
  require_size("strengths", strengths.size(), ends.rows, "edge");
  const HeldChange change("theta", theta, unary.shape(0), unary.shape(1));
  scores::SureLabels<Real, scores::ListedNeighbours> sure(changed(unary, change, reaches), span_of(reaches));
  Result<Label> out{unary.shape(0)};
  sure.find([&] { return scores::ListedNeighbours(unary.shape(0), ends, span_of(strengths)); }, out.values);
  return out;
}

template <class Real, class Theta>
Result<Label> grid_sure_labels(Matrix<Real> unary, const Theta& theta, Vector<double> reaches,
                               const std::vector<std::size_t>& shape, int connectivity,
                               const Arrays& strengths) {
  const Grid grid(shape, connectivity);
  const GridPairs pairs(grid, spans_of(strengths));  // refuses strengths that do not fit
  require_size("unary", unary.shape(0), pairs.edges().n_variables(), "pixel");
  const HeldChange change("theta", theta, unary.shape(0), unary.shape(1));
  scores::SureLabels<Real, scores::PixelNeighbours> sure(changed(unary, change, reaches), span_of(reaches));
  Result<Label> out{unary.shape(0)};
  sure.find([&] { return scores::PixelNeighbours(grid, spans_of(strengths)); }, out.values);
  return out;
}

template <class Real, class Theta>
void def_sure_labels(nb::module_& m) {
  m.def("sure_labels", &sure_labels<Real, Theta>, "unary"_a, "theta"_a.none(), "reaches"_a, "edges"_a,
        "strengths"_a, NoGil(),
        "Labels that every best labeling of unary + theta with Potts strengths >= 0 has, -1 where none is "
        "known: (n,).\n\n"
        "reaches: the sum of the strengths around each variable.");
  m.def("grid_sure_labels", &grid_sure_labels<Real, Theta>, "unary"_a, "theta"_a.none(), "reaches"_a,
        "shape"_a, "connectivity"_a, "strengths"_a, NoGil(),
        "The same for pixels, one array of strengths per direction.");
}

using Split = std::tuple<Result<std::int32_t>, Result<std::int32_t>, Result<Label>, Result<std::int32_t>,
                         Result<std::int32_t>>;

Split split_cells(Vector<std::int32_t> cell, Vector<std::int32_t> starts, Vector<Label> labels,
                  Matrix<std::int32_t> rows, Vector<Label> labeling, std::size_t n_labels) {
  require_cells(span_of(cell), span_of(starts), span_of(labels), n_labels);
  require_columns("rows", rows.shape(1), starts.size() - 1);
  require_in_range("rows", span_of(rows), labels.size());
  require_size("labeling", labeling.size(), cell.size(), "variable");
  require_in_range("labeling", span_of(labeling), n_labels);
  const scores::CellsView view{span_of(cell), span_of(starts), span_of(labels), span_of(rows)};
  auto found = scores::Splitter(view, span_of(labeling), n_labels).split();
  const std::size_t n_cells = found.starts.size() - 1;
  Result<std::int32_t> entries(std::move(found.rows));
  entries.shape = {rows.shape(0) + 1, n_cells, 0}, entries.dimensions = 2;
  return {Result<std::int32_t>(std::move(found.cell)), Result<std::int32_t>(std::move(found.starts)),
          Result<Label>(std::move(found.labels)), std::move(entries),
          Result<std::int32_t>(std::move(found.origin))};
}

Result<double> cell_weights(Vector<std::int32_t> cell, Vector<std::int32_t> starts, Vector<Label> labels,
                            Matrix<double> weights) {
  const bool by_label = weights.shape(1) != 1;
  require_cells(span_of(cell), span_of(starts), span_of(labels),
                by_label ? weights.shape(1) : std::numeric_limits<Label>::max());
  require_size("weights", weights.shape(0), cell.size(), "variable");
  Result<double> sums{labels.size()};
  scores::add_weights({span_of(cell), span_of(starts), span_of(labels), {}}, view_of(weights), sums.values);
  return sums;
}

void register_cells(nb::module_& m) {
  nb::class_<PyCellScores>(m, "CellScores",
                           "What is added to unary scores (n, n_labels): weights (n,) times what cells (C,) "
                           "of variables share.\n\n"
                           "labels[starts[c]:starts[c + 1]], none of them twice, get these `amounts` in cell "
                           "c, all others `base`.")
      .def(nb::init<std::size_t, Vector<std::int32_t>, Vector<std::int32_t>, Vector<Label>, Vector<double>,
                    double, std::optional<Vector<double>>>(),
           "n_labels"_a, "cell"_a, "starts"_a, "labels"_a, "amounts"_a, "base"_a, "weights"_a.none())
      .def_prop_ro("shape", &PyCellScores::shape)
      .def("rows", &PyCellScores::rows, "variables"_a, NoGil(),
           "What is added at some variables, (k, n_labels).")
      .def("values", &PyCellScores::values, "labelings"_a, NoGil(),
           "What is added to (m, n) labelings: (m,).");
  m.def("split_cells", &split_cells, "cell"_a, "starts"_a, "labels"_a, "rows"_a, "labeling"_a, "n_labels"_a,
        NoGil(),
        "Split cells by the labels of a labeling: cell, starts, labels, and rows (r, C), which entry of "
        "`labels` each\n"
        "of the labelings before has in each cell, with one more row; then the entry before of each entry, "
        "or -1.");
  m.def("cell_weights", &cell_weights, "cell"_a, "starts"_a, "labels"_a, "weights"_a, NoGil(),
        "Sum of weights (n, 1) or (n, n_labels) over the variables of the cell of each of `labels`: (K,).");
}

}  // namespace

void register_scores(nb::module_& m) {
  const char* least_and_largest = "Least and largest value, nan if one is nan; (inf, -inf) of none.";
  m.def("extent", &extent<float>, "values"_a, NoGil(), least_and_largest);
  m.def("extent", &extent<double>, "values"_a, NoGil(), least_and_largest);
  const char* copy_and_extent = "The values, (n,), and the least and the largest of them, as extent says.";
  m.def("copied_floats", &copied<float>, "values"_a, NoGil(), copy_and_extent);
  m.def("copied", &copied<double>, "values"_a, NoGil(), copy_and_extent);
  m.def("scaled", &scaled, "values"_a, "factor"_a, NoGil(),
        "factor * values, and the least and the largest of that, nan if one is nan.");
  const char* ranges =
      "Best minus least allowed score of each row of (n, L) scores, no more than reaches (n,) where those "
      "are "
      "above 0: (n,).";
  m.def("row_ranges", &row_ranges<float>, "table"_a, "reaches"_a.none(), NoGil(), ranges);
  m.def("row_ranges", &row_ranges<double>, "table"_a, "reaches"_a.none(), NoGil(), ranges);
  m.def(
      "ordinary_sizes", &ordinary_sizes, "kinds"_a, "times"_a, "mixed"_a, NoGil(),
      "Of several kinds of ranges, lists of arrays: whether none is above `times` the median of all or\n"
      "`mixed` times the lowest of the kinds' lower quartiles; that median and that quartile, 0 if so; the\n"
      "largest and the sum. Zeros and infinities do not count; 0 where nothing does. Then, of each kind,\n"
      "how many are not zero, and the largest, infinite ones included.");
  const char* distinct =
      "Tables end to end, of the given sizes: each distinct one once, nothing if none is repeated, and "
      "where\n"
      "each one begins there. Stops to look if most of the first thousand differ.";
  m.def("distinct_float_tables", &distinct_tables<float>, "flat"_a, "sizes"_a, NoGil(), distinct);
  m.def("distinct_tables", &distinct_tables<double>, "flat"_a, "sizes"_a, NoGil(), distinct);
  register_cells(m);
  def_sure_labels<float, PyCellScores>(m);
  def_sure_labels<double, PyCellScores>(m);
  def_sure_labels<float, std::optional<Matrix<double>>>(m);
  def_sure_labels<double, std::optional<Matrix<double>>>(m);
  m.def("capped_sum", &capped_sum, "kinds"_a, "most"_a, NoGil(),
        "Sum of the ranges that count, none as more than `most`.");
  m.def("reaches", &reaches, "n_variables"_a, "edges"_a, "spans"_a, NoGil(),
        "Sum of the spans (E,) of the edges at each variable: (n,).");
  m.def("grid_reaches", &grid_reaches, "shape"_a, "connectivity"_a, "strengths"_a, NoGil(),
        "Sum of the strengths around each pixel, one array per direction: (n,).");
  m.def("grid_scores", &grid_scores, "shape"_a, "connectivity"_a, "strengths"_a, "labelings"_a, NoGil(),
        "Minus the strengths of the edges whose labels differ, of each of (m, n) labelings: (m,).");
}

}  // namespace hedgehop::bindings
