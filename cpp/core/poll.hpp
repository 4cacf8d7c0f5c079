// SPDX-License-Identifier: BSD-3-Clause
// How a long kernel stays interruptible without knowing who might interrupt it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace hedgehop {

// Kernels call tick() in their loops, every few microseconds of work or rarer; now and then (at most every 20
// ms) it calls `check`, which throws to stop the kernel. A kernel that is stopped leaves its state valid for
// another call or for destruction.
class Poll {
 public:
  Poll() = default;  // never interrupts
  explicit Poll(std::function<void()> check) : check_(std::move(check)) {}

  void tick(std::uint32_t work = 1) {
    spent_ += work;
    if (spent_ >= kWork) look();
  }

 private:
  static constexpr std::uint32_t kWork = 1U << 14;  // units of work between two looks at the clock

  void look() {
    spent_ = 0;
    if (!check_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(20)) return;
    last_ = now;
    check_();
  }

  std::function<void()> check_;
  std::uint32_t spent_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace hedgehop
