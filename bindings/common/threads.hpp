// SPDX-License-Identifier: BSD-3-Clause
// What calls without the GIL need: one at a time in a solver; Ctrl-C, or another thread's word, stops them.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "core/poll.hpp"

namespace hedgehop::bindings {

// Two threads in one solver would spoil its state: the second is told so.
class Busy {
 public:
  Busy(std::atomic_flag& flag, const char* who) : flag_(flag) {
    if (flag_.test_and_set())
      throw std::runtime_error(std::string("this ") + who + " is at work in another thread");
  }
  ~Busy() { flag_.clear(); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic_flag& flag_;
};

// Set by any thread to stop the kernels of the thread that has entered it; Python hears Ctrl-C in the main
// thread only.
using StopFlag = std::shared_ptr<std::atomic<bool>>;

// The flag of this thread, empty where nobody may stop it.
inline StopFlag& stop_flag() {
  static thread_local StopFlag flag;
  return flag;
}

inline void check_stop(const StopFlag& flag) {
  if (!flag || !flag->load(std::memory_order_relaxed)) return;
  nanobind::gil_scoped_acquire gil;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nanobind::python_error();
}

// Looks at the flag at once, too: a loop of short kernels in Python stops at the next one.
inline Poll python_poll() {
  const StopFlag flag = stop_flag();
  check_stop(flag);
  return Poll([flag] {
    check_stop(flag);
    nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  });
}

}  // namespace hedgehop::bindings
