// SPDX-License-Identifier: BSD-3-Clause
#include "trws/solver.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "trws/primal.hpp"

namespace hedgehop::trws {

namespace {

constexpr double kNear = 10.0;  // within so many times the gap wanted, look more often

}  // namespace

Solver::Solver(Schedule schedule, FixedPairs pairs, std::size_t n_labels,
               std::span<const std::int32_t> counts, const Kernel& kernel)
    : n_labels_(n_labels),
      kernel_(kernel),
      schedule_(std::move(schedule)),
      pairs_(std::move(pairs)),
      share_(schedule_.shares()) {
  const std::size_t n = n_variables(), slot = index(slot_size(n_labels));
  const bool ragged =
      std::any_of(counts.begin(), counts.end(), [&](std::int32_t c) { return index(c) != n_labels; });
  if (ragged) {
    for (const std::int32_t v : schedule_.variable_of) counts_.push_back(counts[index(v)]);
  }
  if (pairs_.tables.empty()) schedule_.edge_of = {};
  scores_ = FixedPoints(n * slot, 0);
  messages_ = FixedPoints(schedule_.n_edges() * slot, 0);
  best_.assign(n, 0);
  for (auto& labels : decoded_) labels.assign(n, 0);
  graph_.slot = static_cast<std::int32_t>(slot);
  connect();
}

void Solver::connect() {
  graph_.n_labels = static_cast<std::int32_t>(n_labels_);
  graph_.scores = scores_.data();
  graph_.messages = messages_.data();
  graph_.strengths = pairs_.strengths.data();
  graph_.tables = pairs_.tables.empty() ? nullptr : pairs_.tables.data();
  graph_.table_up = pairs_.table_up.data();
  graph_.table_down = pairs_.table_down.data();
  graph_.counts = counts_.empty() ? nullptr : counts_.data();
  graph_.up = schedule_.up.data();
  graph_.up_node = schedule_.up_node.data();
  graph_.down = schedule_.down.data();
  graph_.down_edge = schedule_.down_edge.data();
  graph_.down_node = schedule_.down_node.data();
  graph_.share = share_.data();
  graph_.variable_of = schedule_.variable_of.data();
  for (int k = 0; k < 2; ++k) graph_.decoded[k] = decoded_[k].data();
  graph_.floors = pairs_.floors.data();
  graph_.never = -std::numeric_limits<float>::infinity();
  graph_.unit = static_cast<float>(pairs_.scale.unit());
}

void Solver::set_tables(Edges edges, std::span<const double> flat) {
  if (!edge_tables_) edge_tables_.emplace(n_labels_, index(graph_.slot));
  const int before = pairs_.scale.exponent();
  edge_tables_->update(schedule_, edges, flat, pairs_);
  const int shift = std::min(31, before - pairs_.scale.exponent());
  if (shift > 0) {
    for (std::int32_t& message : messages_) message >>= shift;
  }
  connect();
}

std::size_t Solver::count_at(std::size_t position) const {
  return counts_.empty() ? n_labels_ : index(counts_[position]);
}

void Solver::put_in_order(std::span<const std::int32_t> labels, std::span<Label> labeling) const {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labeling[index(schedule_.variable_of[i])] = labels[i];
  }
}

// Beyond the caches one thread cannot use the memory's bandwidth; below, the meetings cost what they save.
bool Solver::may_use_two_threads() const {
  const std::size_t values = n_variables() * index(graph_.slot);
  return values > (std::size_t{1} << 22) && n_variables() / schedule_.n_levels() >= 256 &&
         std::thread::hardware_concurrency() > 1;
}

// On a busy machine two threads that wait for each other are slower than one, so both are tried, an iteration
// each, and the faster goes on. The answer is the same either way.
void Solver::sweep(std::span<const Pass> plan, int threads, Poll& poll) {
  while (!plan.empty()) {
    const bool choose = threads == 0 && may_use_two_threads();
    const bool trying = choose && (pace_[0] == 0.0 || pace_[1] == 0.0);
    const bool two = choose ? pace_[0] != 0.0 && pace_[1] <= pace_[0] : threads == 2;
    const auto now = plan.first(std::min<std::size_t>(plan.size(), trying ? 2 : plan.size()));
    const auto start = std::chrono::steady_clock::now();
    sweep_on(now, two, poll);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (choose) pace_[two ? 1 : 0] = spent.count() / static_cast<double>(now.size());
    plan = plan.subspan(now.size());
  }
}

void Solver::sweep_on(std::span<const Pass> plan, bool two_threads, Poll& poll) {
  try {
    const Runner runner(kernel_, graph_, schedule_.level);
    bound_ = std::min(bound_, runner.run(plan, two_threads, poll));
  } catch (...) {
    forget();
    throw;
  }
}

void Solver::iterate(int times, int threads, Poll& poll) {
  std::vector<Pass> plan;
  for (int k = 1; k < times; ++k) plan.insert(plan.end(), {Pass::forward, Pass::backward});
  plan.insert(plan.end(), {Pass::report_forward, Pass::report_backward});
  sweep(plan, threads, poll);
}

Answer Solver::run(const Options& options, Poll& poll) {
  Answer answer{0.0, 0.0, 0, false};
  double before = std::numeric_limits<double>::infinity();
  int every = options.check_every;
  while (answer.iterations < options.iterations && !answer.converged) {
    const int times = std::min(every, options.iterations - answer.iterations);
    iterate(times, options.threads, poll);
    consider_sweep_labelings(poll);
    answer.iterations += times;
    const double value = real_value(value_), bound = real_bound(bound_), gap = bound - value;
    answer.converged = gap <= options.gap;
    if (before - bound < options.least_gain * gap * times / options.check_every) break;
    before = bound;
    every = gap <= kNear * options.gap ? std::min(2, options.check_every) : options.check_every;
  }
  answer.upper_bound = real_bound(bound_);
  answer.value = real_value(value_);
  return answer;
}

void Solver::consider_sweep_labelings(Poll& poll) {
  std::vector<std::uint8_t> stale(n_variables(), has_labeling_ ? 0 : 1);
  if (!has_labeling_) {
    best_ = decoded_[1];
    value_ = score(graph_, best_);
    has_labeling_ = true;
  }
  ComponentMixer mixer(graph_, best_, stale);
  for (const auto& decoded : decoded_) value_ += mixer.take(decoded);
  value_ += polish_stale(best_, stale, poll);
}

std::int64_t Solver::polish_stale(std::span<std::int32_t> labels, std::span<std::uint8_t> stale,
                                  Poll& poll) const {
  const auto n = static_cast<std::int32_t>(n_variables());
  constexpr std::int32_t step = 4096;
  std::int64_t total = 0;
  for (std::int64_t gained = 1; gained > 0; total += gained) {
    gained = 0;
    for (std::int32_t i = 0; i < n; i += std::min(step, n - i)) {
      gained += kernel_.polish(graph_, i, i + std::min(step, n - i), labels.data(), stale.data());
      poll.tick(step);
    }
  }
  return total;
}

void Solver::polish(std::span<Label> labeling, Poll& poll) {
  std::vector<std::int32_t> labels(n_variables());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = labeling[index(schedule_.variable_of[i])];
  }
  std::vector<std::uint8_t> stale(n_variables(), 1);
  polish_stale(labels, stale, poll);
  put_in_order(labels, labeling);
}

void Solver::beliefs(std::span<float> out, Poll& poll) {
  sweep(std::array{Pass::forward}, 0, poll);
  Graph outputs = graph_;
  outputs.beliefs = out.data();
  sweep_with(outputs, poll);
}

void Solver::close_labels(float least, std::span<std::uint8_t> out, Poll& poll) {
  sweep(std::array{Pass::forward}, 0, poll);
  Graph outputs = graph_;
  outputs.close = out.data(), outputs.least = least;
  sweep_with(outputs, poll);
}

double Solver::label_bounds(std::span<float> out, Poll& poll) {
  const std::int64_t before = std::exchange(bound_, kNoBound);
  sweep(std::array{Pass::report_forward}, 0, poll);
  std::int64_t top =
      bound_ + FixedPointScale::kMargin;  // by which labels are told apart where no edge matters
  bound_ = std::min(bound_, before);
  std::vector<std::int32_t> excess(n_variables());
  Graph outputs = graph_;
  outputs.beliefs = out.data(), outputs.excess = excess.data(), outputs.floors = nullptr;
  sweep_with(outputs, poll);
  for (const std::int32_t e : excess) top += std::max(e, 0);
  return real_bound(top);
}

// A sweep backward that writes more than messages.
void Solver::sweep_with(const Graph& outputs, Poll& poll) {
  const Graph usual = std::exchange(graph_, outputs);
  try {
    sweep(std::array{Pass::report_backward}, 0, poll);
  } catch (...) {
    graph_ = usual;
    throw;
  }
  graph_ = usual;
}

void Solver::forget() {
  std::fill(messages_.begin(), messages_.end(), 0);
}

// Each of the few roundings between the given scores and the bound loses at most 2^-53 of what it rounds;
// CarefulSum makes the number of variables irrelevant. 2^-49 of everything is more than all of them together.
double Solver::real_bound(std::int64_t bound) const {
  const double fixed = pairs_.scale.real(bound);
  const double size =
      constant_.magnitude() + pairs_.constant.magnitude() + 4.0 * pairs_.reach + std::abs(fixed);
  return constant_.value() + pairs_.constant.value() + fixed + 0x1p-49 * size;
}

double Solver::real_value(std::int64_t value) const {
  return constant_.value() + pairs_.constant.value() + pairs_.scale.real(value);
}

std::size_t Solver::bytes() const {
  std::size_t total = scores_.bytes() + messages_.bytes() + pairs_.tables.bytes();
  const auto count = [&](const auto&... arrays) {
    total += ((arrays.capacity() * sizeof(arrays[0])) + ... + 0);
  };
  count(schedule_.variable_of, schedule_.level, schedule_.up, schedule_.up_node, schedule_.down);
  count(schedule_.down_edge, schedule_.down_node, pairs_.strengths, pairs_.table_up, pairs_.table_down);
  count(pairs_.floors, share_, counts_, best_, decoded_[0], decoded_[1]);
  return total;
}

}  // namespace hedgehop::trws
