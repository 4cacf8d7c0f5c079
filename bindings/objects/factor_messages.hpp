// SPDX-License-Identifier: BSD-3-Clause
// Messages of factors and of cycles as a Python object, together with the arrays that they read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/scopes.hpp"
#include "common/threads.hpp"
#include "graphs/cycle_messages.hpp"
#include "graphs/factor_messages.hpp"
#include "graphs/short_cycles.hpp"

namespace hedgehop::bindings {

class PyFactorMessages {
 public:
  PyFactorMessages(Vector<std::int32_t> counts, Vector<std::int32_t> variables, Vector<std::int64_t> starts,
                   const Vector<double>& tables)
      : counts_(std::move(counts)),
        variables_(std::move(variables)),
        starts_(std::move(starts)),
        scopes_(checked_scopes(counts_, variables_, starts_)) {
    require_tables(counts_, scopes_, tables);
    require_finite("tables", span_of(tables));
    factors_.emplace(span_of(counts_), scopes_, span_of(tables));
    cycles_.emplace(scopes_, *factors_);
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      if (scopes_[f].size() == 1) n_unary_ += index(span_of(counts_)[index(scopes_[f][0])]);
    }
  }

  void set_unary(const Vector<double>& scores) {
    const Busy busy(busy_, "solver");
    require_size("scores", scores.size(), n_unary_, "label");
    require_finite("scores", span_of(scores));
    factors_->set_unary(span_of(scores));
  }

  void run(std::size_t sweeps) {
    const Busy busy(busy_, "solver");
    Poll poll = python_poll();
    for (std::size_t k = 0; k < sweeps; ++k) {
      factors_->sweep(k % 2 == 1, poll);
      cycles_->update_all(poll);
    }
    factors_->settle();
    cycles_->settle();
  }

  std::size_t tighten(Matrix<std::int32_t> edges, double least, double most_work) {
    const Busy busy(busy_, "solver");
    require_edges(edges_of(edges), counts_.size());
    Poll poll = python_poll();
    if (!candidates_) {
      candidates_ =
          graphs::ShortCycles(counts_.size(), edges_of(edges)).find(most_candidates(), kLongest, poll);
    }
    return graphs::tighten(*cycles_, *candidates_, least, most_work, poll);
  }

  Result<double> terms() {
    const Busy busy(busy_, "solver");
    std::vector<double> all = factors_->maxima();
    const std::vector<double> more = cycles_->maxima();
    all.insert(all.end(), more.begin(), more.end());
    return Result<double>(std::move(all));
  }

  // Scores of the factors of several variables with all messages of cycles, end to end.
  Result<double> tilted() {
    const Busy busy(busy_, "solver");
    std::vector<double> all;
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      if (scopes_[f].size() == 1) continue;
      const std::span<const double> table = factors_->table(f);
      all.insert(all.end(), table.begin(), table.end());
    }
    return Result<double>(std::move(all));
  }

  // Cells that a sweep looks at.
  double work() const {
    double cells = cycles_->work();
    for (std::size_t f = 0; f < scopes_.size(); ++f) {
      const std::size_t times = 2 * scopes_[f].size() + 1;
      cells += static_cast<double>(times * std::as_const(*factors_).table(f).size());
    }
    return cells;
  }

  double error() const { return factors_->error() + cycles_->error(); }
  Result<double> beliefs() const { return Result<double>(factors_->beliefs()); }

 private:
  static constexpr std::size_t kLongest = 16;         // variables of a cycle
  static constexpr std::size_t kCandidates = 100000;  // whose gains take hundredths of a second
  static constexpr double kCandidateCells = 1e7;      // that products of tables look at, likewise

  std::size_t most_candidates() const {
    double labels = 1.0;
    for (const std::int32_t count : span_of(counts_)) labels = std::max(labels, static_cast<double>(count));
    return static_cast<std::size_t>(std::min(1.0 * kCandidates, 1.0 + kCandidateCells / std::pow(labels, 3)));
  }

  Vector<std::int32_t> counts_, variables_;
  Vector<std::int64_t> starts_;
  graphs::Scopes scopes_;
  std::size_t n_unary_ = 0;
  std::optional<graphs::FactorMessages> factors_;
  std::optional<graphs::CycleMessages> cycles_;
  std::optional<std::vector<graphs::Cycle>> candidates_;
  std::atomic_flag busy_;
};

}  // namespace hedgehop::bindings
