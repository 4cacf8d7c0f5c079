// SPDX-License-Identifier: BSD-3-Clause
// Running sweeps, on one thread or on two that split every level and meet after it. Either way the same
// messages and the same bound come out: positions of a level are independent, and the bound is a sum of
// integers.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/poll.hpp"
#include "trws/graph.hpp"

namespace hedgehop::trws {

inline constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

// A barrier for two threads that meet every few microseconds. std::barrier gives its time slice away while it
// waits; on a busy machine the other process then keeps the core for milliseconds, once per meeting. This one
// spins for about as long as a meeting is normally late, then sleeps.
class SpinBarrier {
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

class Runner {
 public:
  // level: as in Schedule. Everything referred to must outlive the runner.
  Runner(const Kernel& kernel, const Graph& graph, std::span<const std::int32_t> level)
      : kernel_(kernel), graph_(graph), level_(level) {}

  // The least bound that a reporting sweep found. If poll throws, the sweep is left half done: the messages
  // are legal, but no longer those of any moment of the algorithm.
  std::int64_t run(std::span<const Pass> plan, bool two_threads, Poll& poll) const {
    if (two_threads) return on_two_threads(plan, poll);
    std::int64_t least = kNoBound;
    for (const Pass how : plan) {
      const std::int64_t bound = on_one_thread(how, poll);
      if (reports(how)) least = std::min(least, bound);
    }
    return least;
  }

 private:
  using Range = std::pair<std::int32_t, std::int32_t>;

  static bool is_backward(Pass how) { return how == Pass::backward || how == Pass::report_backward; }
  static bool reports(Pass how) { return how == Pass::report_forward || how == Pass::report_backward; }

  std::int64_t on_one_thread(Pass how, Poll& poll) const {
    const std::int32_t n = level_.back();
    const std::int32_t step = std::max(1, kChunk / graph_.slot);
    std::int64_t bound = 0;
    for (std::int64_t at = 0; at < n; at += step) {
      const auto first = static_cast<std::int32_t>(at);
      const auto last = static_cast<std::int32_t>(std::min<std::int64_t>(n, at + step));
      const Range range = is_backward(how) ? Range{n - last, n - first} : Range{first, last};
      bound += kernel_.sweep(graph_, range.first, range.second, how);
      poll.tick(kChunk);
    }
    return bound;
  }

  // What two threads share. `stopping` changes only while both wait, so both see the same value.
  struct Shared {
    SpinBarrier barrier;
    std::atomic<bool> wanted{false};
    bool stopping = false;
    std::exception_ptr error;
    std::vector<std::int64_t> bounds[2];
  };

  std::int64_t on_two_threads(std::span<const Pass> plan, Poll& poll) const {
    Shared shared;
    for (auto& bounds : shared.bounds) bounds.assign(plan.size(), 0);  // nothing below may throw in a thread
    std::thread helper;
    try {
      helper = std::thread([&] { work(plan, 1, shared, [] {}); });
    } catch (const std::system_error&) {
      return run(plan, false, poll);  // no thread to be had
    }
    work(plan, 0, shared, [&] { ask(poll, shared); });
    helper.join();
    if (shared.error) std::rethrow_exception(shared.error);
    std::int64_t least = kNoBound;
    for (std::size_t s = 0; s < plan.size(); ++s) {
      if (reports(plan[s])) least = std::min(least, shared.bounds[0][s] + shared.bounds[1][s]);
    }
    return least;
  }

  static void ask(Poll& poll, Shared& shared) {
    try {
      poll.tick(kChunk / 16);
    } catch (...) {
      shared.error = std::current_exception();
      shared.wanted = true;
    }
  }

  template <class Ask>
  void work(std::span<const Pass> plan, std::int32_t half, Shared& shared, Ask ask) const {
    const auto n_levels = static_cast<std::int32_t>(level_.size()) - 1;
    auto& bounds = shared.bounds[half];
    for (std::size_t s = 0; s < plan.size(); ++s) {
      std::int64_t bound = 0;
      for (std::int32_t k = 0; k < n_levels && !shared.stopping; ++k) {
        const Range range = half_of(is_backward(plan[s]) ? n_levels - 1 - k : k, half);
        bound += kernel_.sweep(graph_, range.first, range.second, plan[s]);
        if (!shared.wanted) ask();
        shared.barrier.wait([&] { shared.stopping = shared.wanted; });
      }
      bounds[s] = bound;
    }
  }

  Range half_of(std::int32_t k, std::int32_t half) const {
    const std::int32_t first = level_[index(k)], last = level_[index(k) + 1];
    const std::int32_t middle = first + (last - first) / 2;
    return half == 0 ? Range{first, middle} : Range{middle, last};
  }

  static constexpr std::int32_t kChunk =
      1 << 16;  // values between two looks at the clock: a fraction of a millisecond

  const Kernel& kernel_;
  const Graph& graph_;
  std::span<const std::int32_t> level_;
};

}  // namespace hedgehop::trws
