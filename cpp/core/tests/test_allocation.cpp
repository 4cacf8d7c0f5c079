// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out at any moment: the k-th allocation of a kernel fails, for every k. Each time
// std::bad_alloc comes out and nothing else, and the next call works as if nothing had happened. Under ASan
// nothing may be leaked either.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"
#include "flow/csr.hpp"
#include "flow/flow.hpp"
#include "graphs/forest.hpp"
#include "graphs/spanning_tree.hpp"
#include "moves/expansion.hpp"
#include "moves/swap.hpp"
#include "moves/tests/instance.hpp"
#include "trws/solver.hpp"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // new is malloc and delete is free, both ours
#endif

namespace {

std::atomic<std::int64_t> left{-1};  // allocations until one fails; below 0: none does

void* allocated(std::size_t size, std::size_t alignment) {
  if (left.load() >= 0 && left.fetch_sub(1) == 0) throw std::bad_alloc();
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* memory =
      alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, whole) : std::malloc(whole + 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocated(size, 1);
}
void* operator new[](std::size_t size) {
  return allocated(size, 1);
}
void* operator new(std::size_t size, std::align_val_t a) {
  return allocated(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return allocated(size, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

namespace {

using namespace hedgehop;
using test::Random;

// Calls `work` with its first allocation failing, then its second, and so on until none fails any more.
template <class Work>
void survives(const char* name, Work work) {
  const auto expected = work();
  std::int64_t k = 0;
  for (bool failed = true; failed && k < 100000; ++k) {
    left = k;
    try {
      const auto found = work();
      failed = left.exchange(-1) < 0;  // the failure may have been survived: a thread less
      CHECK(found == expected);
    } catch (const std::bad_alloc&) {
      left = -1;
    }
  }
  CHECK(k > 1);
  CHECK(work() == expected);
  std::printf("%s: %lld allocations failed\n", name, static_cast<long long>(k - 1));
}

void flows(Random& random) {
  using Layout = flow::CsrLayout<std::int32_t>;
  const std::size_t n = 12, m = 40;
  std::vector<flow::Index> ends(2 * m);
  std::vector<std::int32_t> capacities(m), terminals(n);
  for (auto& v : ends) v = static_cast<flow::Index>(random.below(n));
  for (auto& c : capacities) c = static_cast<std::int32_t>(random.below(99));
  for (auto& t : terminals) t = static_cast<std::int32_t>(random.below(199)) - 99;
  const auto capacity = [&](std::size_t e) { return capacities[e]; };
  survives("flow", [&] {
    const auto terminal = [&](flow::Index v) { return terminals[static_cast<std::size_t>(v)]; };
    flow::Flow<Layout> flow(Layout(n, {ends, m, 2}, terminal, capacity, capacity));
    Poll poll;
    return flow.solve(poll);
  });
}

void messages(Random& random, int threads) {
  const std::size_t n = 30, labels = 5;
  test::PairwiseModel model(random, n, labels, false);
  model.set_unary([&](Label) { return random.uniform(-4, 4); });
  for (std::size_t i = 0; i < n; ++i) {
    model.add_edge(random, i, (i + 1) % n, random.uniform(0, 2), [](auto...) { return 0.0; });
  }
  survives(threads == 1 ? "trws" : "trws, two threads", [&] {
    auto solver = trws::make_solver(model.unary_view(), model.pairs(model.potts()), {}, trws::kernel_for(""));
    solver.set_scores(model.unary_view(), {});
    Poll poll;
    return solver.run({5, 1, 0.0, -1e300, threads}, poll).upper_bound;
  });
}

void forests() {
  const std::vector<double> unaries(3 * 3, 1.0), strengths{0.5, 2.0};
  const std::vector<std::int32_t> edges{0, 1, 1, 2};
  survives("forest", [&] {
    std::vector<Label> labeling(3, -1);
    const graphs::ForestOrder order(3, {edges, 2, 2});
    return graphs::argmax(order, {unaries, 3, 3}, PottsScores{strengths, 3}, std::span(labeling));
  });
}

void trees() {
  const std::vector<std::int32_t> ends{0, 1, 1, 2, 0, 2, 2, 3};
  const std::vector<double> scores{0, 3, 0, 2, 0, 1, 0, 5};
  survives("spanning tree", [&] {
    std::vector<Label> tree(4);
    return graphs::best_spanning_tree({4, {ends, 4, 2}, {scores, 4, 2}}, tree);
  });
}

void moves_of_labels() {
  test::Instances instances(1, test::Traits{});
  const test::Instance x = instances.next();
  const std::vector<Label> start = instances.labeling(x);
  const moves::Problem problem = x.problem();
  survives("expansion", [&] {
    std::vector<Label> y = start;
    Poll poll;
    return moves::Expansion(problem, y, {}, 1000).move(0, poll);
  });
  survives("swap", [&] {
    std::vector<Label> y = start;
    Poll poll;
    return moves::Swap(problem, y, 1000).move(0, 1, poll);
  });
}

}  // namespace

int main() {
  Random random(1);
  flows(random);
  messages(random, 1);
  messages(random, 2);
  forests();
  trees();
  moves_of_labels();
  return test::exit_code();
}
