// SPDX-License-Identifier: BSD-3-Clause
// A submodule for each folder of cpp/; what belongs to no single one, the pairs of a model and how one thread
// stops the kernels of another, is bound here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <atomic>
#include <memory>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "common/arrays.hpp"
#include "common/pairs.hpp"
#include "common/threads.hpp"

namespace hedgehop::bindings {

void register_counts(nb::module_& m);
void register_flow(nb::module_& m);
void register_grammars(nb::module_& m);
void register_graphs(nb::module_& m);
void register_learning(nb::module_& m);
void register_local(nb::module_& m);
void register_moves(nb::module_& m);
void register_probabilities(nb::module_& m);
void register_scores(nb::module_& m);
void register_text(nb::module_& m);
void register_trws(nb::module_& m);

namespace {

class Stop {
 public:
  void set() { flag_->store(true, std::memory_order_relaxed); }
  bool is_set() const { return flag_->load(std::memory_order_relaxed); }
  void enter() { before_ = std::exchange(stop_flag(), flag_); }
  void exit() { stop_flag() = std::move(before_); }

 private:
  StopFlag flag_ = std::make_shared<std::atomic<bool>>(false);
  StopFlag before_;
};

// Allocators keep what was freed in parts; after a large model that may be as much as is in use.
void trim_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

void register_core(nb::module_& m) {
  m.def("trim_memory", &trim_memory, NoGil(),
        "Return memory that is free to the system, where allocators can.");
  nb::class_<PyPairs>(
      m, "Pairs",
      "Pairwise scores of a model of the given shape (variables, labels), for all kernels.\n\n"
      "Arrays are kept by reference and checked here, once: they must not change.")
      .def_static("potts", &PyPairs::potts, "shape"_a, "edges"_a, "strengths"_a,
                  "label_counts"_a = nb::none(), NoGil(),
                  "Scores -strengths[e] where the labels of edge e differ.")
      .def_static("tables", &PyPairs::tables, "shape"_a, "edges"_a, "flat"_a, "offsets"_a, "columns"_a,
                  "label_counts"_a = nb::none(), NoGil(),
                  "Scores P_e(a, b) = flat[offsets[e] + a * columns[e] + b]; -inf forbids a pair.")
      .def("values", &PyPairs::values, "labelings"_a, NoGil(),
           "Sums over all edges, of each of (m, n) labelings: (m,).");
  nb::class_<Stop>(
      m, "Stop",
      "In a `with` block: once set, by any thread, kernels called in the block raise KeyboardInterrupt.")
      .def(nb::init<>())
      .def("set", &Stop::set, "Stop the thread inside the block.")
      .def("is_set", &Stop::is_set)
      .def("__enter__",
           [](nb::handle_t<Stop> self) {
             nb::cast<Stop&>(self).enter();
             return nb::borrow(self);
           })
      .def(
          "__exit__", [](Stop& self, nb::object, nb::object, nb::object) { self.exit(); }, "kind"_a.none(),
          "error"_a.none(), "trace"_a.none());
  m.def(
      "check_stop", [] { check_stop(stop_flag()); },
      "Raise KeyboardInterrupt if this thread was stopped: for slow Python between kernels.");
}

}  // namespace

}  // namespace hedgehop::bindings

NB_MODULE(_core, m) {
  using namespace hedgehop::bindings;
  // Models that live as long as the interpreter, in a cache or a daemon thread, are no leak worth a message.
  nb::set_leak_warnings(false);
  m.doc() =
      "Compiled kernels of hedgehop. Arrays are C-contiguous, of exactly the stated dtype, never converted.";
  const auto add = [&](const char* name, const char* doc, void (*register_names)(nb::module_&)) {
    nb::module_ room = m.def_submodule(name, doc);
    register_names(room);
  };
  register_core(m);
  add("counts", "Statistics of labelings, and functions of distances.", register_counts);
  add("flow", "Minimum cuts that are changed and solved again.", register_flow);
  add("grammars", "Exact optima of automata and context-free grammars.", register_grammars);
  add("graphs", "Exact optima on forests, arborescences, matchings and spanning trees.", register_graphs);
  add("learning", "The dual of structured support vector machines.", register_learning);
  add("local", "Local searches and loopy messages: labelings without proofs.", register_local);
  add("moves", "Expansion, swap and fusion moves by minimum cuts.", register_moves);
  add("probabilities", "Log partitions, marginals and exact samples.", register_probabilities);
  add("scores", "Sums over the scores of a model.", register_scores);
  add("text", "Scanners of model files.", register_text);
  add("trws", "Labelings and upper bounds by sequential tree-reweighted messages.", register_trws);
}
