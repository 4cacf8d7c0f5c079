// SPDX-License-Identifier: BSD-3-Clause
// General pairwise tables in fixed point: equal ones stored once, each kept both ways round unless symmetric.
//
// Forbidden pairs (-inf) become a finite penalty. Any penalty leaves the bound valid, because it only raises
// scores; one larger than everything else could gain together never changes the optimum. That sum is used up
// to a limit of 16 times what happens around a variable (around the edge's quieter end, or on average if that
// is more): beyond it, the precision lost would cost more than the penalty gains. Up to 16 variables the sum
// is always below the limit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/pairs.hpp"
#include "trws/fixed_pairs.hpp"

namespace hedgehop::trws {

// One table as given; rows are labels of the edge's first end.
struct Block {
  const double* first;
  std::size_t width;  // distance of two rows
  std::size_t rows, columns;
  double top = 0.0, low = 0.0;  // of the finite scores
  double penalised = 0.0;       // what forbidden pairs get, at most low
  bool forbids = false, symmetric = false;

  double given(std::size_t a, std::size_t b) const { return first[a * width + b]; }
  double at(std::size_t a, std::size_t b) const {
    const double x = given(a, b);
    return x == forbidden ? penalised : x;
  }
  double range() const { return top - penalised; }

  template <class F>
  void for_each(F f) const {
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b < columns; ++b) f(a, b);
    }
  }

  void inspect() {
    top = -std::numeric_limits<double>::infinity(), low = -top;
    for_each([&](std::size_t a, std::size_t b) {
      const double x = given(a, b);
      forbids |= x == forbidden;
      if (x != forbidden) top = std::max(top, x), low = std::min(low, x);
    });
    if (low > top) top = low = 0.0;  // everything is forbidden
    penalised = low;
    symmetric = rows == columns;
    for_each([&](std::size_t a, std::size_t b) { symmetric = symmetric && given(a, b) == given(b, a); });
  }
};

// Most that one end's choice can change when the other end is fixed: value(a, b) over all a, b.
template <class T, class Value>
T reach_of(std::size_t rows, std::size_t columns, Value value) {
  T reach = 0;
  const auto scan = [&](std::size_t outer, std::size_t inner, auto at) {
    for (std::size_t a = 0; a < outer; ++a) {
      T high = at(a, 0), low = high;
      for (std::size_t b = 1; b < inner; ++b) high = std::max(high, at(a, b)), low = std::min(low, at(a, b));
      reach = std::max<T>(reach, high - low);
    }
  };
  scan(rows, columns, value);
  scan(columns, rows, [&](std::size_t b, std::size_t a) { return value(a, b); });
  return reach;
}

class FixedTables {
 public:
  FixedTables(const Schedule& schedule, Edges edges, const TableScores& scores, std::size_t slot)
      : schedule_(schedule), edges_(edges), scores_(scores), slot_(slot) {
    collect_blocks();
  }

  bool forbids() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.forbids; });
  }

  // unary_ranges: how far apart the finite scores of each variable are.
  void penalise(std::span<const double> unary_ranges) {
    std::vector<double> around(unary_ranges.begin(), unary_ranges.end());
    double total = std::accumulate(around.begin(), around.end(), 0.0);
    for (std::size_t e = 0; e < edges_.rows; ++e) {
      const double range = finite_range(e);
      total += range;
      for (const std::int32_t i : edges_.row(e)) around[index(i)] += range;
    }
    const double mean =
        std::accumulate(around.begin(), around.end(), 0.0) / static_cast<double>(around.size());
    for (std::size_t e = 0; e < edges_.rows; ++e) {
      const double quieter = std::min(around[edges_.first(e)], around[edges_.second(e)]);
      const double enough = 1.0625 * std::min(total, 16.0 * std::max(quieter, mean));
      Block& block = blocks_[block_of_[e]];
      block.penalised = std::min(block.penalised, block.low - (total > 0.0 ? enough : 1.0));
    }
  }

  FixedPairs build() {
    Reaches reaches(schedule_.n_variables());
    for (const Block& b : blocks_) {
      reach_.push_back(
          reach_of<double>(b.rows, b.columns, [&](std::size_t i, std::size_t j) { return b.at(i, j); }));
    }
    for (std::size_t e = 0; e < edges_.rows; ++e) add_reach(e, reaches);
    result_.scale = reaches.scale();
    result_.reach = reaches.total();
    write_tables();
    for (std::size_t i = 0; i < schedule_.n_variables(); ++i) assign_tables(i);
    result_.floors = floors(schedule_, reaches, [&](std::size_t e) {
      return fixed_reach_[block_of_[index(schedule_.edge_of[e])]];
    });
    return std::move(result_);
  }

 private:
  double finite_range(std::size_t e) const { return blocks_[block_of_[e]].top - blocks_[block_of_[e]].low; }

  void collect_blocks() {
    std::map<std::array<std::int64_t, 4>, std::size_t> known;
    for (std::size_t e = 0; e < edges_.rows; ++e) {
      const std::size_t rows = scores_.label_count(edges_.first(e));
      const std::size_t columns = scores_.label_count(edges_.second(e));
      const auto at = known.try_emplace(known.end(),  // where it belongs if tables come one after the other
                                        {scores_.offsets[e], scores_.columns[e],
                                         static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)},
                                        blocks_.size());
      if (known.size() > blocks_.size()) {
        const double* first = scores_.flat.data() + scores_.offsets[e];
        blocks_.push_back({first, index(scores_.columns[e]), rows, columns});
        blocks_.back().inspect();
      }
      block_of_.push_back(at->second);
    }
  }

  void add_reach(std::size_t e, Reaches& reaches) {
    const std::size_t b = block_of_[e];
    const double range = blocks_[b].range();
    for (const std::int32_t i : edges_.row(e)) reaches.add(index(i), reach_[b], range);
    result_.constant.add(blocks_[b].top);
  }

  void write_tables() {
    std::size_t n_tables = 0;
    for (const Block& block : blocks_) n_tables += block.symmetric ? 1 : 2;
    result_.tables = FixedPoints(n_tables * slot_ * slot_, 0);
    std::int32_t* table = result_.tables.data();
    std::int32_t next = 0;
    for (const Block& b : blocks_) {
      const auto value = [&](std::size_t i, std::size_t j) {
        return result_.scale.truncate(b.at(i, j) - b.top);
      };
      upright_.push_back(next++);
      table = write(table, b.rows, b.columns, value);
      turned_.push_back(b.symmetric ? upright_.back() : next++);
      if (!b.symmetric) {
        table = write(table, b.columns, b.rows, [&](std::size_t j, std::size_t i) { return value(i, j); });
      }
      fixed_reach_.push_back(reach_of<std::int32_t>(b.rows, b.columns, value));
    }
  }

  // Rows beyond the labels are never read; columns beyond them get the row's least score, which keeps its
  // range.
  template <class Value>
  std::int32_t* write(std::int32_t* table, std::size_t rows, std::size_t columns, Value value) const {
    for (std::size_t a = 0; a < rows; ++a) {
      std::int32_t* row = table + a * slot_;
      for (std::size_t b = 0; b < columns; ++b) row[b] = value(a, b);
      std::fill(row + columns, row + slot_, *std::min_element(row, row + columns));
    }
    return table + slot_ * slot_;
  }

  void assign_tables(std::size_t i) {
    for (auto e = schedule_.up[i]; e < schedule_.up[i + 1]; ++e) {
      const auto edge = index(schedule_.edge_of[index(e)]);
      const bool first_is_lower = edges_.row(edge)[0] == schedule_.variable_of[i];
      const std::int32_t upright = upright_[block_of_[edge]], turned = turned_[block_of_[edge]];
      result_.table_up.push_back(first_is_lower ? upright : turned);
      result_.table_down.push_back(first_is_lower ? turned : upright);
    }
  }

  const Schedule& schedule_;
  Edges edges_;
  const TableScores& scores_;
  std::size_t slot_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> block_of_;  // of each edge, in the caller's order
  std::vector<double> reach_;          // of each block
  std::vector<std::int32_t> fixed_reach_, upright_, turned_;
  FixedPairs result_;
};

}  // namespace hedgehop::trws
