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
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/cell_scores.hpp"
#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "moves/weights.hpp"

namespace hedgehop::moves {

using Fixed = std::int64_t;  // a score in fixed point

class Problem {
 public:
  // No labeling's score is larger than this, so that a node held by `hold` (moves/graph.hpp) stays held.
  static constexpr double largest_total = 562949953421312.0;  // 2^49
  // No graph's capacities sum up to more, a quarter of what a flow can take.
  static constexpr double largest_load = 1152921504606846976.0;  // 2^60

  Problem(const UnaryScores& unary, const Pairs& pairs)
      : n_(pairs.n_variables),
        n_labels_(pairs.n_labels),
        pairs_(pairs),
        incidence_(pairs.n_variables, pairs.edges),
        reach_(pairs.n_variables, 0.0) {
    if (const auto* narrow = std::get_if<0>(&unary)) narrow_ = narrow->data.data();
    if (const auto* wide = std::get_if<1>(&unary)) wide_ = wide->data.data();
    std::visit([this](const auto& scores) { measure_pairs(scores); }, pairs.scores);
    set_linear(std::monostate());
  }

  // Scores that are added to the unary ones.
  void set_linear(const Change& change) {
    const auto* table = std::get_if<std::span<const double>>(&change);
    theta_ = table == nullptr ? nullptr : table->data();
    cells_.reset();
    if (const auto* cells = std::get_if<CellScores>(&change)) cells_ = *cells;
    const bool plain = std::holds_alternative<std::monostate>(change), known = plain && plain_total_ >= 0;
    unary_total_ = known ? plain_total_ : 0;
    for (std::size_t i = 0; !known && i < n_; ++i) unary_total_ += largest_of_row(i);
    if (plain) plain_total_ = unary_total_;
    rescale();
  }
  void set_label_weights(const LabelWeights& weights) {
    labels_ = weights;
    if (!rescale()) quantise_labels();
  }
  void set_transition_weights(const TransitionWeights& weights) {
    transitions_ = weights;
    transition_total_ = sum_of_sizes(weights.w), largest_transition_ = largest_size(weights.w);
    if (!rescale()) quantise_transitions();
  }
  void set_regions(const RegionWeights& regions) {
    regions_ = regions;
    link_regions();
    if (!rescale()) quantise_regions();
  }

  std::size_t n_variables() const { return n_; }
  std::size_t n_labels() const { return n_labels_; }
  double scale() const { return scale_; }
  bool is_potts() const { return pairs_.are_potts(); }

  bool allows(std::size_t i, Label label) const { return real_unary(i, label) != forbidden; }
  Fixed unary(std::size_t i, Label label) const { return fixed(real_unary(i, label)); }
  // Score of an edge, `a` the label of its first end.
  Fixed pair(std::size_t edge, Label a, Label b) const {
    if (const auto* potts = std::get_if<0>(&pairs_.scores))
      return fixed(potts->score(edge, true, index(a), index(b)));
    return fixed(std::get<1>(pairs_.scores).score(edge, true, index(a), index(b)));
  }
  // Of Potts scores: what an edge loses where its labels differ.
  Fixed differing_cost(std::size_t edge) const { return fixed(std::get<0>(pairs_.scores).strengths[edge]); }
  std::span<const Neighbour> neighbours(std::size_t i) const { return incidence_.at(i); }

  // How far apart the scores of an edge are at most, and at least the sum of that over a variable's edges:
  // rounding may add one for each.
  Fixed span(std::size_t edge) const {
    return fixed(is_potts() ? std::abs(std::get<0>(pairs_.scores).strengths[edge]) : spans_[edge]);
  }
  Fixed reach(std::size_t i) const {
    return fixed(reach_[i]) + 2 * static_cast<Fixed>(neighbours(i).size()) + 1;
  }

  // ---- weights earned once; levels, groups and regions are numbered

  std::size_t n_levels() const { return labels_.least.size(); }
  std::int64_t least(std::size_t level) const { return labels_.least[level]; }
  Fixed label_weight(std::size_t level, Label label) const {
    return label_weights_[level * n_labels_ + index(label)];
  }

  bool has_transitions() const { return !transition_weights_.empty(); }
  std::size_t group(Label a, Label b) const {
    if (!transitions_.ordered && a > b) std::swap(a, b);
    return index(a) * n_labels_ + index(b);
  }
  Fixed transition_weight(std::size_t group) const { return transition_weights_[group]; }

  const RegionWeights& regions() const { return regions_; }
  std::span<const std::int32_t> regions_of(std::size_t i) const {
    if (region_first_.empty()) return {};
    return {region_numbers_.data() + region_first_[i], region_first_[i + 1] - region_first_[i]};
  }
  // What each member adds from the first one on that is not missed beyond the slack.
  Fixed region_unit(std::size_t region, Label label) const {
    return region_units_[region * n_labels_ + index(label)];
  }
  Fixed region_score(std::size_t region, Label label, std::int64_t holding) const {
    const auto size = static_cast<std::int64_t>(regions_.region(region).size());
    return region_unit(region, label) * std::max<Fixed>(0, regions_.slack[region] - (size - holding));
  }

 private:
  double real_unary(std::size_t i, Label label) const {
    const std::size_t at = i * n_labels_ + index(label);
    const double own = narrow_ != nullptr ? static_cast<double>(narrow_[at]) : wide_[at];
    if (theta_ != nullptr) return own + theta_[at];
    return cells_ ? own + cells_->at(i, label) : own;
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

  struct Range {
    double low = 0, high = 0;  // 0 is always between them
  };

  void measure_pairs(const PottsScores& potts) {
    for (std::size_t e = 0; e < pairs_.edges.rows; ++e) {
      add_range(e, {std::min(0.0, -potts.strengths[e]), std::max(0.0, -potts.strengths[e])});
    }
  }

  // Edges that share a table mostly come one after the other.
  void measure_pairs(const TableScores& tables) {
    Range range;
    const auto size = [&](std::size_t e) {
      return std::pair(tables.label_count(pairs_.edges.first(e)), tables.label_count(pairs_.edges.second(e)));
    };
    for (std::size_t e = 0; e < pairs_.edges.rows; ++e) {
      const bool is_like_last = e > 0 && tables.offsets[e] == tables.offsets[e - 1] &&
                                tables.columns[e] == tables.columns[e - 1] && size(e) == size(e - 1);
      if (!is_like_last) range = range_of_table(tables, e, size(e).first, size(e).second);
      spans_.push_back(range.high - range.low);
      add_range(e, range);
    }
  }

  static Range range_of_table(const TableScores& tables, std::size_t e, std::size_t rows,
                              std::size_t columns) {
    Range range;
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b < columns; ++b) {
        const double x = tables.score(e, true, a, b);
        range = {std::min(range.low, x), std::max(range.high, x)};
      }
    }
    return range;
  }

  void add_range(std::size_t e, Range range) {
    pair_total_ += std::max(-range.low, range.high);
    for (const std::int32_t i : pairs_.edges.row(e)) reach_[index(i)] += range.high - range.low;
  }

  double max_degree() const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < n_; ++i) most = std::max(most, neighbours(i).size());
    return static_cast<double>(most);
  }

  // Auxiliary nodes carry a weight over the arcs to all their literals; a variable has few of them.
  double load_of_weights() const {
    double load = 0;
    for (std::size_t k = 0; k < n_levels(); ++k)
      load += 2 * static_cast<double>(n_) * largest_size(labels_.w.row(k));
    load += 4 * static_cast<double>(pairs_.edges.data.size()) * largest_transition_;
    for (std::size_t c = 0; c < regions_.size(); ++c)
      load += 2 * static_cast<double>(regions_.region(c).size()) * largest_size(regions_.mu.row(c));
    return 4 * load;
  }

  // Finds the unit of all scores; returns whether it is another one than before, so that all weights changed.
  bool rescale() {
    const double before = scale_;
    // Moves may charge a transition on every edge of a variable.
    const double once = sum_of_sizes(labels_.w.data) + sum_of_sizes(regions_.mu.data) + transition_total_ +
                        max_degree() * largest_transition_;
    const double total = 1e-300 + 4 * (unary_total_ + pair_total_ + once);
    const double share = std::max(total / largest_total, load_of_weights() / largest_load);
    int exponent;  // share <= 2^exponent
    std::frexp(share, &exponent);
    scale_ = std::ldexp(1.0, std::clamp(-exponent, -900, 900));
    if (scale_ == before) return false;
    quantise_labels(), quantise_transitions(), quantise_regions();
    return true;
  }

  void quantise_labels() {
    label_weights_.clear();
    for (const double w : labels_.w.data) label_weights_.push_back(fixed(w));
  }

  void quantise_transitions() {
    transition_weights_.resize(transitions_.w.size());
    std::transform(
        transitions_.w.begin(), transitions_.w.end(), transition_weights_.begin(),
        [this](double w) { return w == 0.0 ? 0 : fixed(w); });  // of many labels, most pairs have none
    for (std::size_t a = 0; a * n_labels_ < transition_weights_.size(); ++a)
      transition_weights_[a * n_labels_ + a] = 0;
  }

  void quantise_regions() {
    region_units_.clear();
    for (std::size_t c = 0; c < regions_.size(); ++c) {
      for (const double mu : regions_.mu.row(c))
        region_units_.push_back(fixed(mu / static_cast<double>(regions_.slack[c])));
    }
  }

  void link_regions() {
    region_first_.assign(regions_.size() > 0 ? n_ + 1 : 0, 0);
    region_numbers_.resize(regions_.members.size());
    for (const std::int32_t i : regions_.members) ++region_first_[index(i) + 1];
    for (std::size_t i = 1; i < region_first_.size(); ++i) region_first_[i] += region_first_[i - 1];
    std::vector<std::size_t> next = region_first_;
    for (std::size_t c = 0; c < regions_.size(); ++c) {
      for (const std::int32_t i : regions_.region(c))
        region_numbers_[next[index(i)]++] = static_cast<std::int32_t>(c);
    }
  }

  std::size_t n_ = 0, n_labels_ = 0;
  const float* narrow_ = nullptr;
  const double* wide_ = nullptr;
  const double* theta_ = nullptr;
  std::optional<CellScores> cells_;
  Pairs pairs_;
  Incidence incidence_;
  double unary_total_ = 0, pair_total_ = 0, scale_ = 1;
  double plain_total_ = -1;  // unary_total_ without added scores, once it is known
  std::vector<double> reach_, spans_;
  LabelWeights labels_;
  TransitionWeights transitions_;
  double transition_total_ = 0, largest_transition_ = 0;
  RegionWeights regions_;
  std::vector<Fixed> label_weights_, transition_weights_, region_units_;
  std::vector<std::size_t> region_first_;
  std::vector<std::int32_t> region_numbers_;
};

}  // namespace hedgehop::moves
