// SPDX-License-Identifier: BSD-3-Clause
// Flows as Python objects: interruptible, safe against two threads in one object.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "flow/build.hpp"
#include "threads.hpp"

namespace hedgehop::bindings {

namespace {

using flow::Index;
using Nodes = Vector<Index>;
using Number = std::variant<std::int64_t, double>;

// One flow, integer or real. Only one thread may be inside at a time: others are told so.
class PyFlow {
 public:
  explicit PyFlow(flow::BuiltFlow&& built) : built_(std::move(built)) {}

  Number solve() {
    const Busy busy(busy_, "flow");
    Poll poll = python_poll();
    minimum_ = built_.real ? Number(built_.real->solve(poll)) : Number(built_.integers->solve(poll));
    return minimum_;
  }

  Number minimum() const {
    require_solved();
    return minimum_;
  }

  double error() const {
    require_solved();
    return built_.real ? built_.real->error() : 0.0;
  }

  Result<Label> labels() {
    const Busy busy(busy_, "flow");
    require_solved();
    Result<Label> result{size()};
    flow().read_labels(result.values);
    return result;
  }

  std::variant<Result<std::int64_t>, Result<double>> residual_terminals() {
    const Busy busy(busy_, "flow");
    require_solved();
    Result<std::int64_t> integers{size()};
    flow().read_residual_terminals(integers.values);
    if (!built_.real) return integers;
    Result<double> reals{size()};
    const auto real = [this](std::int64_t value) { return built_.real->scale().real(value); };
    std::ranges::transform(integers.values, reals.values.begin(), real);
    return reals;
  }

  template <class T>
  void add_terminals(Array<T> values, std::optional<Nodes> nodes) {
    const Busy busy(busy_, "flow");
    require(!built_.real,
            "a flow of real numbers takes set_terminals, which does not add up rounding errors");
    if (!nodes) {
      require_size("deltas", values.size(), size(), "node");
      return built_.integers->add_terminals(span_of(values));
    }
    require_nodes(span_of(*nodes), values.size());
    built_.integers->add_terminals(span_of(*nodes), span_of(values));
  }

  template <class T>
  void set_terminals(Array<T> values, std::optional<Nodes> nodes) {
    const Busy busy(busy_, "flow");
    require(built_.real.has_value(),
            "a flow of integers takes add_terminals: it does not keep its terminals");
    if (!nodes) {
      require_size("terminals", values.size(), size(), "node");
      return built_.real->set_terminals(span_of(values));
    }
    const auto listed = span_of(*nodes);
    require_nodes(listed, values.size());
    require(std::ranges::adjacent_find(listed, std::greater_equal<>()) == listed.end(),
            "nodes must increase");
    built_.real->set_terminals(listed, span_of(values));
  }

  std::size_t size() const { return index(flow().size()); }
  std::size_t bytes() const { return built_.real ? built_.real->bytes() : built_.integers->bytes(); }
  int bits() const { return flow().bits(); }
  void keep_forests_up_to(std::size_t changes) { flow().keep_forests_up_to(changes); }

 protected:
  // Arcs exist. Integer and real flows take deltas of their own kind only.
  template <class T>
  void change_capacities(std::span<const Index> tails, std::span<const std::uint32_t> slots,
                         std::span<const T> deltas) {
    if constexpr (std::is_integral_v<T>) {
      require(!built_.real, "a flow of real numbers needs changes of type float32 or float64");
      built_.integers->add_capacities(tails, slots, deltas);
    } else {
      require(built_.real.has_value(), "a flow of integers needs changes of type int32 or int64");
      built_.real->add_capacities(tails, slots, deltas);
    }
  }

  const flow::AnyFlow& flow() const { return built_.real ? built_.real->integers() : *built_.integers; }
  flow::AnyFlow& flow() { return built_.real ? built_.real->integers() : *built_.integers; }

  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;

 private:
  void require_solved() const {
    if (!flow().is_solved()) throw std::runtime_error("the flow is not solved: call solve() first");
  }

  void require_nodes(std::span<const Index> nodes, std::size_t count) const {
    require_size("nodes", nodes.size(), count, "value");
    require_in_range("nodes", nodes, size());
  }

  flow::BuiltFlow built_;
  Number minimum_;
};

class PyGeneralFlow : public PyFlow {
 public:
  template <class T>
  PyGeneralFlow(std::size_t n_nodes, Matrix<Index> edges, Vector<T> forward,
                std::optional<Vector<T>> backward, Array<T> terminals)
      : PyFlow(build(n_nodes, edges_of(edges), span_of(forward),
                     backward ? std::optional(span_of(*backward)) : std::nullopt, span_of(terminals))),
        edges_(std::move(edges)) {}

  template <class T>
  void add_capacities(Nodes listed, Array<T> forward, Array<T> backward) {
    const Busy busy(busy_, "flow");
    const auto indices = span_of(listed);
    const Edges ends = edges_of(edges_);
    require_size("forward", forward.size(), indices.size(), "listed edge");
    require_size("backward", backward.size(), indices.size(), "listed edge");
    require_in_range("edges", indices, ends.rows);
    find_slots(ends);
    std::vector<Index> tails;
    std::vector<std::uint32_t> slots;
    std::vector<T> deltas;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto e = index(indices[i]);
      const Index u = ends(e, 0), v = ends(e, 1);
      // The array of edges is shared, not copied: whoever changed it must not make us write beyond our
      // memory.
      require(flow().has_arc(u, slots_[e]) && flow().head(u, slots_[e]) == v,
              "the edges of a flow must not change");
      tails.insert(tails.end(), {u, v});
      slots.insert(slots.end(), {slots_[e], flow().rev(u, slots_[e])});
      deltas.insert(deltas.end(), {span_of(forward)[i], span_of(backward)[i]});
    }
    change_capacities<T>(tails, slots, deltas);
  }

 private:
  template <class T>
  static flow::BuiltFlow build(std::size_t n, Edges edges, std::span<const T> forward,
                               std::optional<std::span<const T>> backward, std::span<const T> terminals) {
    const flow::Terms<T> terms{terminals, {forward}, {backward.value_or(forward)}, !backward};
    require_edges(edges, n);
    require_size("terminals", terminals.size(), n, "node");
    require_size("forward", forward.size(), edges.rows, "edge");
    require_size("backward", terms.backward[0].size(), edges.rows, "edge");
    return flow::build_general(n, edges, terms);
  }

  void find_slots(Edges ends) {
    if (!slots_.empty() || ends.rows == 0) return;
    require_edges(ends, size());
    slots_ = flow::forward_slots(size(), ends);
  }

  Matrix<Index> edges_;
  std::vector<std::uint32_t> slots_;
};

class PyGridFlow : public PyFlow {
 public:
  template <class T>
  using Arrays = std::vector<Array<T>>;

  template <class T>
  PyGridFlow(const std::vector<std::size_t>& shape, int connectivity, const Arrays<T>& forward,
             const std::optional<Arrays<T>>& backward, Array<T> terminals)
      : PyFlow(build(Grid(shape, connectivity), forward, backward, span_of(terminals))) {}

  template <class T>
  void add_capacities(Nodes nodes, Vector<std::int32_t> slots, Array<T> deltas) {
    const Busy busy(busy_, "flow");
    const auto tails = span_of(nodes), given = span_of(slots);
    require_size("slots", given.size(), tails.size(), "node");
    require_size("deltas", deltas.size(), tails.size(), "node");
    const std::vector<std::uint32_t> ways(given.begin(), given.end());
    for (std::size_t i = 0; i < tails.size(); ++i) {
      require(flow().has_arc(tails[i], ways[i]), "there is no neighbour of node " + std::to_string(tails[i]) +
                                                     " at slot " + std::to_string(given[i]));
    }
    change_capacities<T>(tails, ways, span_of(deltas));
  }

 private:
  // Checks that there is one array per direction, with an entry for every pixel that has a neighbour there.
  template <class T>
  static flow::BuiltFlow build(const Grid& grid, const Arrays<T>& forward,
                               const std::optional<Arrays<T>>& backward, std::span<const T> terminals) {
    flow::Terms<T> terms{terminals, {}, {}, !backward};
    for (const auto& values : forward) terms.forward.push_back(span_of(values));
    for (const auto& values : backward ? *backward : forward) terms.backward.push_back(span_of(values));
    require_size("terminals", terminals.size(), grid.shape.pixels(), "pixel");
    const GridEdges edges(grid);
    for (const auto* arrays : {&terms.forward, &terms.backward}) {
      require(arrays->size() == edges.n_directions(), "there must be " +
                                                          std::to_string(edges.n_directions()) +
                                                          " arrays of capacities, one per direction");
      for (std::size_t k = 0; k < arrays->size(); ++k) {
        require_size("capacities", (*arrays)[k].size(), edges.size(k), "edge");
      }
    }
    return flow::build_grid(grid, terms);
  }
};

// nanobind tries the overloads in turn; they differ only in the type of the numbers, which is never
// converted.
template <class T>
void def_numbers(nb::class_<PyFlow>& any, nb::class_<PyGeneralFlow, PyFlow>& general,
                 nb::class_<PyGridFlow, PyFlow>& grid) {
  if constexpr (std::is_integral_v<T>) {
    any.def("add_terminals", &PyFlow::add_terminals<T>, "values"_a, "nodes"_a = nb::none(), NoGil(),
            "Add to all terminals, or to those of the listed nodes.");
  } else {
    any.def("set_terminals", &PyFlow::set_terminals<T>, "values"_a, "nodes"_a = nb::none(), NoGil(),
            "Replace all terminals, or those of the listed, increasing nodes.");
  }
  general.def(nb::init<std::size_t, Matrix<Index>, Vector<T>, std::optional<Vector<T>>, Array<T>>(),
              "n_nodes"_a, "edges"_a, "forward"_a, "backward"_a.none(), "terminals"_a, NoGil());
  general.def("add_capacities", &PyGeneralFlow::add_capacities<T>, "edges"_a, "forward"_a, "backward"_a,
              NoGil(),
              "Change the capacities of the edges with these indices; the two of an edge keep a sum >= 0.");
  using Arrays = std::vector<Array<T>>;
  grid.def(
      nb::init<const std::vector<std::size_t>&, int, const Arrays&, const std::optional<Arrays>&, Array<T>>(),
      "shape"_a, "connectivity"_a, "forward"_a, "backward"_a.none(), "terminals"_a, NoGil());
  grid.def("add_capacities", &PyGridFlow::add_capacities<T>, "nodes"_a, "slots"_a, "deltas"_a, NoGil(),
           "Change the capacities from pixels to neighbours: slot 2 k is direction k, 2 k + 1 the way back.");
}

void def_solving(nb::class_<PyFlow>& any) {
  any.def("solve", &PyFlow::solve, NoGil(),
          "Find a minimum cut, from the flow of the last one, and return its value.")
      .def_prop_ro("minimum", &PyFlow::minimum, "Value of the last solve.")
      .def_prop_ro(
          "error", &PyFlow::error,
          "Bound on |minimum - true minimum| of the last solve, from rounding real numbers; 0 for integers.")
      .def("labels", &PyFlow::labels, NoGil(), "x of the last solve, flat.")
      .def("residual_terminals", &PyFlow::residual_terminals, NoGil(),
           "r with: labelings that have x[v] = 1 cost at least minimum + max(0, r[v]), others minimum +\n"
           "max(0, -r[v]).")
      .def("keep_forests_up_to", &PyFlow::keep_forests_up_to, "changes"_a,
           "Search on from the last solve if no more nodes and arcs than this change; n / 32 unless told.")
      .def_prop_ro("n_nodes", &PyFlow::size)
      .def_prop_ro("bytes", &PyFlow::bytes, "Memory in use.")
      .def_prop_ro("bits", &PyFlow::bits, "32 or 64: width of the integers inside.");
}

}  // namespace

void register_flow(nb::module_& m) {
  nb::class_<PyFlow> any(m, "AnyFlow", "What Flow and GridFlow have in common.");
  nb::class_<PyGeneralFlow, PyFlow> general(
      m, "Flow",
      "Minimise sum_v terminals[v] x[v] + sum_e forward[e] [x_u = 0, x_v = 1] + backward[e] [x_u = 1, x_v = "
      "0].\n\n"
      "edges is (E, 2); backward None means forward. All numbers are of one type: int32 or int64, solved\n"
      "exactly, or float32 or float64, rounded to integers inside. A terminal beyond the sum of the\n"
      "capacities at its node is as good as infinite.");
  nb::class_<PyGridFlow, PyFlow> grid(
      m, "GridFlow",
      "A Flow over the pixels of a 2-D or 3-D shape; one array of capacities per direction, in the order of\n"
      "hedgehop.models.directions, forward from the pixel to its neighbour there, backward the other way.");
  def_solving(any);
  def_numbers<std::int32_t>(any, general, grid);
  def_numbers<std::int64_t>(any, general, grid);
  def_numbers<float>(any, general, grid);
  def_numbers<double>(any, general, grid);
}

}  // namespace hedgehop::bindings
