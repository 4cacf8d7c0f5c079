// SPDX-License-Identifier: BSD-3-Clause
// All the test framework the kernels need: CHECK reports and counts, the exit
// code of main says whether anything failed, Random gives repeatable inputs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace hedgehop::test {

inline int failures = 0;

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
      ++hedgehop::test::failures;                                                        \
    }                                                                                    \
  } while (false)

// Equal up to rounding; infinities are equal to themselves only.
inline bool close(double a, double b, double tolerance = 1e-11) {
  return a == b || std::abs(a - b) <= tolerance * (1.0 + std::abs(b));
}

template <class Exception, class Call>
bool throws(Call call) {
  try {
    call();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

inline int exit_code() {
  return failures == 0 ? 0 : 1;
}

// f(y) for all labelings y of n variables, of which variable i has count(i) labels.
template <class Count, class F>
void for_each_labeling(std::size_t n, Count count, F f) {
  std::vector<std::int32_t> y(n, 0);
  std::size_t i = 0;
  do {
    f(y);
    for (i = 0; i < n && ++y[i] == static_cast<std::int32_t>(count(i)); ++i) y[i] = 0;
  } while (i < n);
}

// Only mt19937's raw output: the standard distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) { return engine_() % limit; }

  double uniform(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }

  std::vector<std::int32_t> labels(std::size_t size, std::size_t n_labels) {
    std::vector<std::int32_t> result(size);
    for (auto& label : result) label = static_cast<std::int32_t>(below(n_labels));
    return result;
  }

  // 0 .. size - 1 in any order.
  std::vector<std::int32_t> shuffled(std::size_t size) {
    std::vector<std::int32_t> names(size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t j = below(i + 1);
      names[i] = names[j];
      names[j] = static_cast<std::int32_t>(i);
    }
    return names;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace hedgehop::test
