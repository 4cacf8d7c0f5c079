// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trws_checks.hpp"
#include "trws_problem.hpp"

namespace hedgehop::bindings {

namespace {

using Counts = Vector<std::int32_t>;
template <class T>
using Image = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;  // any number of dimensions
using Strengths = std::vector<Image<double>>;
using Problem = TrwsProblem;

// How far apart the finite scores of each variable are.
template <class T>
std::vector<double> ranges_of(const MatrixView<const T>& unary, std::span<const std::int32_t> counts) {
  std::vector<double> ranges(unary.rows, 0.0);
  for (std::size_t i = 0; i < unary.rows; ++i) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const T x : unary.row(i).first(static_cast<std::size_t>(counts[i]))) {
      if (!std::isfinite(x)) continue;
      low = std::min(low, static_cast<double>(x)), high = std::max(high, static_cast<double>(x));
    }
    if (high > low) ranges[i] = high - low;
  }
  return ranges;
}

template <class T>
std::unique_ptr<Problem> potts(Matrix<T> unary, std::optional<Counts> label_counts,
                               Matrix<std::int32_t> edges, Vector<double> strengths, Ranks ranks,
                               std::string_view instruction_set) {
  const std::size_t n = unary.shape(0), n_labels = unary.shape(1);
  const Edges pairs = view_of(edges);
  const auto solver = [&] {
    nb::gil_scoped_release release;
    require_sizes(n, n_labels, pairs.rows);
    require_graph(pairs, n);
    require_size("strengths", strengths.size(), pairs.rows, "edge");
    require_strengths(span_of(strengths));
    const auto counts = label_counts ? span_of(*label_counts) : std::span<const std::int32_t>();
    if (label_counts) require_counts(counts, n, n_labels);
    return make_trws_potts({n, n_labels, counts}, pairs, span_of(strengths), ranks_of(ranks, n, pairs),
                           trws_kernel(instruction_set));
  };
  auto value = [edges, strengths](std::span<const Label> y) {
    return potts_value(view_of(edges), span_of(strengths), y);
  };
  return std::make_unique<Problem>(solver(), UnaryArray(unary), value);
}

template <class T>
std::unique_ptr<Problem> tables(Matrix<T> unary, Counts label_counts, Matrix<std::int32_t> edges,
                                Vector<double> flat, Vector<std::int64_t> offsets,
                                Vector<std::int32_t> columns, Ranks ranks, std::string_view instruction_set) {
  const MatrixView<const T> scores = view_of(unary);
  const Edges pairs = view_of(edges);
  const auto solver = [&] {
    nb::gil_scoped_release release;
    require_sizes(scores.rows, scores.columns, pairs.rows);
    require_graph(pairs, scores.rows);
    const auto counts = span_of(label_counts);
    require_counts(counts, scores.rows, scores.columns);
    const TableScores table_scores = checked_tables(pairs, counts, flat, offsets, columns);
    return make_trws_tables({scores.rows, scores.columns, counts}, pairs, table_scores,
                            ranges_of(scores, counts), ranks_of(ranks, scores.rows, pairs),
                            trws_kernel(instruction_set));
  };
  auto value = [label_counts, edges, flat, offsets, columns](std::span<const Label> y) {
    const TableScores s{span_of(flat), span_of(offsets), span_of(columns), span_of(label_counts)};
    double total = 0.0;
    EdgeList{view_of(edges)}.for_each([&](std::size_t e, std::size_t a, std::size_t b) {
      total += s.score(e, true, static_cast<std::size_t>(y[a]), static_cast<std::size_t>(y[b]));
    });
    return total;
  };
  return std::make_unique<Problem>(solver(), UnaryArray(unary), value);
}

std::vector<std::span<const double>> checked_strengths(const Strengths& arrays) {
  std::vector<std::span<const double>> result;
  for (const auto& array : arrays) {
    result.emplace_back(array.data(), array.size());
    require_strengths(result.back());
  }
  return result;
}

template <class T>
std::unique_ptr<Problem> grid(Image<T> scores, int connectivity, Strengths strengths,
                              std::string_view instruction_set) {
  require(scores.ndim() >= 3, "scores must have shape (H, W, L) or (D, H, W, L)");
  std::vector<std::size_t> shape;
  for (std::size_t k = 0; k + 1 < scores.ndim(); ++k) shape.push_back(scores.shape(k));
  const std::size_t n_labels = scores.shape(scores.ndim() - 1);
  const GridEdges edges(shape, connectivity);
  const GridStrengths strength(edges, checked_strengths(strengths));
  const auto solver = [&] {
    nb::gil_scoped_release release;
    require_sizes(edges.n_variables(), n_labels, edges.size());
    return make_trws_grid(edges, strength, n_labels, trws_kernel(instruction_set));
  };
  auto value = [edges, strength, strengths](std::span<const Label> y) {
    return grid_value(edges, strength, y);
  };
  const std::size_t flat_shape[] = {edges.n_variables(), n_labels};
  const Matrix<T> flat(scores.data(), 2, flat_shape, nb::cast(scores));
  return std::make_unique<Problem>(solver(), UnaryArray(flat), value);
}

#define HEDGEHOP_INT32 "numpy.typing.NDArray[numpy.int32]"
#define HEDGEHOP_INT64 "numpy.typing.NDArray[numpy.int64]"
#define HEDGEHOP_REAL "numpy.typing.NDArray[numpy.float64]"
#define HEDGEHOP_RANKS "ranks: " HEDGEHOP_INT32 " | None = None, instruction_set: str = ''"

template <class T>
void def_makers(nb::class_<Problem>& type, const std::string& real) {
  const std::string potts_sig = "def potts(unary: " + real +
                                ", label_counts: " HEDGEHOP_INT32 " | None, edges: " HEDGEHOP_INT32
                                ", strengths: " HEDGEHOP_REAL ", " HEDGEHOP_RANKS ") -> Trws";
  type.def_static("potts", &potts<T>, nb::arg("unary").noconvert(),
                  nb::arg("label_counts").noconvert().none(), nb::arg("edges").noconvert(),
                  nb::arg("strengths").noconvert(), nb::arg("ranks").noconvert() = nb::none(),
                  nb::arg("instruction_set") = "", nb::sig(potts_sig.c_str()),
                  "Scores -strengths[e] (finite, >= 0) where labels differ; sweeps in the order of ranks.");
  const std::string tables_sig = "def tables(unary: " + real +
                                 ", label_counts: " HEDGEHOP_INT32 ", edges: " HEDGEHOP_INT32
                                 ", flat: " HEDGEHOP_REAL ", offsets: " HEDGEHOP_INT64
                                 ", columns: " HEDGEHOP_INT32 ", " HEDGEHOP_RANKS ") -> Trws";
  type.def_static("tables", &tables<T>, nb::arg("unary").noconvert(), nb::arg("label_counts").noconvert(),
                  nb::arg("edges").noconvert(), nb::arg("flat").noconvert(), nb::arg("offsets").noconvert(),
                  nb::arg("columns").noconvert(), nb::arg("ranks").noconvert() = nb::none(),
                  nb::arg("instruction_set") = "", nb::sig(tables_sig.c_str()),
                  "Scores P_e(a, b) = flat[offsets[e] + a * columns[e] + b]; -inf forbids a pair.");
  const std::string grid_sig = "def grid(scores: " + real +
                               ", connectivity: int, strengths: list[" HEDGEHOP_REAL
                               "], instruction_set: str = '') -> Trws";
  type.def_static("grid", &grid<T>, nb::arg("scores").noconvert(), nb::arg("connectivity"),
                  nb::arg("strengths").noconvert(), nb::arg("instruction_set") = "",
                  nb::sig(grid_sig.c_str()),
                  "Potts scores on an image (H, W, L) or a volume (D, H, W, L), no list of edges.\n\n"
                  "One array of strengths a direction, in the order of hedgehop.models.grid.directions.");
  const std::string set_sig = "def set_unary(self, unary: " + real + ") -> None";
  type.def("set_unary", &Problem::set_unary<T>, nb::arg("unary").noconvert(), nb::sig(set_sig.c_str()),
           "Replaces the (n, L) scores and drops theta; messages stay.");
}

void def_methods(nb::class_<Problem>& type) {
  type.def("add_linear", &Problem::add_linear, nb::arg("theta").noconvert().none(),
           nb::sig("def add_linear(self, theta: " HEDGEHOP_REAL " | None) -> None"),
           "Scores become unary + theta (not added to an earlier theta); None: unary alone. Messages stay.");
  type.def(
      "run", &Problem::run, nb::arg("iterations") = 50, nb::arg("check_every") = 5, nb::arg("gap") = 1e-6,
      nb::arg("least_gain") = 0.05, nb::arg("threads") = 0,
      nb::sig(
          "def run(self, iterations: int = 50, check_every: int = 5, gap: float = 1e-06, least_gain: float = "
          "0.05, threads: int = 0) -> tuple[" HEDGEHOP_INT32 ", float, float, int]"),
      "Best labeling since the scores were set, its value in doubles, an upper bound on every labeling's\n"
      "value, and the iterations made. Stops early when bound - value <= gap * |value|, or when the bound\n"
      "gained less than least_gain * (bound - value) in check_every iterations.");
  type.def(
      "beliefs", &Problem::beliefs, nb::sig("def beliefs(self) -> numpy.typing.NDArray[numpy.float32]"),
      "One more iteration; (n, L) beliefs minus each variable's largest, -inf for labels that are in no\n"
      "optimal labeling because their scores are too low for any edges to make up for.");
  type.def("limits", &Problem::limits,
           nb::sig("def limits(self) -> tuple[float, numpy.typing.NDArray[numpy.float32]]"),
           "One more iteration; a and (n, L) drops <= 0 such that no labeling with label l at variable i\n"
           "scores higher than a + drops[i, l], but for the rounding of drops.");
  type.def("decodes", &Problem::decodes, nb::sig("def decodes(self) -> " HEDGEHOP_INT32),
           "The last labelings read off a forward and a backward sweep, (2, n).");
  type.def("polish", &Problem::polish, nb::arg("labeling").noconvert(),
           nb::sig("def polish(self, labeling: " HEDGEHOP_INT32 ") -> " HEDGEHOP_INT32),
           "The labeling after changing one variable at a time while that helps.");
  type.def("value", &Problem::value, nb::arg("labeling").noconvert(),
           nb::sig("def value(self, labeling: " HEDGEHOP_INT32 ") -> float"),
           "Score of a labeling, in doubles.");
  type.def("forget", &Problem::forget, "Starts afresh: all messages become 0.");
  type.def("messages", &Problem::messages, nb::sig("def messages(self) -> " HEDGEHOP_INT32),
           "A copy of the messages in fixed point, (E, padded labels), in the solver's order; for tests.");
  type.def_prop_ro("bytes", [](const Problem& p) { return p.solver().bytes(); });
  type.def_prop_ro("lanes", [](const Problem& p) { return p.solver().kernel().lanes; });
}

}  // namespace

void register_trws(nb::module_& m) {
  nb::class_<Problem> type(
      m, "Trws",
      "TRW-S with kept messages (maximisation). Arrays given are kept by reference: they must\n"
      "not change while the solver lives. Not for several threads at once.");
  def_makers<float>(type, "numpy.typing.NDArray[numpy.float32]");
  def_makers<double>(type, HEDGEHOP_REAL);
  def_methods(type);
}

}  // namespace hedgehop::bindings
