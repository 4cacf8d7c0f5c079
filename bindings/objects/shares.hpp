// SPDX-License-Identifier: BSD-3-Clause
// Shares of weights as Python holds them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/arrays.hpp"
#include "common/checks.hpp"
#include "common/threads.hpp"
#include "counts/shares.hpp"

namespace hedgehop::bindings {

class PyShares {
 public:
  // `functions`: weight, start, width and cap of each.
  PyShares(Matrix<double> functions, Vector<std::int64_t> codes, Vector<std::int64_t> first,
           Vector<std::int32_t> slots, Vector<double> delta, std::size_t n_slots, std::size_t n_codes)
      : n_slots_(n_slots), n_codes_(n_codes), shares_(made(functions, codes, first, slots, delta, n_slots)) {
    require_below("codes", span_of(codes), n_codes);
    require_in_range("slots", span_of(slots), n_slots);
  }

  Result<double> scores() const {
    Result<double> total{n_slots_, n_codes_};
    shares_.add_to(total.view());
    return total;
  }

  Result<double> added_to(Matrix<double> scores, Vector<std::int64_t> twins) const {
    require_size("scores", scores.shape(0), n_slots_, "slot");
    require_columns("scores", scores.shape(1), n_codes_);
    require_size("twins", twins.size(), n_codes_, "code");
    require_below("twins", span_of(twins), n_codes_);
    Result<double> total(span_of(scores));
    total.shape = {n_slots_, n_codes_, 0}, total.dimensions = 2;
    shares_.add_to(total.view(), span_of(twins));
    return total;
  }

  double rest() const { return shares_.rest(); }

  double slope(Vector<std::int64_t> codes) {
    const Busy busy(busy_, "shares");
    require_size("codes", codes.size(), n_slots_, "slot");
    return shares_.slope(span_of(codes));
  }

  void step(double length) {
    const Busy busy(busy_, "shares");
    shares_.step(length);
  }

  Result<double> delta() const { return Result<double>(shares_.delta()); }

 private:
  static void require_below(const char* name, std::span<const std::int64_t> values, std::size_t limit) {
    bool ok = true;
    for (const std::int64_t value : values) ok &= value >= 0 && static_cast<std::size_t>(value) < limit;
    require(ok, [&] { return std::string(name) + " must be at least 0 and below " + std::to_string(limit); });
  }

  static counts::Shares made(const Matrix<double>& functions, const Vector<std::int64_t>& codes,
                             const Vector<std::int64_t>& first, const Vector<std::int32_t>& slots,
                             const Vector<double>& delta, std::size_t n_slots) {
    const auto rows = view_of(functions);
    const auto from = span_of(first);
    const auto places = span_of(slots);
    const auto shares = span_of(delta);
    require_columns("functions", rows.columns, 4);
    require_size("codes", codes.size(), rows.rows, "function");
    require_size("first", from.size(), rows.rows + 1, "function and the end");
    require_starts("first", from, shares.size(), "shares");
    if (!places.empty()) require_size("delta", shares.size(), places.size(), "member");
    for (std::size_t k = 0; places.empty() && k < rows.rows; ++k) {
      require(index(from[k + 1] - from[k]) == n_slots, "without slots, all of them must have shares");
    }
    std::vector<counts::ShareFunction> made;
    for (std::size_t k = 0; k < rows.rows; ++k)
      made.push_back({rows(k, 0), rows(k, 1), rows(k, 2), rows(k, 3), span_of(codes)[k]});
    return {std::move(made),
            {from.begin(), from.end()},
            {places.begin(), places.end()},
            {shares.begin(), shares.end()}};
  }

  std::size_t n_slots_, n_codes_;
  counts::Shares shares_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace hedgehop::bindings
