// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <memory>
#include <string>

#include "moves_object.hpp"
#include "trws_checks.hpp"

namespace hedgehop::bindings {

namespace {

template <class T>
MatrixView<const T> checked_unary(const Matrix<T>& unary, const Edges& edges) {
  require_sizes(unary.shape(0), unary.shape(1), edges.rows);
  require_graph(edges, unary.shape(0));
  const MatrixView<const T> scores = view_of(unary);
  require_scores("unary", std::span<const T>(scores.data));
  return scores;
}

template <class T>
std::unique_ptr<PyMoves> potts(Matrix<T> unary, Matrix<std::int32_t> edges, Vector<double> strengths) {
  const auto problem = [&] {
    nb::gil_scoped_release release;
    const Edges pairs = view_of(edges);
    const MatrixView<const T> scores = checked_unary(unary, pairs);
    require_size("strengths", strengths.size(), pairs.rows, "edge");
    require_finite("strengths", span_of(strengths));
    return MoveProblem(scores, pairs, PottsScores{span_of(strengths), scores.columns});
  };
  return std::make_unique<PyMoves>(problem(), kept(unary, edges, strengths));
}

template <class T>
void require_padding(const MatrixView<const T>& unary, std::span<const std::int32_t> counts) {
  for (std::size_t i = 0; i < unary.rows; ++i) {
    for (const T score : unary.row(i).subspan(static_cast<std::size_t>(counts[i])))
      require(std::isinf(score), "unary must be -inf beyond the label_counts");
  }
}

template <class T>
std::unique_ptr<PyMoves> tables(Matrix<T> unary, Vector<std::int32_t> label_counts,
                                Matrix<std::int32_t> edges, Vector<double> flat, Vector<std::int64_t> offsets,
                                Vector<std::int32_t> columns) {
  const auto problem = [&] {
    nb::gil_scoped_release release;
    const Edges pairs = view_of(edges);
    const MatrixView<const T> scores = checked_unary(unary, pairs);
    require_counts(span_of(label_counts), scores.rows, scores.columns);
    require_padding(scores, span_of(label_counts));
    require_finite("flat", span_of(flat));
    return MoveProblem(scores, pairs, checked_tables(pairs, span_of(label_counts), flat, offsets, columns));
  };
  return std::make_unique<PyMoves>(problem(), kept(unary, label_counts, edges, flat, offsets, columns));
}

#define HEDGEHOP_INT32 "numpy.typing.NDArray[numpy.int32]"
#define HEDGEHOP_INT64 "numpy.typing.NDArray[numpy.int64]"
#define HEDGEHOP_REAL "numpy.typing.NDArray[numpy.float64]"
#define HEDGEHOP_MOVED "-> tuple[" HEDGEHOP_INT32 ", float]"

template <class T>
void def_makers(nb::class_<PyMoves>& type, const std::string& real) {
  const std::string potts_sig =
      "def potts(unary: " + real + ", edges: " HEDGEHOP_INT32 ", strengths: " HEDGEHOP_REAL ") -> Moves";
  type.def_static("potts", &potts<T>, nb::arg("unary").noconvert(), nb::arg("edges").noconvert(),
                  nb::arg("strengths").noconvert(), nb::sig(potts_sig.c_str()),
                  "Scores -strengths[e] where labels differ.");
  const std::string tables_sig = "def tables(unary: " + real +
                                 ", label_counts: " HEDGEHOP_INT32 ", edges: " HEDGEHOP_INT32
                                 ", flat: " HEDGEHOP_REAL ", offsets: " HEDGEHOP_INT64
                                 ", columns: " HEDGEHOP_INT32 ") -> Moves";
  type.def_static("tables", &tables<T>, nb::arg("unary").noconvert(), nb::arg("label_counts").noconvert(),
                  nb::arg("edges").noconvert(), nb::arg("flat").noconvert(), nb::arg("offsets").noconvert(),
                  nb::arg("columns").noconvert(), nb::sig(tables_sig.c_str()),
                  "Scores P_e(a, b) = flat[offsets[e] + a * columns[e] + b], all finite.");
}

void def_weights(nb::class_<PyMoves>& type) {
  type.def("set_linear", &PyMoves::set_linear, nb::arg("theta").noconvert().none(),
           nb::sig("def set_linear(self, theta: " HEDGEHOP_REAL " | None) -> None"),
           "Scores become unary + theta (not added to an earlier theta); None: unary alone.");
  type.def("set_label_weights", &PyMoves::set_label_weights, nb::arg("w").noconvert().none(),
           nb::arg("least_counts").noconvert().none() = nb::none(),
           nb::sig("def set_label_weights(self, w: " HEDGEHOP_REAL " | None, least_counts: " HEDGEHOP_INT64
                   " | None = None) -> None"),
           "w[k, l] once if at least least_counts[k] variables take label l, of any sign; None: no weights.");
  type.def(
      "set_transition_weights", &PyMoves::set_transition_weights, nb::arg("w").noconvert().none(),
      nb::arg("ordered") = false,
      nb::sig("def set_transition_weights(self, w: " HEDGEHOP_REAL " | None, ordered: bool = False) -> None"),
      "w[a, b] once if some edge carries a != b, of any sign; None: no weights.");
  type.def(
      "set_regions", &PyMoves::set_regions, nb::arg("members").noconvert().none(),
      nb::arg("offsets").noconvert().none() = nb::none(), nb::arg("mu").noconvert().none() = nb::none(),
      nb::arg("slack").noconvert().none() = nb::none(),
      nb::sig("def set_regions(self, members: " HEDGEHOP_INT32 " | None, offsets: " HEDGEHOP_INT64
              " | None = None, mu: " HEDGEHOP_REAL " | None = None, slack: " HEDGEHOP_INT64
              " | None = None) -> None"),
      "mu[c, l] * max(0, 1 - misses / slack[c]), of any sign, where misses are the members of region c,\n"
      "members[offsets[c]:offsets[c + 1]], that do not take label l; None: no regions.");
}

void def_moves(nb::class_<PyMoves>& type) {
  type.def("expand", &PyMoves::expand, nb::arg("start").noconvert(),
           nb::arg("candidates").noconvert().none() = nb::none(), nb::arg("rounds") = 20,
           nb::arg("cuts_per_move") = 64,
           nb::sig("def expand(self, start: " HEDGEHOP_INT32
                   ", candidates: numpy.typing.NDArray[numpy.uint8] | None = None, rounds: int = 20, "
                   "cuts_per_move: int = 64) " HEDGEHOP_MOVED),
           "Expansion moves until none improves: the labeling reached, and what it gained.\n\n"
           "candidates (n, L) restricts which labels a variable may change to.");
  type.def("swap", &PyMoves::swap, nb::arg("start").noconvert(), nb::arg("rounds") = 20,
           nb::arg("cuts_per_move") = 64,
           nb::sig("def swap(self, start: " HEDGEHOP_INT32
                   ", rounds: int = 20, cuts_per_move: int = 64) " HEDGEHOP_MOVED),
           "Swap moves until none improves: the labeling reached, and what it gained.");
  type.def("fuse", &PyMoves::fuse, nb::arg("start").noconvert(), nb::arg("proposal").noconvert(),
           nb::arg("cuts_per_move") = 64,
           nb::sig("def fuse(self, start: " HEDGEHOP_INT32 ", proposal: " HEDGEHOP_INT32
                   ", cuts_per_move: int = 64) " HEDGEHOP_MOVED),
           "A mixture of two labelings that is no worse than either, and what it gained over the start.");
}

}  // namespace

void register_moves(nb::module_& m) {
  nb::class_<PyMoves> type(
      m, "Moves",
      "Expansion, swap and fusion moves (maximisation). Scores never fall; a labeling's gain is exact up to\n"
      "rounding to fixed point. Arrays given are kept by reference: they must not change while the solver\n"
      "lives. Not for several threads at once.");
  def_makers<float>(type, "numpy.typing.NDArray[numpy.float32]");
  def_makers<double>(type, HEDGEHOP_REAL);
  def_weights(type);
  def_moves(type);
}

}  // namespace hedgehop::bindings
