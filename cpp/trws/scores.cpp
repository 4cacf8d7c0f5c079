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

// Whether a variable's best score is a number.
void require_allowed(double best, std::size_t variable) {
  if (std::isnan(best)) throw std::invalid_argument("scores must not contain NaN or +inf");
  if (std::isinf(best)) {
    throw std::invalid_argument("variable " + std::to_string(variable) + " has no allowed label");
  }
}

}  // namespace

// In the order of the variables: scores are read once and in a row, and only the smaller fixed points are
// written here and there. Where it throws, the next scores replace what was written.
template <class T>
void Solver::set_scores(MatrixView<const T> unary, const Change& change) {
  CarefulSum sum;
  bound_ = kNoBound;
  has_labeling_ = false;
  const auto put = [&](std::size_t v, auto... scores) {
    const std::size_t i = index(schedule_.position_of[v]), slot = index(graph_.slot);
    const double best = top(scores...);
    require_allowed(best, v);
    const FixedRow row{best, pairs_.scale.factor(), pairs_.floors[i]};
    row.write(scores..., std::span(scores_.data() + i * slot, slot));
    sum.add(best);
  };
  const auto own = [&](std::size_t v) {
    return unary.data.subspan(v * n_labels_, count_at(index(schedule_.position_of[v])));
  };
  if (const auto* cells = std::get_if<CellScores>(&change)) {
    std::vector<double> row(n_labels_);
    for (std::size_t v = 0; v < n_variables(); ++v) {
      const auto scores = own(v);
      cells->add(v, scores, std::span(row));
      put(v, std::span<const double>(row).first(scores.size()));
    }
  } else if (const auto* table = std::get_if<std::span<const double>>(&change)) {
    for (std::size_t v = 0; v < n_variables(); ++v) {
      const auto scores = own(v);
      put(v, scores, table->subspan(v * n_labels_, scores.size()));
    }
  } else {
    for (std::size_t v = 0; v < n_variables(); ++v) put(v, own(v));
  }
  constant_ = sum;
}

template void Solver::set_scores(MatrixView<const float>, const Change&);
template void Solver::set_scores(MatrixView<const double>, const Change&);

}  // namespace hedgehop::trws
