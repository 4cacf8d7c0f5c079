// SPDX-License-Identifier: BSD-3-Clause
// Rows of unary scores into fixed point (trws/fixed_point.hpp). Written so that compilers vectorise the loops
// without leave to reorder: several running maxima, and selections instead of branches.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "trws/solver.hpp"

namespace hedgehop::trws {

namespace {

// The largest of n scores at(l); -inf if all are; NaN if one is NaN or +inf.
template <class At>
double top_of(std::size_t n, At at) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t ways = 4;
  std::array<double, ways> best;
  best.fill(-infinity);
  int bad = 0;
  const auto look = [&](std::size_t l, std::size_t k) {
    const double x = at(l);
    best[k] = x > best[k] ? x : best[k];
    bad |= !(x < infinity);
  };
  std::size_t l = 0;
  for (; l + ways <= n; l += ways) {
    for (std::size_t k = 0; k < ways; ++k) look(l + k, k);
  }
  for (; l < n; ++l) look(l, 0);
  if (bad != 0) return std::numeric_limits<double>::quiet_NaN();
  return *std::max_element(best.begin(), best.end());
}

template <class T>
double top(std::span<const T> unary) {
  return top_of(unary.size(), [&](std::size_t l) { return static_cast<double>(unary[l]); });
}

template <class T>
double top(std::span<const T> unary, std::span<const double> theta) {
  return top_of(unary.size(), [&](std::size_t l) { return static_cast<double>(unary[l]) + theta[l]; });
}

// One row of scores, relative to its best.
struct FixedRow {
  double top, factor;
  std::int32_t floor;  // 0: no edge can matter

  template <class T>
  void write(std::span<const T> unary, std::span<std::int32_t> out) const {
    write_as(unary.size(), out, [&](std::size_t l) { return static_cast<double>(unary[l]); });
  }
  template <class T>
  void write(std::span<const T> unary, std::span<const double> theta, std::span<std::int32_t> out) const {
    write_as(unary.size(), out, [&](std::size_t l) { return static_cast<double>(unary[l]) + theta[l]; });
  }

 private:
  template <class At>
  void write_as(std::size_t n, std::span<std::int32_t> out, At at) const {
    if (floor == 0) return write_alone(n, out, at);
    const double least = floor;
    std::int32_t* to = out.data();
    for (std::size_t l = 0; l < n; ++l) {
      const double fixed = (at(l) - top) * factor;
      to[l] = static_cast<std::int32_t>(fixed > least ? fixed : least);  // truncation rounds up: fixed <= 0
    }
    std::fill(to + n, to + out.size(), floor);
  }

  // Where no edge can matter only the best labels do, and they are told apart however close others are.
  template <class At>
  void write_alone(std::size_t n, std::span<std::int32_t> out, At at) const {
    std::fill(out.begin(), out.end(), -FixedPointScale::kMargin);
    for (std::size_t l = 0; l < n; ++l) {
      if (at(l) == top) out[l] = 0;
    }
  }
};

}  // namespace

// The best score of each position; throws where there is none.
template <class T>
std::vector<double> Solver::tops(MatrixView<const T> unary, std::span<const double> theta) const {
  std::vector<double> result(n_variables());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto v = index(schedule_.variable_of[i]);
    const std::size_t start = v * n_labels_, count = count_at(i);
    result[i] = theta.empty() ? top(unary.data.subspan(start, count))
                              : top(unary.data.subspan(start, count), theta.subspan(start, count));
    if (std::isnan(result[i])) throw std::invalid_argument("scores must not contain NaN or +inf");
    if (std::isinf(result[i])) {
      throw std::invalid_argument("variable " + std::to_string(v) + " has no allowed label");
    }
  }
  return result;
}

template <class T>
void Solver::set_scores(MatrixView<const T> unary, std::span<const double> theta) {
  const std::vector<double> top = tops(unary, theta);
  const double factor = pairs_.scale.factor();
  CarefulSum sum;
  for (std::size_t i = 0; i < top.size(); ++i) {
    const std::size_t start = index(schedule_.variable_of[i]) * n_labels_;
    const std::size_t count = count_at(i), slot = index(graph_.slot);
    const FixedRow row{top[i], factor, pairs_.floors[i]};
    const auto out = std::span(scores_.data() + i * slot, slot);
    if (theta.empty()) {
      row.write(unary.data.subspan(start, count), out);
    } else {
      row.write(unary.data.subspan(start, count), theta.subspan(start, count), out);
    }
    sum.add(top[i]);
  }
  constant_ = sum;
  bound_ = kNoBound;
  has_labeling_ = false;
}

template void Solver::set_scores(MatrixView<const float>, std::span<const double>);
template void Solver::set_scores(MatrixView<const double>, std::span<const double>);

}  // namespace hedgehop::trws
