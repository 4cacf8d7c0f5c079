// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace hedgehop::bindings {
void register_core(nb::module_& m);
void register_counts(nb::module_& m);
void register_flow(nb::module_& m);
void register_graphs(nb::module_& m);
void register_learning(nb::module_& m);
void register_local(nb::module_& m);
void register_moves(nb::module_& m);
void register_text(nb::module_& m);
void register_trws(nb::module_& m);
}  // namespace hedgehop::bindings

// A submodule for each folder of cpp/.
NB_MODULE(_core, m) {
  using namespace hedgehop::bindings;
  m.doc() =
      "Compiled kernels of hedgehop. Arrays are C-contiguous, of exactly the stated dtype, never converted.";
  const auto add = [&](const char* name, const char* doc, void (*register_names)(nb::module_&)) {
    nb::module_ room = m.def_submodule(name, doc);
    register_names(room);
  };
  register_core(m);
  add("counts", "Statistics of labelings, and functions of distances.", register_counts);
  add("flow", "Minimum cuts that are changed and solved again.", register_flow);
  add("graphs", "Exact optima on forests, arborescences and spanning trees.", register_graphs);
  add("learning", "The dual of structured support vector machines.", register_learning);
  add("local", "Local searches and loopy messages: labelings without proofs.", register_local);
  add("moves", "Expansion, swap and fusion moves by minimum cuts.", register_moves);
  add("text", "Scanners of model files.", register_text);
  add("trws", "Labelings and upper bounds by sequential tree-reweighted messages.", register_trws);
}
