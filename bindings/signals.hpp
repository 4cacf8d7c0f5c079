// Ctrl-C while the GIL is released: a kernel's Poll asks Python for pending signals.
#pragma once

#include <nanobind/nanobind.h>

#include "poll.hpp"

namespace hedgehop::bindings {

inline Poll python_poll() {
  return Poll([] {
    nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  });
}

}  // namespace hedgehop::bindings
