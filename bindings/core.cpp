// SPDX-License-Identifier: BSD-3-Clause
// What belongs to no single room: the pairs of a model, and how one thread stops the kernels of another.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <atomic>
#include <memory>
#include <utility>

#include "pairs.hpp"
#include "threads.hpp"

namespace hedgehop::bindings {

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

}  // namespace

void register_core(nb::module_& m) {
  nb::class_<PyPairs>(
      m, "Pairs",
      "Pairwise scores of a model of the given shape (variables, labels), for all kernels.\n\n"
      "Arrays are kept by reference and checked here, once: they must not change.")
      .def_static("potts", &PyPairs::potts, "shape"_a, "edges"_a, "strengths"_a,
                  "label_counts"_a = nb::none(), NoGil(),
                  "Scores -strengths[e] where the labels of edge e differ.")
      .def_static("tables", &PyPairs::tables, "shape"_a, "edges"_a, "flat"_a, "offsets"_a, "columns"_a,
                  "label_counts"_a = nb::none(), NoGil(),
                  "Scores P_e(a, b) = flat[offsets[e] + a * columns[e] + b]; -inf forbids a pair.");
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

}  // namespace hedgehop::bindings
