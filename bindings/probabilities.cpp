// SPDX-License-Identifier: BSD-3-Clause
#include "probabilities/arborescences.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <tuple>
#include <utility>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"
#include "probabilities/forest_sums.hpp"
#include "probabilities/way_sums.hpp"

namespace hedgehop::bindings {

namespace {

using Answer = std::pair<double, Result<double>>;

Answer forest_marginals(Matrix<double> unary, const PyPairs& pairs) {
  const Unaries unaries = pairs.checked_unary(unary);
  Result<double> out{unaries.rows, unaries.columns};
  const double total = on_forest(pairs, [&](const auto& order, const auto& scores) {
    return probabilities::forest_marginals(order, unaries, scores, out.view());
  });
  return {total, std::move(out)};
}

Result<Label> forest_samples(Matrix<double> unary, const PyPairs& pairs, Matrix<double> uniforms) {
  const Unaries unaries = pairs.checked_unary(unary);
  require_columns("uniforms", uniforms.shape(1), unaries.rows);
  Result<Label> out{uniforms.shape(0), unaries.rows};
  on_forest(pairs, [&](const auto& order, const auto& scores) {
    probabilities::forest_samples(order, unaries, scores, view_of(uniforms), out.view(), python_poll());
  });
  return out;
}

probabilities::Arborescences arborescences(const Matrix<double>& scores, bool single_root) {
  const auto arcs = view_of(scores);
  require_columns("scores", arcs.columns, arcs.rows + 1);
  require_scores("scores", arcs.data);
  return {arcs, single_root, python_poll()};
}

Answer arborescence_marginals(Matrix<double> scores, bool single_root) {
  const auto trees = arborescences(scores, single_root);
  Result<double> out{scores.shape(0), scores.shape(1)};
  trees.marginals(out.view());
  return {trees.log_total(), std::move(out)};
}

Result<Label> arborescence_samples(Matrix<double> scores, bool single_root, std::size_t k,
                                   std::uint64_t seed) {
  const auto trees = arborescences(scores, single_root);
  Result<Label> out{k, scores.shape(0)};
  trees.sample(seed, out.view());
  return out;
}

// Arcs must lead to later nodes, in the order of the nodes where they begin.
void require_ways(const MatrixView<const std::int32_t>& arcs, std::size_t n_nodes) {
  require_columns("arcs", arcs.columns, 2);
  require(n_nodes > 0, "there must be a node");
  for (std::size_t a = 0; a < arcs.rows; ++a) {
    require(arcs(a, 0) >= 0 && arcs(a, 0) < arcs(a, 1) && index(arcs(a, 1)) < n_nodes &&
                (a == 0 || arcs(a - 1, 0) <= arcs(a, 0)),
            "arcs must be sorted by their first node, and lead to later ones");
  }
}

using WayAnswer = std::tuple<double, Result<double>, Result<double>, Result<double>>;

WayAnswer way_sums(Matrix<std::int32_t> arcs, Vector<double> scores, Vector<double> finals) {
  const auto rows = view_of(arcs);
  require_ways(rows, finals.size());
  require_size("scores", scores.size(), rows.rows, "arc");
  require_scores("scores", span_of(scores));
  require_scores("finals", span_of(finals));
  Result<double> given{rows.rows}, ending{finals.size()}, chances{rows.rows};
  Poll poll = python_poll();
  const double total = probabilities::way_sums({rows, span_of(scores), span_of(finals)}, given.values,
                                               ending.values, chances.values, poll);
  return {total, std::move(given), std::move(ending), std::move(chances)};
}

}  // namespace

void register_probabilities(nb::module_& m) {
  m.def("forest_marginals", &forest_marginals, "unary"_a, "pairs"_a, NoGil(),
        "Log partition of a forest, and the probability of each label of each variable.");
  m.def("forest_samples", &forest_samples, "unary"_a, "pairs"_a, "uniforms"_a, NoGil(),
        "Exact samples of a forest, from (k, n) numbers in [0, 1).");
  m.def("arborescence_marginals", &arborescence_marginals, "scores"_a, "single_root"_a, NoGil(),
        "Log partition of arborescences, and the probability of each arc; see graphs.best_arborescence.");
  m.def("arborescence_samples", &arborescence_samples, "scores"_a, "single_root"_a, "k"_a, "seed"_a, NoGil(),
        "Heads of k arborescences, drawn exactly.");
  m.def("way_sums", &way_sums, "arcs"_a, "scores"_a, "finals"_a, NoGil(),
        "Sums over the ways from node 0 to an end: the log of the total, the chance of each arc given its "
        "first "
        "node, the chance to end at each node, and the chance of each arc.");
}

}  // namespace hedgehop::bindings
