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

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/pairs.hpp"

namespace hedgehop::local {

// Row-major tables, as wide as their variables have labels, end to end; members[starts[c]..starts[c + 1]] are
// the variables of clique c.
struct Cliques {
  std::span<const std::int32_t> members;
  std::span<const std::int64_t> starts;
  std::span<const double> cells;

  std::size_t size() const { return starts.size() - 1; }
  std::span<const std::int32_t> members_of(std::size_t c) const {
    return members.subspan(index(starts[c]), index(starts[c + 1] - starts[c]));
  }
};

// Who is next to whom; Scores are those of `pairs`.
template <class Scores>
class Factors {
 public:
  struct Membership {
    std::size_t clique, stride;
  };

  Factors(Unaries unaries, const Pairs& pairs, const Scores& scores, const Cliques& cliques)
      : unaries_(unaries),
        pairs_(pairs),
        scores_(scores),
        cliques_(cliques),
        incidence_(pairs.n_variables, pairs.edges),
        memberships_(pairs.n_variables) {
    for (std::size_t c = 0, first = 0; c < cliques.size(); ++c) {
      std::size_t stride = 1;
      for (std::size_t k = cliques.members_of(c).size(); k-- > 0;) {
        const auto i = index(cliques.members_of(c)[k]);
        memberships_[i].push_back({c, stride});
        stride *= label_count(i);
      }
      first_cells_.push_back(first);
      first += stride;
    }
  }

  std::size_t n_variables() const { return unaries_.rows; }
  std::size_t label_count(std::size_t i) const { return pairs_.label_count(i); }
  std::span<const double> unary(std::size_t i) const { return unaries_.row(i).first(label_count(i)); }
  const Scores& pairs() const { return scores_; }
  std::span<const Neighbour> neighbours(std::size_t i) const { return incidence_.at(i); }
  std::span<const Membership> memberships(std::size_t i) const { return memberships_[i]; }
  std::span<const std::size_t> first_cells() const { return first_cells_; }
  std::span<const std::int32_t> members(std::size_t clique) const { return cliques_.members_of(clique); }
  double cell(std::size_t at) const { return cliques_.cells[at]; }
  std::size_t width() const { return unaries_.columns; }

  // Those that share a pair or a clique with i.
  template <class Visit>
  void for_neighbours(std::size_t i, Visit visit) const {
    for (const Neighbour to : neighbours(i)) visit(to.node());
    for (const auto& [clique, stride] : memberships_[i]) {
      for (const std::int32_t j : cliques_.members_of(clique)) visit(index(j));
    }
  }

 private:
  Unaries unaries_;
  const Pairs& pairs_;
  const Scores& scores_;
  Cliques cliques_;
  Incidence incidence_;
  std::vector<std::vector<Membership>> memberships_;
  std::vector<std::size_t> first_cells_;
};

// row[b] += P(now, b) - P(before, b), for all labels b of the other end.
inline void replace_pair(const PottsScores& pairs, std::size_t edge, bool /*from_first*/, std::size_t before,
                         std::size_t now, std::span<double> row) {
  if (now < row.size()) row[now] += pairs.strengths[edge];
  if (before < row.size()) row[before] -= pairs.strengths[edge];
}

inline void replace_pair(const TableScores& pairs, std::size_t edge, bool from_first, std::size_t before,
                         std::size_t now, std::span<double> row) {
  const auto added = pairs.line(edge, from_first, now), removed = pairs.line(edge, from_first, before);
  for (std::size_t b = 0; b < row.size(); ++b) row[b] += added[b] - removed[b];
}

// A labeling, with the cell of each clique's table and, if asked for, the fields: what unary and pairs score
// for every label of a variable, given its neighbours' labels.
template <class Scores>
class FactorLabels {
 public:
  FactorLabels(const Factors<Scores>& factors, std::span<const Label> labels)
      : factors_(factors),
        labels_(labels.begin(), labels.end()),
        cells_(factors.first_cells().begin(), factors.first_cells().end()) {
    for (std::size_t i = 0; i < labels.size(); ++i) move_cells(i, 0, labels_[i]);
  }

  std::span<const Label> labels() const { return labels_; }

  void sum_fields() {
    fields_.assign(labels_.size() * factors_.width(), 0.0);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const auto row = field(i);
      std::ranges::copy(factors_.unary(i), row.begin());
      for (const Neighbour to : factors_.neighbours(i)) {
        for (std::size_t a = 0; a < row.size(); ++a) row[a] += pair_score(to, a);
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
    for (const Neighbour to : factors_.neighbours(i)) {
      replace_pair(factors_.pairs(), to.edge(), !to.is_first(), index(labels_[i]), index(label),
                   field(to.node()));
    }
    move_cells(i, labels_[i], label);
    labels_[i] = label;
  }

  // Sets a label without the fields, whatever it gains.
  void put(std::size_t i, Label label) {
    move_cells(i, labels_[i], label);
    labels_[i] = label;
  }

  // The cell of a clique's table.
  std::size_t cell(std::size_t clique) const { return cells_[clique]; }

  // Sets a label without the fields; returns what that gained.
  double set(std::size_t i, Label label) {
    const auto unary = factors_.unary(i);
    double gain = unary[index(label)] - unary[index(labels_[i])] + clique_gain(i, label);
    for (const Neighbour to : factors_.neighbours(i)) {
      gain += pair_score(to, index(label)) - pair_score(to, index(labels_[i]));
    }
    move_cells(i, labels_[i], label);
    labels_[i] = label;
    return gain;
  }

 private:
  std::span<double> field(std::size_t i) {
    return std::span(fields_).subspan(i * factors_.width(), factors_.label_count(i));
  }

  // Of label a at variable i, given the label of its neighbour.
  double pair_score(Neighbour to, std::size_t a) const {
    return factors_.pairs().score(to.edge(), to.is_first(), index(labels_[to.node()]), a);
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

  const Factors<Scores>& factors_;
  std::vector<Label> labels_;
  std::vector<std::size_t> cells_;
  std::vector<double> fields_;
};

}  // namespace hedgehop::local
