// SPDX-License-Identifier: BSD-3-Clause
// One call at a time: the GIL is released while a solver works, and two threads in one would spoil its state.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

namespace hedgehop::bindings {

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

}  // namespace hedgehop::bindings
