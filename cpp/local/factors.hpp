// SPDX-License-Identifier: BSD-3-Clause
// Unary, pairwise and clique scores seen from single variables: what changing one label gains.
//
//     score(y) = sum_i U(i, y_i) + sum_e P_e(y_i, y_j) + sum_c T_c(y_c), all finite
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop {

// Tables are row-major: those of pairs L by L each, those of cliques as wide as their variables have labels.
class Factors {
 public:
  struct End {  // of an edge, seen from the other one: the score is table[own * y_i + other * y_j]
    std::size_t neighbour;
    const double* table;
    std::size_t own, other;
  };
  struct Membership {
    std::size_t clique, stride;
  };

  Factors(MatrixView<const double> unaries, std::span<const std::int32_t> label_counts, Edges edges,
          std::span<const double> tables, std::span<const std::int32_t> members,
          std::span<const std::int64_t> starts, std::span<const double> cells)
      : unaries_(unaries), label_counts_(label_counts), members_(members), starts_(starts), cells_(cells) {
    const std::size_t width = unaries.columns;
    ends_.resize(unaries.rows);
    for (std::size_t e = 0; e < edges.rows; ++e) {
      const auto i = static_cast<std::size_t>(edges.row(e)[0]), j = static_cast<std::size_t>(edges.row(e)[1]);
      const double* table = tables.data() + e * width * width;
      ends_[i].push_back({j, table, width, 1});
      ends_[j].push_back({i, table, 1, width});
    }
    memberships_.resize(unaries.rows);
    for (std::size_t c = 0, first = 0; c < n_cliques(); ++c) {
      std::size_t stride = 1;
      for (std::size_t k = members_of(c).size(); k-- > 0;) {
        const auto i = static_cast<std::size_t>(members_of(c)[k]);
        memberships_[i].push_back({c, stride});
        stride *= label_count(i);
      }
      first_cells_.push_back(first);
      first += stride;
    }
  }

  std::size_t n_variables() const { return unaries_.rows; }
  std::size_t n_cliques() const { return starts_.size() - 1; }
  std::size_t label_count(std::size_t i) const { return static_cast<std::size_t>(label_counts_[i]); }
  std::span<const double> unary(std::size_t i) const { return unaries_.row(i).first(label_count(i)); }
  std::span<const End> ends(std::size_t i) const { return ends_[i]; }
  std::span<const Membership> memberships(std::size_t i) const { return memberships_[i]; }
  std::size_t first_cell(std::size_t c) const { return first_cells_[c]; }
  double cell(std::size_t at) const { return cells_[at]; }
  std::size_t width() const { return unaries_.columns; }

  template <class Visit>
  void for_neighbours(std::size_t i, Visit visit) const {
    for (const End& end : ends_[i]) visit(end.neighbour);
    for (const auto& [clique, stride] : memberships_[i]) {
      for (const std::int32_t j : members_of(clique)) visit(static_cast<std::size_t>(j));
    }
  }

 private:
  std::span<const std::int32_t> members_of(std::size_t c) const {
    const auto begin = static_cast<std::size_t>(starts_[c]);
    return members_.subspan(begin, static_cast<std::size_t>(starts_[c + 1]) - begin);
  }

  MatrixView<const double> unaries_;
  std::span<const std::int32_t> label_counts_, members_;
  std::span<const std::int64_t> starts_;
  std::span<const double> cells_;
  std::vector<std::vector<End>> ends_;
  std::vector<std::vector<Membership>> memberships_;
  std::vector<std::size_t> first_cells_;
};

// A labeling, with the cell of each clique's table and, if asked for, the fields: what unary and pairs score
// for every label of a variable, given its neighbours' labels.
class FactorLabels {
 public:
  FactorLabels(const Factors& factors, std::span<const Label> labels)
      : factors_(factors), labels_(labels.begin(), labels.end()), cells_(factors.n_cliques()) {
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c] = factors.first_cell(c);
    for (std::size_t i = 0; i < labels.size(); ++i) move_cells(i, 0, labels_[i]);
  }

  std::span<const Label> labels() const { return labels_; }

  void sum_fields() {
    fields_.assign(labels_.size() * factors_.width(), 0.0);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      std::ranges::copy(factors_.unary(i), field(i).begin());
      for (const auto& end : factors_.ends(i)) {
        const double* scores = end.table + end.other * index(labels_[end.neighbour]);
        for (std::size_t a = 0; a < factors_.label_count(i); ++a) field(i)[a] += scores[end.own * a];
      }
    }
  }

  // What variable i gains by taking a label; needs the fields.
  double field_gain(std::size_t i, Label label) const {
    const double* row = fields_.data() + i * factors_.width();
    return row[label] - row[labels_[i]] + clique_gain(i, label);
  }

  // Ties go to the present label, then to the lowest.
  Label best_label(std::size_t i) const {
    Label best = labels_[i];
    double most = 0.0;
    for (std::size_t a = 0; a < factors_.label_count(i); ++a) {
      const double gain = field_gain(i, static_cast<Label>(a));
      if (gain > most) best = static_cast<Label>(a), most = gain;
    }
    return best;
  }

  void set_with_fields(std::size_t i, Label label) {
    for (const auto& end : factors_.ends(i)) {
      const double* now = end.table + end.own * index(label);
      const double* before = end.table + end.own * index(labels_[i]);
      double* row = fields_.data() + end.neighbour * factors_.width();
      for (std::size_t b = 0; b < factors_.label_count(end.neighbour); ++b) {
        row[b] += now[end.other * b] - before[end.other * b];
      }
    }
    move_cells(i, labels_[i], label);
    labels_[i] = label;
  }

  // Sets a label without the fields; returns what that gained.
  double set(std::size_t i, Label label) {
    double gain =
        factors_.unary(i)[index(label)] - factors_.unary(i)[index(labels_[i])] + clique_gain(i, label);
    for (const auto& end : factors_.ends(i)) {
      const double* scores = end.table + end.other * index(labels_[end.neighbour]);
      gain += scores[end.own * index(label)] - scores[end.own * index(labels_[i])];
    }
    move_cells(i, labels_[i], label);
    labels_[i] = label;
    return gain;
  }

 private:
  static std::size_t index(Label label) { return static_cast<std::size_t>(label); }

  std::span<double> field(std::size_t i) {
    return std::span(fields_).subspan(i * factors_.width(), factors_.width());
  }

  double clique_gain(std::size_t i, Label label) const {
    double gain = 0.0;
    for (const auto& [clique, stride] : factors_.memberships(i)) {
      const std::size_t other = cells_[clique] + stride * index(label) - stride * index(labels_[i]);
      gain += factors_.cell(other) - factors_.cell(cells_[clique]);
    }
    return gain;
  }

  void move_cells(std::size_t i, Label from, Label to) {
    for (const auto& [clique, stride] : factors_.memberships(i)) {
      cells_[clique] += stride * index(to) - stride * index(from);
    }
  }

  const Factors& factors_;
  std::vector<Label> labels_;
  std::vector<std::size_t> cells_;
  std::vector<double> fields_;
};

}  // namespace hedgehop
