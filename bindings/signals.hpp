// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C, or another thread's word, while the GIL is released: a kernel's Poll asks for both.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>

#include "core/poll.hpp"

namespace hedgehop::bindings {

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
