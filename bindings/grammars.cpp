// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/threads.hpp"
#include "grammars/chart.hpp"
#include "grammars/lattice.hpp"
#include "probabilities/chart_sums.hpp"

namespace hedgehop::bindings {

namespace {

using Answer = std::pair<Result<Label>, double>;

void require_added(const MatrixView<const double>& added, std::size_t rows, std::size_t columns) {
  require_shape("added", added, rows, columns);
  require_scores("added", added.data);
}

// ---- automata

class PyLattice {
 public:
  PyLattice(std::size_t n_states, Matrix<std::int32_t> arcs, Vector<double> scores, std::size_t start,
            Vector<double> finals, std::size_t n_symbols, std::optional<std::size_t> max_length)
      : n_symbols_(n_symbols),
        lattice_(made(n_states, arcs, scores, start, finals, n_symbols, max_length)),
        ends_early_(false) {
    for (std::size_t v = 0; v < lattice_.n_nodes(); ++v) {
      ends_early_ |=
          lattice_.position(v) < lattice_.length() && lattice_.final_score(v) > grammars::forbidden;
    }
  }

  std::size_t length() const { return lattice_.length(); }
  std::size_t n_labels() const { return n_symbols_ + (ends_early_ ? 1 : 0); }
  bool is_empty() const { return lattice_.is_empty(); }

  Answer best(Matrix<double> added) const {
    require_ready(added);
    Result<Label> labeling{length()};
    Poll poll = python_poll();
    const double value = lattice_.best(view_of(added), labeling.values, poll);
    return {std::move(labeling), value};
  }

  Result<double> max_marginals(Matrix<double> added) const {
    require_ready(added);
    Result<double> out{length(), n_labels()};
    Poll poll = python_poll();
    lattice_.max_marginals(view_of(added), out.view(), poll);
    return out;
  }

  Result<double> scores(Matrix<Label> labelings) const {
    const Labelings rows = view_of(labelings);
    require(!is_empty(), "the automaton accepts no string");
    require_columns("labelings", rows.columns, length());
    Result<double> out{rows.rows};
    Poll poll = python_poll();
    lattice_.scores(rows, ends_early_ ? static_cast<Label>(n_symbols_) : -1, out.values, poll);
    return out;
  }

  // Arcs as (from, to, position, symbol) with scores, and the position and the final score of each node.
  using Unrolled = std::tuple<Result<std::int32_t>, Result<double>, Result<std::int32_t>, Result<double>>;
  Unrolled unrolled() const {
    const auto& arcs = lattice_.arcs();
    Result<std::int32_t> table{arcs.size(), 4}, positions{lattice_.n_nodes()};
    Result<double> scores{arcs.size()}, finals{lattice_.n_nodes()};
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      const auto position = static_cast<std::int32_t>(lattice_.position(index(arcs[a].from)));
      const std::int32_t row[] = {arcs[a].from, arcs[a].to, position, arcs[a].symbol};
      std::copy(std::begin(row), std::end(row), table.values.begin() + static_cast<std::ptrdiff_t>(4 * a));
      scores.values[a] = arcs[a].score;
    }
    for (std::size_t v = 0; v < lattice_.n_nodes(); ++v) {
      positions.values[v] = static_cast<std::int32_t>(lattice_.position(v));
      finals.values[v] = lattice_.final_score(v);
    }
    return {std::move(table), std::move(scores), std::move(positions), std::move(finals)};
  }

 private:
  static grammars::Lattice made(std::size_t n_states, const Matrix<std::int32_t>& arcs,
                                const Vector<double>& scores, std::size_t start, const Vector<double>& finals,
                                std::size_t n_symbols, std::optional<std::size_t> max_length) {
    const auto rows = view_of(arcs);
    require_columns("arcs", rows.columns, 3);
    require_size("scores", scores.size(), rows.rows, "arc");
    require_size("finals", finals.size(), n_states, "state");
    require(start < n_states, "no such start");
    require_scores("scores", span_of(scores));
    require_scores("finals", span_of(finals));
    for (std::size_t a = 0; a < rows.rows; ++a) {
      require(rows(a, 0) >= 0 && index(rows(a, 0)) < n_states && rows(a, 1) >= 0 &&
                  index(rows(a, 1)) < n_states && rows(a, 2) >= -1 &&
                  (rows(a, 2) < 0 || index(rows(a, 2)) < n_symbols),
              "arcs must name known states and symbols");
    }
    Poll poll = python_poll();
    const grammars::Automaton automaton{n_states, rows, span_of(scores), span_of(finals), start};
    return {automaton, max_length.value_or(grammars::Lattice::unlimited), poll};
  }

  void require_ready(const Matrix<double>& added) const {
    require(!is_empty(), "the automaton accepts no string");
    require_added(view_of(added), length(), n_labels());
  }

  std::size_t n_symbols_;
  grammars::Lattice lattice_;
  bool ends_early_;
};

// ---- grammars

class PyChart {
 public:
  PyChart(std::size_t n_words, std::size_t n_symbols, Matrix<std::int32_t> rules, Vector<double> scores)
      : chart_(made(n_words, n_symbols, rules, scores)) {}

  Answer best(Matrix<double> added) const {
    require_added(view_of(added), chart_.n_spans(), chart_.n_labels());
    Result<Label> labeling{chart_.n_spans()};
    Poll poll = python_poll();
    const double value = chart_.best(view_of(added), labeling.values, poll);
    return {std::move(labeling), value};
  }

  Result<double> max_marginals(Matrix<double> added) const {
    require_added(view_of(added), chart_.n_spans(), chart_.n_labels());
    Result<double> out{chart_.n_spans(), chart_.n_labels()};
    Poll poll = python_poll();
    chart_.max_marginals(view_of(added), out.view(), poll);
    return out;
  }

  Result<double> scores(Matrix<Label> labelings) const {
    const Labelings rows = view_of(labelings);
    require_columns("labelings", rows.columns, chart_.n_spans());
    require_in_range("labelings", rows.data, chart_.n_labels());
    Result<double> out{rows.rows};
    chart_.scores(rows, out.values);
    return out;
  }

  std::pair<double, Result<double>> marginals(Matrix<double> added) const {
    auto sums = summed(added);
    Result<double> out{chart_.n_spans(), chart_.n_labels()};
    sums.marginals(out.view());
    return {sums.log_total(), std::move(out)};
  }

  Result<Label> samples(Matrix<double> added, std::size_t k, std::uint64_t seed) const {
    auto sums = summed(added);
    require(sums.log_total() > grammars::forbidden, "no parse is allowed");
    Result<Label> out{k, chart_.n_spans()};
    sums.sample(seed, out.view());
    return out;
  }

 private:
  probabilities::ChartSums summed(const Matrix<double>& added) const {
    require_added(view_of(added), chart_.n_spans(), chart_.n_labels());
    return {chart_, view_of(added), python_poll()};
  }

  static grammars::Chart made(std::size_t n_words, std::size_t n_symbols, const Matrix<std::int32_t>& rules,
                              const Vector<double>& scores) {
    const auto rows = view_of(rules);
    require(n_words > 0 && n_words <= (std::size_t{1} << 15), "there must be 1 to 32768 words");
    require(n_symbols > 0 && n_symbols <= (std::size_t{1} << 20), "there must be 1 to 2^20 symbols");
    require_columns("rules", rows.columns, 3);
    require_size("scores", scores.size(), rows.rows, "rule");
    require_in_range("rules", rows.data, n_symbols);
    require_scores("scores", span_of(scores));
    return {n_words, n_symbols, rows, span_of(scores)};
  }

  grammars::Chart chart_;
};

}  // namespace

void register_grammars(nb::module_& m) {
  nb::class_<PyLattice>(m, "Lattice", "The strings of a weighted automaton, unrolled over their positions.")
      .def(nb::init<std::size_t, Matrix<std::int32_t>, Vector<double>, std::size_t, Vector<double>,
                    std::size_t, std::optional<std::size_t>>(),
           "n_states"_a, "arcs"_a, "scores"_a, "start"_a, "finals"_a, "n_symbols"_a, "max_length"_a.none(),
           NoGil(), "Arcs are (from, to, symbol), where symbol -1 reads nothing.")
      .def_prop_ro("length", &PyLattice::length, "Number of symbols of the longest string.")
      .def_prop_ro("n_labels", &PyLattice::n_labels, "Symbols, and one more if some strings are shorter.")
      .def_prop_ro("is_empty", &PyLattice::is_empty, "Whether no string is accepted.")
      .def("best", &PyLattice::best, "added"_a, NoGil(),
           "Best string with (length, labels) scores added, and its value; -inf if none is allowed.")
      .def("max_marginals", &PyLattice::max_marginals, "added"_a, NoGil(),
           "Best score of a string with label l at position t, for each (t, l).")
      .def("scores", &PyLattice::scores, "labelings"_a, NoGil(),
           "Scores of (m, length) strings; -inf for those that are not accepted.")
      .def("unrolled", &PyLattice::unrolled, NoGil(),
           "Arcs as (from, to, position, symbol), their scores, the position and the final score of each "
           "node.");
  nb::class_<PyChart>(m, "Chart", "Parses by a grammar in Chomsky normal form.")
      .def(nb::init<std::size_t, std::size_t, Matrix<std::int32_t>, Vector<double>>(), "n_words"_a,
           "n_symbols"_a, "rules"_a, "scores"_a, NoGil(), "Rules are (A, B, C) for A -> B C.")
      .def("best", &PyChart::best, "added"_a, NoGil(),
           "Best parse with (spans, labels) scores added, and its value; -inf if none is allowed.")
      .def("max_marginals", &PyChart::max_marginals, "added"_a, NoGil(),
           "Best score of a parse in which span s has label l, for each (s, l).")
      .def("scores", &PyChart::scores, "labelings"_a, NoGil(),
           "Scores of the rules of (m, spans) parses; -inf for labelings that are none.")
      .def("marginals", &PyChart::marginals, "added"_a, NoGil(),
           "Log of the sum over all parses, and the probability that span s has label l, for each (s, l).")
      .def("samples", &PyChart::samples, "added"_a, "k"_a, "seed"_a, NoGil(), "k parses, drawn exactly.");
}

}  // namespace hedgehop::bindings
