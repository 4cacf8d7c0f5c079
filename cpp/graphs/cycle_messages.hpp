// SPDX-License-Identifier: BSD-3-Clause
// Messages between cycles and their pairs, which tighten the bound of messages between factors and variables
// (graphs/factor_messages.hpp; Sontag, Meltzer, Globerson, Jaakkola, Weiss, UAI 2008).
//
// A cycle c scores nothing itself. Whatever its messages m_ce to its pairs e are,
//
//     max_y score(y) <= bound of the factors with T_e + sum_c m_ce  +  sum_c max_y (- sum_e m_ce(y)),
//
// and no update of one cycle raises the sum. The best labelings of a cycle of k pairs need k products of
// matrices, in which sums take the place of products and maxima that of sums: O(k L^3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "graphs/factor_messages.hpp"
#include "graphs/short_cycles.hpp"

namespace hedgehop::graphs {

class CycleMessages {
 public:
  // `factors` is changed by updates; both outlive this.
  CycleMessages(const Scopes& scopes, FactorMessages& factors) : factors_(factors) {
    for (std::size_t f = 0; f < scopes.size(); ++f) {
      const auto scope = scopes[f];
      if (scope.size() == 2) pair_of_.try_emplace({scope[0], scope[1]}, f);
    }
  }

  std::size_t size() const { return begins_.size() - 1; }

  // Adds a cycle whose neighbours are pairs, without any message.
  void add(std::span<const std::int32_t> variables) {
    for (const Link& link : links_of(variables)) {
      keep_given(link.factor);
      links_.push_back(link);
      first_sent_.push_back(sent_.size());
      sent_.resize(sent_.size() + link.rows * link.columns, 0.0);
    }
    begins_.push_back(links_.size());
    work_ += work(variables);
  }

  // By how much the first update of such a cycle would lower the bound.
  double gain(std::span<const std::int32_t> variables) {
    const std::vector<Link> links = links_of(variables);
    double apart = 0.0;
    steps_.resize(links.size());
    for (std::size_t j = 0; j < links.size(); ++j) {
      load(links[j], steps_[j]);
      apart += std::ranges::max(steps_[j]);
    }
    return apart - best_of(links);
  }

  // Cells that an update of such a cycle looks at.
  double work(std::span<const std::int32_t> variables) const {
    double total = 0.0;
    for (const auto v : variables) total += 3.0 * std::pow(factors_.count(v), 3);
    return total;
  }
  // The same, of all that were added.
  double work() const { return work_; }

  void update_all(Poll& poll) {
    for (std::size_t c = 0; c < size(); ++c) {
      update(c);
      poll.tick(static_cast<std::uint32_t>(work_ / static_cast<double>(size())));
    }
  }

  // The terms of the bound: one per cycle.
  std::vector<double> maxima() {
    std::vector<double> result;
    for (std::size_t c = 0; c < size(); ++c) {
      const std::span<const Link> links = links_of(c);
      steps_.resize(links.size());
      for (std::size_t j = 0; j < links.size(); ++j) {
        const std::span<const double> own = sent(begins_[c] + j);
        steps_[j].resize(own.size());
        std::ranges::transform(own, steps_[j].begin(), std::negate<>());
      }
      result.push_back(best_of(links));
    }
    return result;
  }

  // How far these terms and the tables of the pairs may be off by rounding, together.
  double error() const {
    double total = 0.0;
    for (const auto& [f, given] : given_) {
      double most = 0.0;
      for (const double x : given.table) most = std::max(most, std::abs(x));
      total += static_cast<double>(given.cycles) * most;
    }
    for (std::size_t c = 0; c < size(); ++c) {
      const std::size_t length = begins_[c + 1] - begins_[c];
      for (std::size_t k = begins_[c]; k < begins_[c + 1]; ++k) {
        double most = 0.0;
        for (const double x : sent(k)) most = std::max(most, std::abs(x));
        total += static_cast<double>(length + size_around(k)) * most;
      }
    }
    return 2.0 * std::numeric_limits<double>::epsilon() * total;
  }

  // Sums the messages to each pair again, so that no rounding of their changes is left.
  void settle() {
    for (const auto& [f, given] : given_) std::ranges::copy(given.table, factors_.table(f).begin());
    for (std::size_t k = 0; k < links_.size(); ++k) add_to_factor(links_[k], sent(k));
  }

 private:
  struct Link {  // a pair, from one variable of a cycle to the next
    std::size_t factor;
    bool is_turned;  // the factor names the second one first
    std::size_t rows, columns;
  };
  using Table = std::vector<double>;

  std::vector<Link> links_of(std::span<const std::int32_t> variables) const {
    std::vector<Link> result;
    for (std::size_t j = 0; j < variables.size(); ++j) {
      const std::int32_t from = variables[j], to = variables[(j + 1) % variables.size()];
      const auto straight = pair_of_.find({from, to});
      const bool is_turned = straight == pair_of_.end();
      const std::size_t factor = is_turned ? pair_of_.at({to, from}) : straight->second;
      result.push_back({factor, is_turned, factors_.count(from), factors_.count(to)});
    }
    return result;
  }
  std::span<const Link> links_of(std::size_t c) const {
    return {links_.data() + begins_[c], begins_[c + 1] - begins_[c]};
  }
  std::span<double> sent(std::size_t k) {
    return {sent_.data() + first_sent_[k], links_[k].rows * links_[k].columns};
  }
  std::span<const double> sent(std::size_t k) const {
    return {sent_.data() + first_sent_[k], links_[k].rows * links_[k].columns};
  }
  // How many numbers are added up where a message counts.
  std::size_t size_around(std::size_t k) const {
    const std::size_t f = links_[k].factor;
    return factors_.degree_of(f) + given_.at(f).cycles + 2;
  }

  void keep_given(std::size_t f) {
    const std::span<const double> table = factors_.table(f);
    const auto [at, is_new] = given_.try_emplace(f);
    if (is_new) at->second.table.assign(table.begin(), table.end());
    ++at->second.cycles;
  }

  // What the pair of a link scores at best beside what its messages give away.
  void load(const Link& link, Table& table) {
    factors_.load_pair(link.factor, belief_);
    turn(link, belief_, table);
  }

  // From the order of the factor to that of the cycle; its own inverse for square tables only.
  static void turn(const Link& link, std::span<const double> from, Table& to) {
    to.assign(from.begin(), from.end());
    if (!link.is_turned) return;
    for (std::size_t a = 0; a < link.rows; ++a) {
      for (std::size_t b = 0; b < link.columns; ++b) to[a * link.columns + b] = from[b * link.rows + a];
    }
  }

  void add_to_factor(const Link& link, std::span<const double> change) {
    const std::span<double> table = factors_.table(link.factor);
    for (std::size_t a = 0; a < link.rows; ++a) {
      for (std::size_t b = 0; b < link.columns; ++b) {
        table[link.is_turned ? b * link.rows + a : a * link.columns + b] += change[a * link.columns + b];
      }
    }
  }

  // to(a, c) = max_b first(a, b) + second(b, c).
  static void multiply(const Table& first, const Table& second, std::size_t inner, Table& to) {
    const std::size_t rows = first.size() / inner, columns = second.size() / inner;
    to.assign(rows * columns, -std::numeric_limits<double>::infinity());
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b < inner; ++b) {
        const double x = first[a * inner + b];
        for (std::size_t c = 0; c < columns; ++c) {
          to[a * columns + c] = std::max(to[a * columns + c], x + second[b * columns + c]);
        }
      }
    }
  }

  // The best sum of the tables in `steps_` around a cycle.
  double best_of(std::span<const Link> links) {
    Table whole = steps_[0], next;
    for (std::size_t j = 1; j < links.size(); ++j) {
      multiply(whole, steps_[j], links[j].rows, next);
      std::swap(whole, next);
    }
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < links[0].rows; ++a) best = std::max(best, whole[a * links[0].rows + a]);
    return best;
  }

  // Shares equally what the pairs of a cycle score at best together.
  void update(std::size_t c) {
    const std::span<const Link> links = links_of(c);
    const std::size_t length = links.size();
    steps_.resize(length), before_.resize(length + 1), after_.resize(length + 1);
    for (std::size_t j = 0; j < length; ++j) {
      load(links[j], steps_[j]);
      const std::span<const double> own = sent(begins_[c] + j);
      for (std::size_t k = 0; k < own.size(); ++k) steps_[j][k] -= own[k];
    }
    before_[1] = steps_[0], after_[length - 1] = steps_[length - 1];
    for (std::size_t j = 2; j < length; ++j)
      multiply(before_[j - 1], steps_[j - 1], links[j - 1].rows, before_[j]);
    for (std::size_t j = length - 1; j-- > 1;)
      multiply(steps_[j], after_[j + 1], links[j + 1].rows, after_[j]);
    for (std::size_t j = 0; j < length; ++j) send(c, j, rest_of(links, j));
  }

  // The best way from the end of pair j around the cycle to its beginning.
  const Table& rest_of(std::span<const Link> links, std::size_t j) {
    if (j == 0) return after_[1];
    if (j + 1 == links.size()) return before_[j];
    multiply(after_[j + 1], before_[j], links[0].rows, rest_);
    return rest_;
  }

  void send(std::size_t c, std::size_t j, const Table& rest) {
    const Link& link = links_[begins_[c] + j];
    const std::span<double> own = sent(begins_[c] + j);
    const double share = 1.0 / static_cast<double>(begins_[c + 1] - begins_[c]);
    change_.resize(own.size());
    for (std::size_t a = 0; a < link.rows; ++a) {
      for (std::size_t b = 0; b < link.columns; ++b) {
        const std::size_t cell = a * link.columns + b;
        const double without = steps_[j][cell];
        const double now = (without + rest[b * link.rows + a]) * share - without;
        change_[cell] = now - own[cell];
        own[cell] = now;
      }
    }
    add_to_factor(link, change_);
  }

  FactorMessages& factors_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> pair_of_;
  struct Given {  // of a pair: its scores without messages of cycles, and how many cycles it is in
    Table table;
    std::size_t cycles = 0;
  };
  std::map<std::size_t, Given> given_;
  std::vector<Link> links_;              // of all cycles
  std::vector<std::size_t> begins_{0};   // of each cycle among these, and the end
  std::vector<std::size_t> first_sent_;  // of each link
  std::vector<double> sent_;             // in the order of the cycle
  double work_ = 0.0;
  std::vector<Table> steps_, before_, after_;
  Table belief_, rest_, change_;
};

// Adds those of the candidates whose first update lowers the bound most, each by more than `least`, while all
// cycles together take no more than `most_work`; returns how many. Candidates that were added are removed.
inline std::size_t tighten(CycleMessages& cycles, std::vector<Cycle>& candidates, double least,
                           double most_work, Poll& poll) {
  std::vector<double> gains;
  for (const Cycle& cycle : candidates) {
    gains.push_back(cycles.gain(cycle));
    poll.tick(static_cast<std::uint32_t>(8 * cycle.size()));
  }
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return gains[k]; });
  std::vector<bool> taken(candidates.size(), false);
  std::size_t added = 0;
  for (const std::size_t k : order) {
    if (!(gains[k] > least) || cycles.work() + cycles.work(candidates[k]) > most_work) break;
    cycles.add(candidates[k]);
    taken[k] = true, ++added;
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (!taken[k]) std::swap(candidates[kept++], candidates[k]);
  }
  candidates.resize(kept);
  return added;
}

}  // namespace hedgehop::graphs
