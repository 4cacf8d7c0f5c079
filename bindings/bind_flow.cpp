// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "flow_object.hpp"

namespace hedgehop::bindings {

namespace {

template <class T>
std::span<const T> span_of_any(const AnyArray<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
void init_general(GeneralFlow* self, std::size_t n, Matrix<std::int32_t> edges, Vector<T> forward,
                  std::optional<Vector<T>> backward, AnyArray<T> terminals) {
  const Edges ends = view_of(edges);
  const Terms<T> terms{
      span_of_any(terminals), {span_of(forward)}, {span_of(backward ? *backward : forward)}, !backward};
  Made made;
  {
    nb::gil_scoped_release release;
    require_edges(ends, n);
    require_size("terminals", terms.terminals.size(), n, "node");
    require_size("forward", terms.forward[0].size(), ends.rows, "edge");
    require_size("backward", terms.backward[0].size(), ends.rows, "edge");
    made = make_general(n, ends, terms);
  }
  new (self) GeneralFlow(std::move(made), std::move(edges));
}

template <class T>
void init_grid(GridFlow* self, const std::vector<std::size_t>& shape, int connectivity,
               const std::vector<AnyArray<T>>& forward,
               const std::optional<std::vector<AnyArray<T>>>& backward, AnyArray<T> terminals) {
  require(shape.size() == 2 || shape.size() == 3, "shape must have 2 or 3 numbers");
  const flow::Shape size{shape.size() == 3 ? shape[0] : 1, shape[shape.size() - 2], shape.back()};
  Terms<T> terms{span_of_any(terminals), {}, {}, !backward};
  for (const auto& values : forward) terms.forward.push_back(span_of_any(values));
  for (const auto& values : backward ? *backward : forward) terms.backward.push_back(span_of_any(values));
  Made made;
  {
    nb::gil_scoped_release release;
    made = make_any_grid(size, shape.size(), connectivity, terms);
  }
  new (self) GridFlow(std::move(made));
}

#define HEDGEHOP_ARRAY "numpy.typing.NDArray[typing.Any]"
#define HEDGEHOP_NODES "numpy.typing.NDArray[numpy.int32]"

template <class T>
std::string array_type() {
  const char* const name = std::is_same_v<T, float>          ? "float32"
                           : std::is_same_v<T, double>       ? "float64"
                           : std::is_same_v<T, std::int32_t> ? "int32"
                                                             : "int64";
  return std::string("numpy.typing.NDArray[numpy.") + name + "]";
}

// The signature with every @ replaced by the array type.
template <class T>
std::string signature(std::string text) {
  for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, array_type<T>());
  return text;
}

// nanobind tries the overloads in turn; they differ only in the type of the numbers, which is never
// converted.
template <class T>
void def_constructors(nb::class_<GeneralFlow, PyFlow>& general, nb::class_<GridFlow, PyFlow>& grid) {
  const auto general_sig = signature<T>("def __init__(self, n_nodes: int, edges: " HEDGEHOP_NODES
                                        ", forward: @, backward: @ | None, terminals: @) -> None");
  general.def("__init__", &init_general<T>, nb::arg("n_nodes"), nb::arg("edges").noconvert(),
              nb::arg("forward").noconvert(), nb::arg("backward").noconvert().none(),
              nb::arg("terminals").noconvert(), nb::sig(general_sig.c_str()));
  const auto grid_sig = signature<T>(
      "def __init__(self, shape: collections.abc.Sequence[int], connectivity: int, forward: "
      "collections.abc.Sequence[@], backward: collections.abc.Sequence[@] | None, terminals: @) -> None");
  grid.def("__init__", &init_grid<T>, nb::arg("shape"), nb::arg("connectivity"),
           nb::arg("forward").noconvert(), nb::arg("backward").noconvert().none(),
           nb::arg("terminals").noconvert(), nb::sig(grid_sig.c_str()));
}

template <class T>
void def_capacities(nb::class_<GeneralFlow, PyFlow>& general, nb::class_<GridFlow, PyFlow>& grid) {
  const auto general_sig =
      signature<T>("def add_capacities(self, edges: " HEDGEHOP_NODES ", forward: @, backward: @) -> None");
  general.def("add_capacities", &GeneralFlow::add_capacities<T>, nb::arg("edges").noconvert(),
              nb::arg("forward").noconvert(), nb::arg("backward").noconvert(), nb::sig(general_sig.c_str()),
              "Change the capacities of the edges with these indices; the two of an edge keep a sum >= 0.");
  const auto grid_sig = signature<T>("def add_capacities(self, nodes: " HEDGEHOP_NODES
                                     ", slots: " HEDGEHOP_NODES ", deltas: @) -> None");
  grid.def("add_capacities", &GridFlow::add_capacities<T>, nb::arg("nodes").noconvert(),
           nb::arg("slots").noconvert(), nb::arg("deltas").noconvert(), nb::sig(grid_sig.c_str()),
           "Change the capacities from pixels to neighbours: slot 2 k is direction k, 2 k + 1 the way back.");
}

template <class T>
void def_terminals(nb::class_<PyFlow>& flow) {
  const auto values = nb::arg("values").noconvert();
  const auto nodes = nb::arg("nodes").noconvert() = nb::none();
  if constexpr (std::is_integral_v<T>) {
    const auto sig =
        signature<T>("def add_terminals(self, values: @, nodes: " HEDGEHOP_NODES " | None = None) -> None");
    flow.def("add_terminals", &PyFlow::add_terminals<T>, values, nodes, nb::sig(sig.c_str()),
             "Add to all terminals, or to those of the listed nodes.");
  } else {
    const auto sig =
        signature<T>("def set_terminals(self, values: @, nodes: " HEDGEHOP_NODES " | None = None) -> None");
    flow.def("set_terminals", &PyFlow::set_terminals<T>, values, nodes, nb::sig(sig.c_str()),
             "Replace all terminals, or those of the listed, increasing nodes.");
  }
}

}  // namespace

void register_flow(nb::module_& m) {
  nb::class_<PyFlow> flow(m, "AnyFlow", "What Flow and GridFlow have in common.");
  flow.def("solve", &PyFlow::solve, nb::sig("def solve(self) -> int | float"),
           "Find a minimum cut, from the flow of the last one, and return its value.")
      .def_prop_ro("minimum", &PyFlow::minimum, nb::sig("def minimum(self) -> int | float"),
                   "Value of the last solve.")
      .def_prop_ro(
          "error", &PyFlow::error,
          "Bound on |minimum - true minimum| of the last solve, from rounding real numbers; 0 for integers.")
      .def("labels", &PyFlow::labels, nb::sig("def labels(self) -> " HEDGEHOP_NODES),
           "x of the last solve, flat.")
      .def("residual_terminals", &PyFlow::residual_terminals,
           nb::sig("def residual_terminals(self) -> " HEDGEHOP_ARRAY),
           "r with: labelings that have x[v] = 1 cost at least minimum + max(0, r[v]), others minimum + "
           "max(0, -r[v]).")
      .def("keep_forests_up_to", &PyFlow::keep_forests_up_to, nb::arg("changes"),
           "Search on from the last solve if no more nodes and arcs than this change; n / 32 unless told.")
      .def_prop_ro("n_nodes", &PyFlow::size)
      .def_prop_ro("bytes", &PyFlow::bytes, "Memory in use.")
      .def_prop_ro("bits", &PyFlow::bits, "32 or 64: width of the integers inside.");
  nb::class_<GeneralFlow, PyFlow> general(m, "Flow",
                                          "Minimise sum_v terminals[v] x[v] + sum_e forward[e] [x_u = 0, x_v "
                                          "= 1] + backward[e] [x_u = 1, x_v = 0].\n\n"
                                          "edges is (E, 2); backward None means forward. All numbers are of "
                                          "one type: int32 or int64, solved exactly, or\n"
                                          "float32 or float64, rounded to integers inside. A terminal beyond "
                                          "the sum of the capacities at its node is as\n"
                                          "good as infinite.");
  nb::class_<GridFlow, PyFlow> grid(
      m, "GridFlow",
      "A Flow over the pixels of a 2-D or 3-D shape; one array of capacities a direction, in the order of\n"
      "hedgehop.models.directions, forward from the pixel to its neighbour there, backward the other way.");
  const auto def_numbers = [&]<class T>(T) {
    def_constructors<T>(general, grid);
    def_capacities<T>(general, grid);
    def_terminals<T>(flow);
  };
  def_numbers(std::int32_t{});
  def_numbers(std::int64_t{});
  def_numbers(float{});
  def_numbers(double{});
}

}  // namespace hedgehop::bindings
