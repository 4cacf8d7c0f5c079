// SPDX-License-Identifier: BSD-3-Clause
// A barrier for two threads that meet every few microseconds.
//
// std::barrier gives its time slice away while it waits; on a busy machine the other process then keeps the
// core for milliseconds, once a meeting. This one spins for about as long as a meeting is normally late, then
// sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace hedgehop {

class Meeting {
 public:
  // Returns once both threads have called it. The last to come runs settle() first, while the other waits.
  template <class Settle>
  void wait(Settle settle) {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (present_.fetch_add(1, std::memory_order_acq_rel) == 1) {
      settle();
      present_.store(0, std::memory_order_relaxed);
      open(round + 1);
      return;
    }
    for (int k = 0; k < kSpins; ++k) {
      if (round_.load(std::memory_order_acquire) != round) return;
      relax();
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != round; });
  }

 private:
  static constexpr int kSpins = 2000;  // some 30 to 100 microseconds

  void open(std::uint32_t next) {
    {
      const std::lock_guard lock(mutex_);  // nobody may fall asleep between looking at round_ and waiting
      round_.store(next, std::memory_order_release);
    }
    changed_.notify_one();
  }

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
  }

  std::atomic<std::uint32_t> round_{0}, present_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace hedgehop
