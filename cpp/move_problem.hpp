// A multi-label problem as move-making solvers see it: fixed-point scores to be maximised, and who is next to
// whom.
//
//     score(y) = sum_i U(i, y_i) + sum_e P_e(y_i, y_j) + sum of w(l) over the labels that y uses
//
// Fixed point makes every comparison of two labelings exact, so that moves never lose and never cycle.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "matrix.hpp"
#include "move_graph.hpp"

namespace hedgehop {

struct Neighbour {
  std::int32_t node;
  std::int32_t edge;
};

class MoveProblem {
 public:
  // Sums of all scores stay below this, held nodes (2^52 each) and the 2^62 of the flow above it.
  static constexpr double largest_total = 1125899906842624.0;  // 2^50

  // Exactly one of strengths (Potts) and tables is non-empty; tables are L x L, row-major, one an edge.
  MoveProblem(MatrixView<const double> unary, Edges edges, std::span<const double> strengths,
              std::span<const double> tables, std::span<const double> label_weights)
      : n_labels_(unary.columns), ends_(edges.data.begin(), edges.data.end()) {
    choose_scale(unary, strengths, tables, label_weights);
    quantise(unary.data, unary_);
    quantise(strengths, strengths_);
    quantise(tables, tables_);
    quantise(label_weights, weights_);
    link(unary.rows, edges);
  }

  std::size_t n_variables() const { return first_.size() - 1; }
  std::size_t n_labels() const { return n_labels_; }
  double scale() const { return scale_; }

  bool allows(std::size_t i, Label label) const { return unary(i, label) != forbidden_score; }
  Fixed unary(std::size_t i, Label label) const {
    return unary_[i * n_labels_ + static_cast<std::size_t>(label)];
  }
  Fixed weight(Label label) const { return weights_.empty() ? 0 : weights_[static_cast<std::size_t>(label)]; }

  // Score of an edge, `a` the label of its first end.
  Fixed pair(std::size_t edge, Label a, Label b) const {
    if (tables_.empty()) return a == b ? 0 : -strengths_[edge];
    return tables_[(edge * n_labels_ + static_cast<std::size_t>(a)) * n_labels_ +
                   static_cast<std::size_t>(b)];
  }
  // The same seen from `node`, whose label is `own`.
  Fixed pair_from(std::size_t node, Neighbour to, Label own, Label other) const {
    return starts(node, to) ? pair(static_cast<std::size_t>(to.edge), own, other)
                            : pair(static_cast<std::size_t>(to.edge), other, own);
  }
  bool starts(std::size_t node, Neighbour to) const {
    return ends_[2 * static_cast<std::size_t>(to.edge)] == static_cast<std::int32_t>(node);
  }
  std::span<const Neighbour> neighbours(std::size_t i) const {
    return {neighbours_.data() + first_[i], first_[i + 1] - first_[i]};
  }

 private:
  static constexpr Fixed forbidden_score = INT64_MIN;

  void choose_scale(MatrixView<const double> unary, std::span<const double> strengths,
                    std::span<const double> tables, std::span<const double> weights) {
    double total = 1e-300;
    for (std::size_t i = 0; i < unary.rows; ++i) total += largest(unary.row(i));
    for (const double s : strengths) total += std::abs(s);
    const std::size_t size = n_labels_ * n_labels_;
    for (std::size_t at = 0; at < tables.size(); at += size) total += largest(tables.subspan(at, size));
    for (const double w : weights) total += std::abs(w);
    int exponent;  // total <= 2^exponent
    std::frexp(4 * total, &exponent);
    scale_ = std::ldexp(1.0, std::clamp(50 - exponent, -900, 900));
  }

  static double largest(std::span<const double> values) {
    double most = 0;
    for (const double value : values) {
      if (std::isfinite(value)) most = std::max(most, std::abs(value));
    }
    return most;
  }

  void quantise(std::span<const double> values, std::vector<Fixed>& out) const {
    out.reserve(values.size());
    for (const double value : values) {
      out.push_back(std::isfinite(value) ? static_cast<Fixed>(std::llrint(value * scale_)) : forbidden_score);
    }
  }

  void link(std::size_t n, Edges edges) {
    first_.assign(n + 1, 0);
    for (const std::int32_t v : edges.data) ++first_[static_cast<std::size_t>(v) + 1];
    for (std::size_t i = 0; i < n; ++i) first_[i + 1] += first_[i];
    neighbours_.resize(edges.data.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t e = 0; e < edges.rows; ++e) {
      const std::int32_t u = edges.data[2 * e], v = edges.data[2 * e + 1];
      neighbours_[next[static_cast<std::size_t>(u)]++] = {v, static_cast<std::int32_t>(e)};
      neighbours_[next[static_cast<std::size_t>(v)]++] = {u, static_cast<std::int32_t>(e)};
    }
  }

  std::size_t n_labels_;
  double scale_ = 1;
  std::vector<Fixed> unary_, strengths_, tables_, weights_;
  std::vector<std::int32_t> ends_;
  std::vector<std::size_t> first_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace hedgehop
