// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/scopes.hpp"
#include "common/threads.hpp"
#include "graphs/arborescence.hpp"
#include "graphs/blossom.hpp"
#include "graphs/elimination.hpp"
#include "graphs/forest.hpp"
#include "graphs/forest_counts.hpp"
#include "graphs/parallel.hpp"
#include "graphs/paths.hpp"
#include "graphs/spanning_tree.hpp"
#include "graphs/spanning_tree_marginals.hpp"
#include "graphs/spanning_tree_swaps.hpp"
#include "objects/factor_messages.hpp"

namespace hedgehop::bindings {

namespace {

constexpr std::size_t most_eliminated = 4096;  // a matrix of their pairs is kept

using Answer = std::pair<Result<Label>, double>;
using EdgeArray = Matrix<std::int32_t>;

// ---- elimination

Result<Label> elimination_order(Vector<std::int32_t> counts, Vector<std::int32_t> variables,
                                Vector<std::int64_t> starts, double most) {
  const graphs::Scopes scopes = checked_scopes(counts, variables, starts);
  require(counts.size() <= most_eliminated, "too many variables to eliminate");
  Poll poll = python_poll();
  const std::vector<Label> order = graphs::MinFill(span_of(counts), scopes).order(most, poll);
  Result<Label> result{order.size()};
  std::copy(order.begin(), order.end(), result.values.begin());
  return result;
}

Answer eliminate(Vector<std::int32_t> counts, Vector<std::int32_t> variables, Vector<std::int64_t> starts,
                 Vector<double> tables, Vector<Label> order) {
  const graphs::Scopes scopes = checked_scopes(counts, variables, starts);
  require(counts.size() <= most_eliminated, "too many variables to eliminate");
  require_size("order", order.size(), counts.size(), "variable");
  std::vector<bool> seen(counts.size());
  require_in_range("order", span_of(order), counts.size());
  for (const Label v : span_of(order)) seen[index(v)] = true;
  require(std::find(seen.begin(), seen.end(), false) == seen.end(), "order must name every variable");
  require_tables(counts, scopes, tables);
  Result<Label> labeling{counts.size()};
  Poll poll = python_poll();
  graphs::Elimination elimination(span_of(counts), scopes, span_of(tables), span_of(order));
  const double value = elimination.solve(labeling.values, poll);
  return {std::move(labeling), value};
}

// ---- forests

bool is_forest(std::size_t n_variables, EdgeArray edges) {
  require_edges(edges_of(edges), n_variables);
  return graphs::is_forest(n_variables, edges_of(edges));
}

template <class Int>
std::pair<Filled<std::int32_t>, bool> copied_edges(std::size_t n_variables, Matrix<Int> edges) {
  require(edges.shape(1) == 2, "edges must have shape (E, 2)");
  Filled<std::int32_t> out(edges.size());
  const bool good = graphs::copy_edges(n_variables, span_of(edges), out.span());
  return {std::move(out), good};
}

bool has_parallel(std::size_t n_variables, EdgeArray edges) {
  require_edges(edges_of(edges), n_variables);
  return graphs::has_parallel(n_variables, edges_of(edges));
}

Answer forest_argmax(Matrix<double> unary, const PyPairs& pairs) {
  const Unaries unaries = pairs.checked_unary(unary);
  Result<Label> labeling{unaries.rows};
  const double value = on_forest(pairs, [&](const auto& order, const auto& scores) {
    return graphs::argmax(order, unaries, scores, std::span(labeling.values));
  });
  return {std::move(labeling), value};
}

// With what the labeling is worth by itself, and what the change adds, both summed again.
std::tuple<Result<Label>, double, double, double> forest_step(Matrix<double> unary, Matrix<double> change,
                                                              const PyPairs& pairs) {
  const Unaries unaries = pairs.checked_unary(unary), changes = pairs.checked_unary(change);
  std::vector<double> sum(unaries.data.size());
  std::ranges::transform(unaries.data, changes.data, sum.begin(), std::plus<>());
  Result<Label> labeling{unaries.rows};
  const double value = on_forest(pairs, [&](const auto& order, const auto& scores) {
    return graphs::argmax(order, {sum, unaries.rows, unaries.columns}, scores, std::span(labeling.values));
  });
  const auto worth = [&](Unaries scores) {
    return blocked_sum(scores.rows, [&](std::size_t i) { return scores(i, labeling.values[i]); });
  };
  const double relevance = worth(unaries) + pairs.view().value(labeling.values);
  return {std::move(labeling), value, relevance, worth(changes)};
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

// ---- matchings

std::pair<Result<std::uint8_t>, bool> best_matching(std::size_t n_nodes, EdgeArray edges,
                                                    Vector<double> weights, bool perfect) {
  require_edges(edges_of(edges), n_nodes);
  require_model_size(n_nodes, 2, edges.shape(0));
  require(n_nodes < (std::size_t{1} << 28U), "at most 2^28 - 1 nodes");
  edges_of(edges).for_each([](std::size_t, std::size_t first, std::size_t second) {
    require(first != second, "edges must join different nodes");
  });
  require_size("weights", weights.size(), edges.shape(0), "edge");
  require_scores("weights", span_of(weights));
  Result<std::uint8_t> chosen{edges.shape(0)};
  Poll poll = python_poll();
  graphs::Blossoms blossoms(n_nodes, edges_of(edges), span_of(weights), perfect);
  const bool found = blossoms.solve(chosen.values, poll);
  return {std::move(chosen), found};
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

// ---- paths

class PyPathGraph {
 public:
  PyPathGraph(std::size_t n_nodes, EdgeArray edges, bool directed)
      : graph_(checked(n_nodes, edges, directed)) {}

  bool is_acyclic() const { return graph_.is_acyclic(); }

  std::pair<Result<double>, Result<std::int32_t>> tree(std::size_t root, bool away,
                                                       Vector<double> costs) const {
    require_node(root);
    require_costs(costs);
    for (const double cost : span_of(costs)) require(cost >= 0.0, "costs must not be below 0");
    Poll poll = python_poll();
    auto found = graph_.tree(root, away, span_of(costs), poll);
    return {Result<double>(std::move(found.distance)), Result<std::int32_t>(std::move(found.edge))};
  }

  using Path = std::tuple<Result<std::int32_t>, double, double>;

  Path best(std::size_t source, std::size_t target, Vector<double> costs, Vector<std::int32_t> first,
            std::optional<Vector<double>> ahead) const {
    require_node(source);
    require_node(target);
    require_costs(costs);
    require_in_range("first", span_of(first), graph_.n_edges());
    const auto rest = optional_span("ahead", ahead, graph_.n_nodes(), "node");
    Poll poll = python_poll();
    return result(graph_.best(source, target, span_of(costs), span_of(first), rest, poll));
  }

  Path best_through(std::size_t source, std::size_t target, Vector<double> costs,
                    Vector<std::uint8_t> marked) const {
    require(graph_.is_acyclic(), "the graph must be acyclic");
    require_node(source);
    require_node(target);
    require_costs(costs);
    require_size("marked", marked.size(), graph_.n_edges(), "edge");
    Poll poll = python_poll();
    return result(graph_.best_through(source, target, span_of(costs), span_of(marked), poll));
  }

  Result<std::uint8_t> are_paths(std::size_t source, std::size_t target, Matrix<Label> labelings) const {
    const Labelings rows = view_of(labelings);
    require_node(source);
    require_node(target);
    require_columns("labelings", rows.columns, graph_.n_edges());
    Result<std::uint8_t> answers{rows.rows};
    for (std::size_t k = 0; k < rows.rows; ++k) {
      answers.values[k] = graph_.is_path(source, target, rows.row(k));
    }
    return answers;
  }

 private:
  static graphs::PathGraph checked(std::size_t n_nodes, const EdgeArray& edges, bool directed) {
    require_edges(edges_of(edges), n_nodes);
    require_model_size(n_nodes, 2, edges.shape(0));
    require(edges.shape(0) < (std::size_t{1} << 31U), "at most 2^31 - 1 edges");
    return {n_nodes, edges_of(edges), directed};
  }

  static Path result(graphs::FoundPath&& found) {
    return {Result<std::int32_t>(std::move(found.edges)), found.cost, found.bound};
  }

  void require_node(std::size_t node) const { require(node < graph_.n_nodes(), "no such node"); }

  void require_costs(const Vector<double>& costs) const {
    require_size("costs", costs.size(), graph_.n_edges(), "edge");
    bool ok = true;
    for (const double cost : span_of(costs)) ok &= cost > -std::numeric_limits<double>::infinity();
    require(ok, "costs must not contain NaN or -inf");
  }

  graphs::PathGraph graph_;
};

void register_paths(nb::module_& m) {
  nb::class_<PyPathGraph>(m, "PathGraph",
                          "A graph in which to look for simple paths; costs of +inf forbid edges.")
      .def(nb::init<std::size_t, EdgeArray, bool>(), "n_nodes"_a, "edges"_a, "directed"_a, NoGil())
      .def_prop_ro("is_acyclic", &PyPathGraph::is_acyclic, "Whether it is directed and has no cycle.")
      .def("tree", &PyPathGraph::tree, "root"_a, "away"_a, "costs"_a, NoGil(),
           "Distances of all nodes from the root, or to it, and the edge next to each node on its shortest "
           "path.")
      .def("best", &PyPathGraph::best, "source"_a, "target"_a, "costs"_a, "first"_a, "ahead"_a.none(),
           NoGil(),
           "Edges of a shortest simple path in order, its cost, and a cost that none is below.\n\n"
           "It begins with the edges `first`. `ahead`: distances to the target for costs that are nowhere "
           "above\n"
           "these. Costs below 0 are exact on acyclic graphs, and wherever cost and bound meet.")
      .def("best_through", &PyPathGraph::best_through, "source"_a, "target"_a, "costs"_a, "marked"_a, NoGil(),
           "As best, of the paths of an acyclic graph that use all marked edges.")
      .def("are_paths", &PyPathGraph::are_paths, "source"_a, "target"_a, "labelings"_a, NoGil(),
           "Whether the edges that are not 0 in each of (m, E) labelings form a simple path.");
}

void register_forests(nb::module_& m) {
  m.def(
      "elimination_order", &elimination_order, "label_counts"_a, "variables"_a, "starts"_a, "most"_a, NoGil(),
      "Order in which to eliminate the variables of factors, which name variables[starts[f]:starts[f + 1]];\n"
      "empty if all tables together would have more cells than `most`.");
  m.def("eliminate", &eliminate, "label_counts"_a, "variables"_a, "starts"_a, "tables"_a, "order"_a, NoGil(),
        "Best labeling of factors whose tables lie end to end, and its value; -inf if none is allowed.");
  nb::class_<PyFactorMessages>(m, "FactorMessages",
                               "Messages that lower a bound on factors whose tables lie end to end; every "
                               "variable has one of its own.")
      .def(nb::init<Vector<std::int32_t>, Vector<std::int32_t>, Vector<std::int64_t>, Vector<double>>(),
           "label_counts"_a, "variables"_a, "starts"_a, "tables"_a, NoGil())
      .def("set_unary", &PyFactorMessages::set_unary, "scores"_a, NoGil(),
           "Other scores of factors of one variable, end to end; messages stay.")
      .def("run", &PyFactorMessages::run, "sweeps"_a, NoGil(), "Update all messages so many times.")
      .def(
          "tighten", &PyFactorMessages::tighten, "edges"_a, "least"_a, "most_work"_a, NoGil(),
          "Add short cycles of pairs, the edges, whose first update lowers the bound most, each by more "
          "than\n"
          "`least`, while a sweep over all cycles looks at no more than `most_work` cells; returns how many.")
      .def("work", &PyFactorMessages::work, NoGil(), "How many cells a sweep looks at, about.")
      .def("terms", &PyFactorMessages::terms, NoGil(),
           "Terms of a bound on all labelings; a variable's beliefs may replace their maximum in the bound.")
      .def("tilted", &PyFactorMessages::tilted, NoGil(),
           "Scores of the factors of several variables with all that cycles send to them, end to end.")
      .def("error", &PyFactorMessages::error, NoGil(), "What rounding may add to these terms.")
      .def("beliefs", &PyFactorMessages::beliefs, NoGil(), "Beliefs of all labels, end to end.");
  m.def("is_forest", &is_forest, "n_variables"_a, "edges"_a, NoGil(),
        "Whether (E, 2) edges have no cycle; self-loops and parallel edges are cycles.");
  const char* ends =
      "Ends of (E, 2) edges as 32 bits, (2 E,), and whether all are variables and no edge is a loop.";
  m.def("copied_edges", &copied_edges<std::int32_t>, "n_variables"_a, "edges"_a, NoGil(), ends);
  m.def("copied_edges", &copied_edges<std::int64_t>, "n_variables"_a, "edges"_a, NoGil(), ends);
  m.def("has_parallel", &has_parallel, "n_variables"_a, "edges"_a, NoGil(),
        "Whether two of (E, 2) edges join the same two variables.");
  m.def("forest_argmax", &forest_argmax, "unary"_a, "pairs"_a, NoGil(),
        "Best labeling of a forest and its score.\n\n"
        "Ties go to the lowest label; the score is -inf if every labeling is forbidden.");
  m.def("forest_step", &forest_step, "unary"_a, "change"_a, "pairs"_a, NoGil(),
        "Best labeling of a forest with changed unary scores, and its score; what it is worth without the "
        "change, "
        "and\nwhat the change adds.");
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
  register_paths(m);
  m.def("are_arborescences", &are_arborescences, "heads"_a, "single_root"_a, NoGil(),
        "Whether following (m, n) heads of words 1..n ends at the root 0 from everywhere.");
  m.def("best_arborescence", &best_arborescence, "scores"_a, "single_root"_a, NoGil(),
        "Best heads of words 1..n and their score, scores[i, h] being that of head h (0: the root) for word\n"
        "i + 1. The score is -inf if every arborescence is forbidden.");
  m.def("best_matching", &best_matching, "n_nodes"_a, "edges"_a, "weights"_a, "perfect"_a, NoGil(),
        "Whether each edge is in a matching of largest weight, and whether there is one: a perfect one may "
        "not be\n"
        "allowed. A weight of -inf forbids an edge.");
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
