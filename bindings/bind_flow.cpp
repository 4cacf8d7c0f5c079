#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "flow_input.hpp"
#include "signals.hpp"

namespace hedgehop::bindings {

namespace {

using Nodes = Vector<std::int32_t>;

// One flow, integer or real. Only one thread may be inside at a time: others are told so.
class PyFlow {
 public:
  explicit PyFlow(Made&& made) : made_(std::move(made)) {}

  nb::object solve() {
    const Use use(*this);
    Poll poll = python_poll();
    if (made_.real) {
      nb::gil_scoped_release release;
      real_minimum_ = made_.real->solve(poll);
    } else {
      nb::gil_scoped_release release;
      minimum_ = made_.integers->solve(poll);
    }
    return minimum();
  }

  nb::object minimum() const {
    require_solved();
    return made_.real ? nb::cast(real_minimum_) : nb::cast(minimum_);
  }

  double error() const {
    require_solved();
    return made_.real ? made_.real->error() : 0.0;
  }

  Result<Label> labels() {
    const Use use(*this);
    require_solved();
    std::vector<Label> result;
    {
      nb::gil_scoped_release release;
      result.resize(size());
      flow().read_labels(result);
    }
    return give(std::move(result), {size()});
  }

  nb::object residual_terminals() {
    const Use use(*this);
    require_solved();
    std::vector<std::int64_t> integers(size());
    flow().read_residual_terminals(integers);
    if (!made_.real) return nb::cast(give(std::move(integers), {size()}));
    std::vector<double> reals(size());
    for (std::size_t v = 0; v < reals.size(); ++v) reals[v] = made_.real->scale().real(integers[v]);
    return nb::cast(give(std::move(reals), {size()}));
  }

  template <class T>
  void add_terminals(const AnyArray<T>& deltas, const std::optional<Nodes>& nodes) {
    const Use use(*this);
    require(!made_.real, "a flow of real numbers takes set_terminals, which does not add up rounding errors");
    const std::span<const T> values(deltas.data(), deltas.size());
    nb::gil_scoped_release release;
    if (!nodes) {
      require_size("deltas", values.size(), size(), "node");
      return made_.integers->add_terminals(values);
    }
    require_nodes(span_of(*nodes), values.size());
    made_.integers->add_terminals(span_of(*nodes), values);
  }

  template <class T>
  void set_terminals(const AnyArray<T>& given, const std::optional<Nodes>& nodes) {
    const Use use(*this);
    require(made_.real.has_value(), "a flow of integers takes add_terminals: it does not keep its terminals");
    const std::span<const T> values(given.data(), given.size());
    nb::gil_scoped_release release;
    if (!nodes) {
      require_size("terminals", values.size(), size(), "node");
      return made_.real->set_terminals(values);
    }
    const auto listed = span_of(*nodes);
    require_nodes(listed, values.size());
    require(std::adjacent_find(listed.begin(), listed.end(), std::greater_equal<>()) == listed.end(),
            "nodes must increase");
    made_.real->set_terminals(listed, values);
  }

  std::size_t size() const { return static_cast<std::size_t>(flow().size()); }
  std::size_t bytes() const { return made_.real ? made_.real->bytes() : made_.integers->bytes(); }
  int bits() const { return flow().bits(); }
  void keep_forests_up_to(std::size_t changes) { flow().keep_forests_up_to(changes); }

 protected:
  // Arcs exist. Integer and real flows take deltas of their own kind only.
  template <class T>
  void change_capacities(std::span<const Index> tails, std::span<const std::uint32_t> slots,
                         std::span<const T> deltas) {
    if constexpr (std::is_integral_v<T>) {
      require(!made_.real, "a flow of real numbers needs changes of type float32 or float64");
      made_.integers->add_capacities(tails, slots, deltas);
    } else {
      require(made_.real.has_value(), "a flow of integers needs changes of type int32 or int64");
      made_.real->add_capacities(tails, slots, deltas);
    }
  }

  AnyFlow& flow() { return made_.real ? made_.real->integers() : *made_.integers; }
  const AnyFlow& flow() const { return made_.real ? made_.real->integers() : *made_.integers; }

  class Use {
   public:
    explicit Use(PyFlow& flow) : flow_(flow) {
      if (flow_.busy_.test_and_set()) throw std::runtime_error("this flow is in use by another thread");
    }
    ~Use() { flow_.busy_.clear(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    PyFlow& flow_;
  };

 private:
  void require_solved() const {
    if (!flow().is_solved()) throw std::runtime_error("the flow is not solved: call solve() first");
  }

  void require_nodes(std::span<const Index> nodes, std::size_t count) const {
    require_size("nodes", nodes.size(), count, "value");
    require_in_range("nodes", nodes, size());
  }

  Made made_;
  std::int64_t minimum_ = 0;
  double real_minimum_ = 0;
  std::atomic_flag busy_;
};

class GeneralFlow : public PyFlow {
 public:
  GeneralFlow(Made&& made, Matrix<std::int32_t> edges) : PyFlow(std::move(made)), edges_(std::move(edges)) {}

  template <class T>
  void add_capacities(const Vector<std::int32_t>& listed, const AnyArray<T>& forward,
                      const AnyArray<T>& backward) {
    const Use use(*this);
    const auto indices = span_of(listed);
    nb::gil_scoped_release release;
    require_size("forward", forward.size(), indices.size(), "listed edge");
    require_size("backward", backward.size(), indices.size(), "listed edge");
    const Edges ends = view_of(edges_);
    require_in_range("edges", indices, ends.rows);
    find_slots(ends);
    std::vector<Index> tails;
    std::vector<std::uint32_t> slots;
    std::vector<T> deltas;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto e = static_cast<std::size_t>(indices[i]);
      const Index u = ends.data[2 * e], v = ends.data[2 * e + 1];
      // The array of edges is shared, not copied: whoever changed it must not make us write beyond our
      // memory.
      require(flow().has_arc(u, slots_[e]) && flow().head(u, slots_[e]) == v,
              "the edges of a flow must not change");
      tails.insert(tails.end(), {u, v});
      slots.insert(slots.end(), {slots_[e], flow().rev(u, slots_[e])});
      deltas.insert(deltas.end(), {forward.data()[i], backward.data()[i]});
    }
    change_capacities<T>(tails, slots, deltas);
  }

 private:
  void find_slots(Edges ends) {
    if (!slots_.empty() || ends.rows == 0) return;
    require_edges(ends, size());
    slots_ = flow::forward_slots(size(), ends);
  }

  Matrix<std::int32_t> edges_;
  std::vector<std::uint32_t> slots_;
};

class GridFlow : public PyFlow {
 public:
  using PyFlow::PyFlow;

  template <class T>
  void add_capacities(const Nodes& nodes, const Vector<std::int32_t>& slots, const AnyArray<T>& deltas) {
    const Use use(*this);
    const auto tails = span_of(nodes), given = span_of(slots);
    nb::gil_scoped_release release;
    require_size("slots", given.size(), tails.size(), "node");
    require_size("deltas", deltas.size(), tails.size(), "node");
    const std::vector<std::uint32_t> ways(given.begin(), given.end());
    for (std::size_t i = 0; i < tails.size(); ++i) {
      require(flow().has_arc(tails[i], ways[i]), "there is no neighbour of node " + std::to_string(tails[i]) +
                                                     " at slot " + std::to_string(given[i]));
    }
    change_capacities<T>(tails, ways, std::span<const T>(deltas.data(), deltas.size()));
  }
};

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
