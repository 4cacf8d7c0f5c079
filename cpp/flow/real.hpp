// SPDX-License-Identifier: BSD-3-Clause
// Minimum cuts of real costs: quantised once (flow/quantise.hpp), the scale fixed for the life of the flow,
// with a rigorous bound on the error of the minimum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "flow/any.hpp"
#include "flow/quantise.hpp"

namespace hedgehop::flow {

// Integers in 32 bits each until one needs more.
class PackedIntegers {
 public:
  std::int64_t operator[](std::size_t i) const { return wide_.empty() ? narrow_[i] : wide_[i]; }

  void assign(std::span<const std::int64_t> values) {
    narrow_.clear(), wide_.clear();
    if (std::all_of(values.begin(), values.end(), [](auto x) { return std::in_range<std::int32_t>(x); })) {
      narrow_.assign(values.begin(), values.end());
    } else {
      wide_.assign(values.begin(), values.end());
    }
  }

  void set(std::size_t i, std::int64_t value) {
    if (wide_.empty() && !std::in_range<std::int32_t>(value)) {
      wide_.assign(narrow_.begin(), narrow_.end());
      narrow_ = {};
    }
    wide_.empty() ? narrow_[i] = static_cast<std::int32_t>(value) : wide_[i] = value;
  }

  std::size_t bytes() const {
    return narrow_.capacity() * sizeof(std::int32_t) + wide_.capacity() * sizeof(std::int64_t);
  }

 private:
  std::vector<std::int32_t> narrow_;
  std::vector<std::int64_t> wide_;
};

// All changes throw std::overflow_error, with nothing changed, if a value is out of the range of the scale.
class RealFlow {
 public:
  // `flow` was built with `scale`; `rounded` of its capacities changed by that.
  template <class T>
  RealFlow(std::unique_ptr<AnyFlow> flow, const Quantiser& scale, std::span<const T> terminals,
           std::size_t rounded)
      : flow_(std::move(flow)), scale_(scale), rounded_capacities_(rounded) {
    terminals_.assign(quantised(terminals));
    rounded_terminals_ = scale.count_rounded(terminals);
  }

  AnyFlow& integers() { return *flow_; }
  const AnyFlow& integers() const { return *flow_; }
  const Quantiser& scale() const { return scale_; }
  std::size_t bytes() const { return flow_->bytes() + terminals_.bytes(); }

  double solve(Poll& poll) {
    const Total minimum = flow_->solve(poll);
    error_ = scale_.error(minimum, rounded_terminals_ + rounded_capacities_);
    return scale_.real(minimum);
  }

  // The cheapest labeling with x(v) = 1 for some of the nodes, right after a solve; error() is that of its
  // cost.
  double cheapest_with(std::span<const Index> nodes, std::span<Label> labels, Poll& poll) {
    const Total least = flow_->cheapest_with(nodes, labels, poll);
    error_ = scale_.error(least, rounded_terminals_ + rounded_capacities_);
    return scale_.real(least);
  }

  // |true minimum - minimum| of the last solve is at most this, and so is the error of any labeling's cost.
  double error() const { return error_; }

  template <class T>
  void set_terminals(std::span<const T> values) {
    const std::vector<std::int64_t> now = quantised(values);
    std::vector<std::int64_t> deltas(now.size());
    for (std::size_t v = 0; v < now.size(); ++v) deltas[v] = now[v] - terminals_[v];
    flow_->add_terminals(std::span<const std::int64_t>(deltas));
    terminals_.assign(now);
    rounded_terminals_ = scale_.count_rounded(values);
  }

  // Nodes must differ. What was rounded before counts on: knowing better would need a bit per node.
  template <class T>
  void set_terminals(std::span<const Index> nodes, std::span<const T> values) {
    const std::vector<std::int64_t> now = quantised(values);
    std::vector<std::int64_t> deltas(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) deltas[i] = now[i] - terminals_[index(nodes[i])];
    flow_->add_terminals(nodes, std::span<const std::int64_t>(deltas));
    for (std::size_t i = 0; i < now.size(); ++i) terminals_.set(index(nodes[i]), now[i]);
    rounded_terminals_ =
        std::min<std::size_t>(rounded_terminals_ + scale_.count_rounded(values), flow_->size());
  }

 private:
  template <class T>
  std::vector<std::int64_t> quantised(std::span<const T> values) const {
    std::vector<std::int64_t> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), [this](T value) { return scale_(value); });
    return result;
  }

  std::unique_ptr<AnyFlow> flow_;
  Quantiser scale_;
  PackedIntegers terminals_;
  std::size_t rounded_capacities_, rounded_terminals_ = 0;
  double error_ = 0;
};

}  // namespace hedgehop::flow
