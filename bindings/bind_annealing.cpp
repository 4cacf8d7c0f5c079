// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"
#include "local/annealing.hpp"
#include "signals.hpp"
#include "trws_checks.hpp"

namespace hedgehop::bindings {

namespace {

struct Cliques {
  std::span<const std::int32_t> members;
  std::span<const std::int64_t> starts;
  std::span<const double> cells;

  void check(std::span<const std::int32_t> counts) const {
    require_in_range("members", members, counts.size());
    require(!starts.empty() && starts.front() == 0 && std::ranges::is_sorted(starts) &&
                starts.back() == static_cast<std::int64_t>(members.size()),
            "starts must rise from 0 to the number of members");
    std::size_t total = 0;
    for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
      std::size_t size = 1;
      for (auto k = starts[c]; k < starts[c + 1]; ++k) {
        const auto i = static_cast<std::size_t>(members[static_cast<std::size_t>(k)]);
        size = checked_product(size, static_cast<std::size_t>(counts[i]));
      }
      total += size;
      require(total <= cells.size(), "cells must hold a table for every clique");
    }
    require_size("cells", cells.size(), total, "cell of the tables");
    require_finite("cells", cells);
  }
};

Result<Label> anneal(Matrix<double> unary, Vector<std::int32_t> label_counts, Matrix<std::int32_t> edges,
                     Vector<double> tables, Vector<std::int32_t> members, Vector<std::int64_t> starts,
                     Vector<double> cells, Vector<Label> labeling, std::size_t runs, std::size_t sweeps,
                     double temperature) {
  const auto unaries = view_of(unary);
  const auto counts = span_of(label_counts);
  const Edges pairs = view_of(edges);
  std::vector<Label> best;
  {
    nb::gil_scoped_release release;
    require_sizes(unaries.rows, unaries.columns, pairs.rows);
    require_graph(pairs, unaries.rows);
    require_counts(counts, unaries.rows, unaries.columns);
    require_finite("unary", unaries.data);
    const std::size_t width = unaries.columns;
    require_size("tables", tables.size(), checked_product(pairs.rows, width * width),
                 "pair of labels of an edge");
    require_finite("tables", span_of(tables));
    const Cliques cliques{span_of(members), span_of(starts), span_of(cells)};
    cliques.check(counts);
    require_size("labeling", labeling.size(), unaries.rows, "variable");
    for (std::size_t i = 0; i < unaries.rows; ++i) {
      require(span_of(labeling)[i] >= 0 && span_of(labeling)[i] < counts[i],
              "labeling has a label out of range");
    }
    require(temperature > 0.0 && std::isfinite(temperature), "temperature must be positive");
    Poll poll = python_poll();
    const Factors factors(unaries, counts, pairs, span_of(tables), cliques.members, cliques.starts,
                          cliques.cells);
    Annealing annealing(factors, span_of(labeling));
    annealing.search(runs, sweeps, temperature, poll);
    best.assign(annealing.best().begin(), annealing.best().end());
  }
  return give(std::move(best), {unaries.rows});
}

#define HEDGEHOP_INT32 "numpy.typing.NDArray[numpy.int32]"
#define HEDGEHOP_REAL "numpy.typing.NDArray[numpy.float64]"

}  // namespace

void register_annealing(nb::module_& m) {
  m.def("anneal", &anneal, nb::arg("unary").noconvert(), nb::arg("label_counts").noconvert(),
        nb::arg("edges").noconvert(), nb::arg("tables").noconvert(), nb::arg("members").noconvert(),
        nb::arg("starts").noconvert(), nb::arg("cells").noconvert(), nb::arg("labeling").noconvert(),
        nb::arg("runs"), nb::arg("sweeps"), nb::arg("temperature"),
        nb::sig("def anneal(unary: " HEDGEHOP_REAL ", label_counts: " HEDGEHOP_INT32
                ", edges: " HEDGEHOP_INT32 ", tables: " HEDGEHOP_REAL ", members: " HEDGEHOP_INT32
                ", starts: numpy.typing.NDArray[numpy.int64], cells: " HEDGEHOP_REAL
                ", labeling: " HEDGEHOP_INT32
                ", runs: int, sweeps: int, temperature: float) -> " HEDGEHOP_INT32),
        "A labeling no worse than the given one, by annealing from a temperature in several runs.\n\n"
        "tables holds L by L scores an edge, cells the tables of cliques, whose members are "
        "members[starts[c]:\n"
        "starts[c + 1]], end to end; all scores are finite.");
}

}  // namespace hedgehop::bindings
