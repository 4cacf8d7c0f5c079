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

  void assign(std::vector<std::int32_t>&& values) {
    narrow_ = std::move(values);
    wide_ = {};
  }

  void assign(std::vector<std::int64_t>&& values) {
    if (std::all_of(values.begin(), values.end(), [](auto x) { return std::in_range<std::int32_t>(x); })) {
      return assign(std::vector<std::int32_t>(values.begin(), values.end()));
    }
    narrow_ = {};
    wide_ = std::move(values);
  }

  void set(std::size_t i, std::int64_t value) {
    if (wide_.empty() && !std::in_range<std::int32_t>(value)) {
      wide_.assign(narrow_.begin(), narrow_.end());
      narrow_ = {};
    }
    wide_.empty() ? narrow_[i] = static_cast<std::int32_t>(value) : wide_[i] = value;
  }

  std::span<const std::int32_t> narrow() const { return narrow_; }  // where all are small

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
      : flow_(std::move(flow)), scale_(scale), rounded_capacities_(rounded), were_small_(scale.is_narrow()) {
    const bool small = scale.is_narrow();
    small ? terminals_.assign(quantised<std::int32_t>(terminals, rounded_terminals_))
          : terminals_.assign(quantised<std::int64_t>(terminals, rounded_terminals_));
  }

  RealFlow(const RealFlow& from)
      : flow_(from.flow_->clone()),
        scale_(from.scale_),
        terminals_(from.terminals_),
        rounded_capacities_(from.rounded_capacities_),
        rounded_terminals_(from.rounded_terminals_),
        were_small_(from.were_small_),
        error_(from.error_) {}
  RealFlow(RealFlow&&) = default;

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
    if (were_small_ && replace_small_terminals(values)) return;
    replace_large_terminals(values);
    were_small_ = scale_.are_small(values);
  }

  // Nodes must differ. What was rounded before counts on: knowing better would need a bit per node.
  template <class T>
  void set_terminals(std::span<const Index> nodes, std::span<const T> values) {
    std::size_t rounded = 0;
    const std::vector<std::int64_t> now = quantised<std::int64_t>(values, rounded);
    std::vector<std::int64_t> deltas(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) deltas[i] = now[i] - terminals_[index(nodes[i])];
    flow_->add_terminals(nodes, std::span<const std::int64_t>(deltas));
    for (std::size_t i = 0; i < now.size(); ++i) terminals_.set(index(nodes[i]), now[i]);
    were_small_ = were_small_ && scale_.are_small(values);
    rounded_terminals_ = std::min<std::size_t>(rounded_terminals_ + rounded, flow_->size());
  }

 private:
  // `rounded`: how many of the values change.
  template <class Integer, class T>
  std::vector<Integer> quantised(std::span<const T> values, std::size_t& rounded) const {
    std::vector<Integer> result(values.size());
    if constexpr (sizeof(Integer) == 4) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < values.size(); ++i) result[i] = scale_.small(values[i], count);
      rounded = count;
    } else {
      std::transform(values.begin(), values.end(), result.begin(), [this](T value) { return scale_(value); });
      rounded = scale_.count_rounded(values);
    }
    return result;
  }

  // In 32 bits, where the terminals and the values are small, so that their differences fit; in blocks that
  // stay at hand. Returns false, with nothing changed, if a value is not small.
  template <class T>
  bool replace_small_terminals(std::span<const T> values) {
    constexpr std::size_t block = 4096;
    const std::span<const std::int32_t> before = terminals_.narrow();
    std::vector<std::int32_t> now(values.size()), deltas(values.size());
    std::size_t rounded = 0, changed = 0;
    for (std::size_t start = 0; start < values.size(); start += block) {
      const std::size_t end = std::min(start + block, values.size());
      if (!scale_.are_small(values.subspan(start, end - start))) return false;
      std::size_t moved = 0, differing = 0;
      for (std::size_t v = start; v < end; ++v) now[v] = scale_.small(values[v], moved);
      for (std::size_t v = start; v < end; ++v) {
        deltas[v] = now[v] - before[v];
        differing += deltas[v] != 0;
      }
      rounded += moved, changed += differing;
    }
    change_terminals(std::move(now), std::move(deltas), rounded, changed);
    return true;
  }

  template <class T>
  void replace_large_terminals(std::span<const T> values) {
    std::size_t rounded = 0, changed = 0;
    std::vector<std::int64_t> now = quantised<std::int64_t>(values, rounded), deltas(now.size());
    for (std::size_t v = 0; v < now.size(); ++v) {
      deltas[v] = now[v] - terminals_[v];
      changed += deltas[v] != 0;
    }
    change_terminals(std::move(now), std::move(deltas), rounded, changed);
  }

  // Where few change, the flow is told which, so that it may search on from its last cut.
  template <class Integer>
  void change_terminals(std::vector<Integer>&& now, std::vector<Integer>&& deltas, std::size_t rounded,
                        std::size_t changed) {
    if (changed <= now.size() / 32) {
      std::vector<Index> nodes;
      for (std::size_t v = 0; v < now.size(); ++v) {
        if (deltas[v] == 0) continue;
        deltas[nodes.size()] = deltas[v];
        nodes.push_back(static_cast<Index>(v));
      }
      flow_->add_terminals(nodes, std::span<const Integer>(deltas.data(), nodes.size()));
    } else {
      flow_->add_terminals(std::span<const Integer>(deltas));
    }
    terminals_.assign(std::move(now));
    rounded_terminals_ = rounded;
  }

  std::unique_ptr<AnyFlow> flow_;
  Quantiser scale_;
  PackedIntegers terminals_;
  std::size_t rounded_capacities_, rounded_terminals_ = 0;
  bool were_small_;  // all terminals are at most 2^30
  double error_ = 0;
};

}  // namespace hedgehop::flow
