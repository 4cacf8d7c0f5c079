// SPDX-License-Identifier: BSD-3-Clause
// A multi-label problem as move-making solvers see it: scores to be maximised, in fixed point, and who is
// next to whom.
//
//     score(y) = sum_i U(i, y_i) + sum_e P_e(y_i, y_j) + weights earned once (moves/weights.hpp)
//
// Fixed point makes every comparison of two labelings exact, so that moves never lose and never cycle. Large
// arrays stay the caller's and are quantised whenever they are read; they must outlive the problem.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "moves/weights.hpp"

namespace hedgehop {

using Fixed = std::int64_t;  // a score in fixed point
using UnaryScores = std::variant<MatrixView<const float>, MatrixView<const double>>;
using PairScores = std::variant<PottsScores, TableScores>;

class Neighbour {
 public:
  Neighbour() = default;
  Neighbour(std::int32_t node, std::size_t edge, bool is_first)
      : node_(node), edge_(static_cast<std::uint32_t>(2 * edge + is_first)) {}

  std::size_t node() const { return static_cast<std::size_t>(node_); }
  std::size_t edge() const { return edge_ >> 1; }
  bool is_first() const { return (edge_ & 1) != 0; }  // the neighbour is the edge's first end

 private:
  std::int32_t node_;
  std::uint32_t edge_;
};

class MoveProblem {
 public:
  // No labeling's score is larger than this, so that a node held by `hold` (moves/graph.hpp) stays held.
  static constexpr double largest_total = 562949953421312.0;  // 2^49
  // No graph's capacities sum up to more, a quarter of what a flow can take.
  static constexpr double largest_load = 1152921504606846976.0;  // 2^60

  MoveProblem(const UnaryScores& unary, Edges edges, const PairScores& pairs) : pairs_(pairs) {
    std::visit([this](const auto& view) { n_ = view.rows, n_labels_ = view.columns; }, unary);
    if (const auto* narrow = std::get_if<0>(&unary)) narrow_ = narrow->data.data();
    if (const auto* wide = std::get_if<1>(&unary)) wide_ = wide->data.data();
    link(edges);
    measure_pairs(edges);
    set_linear({});
  }

  // Scores that are added to the unary ones, n x L; empty for none.
  void set_linear(std::span<const double> theta) {
    theta_ = theta.empty() ? nullptr : theta.data();
    unary_total_ = 0;
    for (std::size_t i = 0; i < n_; ++i) unary_total_ += largest_of_row(i);
    rescale();
  }
  void set_label_weights(const LabelWeights& weights) { labels_ = weights, rescale(); }
  void set_transition_weights(const TransitionWeights& weights) { transitions_ = weights, rescale(); }
  void set_regions(const RegionWeights& regions) {
    regions_ = regions;
    link_regions();
    rescale();
  }

  std::size_t n_variables() const { return n_; }
  std::size_t n_labels() const { return n_labels_; }
  double scale() const { return scale_; }
  bool is_potts() const { return pairs_.index() == 0; }

  bool allows(std::size_t i, Label label) const { return real_unary(i, label) != forbidden; }
  Fixed unary(std::size_t i, Label label) const { return fixed(real_unary(i, label)); }
  // Score of an edge, `a` the label of its first end.
  Fixed pair(std::size_t edge, Label a, Label b) const {
    const auto from = static_cast<std::size_t>(a), to = static_cast<std::size_t>(b);
    if (const auto* potts = std::get_if<0>(&pairs_)) return fixed(potts->score(edge, true, from, to));
    return fixed(std::get<1>(pairs_).score(edge, true, from, to));
  }
  std::span<const Neighbour> neighbours(std::size_t i) const {
    return {neighbours_.data() + first_[i], first_[i + 1] - first_[i]};
  }

  // How far apart the scores of an edge are at most, and at least the sum of that over a variable's edges:
  // rounding may add one for each.
  Fixed span(std::size_t edge) const {
    return fixed(is_potts() ? std::abs(std::get<0>(pairs_).strengths[edge]) : spans_[edge]);
  }
  Fixed reach(std::size_t i) const {
    return fixed(reach_[i]) + 2 * static_cast<Fixed>(first_[i + 1] - first_[i]) + 1;
  }

  // ---- weights earned once; levels, groups and regions are numbered

  std::size_t n_levels() const { return labels_.least.size(); }
  std::int64_t least(std::size_t level) const { return labels_.least[level]; }
  Fixed label_weight(std::size_t level, Label label) const {
    return label_weights_[level * n_labels_ + static_cast<std::size_t>(label)];
  }

  bool has_transitions() const { return !transition_weights_.empty(); }
  bool is_ordered() const { return transitions_.ordered; }
  std::size_t group(Label a, Label b) const {
    if (!transitions_.ordered && a > b) std::swap(a, b);
    return static_cast<std::size_t>(a) * n_labels_ + static_cast<std::size_t>(b);
  }
  Fixed transition_weight(std::size_t group) const { return transition_weights_[group]; }

  const RegionWeights& regions() const { return regions_; }
  std::span<const std::int32_t> regions_of(std::size_t i) const {
    if (region_first_.empty()) return {};
    return {region_numbers_.data() + region_first_[i], region_first_[i + 1] - region_first_[i]};
  }
  // What each member adds from the first one on that is not missed beyond the slack.
  Fixed region_unit(std::size_t region, Label label) const {
    return region_units_[region * n_labels_ + static_cast<std::size_t>(label)];
  }
  Fixed region_score(std::size_t region, Label label, std::int64_t holding) const {
    const auto size = static_cast<std::int64_t>(regions_.region(region).size());
    return region_unit(region, label) * std::max<Fixed>(0, regions_.slack[region] - (size - holding));
  }

 private:
  double real_unary(std::size_t i, Label label) const {
    const std::size_t at = i * n_labels_ + static_cast<std::size_t>(label);
    const double own = narrow_ != nullptr ? static_cast<double>(narrow_[at]) : wide_[at];
    return theta_ != nullptr ? own + theta_[at] : own;
  }

  // The nearest integer, ties to even; adding 1.5 * 2^52 leaves it in the low bits.
  Fixed fixed(double value) const {
    constexpr double magic = 6755399441055744.0;
    return std::bit_cast<Fixed>(value * scale_ + magic) - std::bit_cast<Fixed>(magic);
  }

  double largest_of_row(std::size_t i) const {
    double most = 0;
    for (std::size_t l = 0; l < n_labels_; ++l) {
      const double size = std::abs(real_unary(i, static_cast<Label>(l)));
      if (size > most && size <= std::numeric_limits<double>::max()) most = size;
    }
    return most;
  }

  void measure_pairs(Edges edges) {
    reach_.assign(n_, 0);
    Range range;
    for (std::size_t e = 0; e < edges.rows; ++e) {
      if (is_potts()) range = range_of_strength(e);
      if (!is_potts() && !is_like_last(edges, e)) range = range_of_table(edges, e);
      pair_total_ += std::max(-range.low, range.high);
      const double span = range.high - range.low;
      if (!is_potts()) spans_.push_back(span);
      for (const std::int32_t i : edges.row(e)) reach_[static_cast<std::size_t>(i)] += span;
    }
  }

  struct Range {
    double low = 0, high = 0;  // 0 is always between them
  };

  Range range_of_strength(std::size_t e) const {
    const double score = -std::get<0>(pairs_).strengths[e];
    return {std::min(0.0, score), std::max(0.0, score)};
  }

  // Of the rows and columns in use.
  Range range_of_table(Edges edges, std::size_t e) const {
    const TableScores& tables = std::get<1>(pairs_);
    Range range;
    for (std::size_t a = 0; a < rows_of(edges, e); ++a) {
      for (std::size_t b = 0; b < columns_of(edges, e); ++b) {
        const double x = tables.score(e, true, a, b);
        range = {std::min(range.low, x), std::max(range.high, x)};
      }
    }
    return range;
  }

  std::size_t rows_of(Edges edges, std::size_t e) const {
    return std::get<1>(pairs_).label_count(static_cast<std::size_t>(edges.row(e)[0]));
  }
  std::size_t columns_of(Edges edges, std::size_t e) const {
    return std::get<1>(pairs_).label_count(static_cast<std::size_t>(edges.row(e)[1]));
  }

  // Edges that share a table mostly come one after the other.
  bool is_like_last(Edges edges, std::size_t e) const {
    const auto& offsets = std::get<1>(pairs_).offsets;
    return e > 0 && offsets[e] == offsets[e - 1] && rows_of(edges, e) == rows_of(edges, e - 1) &&
           columns_of(edges, e) == columns_of(edges, e - 1);
  }

  double max_degree() const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < n_; ++i) most = std::max(most, first_[i + 1] - first_[i]);
    return static_cast<double>(most);
  }

  // Auxiliary nodes carry a weight over the arcs to all their literals; a variable has few of them.
  double load_of_weights() const {
    double load = 0;
    for (std::size_t k = 0; k < n_levels(); ++k)
      load += 2 * static_cast<double>(n_) * largest_size(labels_.w.row(k));
    load += 4 * static_cast<double>(neighbours_.size()) * largest_size(transitions_.w);
    for (std::size_t c = 0; c < regions_.size(); ++c)
      load += 2 * static_cast<double>(regions_.region(c).size()) * largest_size(regions_.mu.row(c));
    return 4 * load;
  }

  void rescale() {
    // Moves may charge a transition on every edge of a variable.
    const double once = sum_of_sizes(labels_.w.data) + sum_of_sizes(regions_.mu.data) +
                        sum_of_sizes(transitions_.w) + max_degree() * largest_size(transitions_.w);
    const double total = 1e-300 + 4 * (unary_total_ + pair_total_ + once);
    const double share = std::max(total / largest_total, load_of_weights() / largest_load);
    int exponent;  // share <= 2^exponent
    std::frexp(share, &exponent);
    scale_ = std::ldexp(1.0, std::clamp(-exponent, -900, 900));
    quantise_weights();
  }

  void quantise_weights() {
    label_weights_.clear(), transition_weights_.clear(), region_units_.clear();
    for (const double w : labels_.w.data) label_weights_.push_back(fixed(w));
    for (const double w : transitions_.w) transition_weights_.push_back(fixed(w));
    for (std::size_t a = 0; a * n_labels_ < transition_weights_.size(); ++a)
      transition_weights_[a * n_labels_ + a] = 0;
    for (std::size_t c = 0; c < regions_.size(); ++c) {
      for (const double mu : regions_.mu.row(c))
        region_units_.push_back(fixed(mu / static_cast<double>(regions_.slack[c])));
    }
  }

  void link(Edges edges) {
    first_.assign(n_ + 1, 0);
    for (const std::int32_t v : edges.data) ++first_[static_cast<std::size_t>(v) + 1];
    for (std::size_t i = 0; i < n_; ++i) first_[i + 1] += first_[i];
    neighbours_.resize(edges.data.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t e = 0; e < edges.rows; ++e) {
      const std::int32_t u = edges.data[2 * e], v = edges.data[2 * e + 1];
      neighbours_[next[static_cast<std::size_t>(u)]++] = Neighbour(v, e, false);
      neighbours_[next[static_cast<std::size_t>(v)]++] = Neighbour(u, e, true);
    }
  }

  void link_regions() {
    region_first_.assign(regions_.size() > 0 ? n_ + 1 : 0, 0);
    region_numbers_.resize(regions_.members.size());
    for (const std::int32_t i : regions_.members) ++region_first_[static_cast<std::size_t>(i) + 1];
    for (std::size_t i = 1; i < region_first_.size(); ++i) region_first_[i] += region_first_[i - 1];
    std::vector<std::size_t> next = region_first_;
    for (std::size_t c = 0; c < regions_.size(); ++c) {
      for (const std::int32_t i : regions_.region(c))
        region_numbers_[next[static_cast<std::size_t>(i)]++] = static_cast<std::int32_t>(c);
    }
  }

  std::size_t n_ = 0, n_labels_ = 0;
  const float* narrow_ = nullptr;
  const double* wide_ = nullptr;
  const double* theta_ = nullptr;
  PairScores pairs_;
  double unary_total_ = 0, pair_total_ = 0, scale_ = 1;
  std::vector<std::size_t> first_;
  std::vector<Neighbour> neighbours_;
  std::vector<double> reach_, spans_;
  LabelWeights labels_;
  TransitionWeights transitions_;
  RegionWeights regions_;
  std::vector<Fixed> label_weights_, transition_weights_, region_units_;
  std::vector<std::size_t> region_first_;
  std::vector<std::int32_t> region_numbers_;
};

}  // namespace hedgehop
