// SPDX-License-Identifier: BSD-3-Clause
// A TRW-S solver as Python holds it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "busy.hpp"
#include "signals.hpp"
#include "trws/build.hpp"

namespace hedgehop::bindings {

using UnaryArray = std::variant<Matrix<float>, Matrix<double>>;
using TrwsResult = std::tuple<Result<Label>, double, double, int>;

// The solver and the arrays it was given, which stay where they are: scores are read from them again whenever
// theta changes, and labelings are valued in doubles from them.
class TrwsProblem {
 public:
  using PairValue = std::function<double(std::span<const Label>)>;

  TrwsProblem(Trws solver, UnaryArray unary, PairValue pairs)
      : solver_(std::move(solver)), unary_(std::move(unary)), pairs_(std::move(pairs)) {
    apply();
  }

  template <class T>
  void set_unary(Matrix<T> unary) {
    const Busy busy(busy_, "solver");
    check_shape("unary", unary.shape(0), unary.shape(1));
    replace(UnaryArray(std::move(unary)), std::nullopt);
  }

  void add_linear(std::optional<Matrix<double>> theta) {
    const Busy busy(busy_, "solver");
    if (theta) check_shape("theta", theta->shape(0), theta->shape(1));
    replace(unary_, std::move(theta));
  }

  TrwsResult run(int iterations, int check_every, double gap, double least_gain, int threads) {
    const Busy busy(busy_, "solver");
    require(iterations >= 1 && check_every >= 1, "iterations and check_every must be at least 1");
    require(threads >= 0 && threads <= 2, "threads must be 0 (choose), 1 or 2");
    const TrwsOptions options{iterations, check_every, gap, least_gain, threads};
    std::vector<Label> labeling(solver_.n_variables());
    TrwsAnswer answer;
    double value;
    {
      nb::gil_scoped_release release;
      Poll poll = python_poll();
      answer = solver_.run(options, poll);
      solver_.best(labeling);
      value = value_of(labeling);
    }
    return {give(std::move(labeling), {solver_.n_variables()}), value, answer.upper_bound, answer.iterations};
  }

  Result<float> beliefs() {
    const Busy busy(busy_, "solver");
    std::vector<float> out(solver_.n_variables() * solver_.n_labels());
    {
      nb::gil_scoped_release release;
      Poll poll = python_poll();
      solver_.beliefs(out, poll);
    }
    return give(std::move(out), {solver_.n_variables(), solver_.n_labels()});
  }

  std::tuple<double, Result<float>> limits() {
    const Busy busy(busy_, "solver");
    std::vector<float> out(solver_.n_variables() * solver_.n_labels());
    double top = 0.0;
    {
      nb::gil_scoped_release release;
      Poll poll = python_poll();
      top = solver_.limits(out, poll);
    }
    return {top, give(std::move(out), {solver_.n_variables(), solver_.n_labels()})};
  }

  Result<Label> decodes() {
    const Busy busy(busy_, "solver");
    const std::size_t n = solver_.n_variables();
    std::vector<Label> both(2 * n);
    for (int k = 0; k < 2; ++k)
      solver_.decoded(k, std::span(both).subspan(static_cast<std::size_t>(k) * n, n));
    return give(std::move(both), {2, n});
  }

  Result<Label> polish(Vector<Label> labeling) {
    const Busy busy(busy_, "solver");
    check_labeling(labeling);
    std::vector<Label> labels(labeling.data(), labeling.data() + labeling.size());
    {
      nb::gil_scoped_release release;
      Poll poll = python_poll();
      solver_.polish(labels, poll);
    }
    return give(std::move(labels), {solver_.n_variables()});
  }

  double value(Vector<Label> labeling) {
    const Busy busy(busy_, "solver");
    check_labeling(labeling);
    return value_of(span_of(labeling));
  }

  void forget() {
    const Busy busy(busy_, "solver");
    solver_.forget();
  }

  Result<std::int32_t> messages() {
    const Busy busy(busy_, "solver");
    const auto all = solver_.messages();
    const std::size_t slot = static_cast<std::size_t>(trws_slot(solver_.n_labels()));
    return give(std::vector<std::int32_t>(all.begin(), all.end()), {all.size() / slot, slot});
  }

  const Trws& solver() const { return solver_; }

 private:
  void check_shape(const char* name, std::size_t rows, std::size_t columns) const {
    require_size(name, rows, solver_.n_variables(), "variable");
    require_columns(name, columns, solver_.n_labels());
  }

  void check_labeling(const Vector<Label>& labeling) const {
    require_size("labeling", labeling.size(), solver_.n_variables(), "variable");
    require_in_range("labeling", span_of(labeling), solver_.n_labels());
  }

  // Either everything is replaced or, if the scores are refused, nothing.
  void replace(UnaryArray unary, std::optional<Matrix<double>> theta) {
    std::swap(unary_, unary);
    std::swap(theta_, theta);
    try {
      apply();
    } catch (...) {
      std::swap(unary_, unary);
      std::swap(theta_, theta);
      throw;
    }
  }

  std::span<const double> theta_values() const {
    return theta_ ? std::span<const double>(theta_->data(), theta_->size()) : std::span<const double>();
  }

  void apply() {
    nb::gil_scoped_release release;
    std::visit([&](const auto& unary) { solver_.set_scores(view_of(unary), theta_values()); }, unary_);
  }

  // f(score of (variable, label)) with the type of the scores known.
  template <class F>
  auto with_scores(F f) const {
    const double* theta = theta_ ? theta_->data() : nullptr;
    return std::visit(
        [&](const auto& unary) {
          return f([data = unary.data(), theta](std::size_t at) {
            return static_cast<double>(data[at]) + (theta != nullptr ? theta[at] : 0.0);
          });
        },
        unary_);
  }

  double value_of(std::span<const Label> labeling) const {
    const double unary = with_scores([&](auto score) {
      CarefulSum sum;
      for (std::size_t i = 0; i < labeling.size(); ++i) {
        const double x = score(i * solver_.n_labels() + static_cast<std::size_t>(labeling[i]));
        if (x == forbidden) return forbidden;
        sum.add(x);
      }
      return sum.value();
    });
    return unary + pairs_(labeling);
  }

  Trws solver_;
  UnaryArray unary_;
  std::optional<Matrix<double>> theta_;
  PairValue pairs_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace hedgehop::bindings
