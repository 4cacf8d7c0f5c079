// SPDX-License-Identifier: BSD-3-Clause
// Nonnegative numbers for sums of products: plain ones, ones of any size, and ones that keep a leading order.
//
// All algorithms here add, multiply and divide but never subtract, so every result keeps the relative
// accuracy of its inputs (Grassmann, Taksar, Heyman 1985).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace hedgehop::probabilities {

// A number kept by its logarithm: exp(1000) is as good as any other.
struct LogNumber {
  double log = -std::numeric_limits<double>::infinity();

  friend LogNumber operator+(LogNumber a, LogNumber b) {
    if (a.log < b.log) std::swap(a, b);
    if (std::isinf(b.log)) return a;
    return {a.log + std::log1p(std::exp(b.log - a.log))};
  }
  friend LogNumber operator*(LogNumber a, LogNumber b) { return {a.log + b.log}; }
  friend LogNumber operator/(LogNumber a, LogNumber b) { return {a.log - b.log}; }
};

inline bool is_zero(double x) {
  return x == 0.0;
}
inline bool is_zero(LogNumber x) {
  return std::isinf(x.log);
}
inline double log_of(double x) {
  return std::log(x);
}
inline double log_of(LogNumber x) {
  return x.log;
}
inline double ratio(double a, double b) {
  return a / b;
}
inline double ratio(LogNumber a, LogNumber b) {
  return std::exp(a.log - b.log);
}

// value * epsilon^order for an epsilon that vanishes: a sum keeps its terms of the lowest order.
template <class Number>
struct Graded {
  Number value{};
  int order = 0;

  friend Graded operator+(const Graded& a, const Graded& b) {
    if (is_zero(a.value)) return b;
    if (is_zero(b.value)) return a;
    if (a.order != b.order) return a.order < b.order ? a : b;
    return {a.value + b.value, a.order};
  }
  friend Graded operator*(const Graded& a, const Graded& b) { return {a.value * b.value, a.order + b.order}; }
  friend Graded operator/(const Graded& a, const Graded& b) { return {a.value / b.value, a.order - b.order}; }
};

template <class Number>
bool is_zero(const Graded<Number>& x) {
  return is_zero(x.value);
}
template <class Number>
double log_of(const Graded<Number>& x) {
  return log_of(x.value);
}
template <class Number>
double ratio(const Graded<Number>& a, const Graded<Number>& b) {
  return a.order > b.order ? 0.0 : ratio(a.value, b.value);
}

// A number from its logarithm (and its order, where it has one).
template <class Number>
struct Make;
template <>
struct Make<double> {
  static double from_log(double log, int /*order*/ = 0) { return std::exp(log); }
};
template <>
struct Make<LogNumber> {
  static LogNumber from_log(double log, int /*order*/ = 0) { return {log}; }
};
template <class Number>
struct Make<Graded<Number>> {
  static Graded<Number> from_log(double log, int order = 0) { return {Make<Number>::from_log(log), order}; }
};

// A sum of many numbers that keeps what rounding takes away (Neumaier 1974).
class CarefulSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    if (std::isfinite(next)) {
      lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    }
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0.0, lost_ = 0.0;
};

}  // namespace hedgehop::probabilities
