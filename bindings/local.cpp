// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"
#include "core/incidence.hpp"
#include "local/annealing.hpp"
#include "local/block_search.hpp"
#include "local/distance_moves.hpp"
#include "local/max_product.hpp"
#include "local/tabu_search.hpp"
#include "objects/distance_terms.hpp"

namespace hedgehop::bindings {

namespace {

// Local searches on one model's pairs plus functions of distances.
class PyDistanceMoves {
 public:
  explicit PyDistanceMoves(const PyPairs& pairs)
      : pairs_(pairs), incidence_(pairs.n_variables(), pairs.view().edges) {
    pairs.require_no_loops();
    pairs.require_attractive();
  }

  Result<Label> improve(Matrix<double> unary, const PyDistanceTerms& terms, Vector<double> coefficients,
                        Vector<Label> labeling, std::size_t rounds) const {
    return run<local::DistanceMoves>(
        unary, terms, coefficients, labeling,
        [&](auto& search, std::span<Label> labels, Poll& poll) { search.improve(labels, rounds, poll); });
  }

  Result<Label> ascend(Matrix<double> unary, const PyDistanceTerms& terms, Vector<double> coefficients,
                       Vector<Label> labeling, std::size_t moves) const {
    return run<local::DistanceMoves>(
        unary, terms, coefficients, labeling,
        [&](auto& search, std::span<Label> labels, Poll& poll) { search.ascend(labels, moves, poll); });
  }

  Result<Label> explore(Matrix<double> unary, const PyDistanceTerms& terms, Vector<double> coefficients,
                        Vector<Label> labeling, std::size_t patience) const {
    return run<local::TabuSearch>(
        unary, terms, coefficients, labeling,
        [&](auto& search, std::span<Label> labels, Poll& poll) { search.run(labels, patience, poll); });
  }

  Result<Label> mix(Matrix<double> unary, const PyDistanceTerms& terms, Vector<double> coefficients,
                    Vector<Label> labeling, Vector<Label> other) const {
    const auto target = pairs_.checked_labeling("other", other);
    return run<local::DistanceMoves>(
        unary, terms, coefficients, labeling,
        [&](auto& search, std::span<Label> labels, Poll& poll) { search.mix(labels, target, poll); });
  }

 private:
  template <template <class> class Method, class Search>
  Result<Label> run(const Matrix<double>& unary, const PyDistanceTerms& terms,
                    const Vector<double>& coefficients, const Vector<Label>& labeling, Search search) const {
    Result<Label> labels(pairs_.checked_labeling("labeling", labeling));
    require_shape("unary", view_of(unary), pairs_.n_variables(), pairs_.n_labels());
    require(terms.n_variables() == pairs_.n_variables(), "the terms must have one label per variable");
    require_size("coefficients", coefficients.size(), terms.view().size(), "term");
    std::vector<counts::DistanceTerm> used;
    std::vector<double> factors;
    for (std::size_t j = 0; j < coefficients.size(); ++j) {
      if (span_of(coefficients)[j] == 0.0 || !terms.view()[j].second.empty()) continue;
      used.push_back(terms.view()[j]);
      factors.push_back(span_of(coefficients)[j]);
    }
    Poll poll = python_poll();
    const auto run_on = [&](const auto& scores) {
      Method<std::decay_t<decltype(scores)>> moves(view_of(unary), incidence_, scores, used, factors);
      search(moves, std::span(labels.values), poll);
    };
    std::visit(run_on, pairs_.view().scores);
    return labels;
  }

  PyPairs pairs_;
  Incidence incidence_;
};

void require_cliques(const local::Cliques& cliques, const Pairs& pairs) {
  require_in_range("members", cliques.members, pairs.n_variables);
  require_starts("starts", cliques.starts, cliques.members.size(), "members");
  std::size_t total = 0;
  for (std::size_t c = 0; c < cliques.size(); ++c) {
    std::size_t size = 1;
    for (const std::int32_t i : cliques.members_of(c))
      size = checked_product(size, pairs.label_count(index(i)));
    total += size;
    require(total <= cliques.cells.size(), "cells must hold a table for every clique");
  }
  require_size("cells", cliques.cells.size(), total, "cell of the tables");
  require_finite("cells", cliques.cells);
}

// search(factors, start, poll) with the kind of scores known.
template <class Search>
Result<Label> on_factors(const Matrix<double>& unary, const PyPairs& pairs,
                         const Vector<std::int32_t>& members, const Vector<std::int64_t>& starts,
                         const Vector<double>& cells, const Vector<Label>& labeling, Search search) {
  const Unaries unaries = pairs.checked_unary(unary);
  require_finite("unary", unaries.data);
  pairs.require_no_loops();
  pairs.require_finite();
  const local::Cliques cliques{span_of(members), span_of(starts), span_of(cells)};
  require_cliques(cliques, pairs.view());
  const auto start = pairs.checked_labeling("labeling", labeling);
  Poll poll = python_poll();
  const auto run = [&](const auto& scores) {
    return search(local::Factors(unaries, pairs.view(), scores, cliques), start, poll);
  };
  return std::visit(run, pairs.view().scores);
}

Result<Label> anneal(Matrix<double> unary, const PyPairs& pairs, Vector<std::int32_t> members,
                     Vector<std::int64_t> starts, Vector<double> cells, Vector<Label> labeling,
                     std::size_t runs, std::size_t sweeps, double temperature) {
  return on_factors(unary, pairs, members, starts, cells, labeling,
                    [&](const auto& factors, std::span<const Label> start, Poll& poll) {
                      require(temperature > 0.0 && std::isfinite(temperature),
                              "temperature must be positive");
                      local::Annealing annealing(factors, start);
                      annealing.search(runs, sweeps, temperature, poll);
                      return Result<Label>(annealing.best());
                    });
}

Result<Label> search_blocks(Matrix<double> unary, const PyPairs& pairs, Vector<std::int32_t> members,
                            Vector<std::int64_t> starts, Vector<double> cells, Vector<Label> labeling,
                            std::size_t sweeps, std::size_t work, double hot, double warm,
                            std::size_t most_cells, bool from_best, std::uint64_t seed) {
  return on_factors(unary, pairs, members, starts, cells, labeling,
                    [&](const auto& factors, std::span<const Label> start, Poll& poll) {
                      require(hot > 0.0 && std::isfinite(hot), "hot must be positive");
                      require(warm >= 0.0 && std::isfinite(warm), "warm must not be negative");
                      local::BlockSearch search(factors, start, most_cells, seed);
                      search.anneal(sweeps, hot, poll);
                      if (from_best) search.restart();
                      search.cool(work, warm, poll);
                      return Result<Label>(search.best());
                    });
}

void require_allowed(const Unaries& unaries) {
  for (std::size_t i = 0; i < unaries.rows; ++i) {
    require(std::ranges::max(unaries.row(i)) > forbidden,
            [&] { return "variable " + std::to_string(i) + " has no allowed label"; });
  }
}

Result<Label> max_product(Matrix<double> unary, const PyPairs& pairs, Matrix<Label> references,
                          Matrix<double> tables, std::size_t sweeps, double damping) {
  const Unaries unaries = pairs.checked_unary(unary);
  require_allowed(unaries);
  pairs.require_no_loops();
  pairs.require_attractive();
  pairs.require_finite();
  require_columns("references", references.shape(1), unaries.rows);
  require(tables.shape(0) == references.shape(0), "tables must have one row per reference");
  require_columns("tables", tables.shape(1), unaries.rows + 1);
  require_finite("tables", span_of(tables));
  require(damping >= 0.0 && damping < 1.0, "damping must be at least 0 and below 1");
  Result<Label> decoded{sweeps + 1, unaries.rows};
  Poll poll = python_poll();
  const auto run = [&](const auto& scores) {
    local::MaxProduct solver(unaries, pairs.view().edges, scores, view_of(references), view_of(tables),
                             damping);
    local::max_product(solver, decoded.view(), poll);
  };
  std::visit(run, pairs.view().scores);
  return decoded;
}

}  // namespace

void register_local(nb::module_& m) {
  nb::class_<PyDistanceMoves>(m, "DistanceMoves",
                              "Local searches on pairwise scores plus functions of distances.")
      .def(nb::init<const PyPairs&>(), "pairs"_a)
      .def("improve", &PyDistanceMoves::improve, "unary"_a, "terms"_a, "coefficients"_a, "labeling"_a,
           "rounds"_a, NoGil(),
           "Change one variable at a time while the sum of scores and coefficients times terms grows.")
      .def("ascend", &PyDistanceMoves::ascend, "unary"_a, "terms"_a, "coefficients"_a, "labeling"_a,
           "moves"_a, NoGil(), "The same, the change that gains most first, at most so many changes.")
      .def("explore", &PyDistanceMoves::explore, "unary"_a, "terms"_a, "coefficients"_a, "labeling"_a,
           "patience"_a, NoGil(),
           "Tabu search: changes that lose, too, until so many in a row find no better labeling.")
      .def("mix", &PyDistanceMoves::mix, "unary"_a, "terms"_a, "coefficients"_a, "labeling"_a, "other"_a,
           NoGil(), "Switch connected parts of the labeling to another labeling while the same sum grows.");
  m.def("anneal", &anneal, "unary"_a, "pairs"_a, "members"_a, "starts"_a, "cells"_a, "labeling"_a, "runs"_a,
        "sweeps"_a, "temperature"_a, NoGil(),
        "A labeling no worse than the given one, by annealing from a temperature in several runs.\n\n"
        "cells holds the tables of cliques, whose members are members[starts[c]:starts[c + 1]], end to end;\n"
        "all scores are finite.");
  m.def("search_blocks", &search_blocks, "unary"_a, "pairs"_a, "members"_a, "starts"_a, "cells"_a,
        "labeling"_a, "sweeps"_a, "work"_a, "hot"_a, "warm"_a, "most_cells"_a, "from_best"_a, "seed"_a,
        NoGil(),
        "The same by annealing from a temperature `hot`, then by moves over blocks of variables from "
        "`warm`.\n\n"
        "Blocks have tables of at most `most_cells`, and visit `work` of these in all. They begin with what\n"
        "annealing ended with, or with the best labeling.");
  m.def("max_product", &max_product, "unary"_a, "pairs"_a, "references"_a, "tables"_a, "sweeps"_a,
        "damping"_a, NoGil(),
        "Labelings that loopy max-product decodes to after 0, 1, ... sweeps: (sweeps + 1, n).\n\n"
        "Beside the finite pairs there are functions of the distances to (J, n) references, tables (J, n + "
        "1).");
}

}  // namespace hedgehop::bindings
