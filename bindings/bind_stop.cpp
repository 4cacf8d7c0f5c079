// SPDX-License-Identifier: BSD-3-Clause
// How one thread stops the kernels of another.
#include <nanobind/nanobind.h>

#include <utility>

#include "signals.hpp"

namespace nb = nanobind;

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

void register_stop(nb::module_& m) {
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
          "__exit__", [](Stop& self, nb::object, nb::object, nb::object) { self.exit(); },
          nb::arg("kind").none(), nb::arg("error").none(), nb::arg("trace").none());
  m.def(
      "check_stop", [] { check_stop(stop_flag()); },
      "Raise KeyboardInterrupt if this thread was stopped: for slow Python between kernels.");
}

}  // namespace hedgehop::bindings
