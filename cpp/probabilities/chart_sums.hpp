// SPDX-License-Identifier: BSD-3-Clause
// Sums over the parses of a grammar in Chomsky normal form: log partition, marginals and exact samples
// (inside sums, Baker 1979).
//
// Inside sums give the chances of the ways to divide a constituent. From the whole sentence down, these are
// multiplied for marginals, or drawn for samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/poll.hpp"
#include "grammars/chart.hpp"
#include "probabilities/forest_sums.hpp"
#include "probabilities/tree_samples.hpp"

namespace hedgehop::probabilities {

class ChartSums {
 public:
  // Scores of (spans, labels) are added to those of the rules.
  ChartSums(const grammars::Chart& chart, MatrixView<const double> added, Poll poll)
      : chart_(chart), gains_(chart.gains_of(added)), poll_(std::move(poll)), rules_(chart.n_symbols()) {
    for (const auto& rule : chart.rules()) rules_[rule.parent].push_back(rule);
    sum_inside();
  }

  double log_total() const { return gains_.base + log_sum_exp(whole()); }

  // Probability that span s has label l, for each (s, l); some parse must be allowed.
  void marginals(MatrixView<double> out) {
    std::fill(out.data.begin(), out.data.end(), 0.0);
    const std::vector<double> roots = chances_of(whole());
    for (std::size_t a = 0; a < roots.size(); ++a) out(chart_.n_spans() - 1, a + 1) = roots[a];
    for (std::size_t width = chart_.n_words(); width > 1; --width) {
      for (std::size_t i = 0; i + width <= chart_.n_words(); ++i) divide_all(i, i + width, out);
    }
    for (std::size_t s = 0; s < out.rows; ++s) {
      double used = 0.0;
      for (std::size_t a = 1; a < out.columns; ++a) used += out(s, a);
      out(s, 0) = gains_.needed[s] != 0 ? 0.0 : std::max(0.0, 1.0 - used);
    }
  }

  // Parses, one per row.
  void sample(std::uint64_t seed, MatrixView<Label> out) {
    Uniforms uniform(seed);
    const std::vector<double> roots = chances_of(whole());
    std::fill(out.data.begin(), out.data.end(), 0);
    for (std::size_t k = 0; k < out.rows; ++k) {
      std::vector<Open> open{{0, chart_.n_words(), index(drawn(roots, uniform()))}};
      while (!open.empty()) {
        const Open here = open.back();
        open.pop_back();
        out(k, chart_.number(here.i, here.j)) = static_cast<Label>(here.symbol + 1);
        if (here.j - here.i == 1) continue;
        list_divisions(here);
        const Division& taken = divisions_[index(drawn(chances_, uniform()))];
        open.push_back({here.i, taken.middle, taken.rule->left});
        open.push_back({taken.middle, here.j, taken.rule->right});
      }
    }
  }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  struct Open {
    std::size_t i, j, symbol;
  };
  struct Division {
    std::size_t middle;
    const grammars::Chart::Rule* rule;
  };

  std::span<const double> whole() const {
    return std::span(inside_).subspan(chart_.at(chart_.n_spans() - 1, 0), chart_.n_symbols());
  }

  static std::vector<double> chances_of(std::span<const double> logs) {
    std::vector<double> chances(logs.begin(), logs.end());
    const double top = graphs::max_of(chances);
    double sum = 0.0;
    for (double& chance : chances) sum += chance = top == none ? 0.0 : std::exp(chance - top);
    for (double& chance : chances) chance = sum > 0.0 ? chance / sum : 0.0;
    return chances;
  }

  void sum_inside() {
    inside_ = gains_.table;
    for (std::size_t width = 2; width <= chart_.n_words(); ++width) {
      for (std::size_t i = 0; i + width <= chart_.n_words(); ++i) {
        for (std::size_t a = 0; a < chart_.n_symbols(); ++a) {
          double& value = inside_[chart_.at(chart_.number(i, i + width), a)];
          if (value == none) continue;
          list_terms({i, i + width, a});
          value += log_sum_exp(terms_);
        }
      }
    }
  }

  // Log weights of all ways to divide a constituent, in terms_; the ways in divisions_.
  void list_terms(const Open& here) {
    divisions_.clear();
    terms_.clear();
    for (std::size_t middle = here.i + 1; middle < here.j; ++middle) {
      const double* left = &inside_[chart_.at(chart_.number(here.i, middle), 0)];
      const double* right = &inside_[chart_.at(chart_.number(middle, here.j), 0)];
      for (const auto& rule : rules_[here.symbol]) {
        const double term = rule.score + left[rule.left] + right[rule.right];
        if (term == none) continue;
        terms_.push_back(term);
        divisions_.push_back({middle, &rule});
      }
      poll_.tick(static_cast<std::uint32_t>(1 + rules_[here.symbol].size()));
    }
    if (terms_.empty()) terms_.push_back(none);
  }

  void list_divisions(const Open& here) {
    list_terms(here);
    chances_ = chances_of(terms_);
  }

  void divide_all(std::size_t i, std::size_t j, MatrixView<double> out) {
    for (std::size_t a = 0; a < chart_.n_symbols(); ++a) {
      const double chance = out(chart_.number(i, j), a + 1);
      if (chance == 0.0) continue;
      list_divisions({i, j, a});
      for (std::size_t d = 0; d < divisions_.size(); ++d) {
        const auto& [middle, rule] = divisions_[d];
        out(chart_.number(i, middle), rule->left + 1) += chance * chances_[d];
        out(chart_.number(middle, j), rule->right + 1) += chance * chances_[d];
      }
    }
  }

  const grammars::Chart& chart_;
  const grammars::Chart::Gains gains_;
  Poll poll_;
  std::vector<std::vector<grammars::Chart::Rule>> rules_;  // by what they divide
  std::vector<double> inside_, terms_, chances_;
  std::vector<Division> divisions_;
};

}  // namespace hedgehop::probabilities
