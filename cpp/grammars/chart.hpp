// SPDX-License-Identifier: BSD-3-Clause
// Parses by a grammar in Chomsky normal form (Cocke, Kasami, Younger): best ones, scores of given ones, and
// max-marginals (inside and outside, Baker 1979).
//
// Spans are numbered by width, then by place. A labeling gives each span a label: 0 for none, 1 + A for
// nonterminal A. Spans of one word, and the whole sentence, have one in every parse.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"

namespace hedgehop::grammars {

class Chart {
 public:
  struct Rule {
    std::size_t parent, left, right;
    double score;
  };

  // What a symbol at a span adds to the score of having none at any span.
  struct Gains {
    std::vector<double> table;
    std::vector<std::uint8_t> needed;
    double base = 0.0;
  };

  // Rules A -> B C, (R, 3), with scores; nonterminals are 0 .. n_symbols - 1.
  Chart(std::size_t n_words, std::size_t n_symbols, MatrixView<const std::int32_t> rules,
        std::span<const double> scores)
      : n_words_(n_words), n_symbols_(n_symbols) {
    for (std::size_t r = 0; r < rules.rows; ++r) {
      if (scores[r] == none) continue;
      const Rule rule{index(rules(r, 0)), index(rules(r, 1)), index(rules(r, 2)), scores[r]};
      const auto [known, is_new] = place_.emplace(key(rule.parent, rule.left, rule.right), rules_.size());
      if (is_new) rules_.push_back(rule);
      Rule& kept = rules_[known->second];
      kept.score = std::max(kept.score, rule.score);
    }
  }

  std::size_t n_spans() const { return n_words_ * (n_words_ + 1) / 2; }
  std::size_t n_labels() const { return n_symbols_ + 1; }
  std::size_t n_words() const { return n_words_; }
  std::size_t n_symbols() const { return n_symbols_; }
  const std::vector<Rule>& rules() const { return rules_; }

  std::size_t at(std::size_t span, std::size_t symbol) const { return span * n_symbols_ + symbol; }

  // Number of the span of words i .. j - 1.
  std::size_t number(std::size_t i, std::size_t j) const {
    const std::size_t shorter = j - i - 1;
    return shorter * n_words_ - shorter * (shorter - 1) / 2 + i;
  }

  // A span that must have a symbol is in every parse that has none across it: all nodes have two children.
  Gains gains_of(MatrixView<const double> added) const {
    Gains gains{std::vector<double>(n_spans() * n_symbols_), std::vector<std::uint8_t>(n_spans()), 0.0};
    for (std::size_t s = 0; s < n_spans(); ++s) {
      gains.needed[s] = added(s, 0) == none ? 1 : 0;
      const double without = gains.needed[s] != 0 ? 0.0 : added(s, 0);
      gains.base += without;
      for (std::size_t a = 0; a < n_symbols_; ++a) gains.table[at(s, a)] = added(s, a + 1) - without;
    }
    for_each_span([&](std::size_t s, std::size_t i, std::size_t j) {
      if (gains.needed[s] == 0) return;
      for_each_crossing(i, j, [&](std::size_t other) {
        std::fill_n(gains.table.begin() + static_cast<std::ptrdiff_t>(at(other, 0)), n_symbols_, none);
      });
    });
    return gains;
  }

  // Best parse with scores of (spans, labels) added; -inf if none is allowed.
  double best(MatrixView<const double> added, std::span<Label> labeling, Poll& poll) const {
    const Gains gains = gains_of(added);
    const std::vector<double> inside = insides(gains, poll);
    std::ranges::fill(labeling, 0);
    const std::size_t root = best_symbol(inside, n_spans() - 1);
    const double value = inside[at(n_spans() - 1, root)];
    if (value == none) return none;
    follow(gains, inside, root, labeling);
    return gains.base + value;
  }

  // Scores of the rules of given parses, -inf for labelings that are none.
  void scores(Labelings labelings, std::span<double> out) const {
    for (std::size_t k = 0; k < labelings.rows; ++k) out[k] = score(labelings.row(k));
  }

  // Best score of a parse in which span s has label l, for each (s, l).
  void max_marginals(MatrixView<const double> added, MatrixView<double> out, Poll& poll) const {
    const Gains gains = gains_of(added);
    const std::vector<double> inside = insides(gains, poll), outside = outsides(gains, inside, poll);
    std::vector<double> used(n_spans(), none);
    for (std::size_t s = 0; s < n_spans(); ++s) {
      for (std::size_t a = 0; a < n_symbols_; ++a) {
        out(s, a + 1) = inside[at(s, a)] + outside[at(s, a)] + gains.base;
        used[s] = std::max(used[s], out(s, a + 1));
      }
    }
    // A parse without a span has one that crosses it.
    for_each_span([&](std::size_t s, std::size_t i, std::size_t j) {
      double& without = out(s, 0);
      without = none;
      for_each_crossing(i, j, [&](std::size_t other) { without = std::max(without, used[other]); });
      if (gains.needed[s] != 0) without = none;
      poll.tick(static_cast<std::uint32_t>(1 + (j - i) * n_words_));
    });
  }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  std::size_t key(std::size_t a, std::size_t b, std::size_t c) const {
    return (a * n_symbols_ + b) * n_symbols_ + c;
  }

  template <class F>
  void for_each_span(F f) const {  // f(number, first word, word behind), the shortest first
    std::size_t s = 0;
    for (std::size_t width = 1; width <= n_words_; ++width) {
      for (std::size_t i = 0; i + width <= n_words_; ++i) f(s++, i, i + width);
    }
  }

  template <class F>
  void for_each_crossing(std::size_t i, std::size_t j, F f) const {
    for (std::size_t inner = i + 1; inner < j; ++inner) {
      for (std::size_t a = 0; a < i; ++a) f(number(a, inner));
      for (std::size_t b = j + 1; b <= n_words_; ++b) f(number(inner, b));
    }
  }

  std::vector<double> insides(const Gains& gains, Poll& poll) const {
    std::vector<double> inside = gains.table;
    for_each_span([&](std::size_t s, std::size_t i, std::size_t j) {
      if (j - i == 1) return;
      std::vector<double> best(n_symbols_, none);
      for (std::size_t k = i + 1; k < j; ++k) {
        const double* left = &inside[at(number(i, k), 0)];
        const double* right = &inside[at(number(k, j), 0)];
        for (const Rule& rule : rules_) {
          best[rule.parent] = std::max(best[rule.parent], rule.score + left[rule.left] + right[rule.right]);
        }
        poll.tick(static_cast<std::uint32_t>(1 + rules_.size()));
      }
      for (std::size_t a = 0; a < n_symbols_; ++a) inside[at(s, a)] += best[a];
    });
    return inside;
  }

  std::vector<double> outsides(const Gains& gains, const std::vector<double>& inside, Poll& poll) const {
    std::vector<double> outside(inside.size(), none);
    std::fill_n(outside.end() - static_cast<std::ptrdiff_t>(n_symbols_), n_symbols_, 0.0);
    for (std::size_t width = n_words_; width > 1; --width) {
      for (std::size_t i = 0; i + width <= n_words_; ++i) {
        const std::size_t s = number(i, i + width);
        for (std::size_t k = i + 1; k < i + width; ++k) {
          const std::size_t left = number(i, k), right = number(k, i + width);
          for (const Rule& rule : rules_) {
            const double above = outside[at(s, rule.parent)] + gains.table[at(s, rule.parent)] + rule.score;
            double& on_left = outside[at(left, rule.left)];
            double& on_right = outside[at(right, rule.right)];
            on_left = std::max(on_left, above + inside[at(right, rule.right)]);
            on_right = std::max(on_right, above + inside[at(left, rule.left)]);
          }
          poll.tick(static_cast<std::uint32_t>(1 + rules_.size()));
        }
      }
    }
    return outside;
  }

  std::size_t best_symbol(const std::vector<double>& inside, std::size_t s) const {
    const auto first = inside.begin() + static_cast<std::ptrdiff_t>(at(s, 0));
    return index(std::max_element(first, first + static_cast<std::ptrdiff_t>(n_symbols_)) - first);
  }

  // Write the symbols of a best parse.
  void follow(const Gains& gains, const std::vector<double>& inside, std::size_t root,
              std::span<Label> labeling) const {
    struct Open {
      std::size_t i, j, symbol;
    };
    std::vector<Open> open{{0, n_words_, root}};
    while (!open.empty()) {
      const auto [i, j, symbol] = open.back();
      open.pop_back();
      labeling[number(i, j)] = static_cast<Label>(symbol + 1);
      if (j - i == 1) continue;
      const double wanted = inside[at(number(i, j), symbol)], own = gains.table[at(number(i, j), symbol)];
      bool found = false;
      for (std::size_t k = i + 1; k < j && !found; ++k) {
        for (const Rule& rule : rules_) {
          if (rule.parent != symbol) continue;
          const double below =
              rule.score + inside[at(number(i, k), rule.left)] + inside[at(number(k, j), rule.right)];
          if (own + below != wanted) continue;
          open.push_back({i, k, rule.left});
          open.push_back({k, j, rule.right});
          found = true;
          break;
        }
      }
    }
  }

  double score(std::span<const Label> labeling) const {
    std::size_t chosen = 0, visited = 0;
    for (const Label label : labeling) chosen += label != 0 ? 1 : 0;
    if (chosen != 2 * n_words_ - 1 || labeling.back() == 0) return none;
    double total = 0.0;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, n_words_}};
    while (!open.empty()) {
      const auto [i, j] = open.back();
      open.pop_back();
      ++visited;
      if (j - i == 1) continue;
      std::size_t k = i + 1;
      while (k < j && (labeling[number(i, k)] == 0 || labeling[number(k, j)] == 0)) ++k;
      if (k == j) return none;
      const auto rule = place_.find(key(index(labeling[number(i, j)]) - 1, index(labeling[number(i, k)]) - 1,
                                        index(labeling[number(k, j)]) - 1));
      if (rule == place_.end()) return none;
      total += rules_[rule->second].score;
      open.emplace_back(i, k);
      open.emplace_back(k, j);
    }
    return visited == chosen ? total : none;
  }

  std::size_t n_words_, n_symbols_;
  std::vector<Rule> rules_;
  std::unordered_map<std::size_t, std::size_t> place_;
};

}  // namespace hedgehop::grammars
