// SPDX-License-Identifier: BSD-3-Clause
#include "counts/counts.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"
#include "counts/ball_gain.hpp"
#include "counts/envelope.hpp"
#include "counts/list_slopes.hpp"
#include "counts/list_swaps.hpp"
#include "counts/mixture.hpp"
#include "counts/slope_master.hpp"
#include "counts/union_weights.hpp"
#include "objects/distance_terms.hpp"
#include "objects/forest_dual.hpp"
#include "objects/shares.hpp"

namespace hedgehop::bindings {

namespace {

Result<double> hamming(Matrix<Label> labelings, Matrix<Label> references,
                       std::optional<Vector<double>> weights) {
  const Labelings from = view_of(labelings), to = view_of(references);
  require_columns("references", to.columns, from.columns);
  Result<double> out{from.rows, to.rows};
  counts::hamming_distances(from, to, optional_span("weights", weights, from.columns, "variable"),
                            out.view());
  return out;
}

Result<double> distances_to_earlier(Matrix<Label> labelings, std::optional<Vector<double>> weights) {
  const Labelings rows = view_of(labelings);
  Result<double> out{rows.rows};
  counts::distances_to_earlier(rows, optional_span("weights", weights, rows.columns, "variable"), out.values);
  return out;
}

bool are_labels(Matrix<Label> labelings, Vector<std::int32_t> label_counts) {
  require_size("label_counts", label_counts.size(), labelings.shape(1), "variable");
  return counts::are_labels(view_of(labelings), span_of(label_counts));
}

Result<std::int64_t> label_counts(Matrix<Label> labelings, std::size_t n_labels) {
  require_in_range("labelings", span_of(labelings), n_labels);
  Result<std::int64_t> out{labelings.shape(0), n_labels};
  counts::label_counts(view_of(labelings), out.view());
  return out;
}

Result<std::int64_t> variable_counts(Matrix<Label> labelings, std::size_t n_labels) {
  require_in_range("labelings", span_of(labelings), n_labels);
  Result<std::int64_t> out{labelings.shape(1), n_labels};
  counts::variable_counts(view_of(labelings), out.view());
  return out;
}

Filled<double> differing_counts(Matrix<Label> labelings, std::size_t n_labels,
                                std::optional<Vector<double>> weights, double factor) {
  const std::size_t n = labelings.shape(1);
  require_in_range("labelings", span_of(labelings), n_labels);
  const auto factors = optional_span("weights", weights, n, "variable");
  Filled<double> out(checked_product(n, n_labels));
  counts::differing_counts(view_of(labelings), factors, factor, {out.span(), n, n_labels});
  return out;
}

Result<std::int64_t> transition_counts(Matrix<Label> labelings, Matrix<std::int32_t> edges,
                                       std::size_t n_labels) {
  const Labelings view = view_of(labelings);
  require_edges(edges_of(edges), view.columns);
  require_in_range("labelings", view.data, n_labels);
  Result<std::int64_t> out{view.rows, n_labels, n_labels};
  counts::transition_counts(view, edges_of(edges), n_labels, {out.values, view.rows, n_labels * n_labels});
  return out;
}

template <class Real>
Result<double> linear_scores(Matrix<Real> scores, Matrix<Label> labelings, bool sizes) {
  const Labelings view = view_of(labelings);
  require_size("scores", scores.shape(0), view.columns, "variable");
  require_in_range("labelings", view.data, scores.shape(1));
  Result<double> out{view.rows};
  sizes ? counts::linear_scores(
              view_of(scores), view, [](double x) { return std::abs(x); }, out.values)
        : counts::linear_scores(view_of(scores), view, std::identity(), out.values);
  return out;
}

void require_balls(const Labelings& members, const Vector<double>& decay, std::size_t n_variables) {
  require_columns("chosen", members.columns, n_variables);
  require_size("decay", decay.size(), n_variables, "variable");
  constexpr std::size_t most = counts::max_ball_members;
  require(members.rows <= most, "the exact gain takes at most " + std::to_string(most) +
                                    " chosen labelings; got " + std::to_string(members.rows));
  bool nonnegative = true;
  for (const double a : span_of(decay)) nonnegative &= a >= 0.0;  // false for NaN
  require(nonnegative, "decay must be nonnegative and not NaN");
}

Result<double> ball_gain(Matrix<Label> labelings, Matrix<Label> chosen, Vector<double> decay) {
  const Labelings view = view_of(labelings);
  require_balls(view_of(chosen), decay, view.columns);
  Result<double> out{view.rows};
  counts::BallGain gain(view_of(chosen), span_of(decay));
  for (std::size_t r = 0; r < view.rows; ++r) out.values[r] = gain(view.row(r));
  return out;
}

Result<double> ball_prefix_gains(Vector<Label> labeling, Matrix<Label> chosen, Vector<double> decay) {
  require_balls(view_of(chosen), decay, labeling.size());
  Result<double> out{chosen.shape(0)};
  counts::BallGain(view_of(chosen), span_of(decay)).prefixes(span_of(labeling), out.values);
  return out;
}

Result<double> concave_envelope(Vector<double> table) {
  require_finite("table", span_of(table));
  Result<double> out(span_of(table));
  counts::concave_envelope(out.values);
  return out;
}

Result<double> mixture(Vector<double> scores, Matrix<double> distances, std::vector<Vector<double>> secants,
                       Vector<double> units, Vector<double> coefficients, Matrix<double> coupling,
                       Vector<double> rates, Vector<double> start, std::size_t rounds, double tolerance) {
  const auto rows = view_of(distances), factors = view_of(coupling);
  require_size("scores", scores.size(), rows.rows, "labeling");
  require_size("start", start.size(), rows.rows, "labeling");
  require_size("secants", secants.size(), rows.columns, "term");
  require_size("units", units.size(), rows.columns, "term");
  require_size("coefficients", coefficients.size(), rows.columns, "term");
  require(factors.rows == factors.columns && factors.rows <= rows.columns,
          "coupling must be a square of terms");
  require_size("rates", rates.size(), factors.rows, "coupled term");
  std::vector<counts::SlopeFunction> functions;
  for (std::size_t j = 0; j < rows.columns; ++j) {
    functions.push_back({span_of(secants[j]), span_of(units)[j], span_of(coefficients)[j]});
  }
  Result<double> weights(span_of(start));
  counts::Mixture(span_of(scores), rows, functions, {factors, span_of(rates)}, weights.values)
      .run(rounds, tolerance);
  return weights;
}

std::tuple<Result<double>, Result<std::int32_t>, bool> union_weights(Vector<double> scores,
                                                                     Matrix<double> overlaps,
                                                                     Matrix<double> between,
                                                                     Matrix<double> meet) {
  const auto rows = view_of(overlaps), pairs = view_of(between), both = view_of(meet);
  const std::size_t n = rows.columns;
  require(rows.rows > 0 && n > 0, "overlaps must have at least one row and one column");
  require_size("scores", scores.size(), rows.rows, "labeling");
  require(pairs.rows == n && pairs.columns == n, "between must be a square, a row per ball");
  require(both.rows == 0 || (both.rows == rows.rows && both.columns == checked_product(n, n)),
          "meet must have no rows, or one per labeling with an entry per pair of balls");
  require_finite("scores", span_of(scores));
  auto found = counts::UnionBound(span_of(scores), rows, pairs, both).best();
  const bool meets = both.rows > 0 && found.n_clusters <= counts::UnionBound::kMostMeeting;
  return {Result<double>(std::move(found.weights)), Result<std::int32_t>(std::move(found.clusters)), meets};
}

counts::Memberships memberships_of(const Vector<std::int64_t>& starts, const Vector<std::int32_t>& groups,
                                   std::size_t n_groups) {
  require(starts.size() > 1, "starts must be those of at least one labeling");
  require_starts("starts", span_of(starts), groups.size(), "groups");
  require_in_range("groups", span_of(groups), n_groups);
  return {span_of(starts), span_of(groups)};
}

std::tuple<Result<double>, Result<double>, double, double> slope_master(
    Vector<std::int64_t> starts, Vector<std::int32_t> groups, Vector<double> weights, Vector<double> centre,
    Vector<std::int32_t> curve, Matrix<double> tables, Vector<double> stiffness, Vector<double> scores,
    Vector<double> start, double enough, std::size_t most, Vector<std::int32_t> clusters) {
  const auto members = memberships_of(starts, groups, weights.size());
  const auto rows = view_of(tables);
  require(rows.rows > 0 && rows.columns > 1, "tables must have at least one row and two columns");
  require_size("stiffness", stiffness.size(), rows.rows, "table");
  require_size("centre", centre.size(), weights.size(), "group");
  require_size("curve", curve.size(), weights.size(), "group");
  require_in_range("curve", span_of(curve), rows.rows);
  require_size("scores", scores.size(), starts.size() - 1, "labeling");
  require_size("start", start.size(), starts.size() - 1, "labeling");
  require_finite("scores", span_of(scores));
  if (clusters.size() > 0) require_size("clusters", clusters.size(), scores.size(), "labeling");
  require_in_range("clusters", span_of(clusters), scores.size());
  std::vector<counts::HeldCurve> curves;
  for (std::size_t k = 0; k < rows.rows; ++k) curves.push_back({rows.row(k), span_of(stiffness)[k]});
  const auto mixture = span_of(start);
  counts::SlopeMaster master(std::move(curves), {span_of(weights), span_of(centre), span_of(curve)}, members,
                             span_of(scores), {mixture.begin(), mixture.end()}, span_of(clusters));
  Poll poll = python_poll();
  master.solve(enough, most, poll);
  return {Result<double>(master.mixture()), Result<double>(master.slopes()), master.bound(), master.worth()};
}

Result<std::int32_t> list_of_known(Vector<std::int64_t> starts, Vector<std::int32_t> groups,
                                   Vector<double> weights, Vector<std::int32_t> curve, Matrix<double> tables,
                                   Vector<double> scores, Matrix<std::uint8_t> near,
                                   Vector<std::int32_t> begun, std::size_t rounds, double enough) {
  const auto members = memberships_of(starts, groups, weights.size());
  const auto rows = view_of(tables);
  const auto apart = view_of(near);
  require(rows.rows > 0 && rows.columns > 1, "tables must have at least one row and two columns");
  require_size("curve", curve.size(), weights.size(), "group");
  require_in_range("curve", span_of(curve), rows.rows);
  require_size("scores", scores.size(), starts.size() - 1, "labeling");
  require_finite("scores", span_of(scores));
  require(apart.rows == 0 || (apart.rows == scores.size() && apart.columns == scores.size()),
          "near must have no rows, or a row and a column per labeling");
  require(begun.size() < rows.columns, "begun must not be longer than lists are");
  require_in_range("begun", span_of(begun), scores.size());
  counts::ListSwaps swaps({span_of(weights), span_of(curve), rows}, members, span_of(scores), apart);
  const auto given = span_of(begun);
  auto list = swaps.filled({given.begin(), given.end()}, rows.columns - 1);
  if (!list) return Result<std::int32_t>{0};
  Poll poll = python_poll();
  return Result<std::int32_t>(rounds > 0 ? swaps.settled(std::move(*list), rounds, enough, poll) : *list);
}

template <class T>
std::tuple<Result<std::int32_t>, Result<std::int32_t>, Result<Label>, Result<double>> list_slopes(
    Matrix<T> unary, const PyPairs& pairs, Matrix<double> weights, Vector<double> h, double unit,
    int iterations) {
  const UnaryScores scores = pairs.checked_unary(unary);
  pairs.require_no_loops();
  require(weights.shape(1) == 1 || weights.shape(1) == pairs.n_labels(),
          "weights must have one column, or one per label");
  require_size("weights", weights.shape(0), pairs.n_variables(), "variable");
  require(h.size() > 1, "h must have at least two values");
  require(unit > 0.0 && std::isfinite(unit), "unit must be positive");
  Poll poll = python_poll();
  const auto run = [&](const auto& pair_scores) {
    counts::ListSweeps messages(scores, pairs.view(), pair_scores, view_of(weights), span_of(h), unit);
    for (int k = 0; k < iterations; ++k) messages.iterate(poll);
    return messages.cells(poll);
  };
  counts::SlopeCells found = std::visit(run, pairs.view().scores);
  return {Result<std::int32_t>(std::move(found.cell)), Result<std::int32_t>(std::move(found.starts)),
          Result<Label>(std::move(found.labels)), Result<double>(std::move(found.slopes))};
}

void register_statistics(nb::module_& m) {
  m.def("hamming", &hamming, "labelings"_a, "references"_a, "weights"_a = nb::none(), NoGil(),
        "Hamming distances of (m, n) labelings to (k, n) references, optionally with (n,) weights: (m, k).");
  m.def("are_labels", &are_labels, "labelings"_a, "label_counts"_a, NoGil(),
        "Whether all labels of (m, n) labelings are at least 0 and below the (n,) counts.");
  m.def("label_counts", &label_counts, "labelings"_a, "n_labels"_a, NoGil(),
        "Number of variables with each label in each of (m, n) labelings: (m, n_labels).");
  m.def("distances_to_earlier", &distances_to_earlier, "labelings"_a, "weights"_a = nb::none(), NoGil(),
        "Sum of the Hamming distances of each labeling to all before it, (m,).");
  m.def("differing_counts", &differing_counts, "labelings"_a, "n_labels"_a, "weights"_a.none(), "factor"_a,
        NoGil(),
        "Number of labelings that give each variable another label than l, times its weight and a factor,\n"
        "(n * n_labels,).");
  m.def("variable_counts", &variable_counts, "labelings"_a, "n_labels"_a, NoGil(),
        "Number of (m, n) labelings that give each variable each label: (n, n_labels).");
  m.def("transition_counts", &transition_counts, "labelings"_a, "edges"_a, "n_labels"_a, NoGil(),
        "Number of (E, 2) edges (i, j) with labels (a, b) in each of (m, n) labelings: (m, n_labels, "
        "n_labels).");
  const char* doc =
      "Sums of scores[i, y_i], or of their sizes, over the variables of each of (m, n) labelings: (m,).";
  m.def("linear_scores", &linear_scores<float>, "scores"_a, "labelings"_a, "sizes"_a = false, NoGil(), doc);
  m.def("linear_scores", &linear_scores<double>, "scores"_a, "labelings"_a, "sizes"_a = false, NoGil(), doc);
}

void register_distance_terms(nb::module_& m) {
  nb::class_<PyDistanceTerms>(
      m, "DistanceTerms",
      "Functions of the distances to (J, n) references: values at 0, unit, 2 unit, ...; linear between.\n\n"
      "With a second labeling, a term counts the variables where the two differ and y is neither.")
      .def(nb::init<Matrix<Label>, OptionalVectors<Label>, OptionalVectors<double>,
                    std::vector<Vector<double>>, Vector<double>>(),
           "references"_a, "seconds"_a, "weights"_a, "values"_a, "units"_a)
      .def("distances", &PyDistanceTerms::distances, "labelings"_a, NoGil(),
           "Weighted Hamming distances of (m, n) labelings to the references: (m, J).")
      .def("linear", &PyDistanceTerms::linear, "slopes"_a, "n_labels"_a, NoGil(),
           "The distances times slopes (J,), as scores of each variable's labels: (n, n_labels).");
}

void register_shares(nb::module_& m) {
  nb::class_<PyShares>(
      m, "Shares",
      "Multipliers of weights that are earned or paid once, functions (K, 4) of counts: weight, start, "
      "width\n"
      "and what the shares may add up to. slots[first[k]:first[k + 1]] are the members of function k, which\n"
      "count where they carry codes[k]; without slots, these are all. delta are their first shares.")
      .def(nb::init<Matrix<double>, Vector<std::int64_t>, Vector<std::int64_t>, Vector<std::int32_t>,
                    Vector<double>, std::size_t, std::size_t>(),
           "functions"_a, "codes"_a, "first"_a, "slots"_a, "delta"_a, "n_slots"_a, "n_codes"_a)
      .def("scores", &PyShares::scores, NoGil(), "What to add to the scores of slots: (n_slots, n_codes).")
      .def("added_to", &PyShares::added_to, "scores"_a, "twins"_a, NoGil(),
           "Scores of slots with the shares: (n_slots, n_codes). A code's share also goes to its twin.")
      .def("rest", &PyShares::rest, NoGil(), "What the functions may add beside the shares.")
      .def("slope", &PyShares::slope, "codes"_a, NoGil(),
           "Prepare a step against the subgradient where slots carry codes (n_slots,): its squared length.")
      .def("step", &PyShares::step, "length"_a, NoGil(), "Make the prepared step, this long per unit.")
      .def("delta", &PyShares::delta, NoGil(), "The shares.");
}

void register_forest_dual(nb::module_& m) {
  nb::class_<PyForestDual>(m, "ForestDual",
                           "The list dual on a forest, for weights (n,) of variables, values h (m + 1,) of "
                           "counts, and a list (m, n)\n"
                           "with its scores (m,). `stake`: how much labelings may differ by; `unit`: of the "
                           "master problem's numbers.")
      .def(nb::init<Matrix<double>, const PyPairs&, Vector<double>, Vector<double>, Matrix<Label>,
                    Vector<double>, double, double, double, int>(),
           "unary"_a, "pairs"_a, "weights"_a, "h"_a, "rows"_a, "scores"_a, "stake"_a, "unit"_a, "constant"_a,
           "iterations"_a)
      .def("round", &PyForestDual::round, NoGil(),
           "A bound, its slopes (cells and slopes of cells), a labeling (1, n), the whole part of the "
           "mixture.")
      .def("held", &PyForestDual::held, "Cells, and the slopes that later ones are held near.")
      .def("known", &PyForestDual::known, "All labelings found, (K, n).")
      .def_prop_ro("best", &PyForestDual::best, "The smallest bound.")
      .def_prop_ro("lower", &PyForestDual::lower, "What the best mixture is worth.")
      .def_prop_ro("stuck", &PyForestDual::stuck, "How many rounds in a row have brought nothing.")
      .def_prop_ro("found_new", &PyForestDual::found_new,
                   "Whether the labeling of the last round is a new one.")
      .def_prop_ro("exceeds", &PyForestDual::exceeds, "Whether the mixture has more than 1/m of a labeling.");
}

}  // namespace

void register_counts(nb::module_& m) {
  register_shares(m);
  register_forest_dual(m);
  register_statistics(m);
  register_distance_terms(m);
  m.def("ball_gain", &ball_gain, "labelings"_a, "chosen"_a, "decay"_a, NoGil(),
        "Exact gain of each of (m, n) labelings in smooth Hamming-ball coverage on top of (k, n) chosen\n"
        "ones. Two labelings overlap by exp(-sum of the (n,) decay where they differ); k is at most 20.");
  m.def("ball_prefix_gains", &ball_prefix_gains, "labeling"_a, "chosen"_a, "decay"_a, NoGil(),
        "Exact gains of one (n,) labeling on top of the first 1, 2, ... of the (k, n) chosen ones: (k,).");
  m.def("concave_envelope", &concave_envelope, "table"_a, NoGil(), "Least concave table above a finite one.");
  m.def("mixture", &mixture, "scores"_a, "distances"_a, "secants"_a, "units"_a, "coefficients"_a,
        "coupling"_a, "rates"_a, "start"_a, "rounds"_a = 100, "tolerance"_a = 0.0, NoGil(),
        "Weights of labelings (K,) that maximise mean score plus concave functions of the mean distances\n"
        "(K, J). The functions are given by the secants of their tables; coupling (C, C) adds, for pairs of\n"
        "the first C terms, factors of exp(-(rate d + rate d) / 2). start is where the search begins.");
  m.def("union_weights", &union_weights, "scores"_a, "overlaps"_a, "between"_a, "meet"_a, NoGil(),
        "Weights (J,) of balls, their clusters, and whether the bound they make small uses `meet`.\n\n"
        "1 - P(union) <= 1 - sum of weights times overlaps + sum over pairs of different clusters of both\n"
        "weights times what they have in common: between (J, J) for any labeling, meet (K, J * J) for the\n"
        "(K,) ones known.");
  m.def("slope_master", &slope_master, "starts"_a, "groups"_a, "weights"_a, "centre"_a, "curve"_a, "tables"_a,
        "stiffness"_a, "scores"_a, "start"_a, "enough"_a, "most"_a, "clusters"_a, NoGil(),
        "Best mixture (K,) of labelings with scores (K,) and groups starts[k]:starts[k + 1], with concave\n"
        "functions of counts, tables (F, m + 1), held near slopes by the stiffness (F,): the mixture, the\n"
        "slopes of the groups, what they prove over these labelings, and what the mixture is worth.\n\n"
        "Where labelings must differ, clusters (K,) of labelings have 1/m of the mixture at most each; () "
        "else.");
  m.def(
      "list_of_known", &list_of_known, "starts"_a, "groups"_a, "weights"_a, "curve"_a, "tables"_a, "scores"_a,
      "near"_a, "begun"_a, "rounds"_a, "enough"_a, NoGil(),
      "A list of m labelings out of those with scores (K,) and groups starts[k]:starts[k + 1], whose counts\n"
      "are worth tables (F, m + 1) times weights: its places, which begin with those given. The best ones "
      "are\n"
      "added until there are m, then single ones are swapped while that gains more than enough, in at most "
      "so\n"
      "many rounds. Lists hold no two labelings that are near (K, K), or (0, 0); empty if no further one "
      "fits.");
  const char* slopes =
      "Slopes of groups (variable, label) by message passing, for a concave h (m + 1,) and weights (n, 1) "
      "or\n"
      "(n, L): the cell of each variable, (n,), where the labels of each cell begin in the third array, and "
      "their\n"
      "slopes; those of all others are the largest, h[1] - h[0].";
  m.def("list_slopes", &list_slopes<float>, "unary"_a, "pairs"_a, "weights"_a, "h"_a, "unit"_a,
        "iterations"_a, NoGil(), slopes);
  m.def("list_slopes", &list_slopes<double>, "unary"_a, "pairs"_a, "weights"_a, "h"_a, "unit"_a,
        "iterations"_a, NoGil(), slopes);
}

}  // namespace hedgehop::bindings
