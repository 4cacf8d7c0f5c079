// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace hedgehop::bindings {
void register_annealing(nb::module_& m);
void register_arborescence(nb::module_& m);
void register_counts(nb::module_& m);
void register_coverage(nb::module_& m);
void register_distances(nb::module_& m);
void register_flow(nb::module_& m);
void register_forest(nb::module_& m);
void register_learning(nb::module_& m);
void register_messages(nb::module_& m);
void register_moves(nb::module_& m);
void register_numbers(nb::module_& m);
void register_spanning_tree(nb::module_& m);
void register_stop(nb::module_& m);
void register_trws(nb::module_& m);
}  // namespace hedgehop::bindings

NB_MODULE(_core, m) {
  m.doc() =
      "Compiled kernels of hedgehop. Arrays are C-contiguous, of exactly the stated dtype, never converted.";
  hedgehop::bindings::register_annealing(m);
  hedgehop::bindings::register_arborescence(m);
  hedgehop::bindings::register_counts(m);
  hedgehop::bindings::register_coverage(m);
  hedgehop::bindings::register_distances(m);
  hedgehop::bindings::register_flow(m);
  hedgehop::bindings::register_forest(m);
  hedgehop::bindings::register_learning(m);
  hedgehop::bindings::register_messages(m);
  hedgehop::bindings::register_moves(m);
  hedgehop::bindings::register_numbers(m);
  hedgehop::bindings::register_spanning_tree(m);
  hedgehop::bindings::register_stop(m);
  hedgehop::bindings::register_trws(m);
}
