// SPDX-License-Identifier: BSD-3-Clause
// TRW-S: labelings and upper bounds for pairwise models of any graph (Kolmogorov, PAMI 2006), as
// maximisation.
//
// One object serves many solves: the messages stay, scores are replaced in place, so that a solve whose
// scores differ little from the last one's starts near its end. Integer arithmetic (trws/fixed_point.hpp)
// makes every bound rigorous and every result the same on every machine, instruction set and number of
// threads.
//
// Memory: 4 bytes per padded label of each variable and of each edge, about 16 bytes per edge and 35 per
// variable. A sweep is O(E L) for Potts scores, O(E L^2) for tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/cell_scores.hpp"
#include "core/grid.hpp"
#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "core/poll.hpp"
#include "trws/edge_tables.hpp"
#include "trws/fixed_pairs.hpp"
#include "trws/fixed_point.hpp"
#include "trws/graph.hpp"
#include "trws/runner.hpp"
#include "trws/schedule.hpp"

namespace hedgehop::trws {

// Labels of a slot. 21 -> 24 and not 32: a quarter less traffic.
std::int32_t slot_size(std::size_t n_labels);

// "baseline", "avx2", "avx512", or "" for the best this machine has. Throws std::invalid_argument for others.
const Kernel& kernel_for(std::string_view instruction_set);

struct Options {
  int iterations = 50;       // at most; one iteration is a sweep forward and one backward
  int check_every = 5;       // iterations between two looks at bound and labeling
  double gap = 0.0;          // enough when bound - value <= gap
  double least_gain = 0.05;  // enough when the bound gained less of the gap than this since the last look
  int threads = 0;           // 1, 2, or 0: the faster one
};

struct Answer {
  double upper_bound;  // no labeling's score is higher, neither in fixed point nor in real numbers
  double value;        // of the labeling in fixed point, within rounding of its score
  int iterations;
  bool converged;  // the gap is closed as far as asked
};

class Solver {
 public:
  // See make_solver. counts: labels of each variable, or empty if each has n_labels. Scores must be set
  // before the first run.
  Solver(Schedule schedule, FixedPairs pairs, std::size_t n_labels, std::span<const std::int32_t> counts,
         const Kernel& kernel);

  std::size_t n_variables() const { return schedule_.n_variables(); }
  std::size_t n_labels() const { return n_labels_; }

  // Scores unary + change. Keeps the messages, forgets bound and labeling. Throws
  // std::invalid_argument, and changes nothing, if a score is NaN or +inf or a variable has no allowed label.
  template <class T>
  void set_scores(MatrixView<const T> unary, const Change& change);

  // Other finite tables on the edges of a solver of tables, one of L x L scores per edge; every variable has
  // L labels. Scores must be set before the next run. Keeps the messages: any messages give a bound, and old
  // ones are near the best where little has changed.
  void set_tables(Edges edges, std::span<const double> flat);

  Answer run(const Options& options, Poll& poll);

  // The best labeling since the scores were set; the last forward (0) and backward (1) decode.
  void best(std::span<Label> labeling) const { put_in_order(best_, labeling); }
  void decoded(int direction, std::span<Label> labeling) const {
    put_in_order(decoded_[direction], labeling);
  }

  // Runs one more iteration and writes, for each variable and label, belief minus the variable's largest
  // belief (<= 0); -inf for labels that are in no optimal labeling because no edges could make up for their
  // scores.
  void beliefs(std::span<float> out, Poll& poll);

  // The same iteration; writes which of these beliefs are at least `least`.
  void close_labels(float least, std::span<std::uint8_t> out, Poll& poll);

  // Runs one more iteration and writes beliefs minus the variable's largest, whatever the scores. Returns a
  // number a such that no labeling with label l at variable i scores higher than a + out(i, l). For at the
  // visit of i in a sweep, r(y) = B_i(y_i) + (terms of the others, and slacks <= 0), so that
  //   max {r(y): y_i = l} <= Phi - max B_i + B_i(l),
  // where Phi, the bound at that moment, is at most that of the sweep before plus what the visits in between
  // add. A visit replaces max B_i by max_l [B_i(l) - out_i g_i(l)] + out_i max g_i: more only by rounding g.
  double label_bounds(std::span<float> out, Poll& poll);

  // Improves a labeling one variable at a time until none does.
  void polish(std::span<Label> labeling, Poll& poll);

  void forget();  // all messages become 0, as in the beginning
  std::size_t bytes() const;
  std::span<const std::int32_t> messages() const { return {messages_.data(), messages_.size()}; }

 private:
  std::size_t count_at(std::size_t position) const;
  void connect();
  void put_in_order(std::span<const std::int32_t> labels, std::span<Label> labeling) const;
  void sweep(std::span<const Pass> plan, int threads, Poll& poll);
  void sweep_on(std::span<const Pass> plan, bool two_threads, Poll& poll);
  void iterate(int times, int threads, Poll& poll);
  void consider_sweep_labelings(Poll& poll);
  void sweep_with(const Graph& outputs, Poll& poll);
  std::int64_t polish_stale(std::span<std::int32_t> labels, std::span<std::uint8_t> stale, Poll& poll) const;
  bool may_use_two_threads() const;
  double real_bound(std::int64_t bound) const;
  double real_value(std::int64_t value) const;

  std::size_t n_labels_;
  const Kernel& kernel_;
  Schedule schedule_;
  FixedPairs pairs_;
  std::optional<EdgeTables> edge_tables_;
  std::vector<float> share_;
  std::vector<std::int32_t> counts_;  // of each position; empty if all have n_labels_
  FixedPoints scores_, messages_;
  std::vector<std::int32_t> best_, decoded_[2];
  Graph graph_;
  CarefulSum constant_;            // sum of the best unary scores
  std::int64_t bound_ = kNoBound;  // least since the scores were set
  std::int64_t value_ = 0;         // of best_
  bool has_labeling_ = false;
  double pace_[2] = {0.0, 0.0};  // seconds a sweep lately took on one thread, on two; 0 if not known
};

// Arguments are checked by the caller: edges in range and without self-loops, strengths finite and >= 0,
// tables inside their array, ranks a permutation. `unary` is needed for the penalty of forbidden pairs only.
Solver make_solver(const UnaryScores& unary, const Pairs& pairs, std::span<const std::int32_t> ranks,
                   const Kernel& kernel);
Solver make_solver(const GridPairs& pairs, std::size_t n_labels, const Kernel& kernel);

// The order of sweeps if none is given: a good one for a graph of which nothing is known but its edges.
std::vector<std::int32_t> default_ranks(const Pairs& pairs);

}  // namespace hedgehop::trws
