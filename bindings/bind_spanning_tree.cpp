// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "graphs/spanning_tree.hpp"
#include "graphs/spanning_tree_marginals.hpp"
#include "graphs/spanning_tree_swaps.hpp"
#include "signals.hpp"

namespace hedgehop::bindings {

namespace {

using Ends = Matrix<std::int32_t>;
using Scores = Matrix<double>;

SpanningTreeProblem problem_of(std::size_t n_nodes, const Ends& edges, const Scores& scores) {
  const SpanningTreeProblem problem{n_nodes, view_of(edges), view_of(scores)};
  require_edges(problem.edges, n_nodes);
  require_columns("scores", problem.scores.columns, 2);
  require_size("scores", problem.scores.rows, problem.edges.rows, "edge");
  require_scores("scores", problem.scores.data);
  return problem;
}

std::pair<Result<Label>, double> best(std::size_t n_nodes, Ends edges, Scores scores) {
  std::vector<Label> labeling;
  double value;
  {
    nb::gil_scoped_release release;
    const auto problem = problem_of(n_nodes, edges, scores);
    labeling.resize(problem.edges.rows);
    value = best_spanning_tree(problem, labeling);
  }
  const std::size_t size = labeling.size();
  return {give(std::move(labeling), {size}), value};
}

Result<double> max_marginals(std::size_t n_nodes, Ends edges, Scores scores) {
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    const auto problem = problem_of(n_nodes, edges, scores);
    out.resize(problem.scores.data.size());
    spanning_tree_max_marginals(problem, {out, problem.edges.rows, 2});
  }
  const std::size_t rows = out.size() / 2;
  return give(std::move(out), {rows, 2});
}

std::tuple<Result<Label>, double, Result<std::int32_t>, Result<double>> swaps(std::size_t n_nodes, Ends edges,
                                                                              Scores scores,
                                                                              Vector<Label> shared) {
  SwapSequence sequence;
  std::vector<std::int32_t> pairs;
  std::vector<double> gains;
  {
    nb::gil_scoped_release release;
    const auto problem = problem_of(n_nodes, edges, scores);
    require_size("shared", shared.size(), problem.edges.rows, "edge");
    sequence = spanning_tree_swaps(problem, span_of(shared), python_poll());
    for (const EdgeSwap& swap : sequence.swaps) {
      pairs.push_back(static_cast<std::int32_t>(swap.in));
      pairs.push_back(static_cast<std::int32_t>(swap.out));
      gains.push_back(swap.gain);
    }
  }
  const std::size_t size = sequence.first.size(), count = gains.size();
  return {give(std::move(sequence.first), {size}), sequence.value, give(std::move(pairs), {count, 2}),
          give(std::move(gains), {count})};
}

Result<std::uint8_t> check(std::size_t n_nodes, Ends edges, Matrix<Label> labelings) {
  std::vector<std::uint8_t> answers(labelings.shape(0));
  {
    nb::gil_scoped_release release;
    const Edges pairs = view_of(edges);
    const Labelings rows = view_of(labelings);
    require_edges(pairs, n_nodes);
    require_columns("labelings", rows.columns, pairs.rows);
    for (std::size_t k = 0; k < rows.rows; ++k) answers[k] = is_spanning_tree(n_nodes, pairs, rows.row(k));
  }
  const std::size_t size = answers.size();
  return give(std::move(answers), {size});
}

#define HEDGEHOP_TREE_ARGS                                           \
  "n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], scores: " \
  "numpy.typing.NDArray[numpy.float64]"

template <class Function, class... Extra>
void def(nb::module_& m, const char* name, Function function, const Extra&... extra) {
  m.def(name, function, nb::arg("n_nodes"), nb::arg("edges").noconvert(), nb::arg("scores").noconvert(),
        extra...);
}

}  // namespace

void register_spanning_tree(nb::module_& m) {
  m.def("are_spanning_trees", &check, nb::arg("n_nodes"), nb::arg("edges").noconvert(),
        nb::arg("labelings").noconvert(),
        nb::sig("def are_spanning_trees(n_nodes: int, edges: numpy.typing.NDArray[numpy.int32], labelings: "
                "numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.uint8]"),
        "Whether the edges that are not 0 in each of (m, E) labelings form a spanning tree.");
  def(m, "best_spanning_tree", &best,
      nb::sig("def best_spanning_tree(" HEDGEHOP_TREE_ARGS
              ") -> tuple[numpy.typing.NDArray[numpy.int32], float]"),
      "Best labeling and its score, scores[e, 1] for the edges of the tree and scores[e, 0] for the "
      "others.\n\n"
      "Ties go to the lexicographically first; the score is -inf if every tree is forbidden.");
  def(m, "spanning_tree_max_marginals", &max_marginals,
      nb::sig("def spanning_tree_max_marginals(" HEDGEHOP_TREE_ARGS
              ") -> numpy.typing.NDArray[numpy.float64]"),
      "Best score of a spanning tree with y_e = l, for each (e, l); arguments as in best_spanning_tree.");
  def(m, "spanning_tree_swaps", &swaps, nb::arg("shared").noconvert(),
      nb::sig(
          "def spanning_tree_swaps(" HEDGEHOP_TREE_ARGS
          ", shared: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.int32], float, "
          "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]"),
      "Best spanning trees by the number of edges they share with a set.\n\n"
      "Returns the best of those that share fewest, its score (-inf: none is allowed), swaps (S, 2) of an "
      "edge of\n"
      "the set for another, and their gains: after j swaps, a best tree that shares j more.");
}

}  // namespace hedgehop::bindings
