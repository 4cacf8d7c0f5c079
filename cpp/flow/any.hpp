// SPDX-License-Identifier: BSD-3-Clause
// One flow of any layout behind one interface, which starts with 32 bits where they suffice and changes to 64
// bits by itself when they no longer do. For callers that hold flows without being templates: the bindings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "core/matrix.hpp"
#include "flow/flow.hpp"

namespace hedgehop::flow {

using Integers = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>>;

class AnyFlow {
 public:
  virtual ~AnyFlow() = default;

  virtual std::unique_ptr<AnyFlow> clone() const = 0;
  virtual Index size() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual int bits() const = 0;
  virtual void keep_forests_up_to(std::size_t changes) = 0;
  virtual Total solve(Poll& poll) = 0;
  virtual Total cheapest_with(std::span<const Index> nodes, std::span<Label> labels, Poll& poll) = 0;
  virtual bool is_solved() const = 0;
  virtual void read_labels(std::span<Label> labels, bool sink = true) const = 0;  // those of the sink: `sink`
  virtual void add_terminals(Integers deltas) = 0;
  virtual void add_terminals(std::span<const Index> nodes, Integers deltas) = 0;
};

// The values in another type; copied only if they must be. Throws std::overflow_error if one does not fit.
template <class Cap>
class Converted {
 public:
  explicit Converted(const Integers& values) {
    std::visit([this](auto given) { convert(given); }, values);
  }
  operator std::span<const Cap>() const { return values_; }

 private:
  void convert(std::span<const Cap> given) { values_ = given; }

  template <class From>
  void convert(std::span<const From> given) {
    copy_.reserve(given.size());
    for (const From value : given) {
      if (!std::in_range<Cap>(value))
        throw std::overflow_error("a change is too large for the integers of its flow");
      copy_.push_back(static_cast<Cap>(value));
    }
    values_ = copy_;
  }

  std::span<const Cap> values_;
  std::vector<Cap> copy_;
};

template <class Narrow>
class PromotingFlow final : public AnyFlow {
 public:
  using Wide = typename Narrow::template With<std::int64_t>;

  template <class Layout>
  explicit PromotingFlow(Flow<Layout>&& flow) : flow_(std::move(flow)) {}

  std::unique_ptr<AnyFlow> clone() const override { return std::make_unique<PromotingFlow>(*this); }
  Index size() const override {
    return visit([](const auto& flow) { return flow.size(); });
  }
  std::size_t bytes() const override {
    return visit([](const auto& flow) { return flow.bytes(); });
  }
  int bits() const override { return flow_.index() == 0 ? 32 : 64; }
  void keep_forests_up_to(std::size_t changes) override {
    std::visit([&](auto& flow) { flow.keep_forests_up_to(changes); }, flow_);
  }
  Total solve(Poll& poll) override {
    return std::visit([&](auto& flow) { return flow.solve(poll); }, flow_);
  }
  Total cheapest_with(std::span<const Index> nodes, std::span<Label> labels, Poll& poll) override {
    return std::visit([&](auto& flow) { return flow.cheapest_with(nodes, labels, poll); }, flow_);
  }
  bool is_solved() const override {
    return visit([](const auto& flow) { return flow.is_solved(); });
  }
  void read_labels(std::span<Label> labels, bool sink) const override {
    visit([&](const auto& flow) {
      for (Index v = 0; v < flow.size(); ++v) labels[v] = flow.is_sink_side(v) == sink;
    });
  }

  void add_terminals(Integers deltas) override {
    change([&]<class F>(F& flow) { flow.add_terminals(Converted<typename F::Cap>(deltas)); });
  }
  void add_terminals(std::span<const Index> nodes, Integers deltas) override {
    change([&]<class F>(F& flow) { flow.add_terminals(nodes, Converted<typename F::Cap>(deltas)); });
  }

 private:
  template <class Call>
  auto visit(Call call) const {
    return std::visit(call, flow_);
  }

  // Flows refuse before they change anything, so the same change can be made again with more bits.
  template <class Call>
  void change(Call call) {
    if (auto* narrow = std::get_if<Flow<Narrow>>(&flow_)) {
      try {
        return call(*narrow);
      } catch (const std::overflow_error&) {
        flow_ = Flow<Wide>(*narrow);
      }
    }
    call(std::get<Flow<Wide>>(flow_));
  }

  std::variant<Flow<Narrow>, Flow<Wide>> flow_;
};

// build.template operator()<Layout>() makes the layout; no single value is larger than `largest`.
template <class Narrow, class Build>
std::unique_ptr<AnyFlow> make_flow(double largest, const Sizes& sizes, Build build) {
  using Wide = typename PromotingFlow<Narrow>::Wide;
  if (largest <= std::numeric_limits<std::int32_t>::max()) {
    try {
      return std::make_unique<PromotingFlow<Narrow>>(
          Flow<Narrow>(build.template operator()<Narrow>(), sizes));
    } catch (const std::overflow_error&) {  // the sums are too large though the values are not
    }
  }
  return std::make_unique<PromotingFlow<Narrow>>(Flow<Wide>(build.template operator()<Wide>(), sizes));
}

}  // namespace hedgehop::flow
