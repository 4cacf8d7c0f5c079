// SPDX-License-Identifier: BSD-3-Clause
// What searches on pairwise scores plus functions of distances share: distances that are kept up to date
// while single variables change, and the scores of a variable's labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/incidence.hpp"
#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "counts/distance_terms.hpp"

namespace hedgehop::local {

using counts::DistanceTerm;
using counts::DistanceTerms;

// scores[l] += P(l, other) up to the same constant for all l; `variable_first`: whether l is the label of the
// first end.
inline void add_pair(const PottsScores& pairs, std::size_t edge, bool /*variable_first*/, std::size_t other,
                     std::span<double> scores) {
  scores[other] += pairs.strengths[edge];
}

inline void add_pair(const TableScores& pairs, std::size_t edge, bool variable_first, std::size_t other,
                     std::span<double> scores) {
  const auto line = pairs.line(edge, !variable_first, other);
  for (std::size_t l = 0; l < scores.size(); ++l) scores[l] += line[l];
}

template <class Scores>
class DistanceSearch {
 public:
  DistanceSearch(Unaries unary, const Incidence& incidence, const Scores& pairs, DistanceTerms terms,
                 std::span<const double> coefficients)
      : unary_(unary),
        incidence_(incidence),
        pairs_(pairs),
        terms_(terms),
        coefficients_(coefficients),
        distance_(terms.size()) {}

 protected:
  void measure(std::span<const Label> labels) {
    for (std::size_t j = 0; j < terms_.size(); ++j) distance_[j] = terms_[j].distance(labels);
  }

  void make(std::span<Label> labels, std::size_t i, std::size_t label) {
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      const Label own = terms_[j].reference[i];
      if (own == labels[i]) distance_[j] += terms_[j].weight(i);
      if (own == static_cast<Label>(label)) distance_[j] -= terms_[j].weight(i);
    }
    labels[i] = static_cast<Label>(label);
  }

  // What function j adds if its distance changes by `shift`.
  double change_of(std::size_t j, double shift) const {
    const auto& f = terms_[j].function;
    return coefficients_[j] * (f.at(distance_[j] + shift) - f.at(distance_[j]));
  }

  // Scores of the labels of variable i, given its neighbours, up to a constant.
  void score_at(std::span<const Label> labels, std::size_t i, std::span<double> scores) const {
    std::ranges::copy(unary_.row(i), scores.begin());
    for (const Neighbour to : incidence_.at(i)) {
      add_pair(pairs_, to.edge(), !to.is_first(), index(labels[to.node()]),
               scores.first(pairs_.label_count(i)));
    }
  }

  Unaries unary_;
  const Incidence& incidence_;
  Scores pairs_;
  DistanceTerms terms_;
  std::span<const double> coefficients_;
  std::vector<double> distance_;  // to each reference
};

}  // namespace hedgehop::local
