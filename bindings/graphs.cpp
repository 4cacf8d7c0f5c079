// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <utility>

#include "arrays.hpp"
#include "checks.hpp"
#include "graphs/arborescence.hpp"
#include "graphs/forest.hpp"
#include "graphs/forest_counts.hpp"
#include "graphs/parallel.hpp"
#include "graphs/spanning_tree.hpp"
#include "graphs/spanning_tree_marginals.hpp"
#include "graphs/spanning_tree_swaps.hpp"
#include "pairs.hpp"
#include "threads.hpp"

namespace hedgehop::bindings {

namespace {

using Answer = std::pair<Result<Label>, double>;
using EdgeArray = Matrix<std::int32_t>;

// ---- forests

bool is_forest(std::size_t n_variables, EdgeArray edges) {
  require_edges(edges_of(edges), n_variables);
  return graphs::is_forest(n_variables, edges_of(edges));
}

bool has_parallel(std::size_t n_variables, EdgeArray edges) {
  require_edges(edges_of(edges), n_variables);
  return graphs::has_parallel(n_variables, edges_of(edges));
}

// run(order, scores) with the kind of scores known.
template <class Run>
auto on_forest(const PyPairs& pairs, Run run) {
  const graphs::ForestOrder order(pairs.n_variables(), pairs.view().edges);
  return std::visit([&](const auto& scores) { return run(order, scores); }, pairs.view().scores);
}

Answer forest_argmax(Matrix<double> unary, const PyPairs& pairs) {
  const Unaries unaries = pairs.checked_unary(unary);
  Result<Label> labeling{unaries.rows};
  const double value = on_forest(pairs, [&](const auto& order, const auto& scores) {
    return graphs::argmax(order, unaries, scores, std::span(labeling.values));
  });
  return {std::move(labeling), value};
}

Result<double> forest_max_marginals(Matrix<double> unary, const PyPairs& pairs) {
  const Unaries unaries = pairs.checked_unary(unary);
  Result<double> out{unaries.rows, unaries.columns};
  on_forest(pairs, [&](const auto& order, const auto& scores) {
    graphs::max_marginals(order, unaries, scores, out.view());
  });
  return out;
}

void require_counts(const Vector<std::int32_t>& weights, const Vector<double>& table) {
  std::size_t total = 0;
  for (const std::int32_t weight : span_of(weights)) {
    require(weight >= 0, "weights must be nonnegative");
    total += index(weight);
  }
  require_size("table", table.size(), total + 1, "count");
  require_scores("table", span_of(table));
}

Answer forest_counted_argmax(Matrix<double> unary, const PyPairs& pairs, Vector<Label> reference,
                             Vector<std::int32_t> weights, Vector<double> table) {
  const Unaries unaries = pairs.checked_unary(unary);
  require_size("reference", reference.size(), unaries.rows, "variable");
  require_size("weights", weights.size(), unaries.rows, "variable");
  require_counts(weights, table);
  Result<Label> labeling{unaries.rows};
  Poll poll = python_poll();
  const double value = on_forest(pairs, [&](const auto& order, const auto& scores) {
    graphs::CountedForest forest(order, unaries, scores, span_of(reference), span_of(weights), poll);
    return forest.argmax(span_of(table), labeling.values);
  });
  return {std::move(labeling), value};
}

// ---- arborescences

Result<std::uint8_t> are_arborescences(Matrix<Label> heads, bool single_root) {
  const Labelings rows = view_of(heads);
  require_in_range("heads", rows.data, rows.columns + 1);
  Result<std::uint8_t> answers{rows.rows};
  for (std::size_t k = 0; k < rows.rows; ++k) {
    answers.values[k] = graphs::is_arborescence(rows.row(k), single_root);
  }
  return answers;
}

Answer best_arborescence(Matrix<double> scores, bool single_root) {
  const auto arcs = view_of(scores);
  require_columns("scores", arcs.columns, arcs.rows + 1);
  require_scores("scores", arcs.data);
  Result<Label> heads{arcs.rows};
  const double value = graphs::best_arborescence(arcs, single_root, heads.values, python_poll());
  return {std::move(heads), value};
}

// ---- spanning trees

graphs::SpanningTreeProblem problem_of(std::size_t n_nodes, const EdgeArray& edges,
                                       const Matrix<double>& scores) {
  const graphs::SpanningTreeProblem problem{n_nodes, edges_of(edges), view_of(scores)};
  require_edges(problem.edges, n_nodes);
  require_columns("scores", problem.scores.columns, 2);
  require_size("scores", problem.scores.rows, problem.edges.rows, "edge");
  require_scores("scores", problem.scores.data);
  return problem;
}

Result<std::uint8_t> are_spanning_trees(std::size_t n_nodes, EdgeArray edges, Matrix<Label> labelings) {
  const Labelings rows = view_of(labelings);
  require_edges(edges_of(edges), n_nodes);
  require_columns("labelings", rows.columns, edges.shape(0));
  Result<std::uint8_t> answers{rows.rows};
  for (std::size_t k = 0; k < rows.rows; ++k) {
    answers.values[k] = graphs::is_spanning_tree(n_nodes, edges_of(edges), rows.row(k));
  }
  return answers;
}

Answer best_spanning_tree(std::size_t n_nodes, EdgeArray edges, Matrix<double> scores) {
  const auto problem = problem_of(n_nodes, edges, scores);
  Result<Label> labeling{problem.edges.rows};
  const double value = graphs::best_spanning_tree(problem, labeling.values);
  return {std::move(labeling), value};
}

Result<double> spanning_tree_max_marginals(std::size_t n_nodes, EdgeArray edges, Matrix<double> scores) {
  const auto problem = problem_of(n_nodes, edges, scores);
  Result<double> out{problem.edges.rows, 2};
  graphs::spanning_tree_max_marginals(problem, out.view());
  return out;
}

std::tuple<Result<Label>, double, Result<std::int32_t>, Result<double>> spanning_tree_swaps(
    std::size_t n_nodes, EdgeArray edges, Matrix<double> scores, Vector<Label> shared) {
  const auto problem = problem_of(n_nodes, edges, scores);
  require_size("shared", shared.size(), problem.edges.rows, "edge");
  auto [first, value, swaps] = graphs::spanning_tree_swaps(problem, span_of(shared), python_poll());
  Result<std::int32_t> pairs{swaps.size(), 2};
  Result<double> gains{swaps.size()};
  for (std::size_t k = 0; k < swaps.size(); ++k) {
    pairs.values[2 * k] = static_cast<std::int32_t>(swaps[k].in);
    pairs.values[2 * k + 1] = static_cast<std::int32_t>(swaps[k].out);
    gains.values[k] = swaps[k].gain;
  }
  return {Result<Label>(std::move(first)), value, std::move(pairs), std::move(gains)};
}

void register_forests(nb::module_& m) {
  m.def("is_forest", &is_forest, "n_variables"_a, "edges"_a, NoGil(),
        "Whether (E, 2) edges have no cycle; self-loops and parallel edges are cycles.");
  m.def("has_parallel", &has_parallel, "n_variables"_a, "edges"_a, NoGil(),
        "Whether two of (E, 2) edges join the same two variables.");
  m.def("forest_argmax", &forest_argmax, "unary"_a, "pairs"_a, NoGil(),
        "Best labeling of a forest and its score.\n\n"
        "Ties go to the lowest label; the score is -inf if every labeling is forbidden.");
  m.def("forest_counted_argmax", &forest_counted_argmax, "unary"_a, "pairs"_a, "reference"_a, "weights"_a,
        "table"_a, NoGil(),
        "As forest_argmax, of the score plus table[k], k = weight of the variables that differ from a\n"
        "reference. The table has an entry for each count up to the total weight.");
  m.def("forest_max_marginals", &forest_max_marginals, "unary"_a, "pairs"_a, NoGil(),
        "Best score of a labeling with y_i = l, for each (i, l).");
}

}  // namespace

void register_graphs(nb::module_& m) {
  register_forests(m);
  m.def("are_arborescences", &are_arborescences, "heads"_a, "single_root"_a, NoGil(),
        "Whether following (m, n) heads of words 1..n ends at the root 0 from everywhere.");
  m.def("best_arborescence", &best_arborescence, "scores"_a, "single_root"_a, NoGil(),
        "Best heads of words 1..n and their score, scores[i, h] being that of head h (0: the root) for word\n"
        "i + 1. The score is -inf if every arborescence is forbidden.");
  m.def("are_spanning_trees", &are_spanning_trees, "n_nodes"_a, "edges"_a, "labelings"_a, NoGil(),
        "Whether the edges that are not 0 in each of (m, E) labelings form a spanning tree.");
  m.def("best_spanning_tree", &best_spanning_tree, "n_nodes"_a, "edges"_a, "scores"_a, NoGil(),
        "Best labeling and its score, scores[e, 1] for the edges of the tree and scores[e, 0] for others.\n\n"
        "Ties go to the lexicographically first; the score is -inf if every tree is forbidden.");
  m.def("spanning_tree_max_marginals", &spanning_tree_max_marginals, "n_nodes"_a, "edges"_a, "scores"_a,
        NoGil(), "Best score of a spanning tree with y_e = l, for each (e, l); see best_spanning_tree.");
  m.def("spanning_tree_swaps", &spanning_tree_swaps, "n_nodes"_a, "edges"_a, "scores"_a, "shared"_a, NoGil(),
        "Best spanning trees by the number of edges they share with a set.\n\n"
        "Returns the best of those that share fewest, its score (-inf: none is allowed), swaps (S, 2) of an\n"
        "edge of the set for another, and their gains: after j swaps, a best tree that shares j more.");
}

}  // namespace hedgehop::bindings
