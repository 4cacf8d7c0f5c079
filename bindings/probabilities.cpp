// SPDX-License-Identifier: BSD-3-Clause
#include "probabilities/arborescences.hpp"

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"
#include "probabilities/forest_sums.hpp"

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
}

}  // namespace hedgehop::bindings
