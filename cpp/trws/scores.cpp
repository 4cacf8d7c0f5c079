// SPDX-License-Identifier: BSD-3-Clause
#include "trws/scores.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "trws/solver.hpp"

namespace hedgehop {

// The best score of each position; throws where there is none.
template <class T>
std::vector<double> Trws::tops(MatrixView<const T> unary, std::span<const double> theta) const {
  std::vector<double> result(n_variables());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto v = static_cast<std::size_t>(schedule_.variable_of[i]);
    const std::size_t start = v * n_labels_, count = count_at(i);
    result[i] = theta.empty()
                    ? trws_detail::top(unary.data.subspan(start, count))
                    : trws_detail::top(unary.data.subspan(start, count), theta.subspan(start, count));
    if (std::isnan(result[i])) throw std::invalid_argument("scores must not contain NaN or +inf");
    if (std::isinf(result[i])) {
      throw std::invalid_argument("variable " + std::to_string(v) + " has no allowed label");
    }
  }
  return result;
}

template <class T>
void Trws::set_scores(MatrixView<const T> unary, std::span<const double> theta) {
  const std::vector<double> top = tops(unary, theta);
  const double factor = pairwise_.scale.factor();
  CarefulSum sum;
  for (std::size_t i = 0; i < top.size(); ++i) {
    const std::size_t start = static_cast<std::size_t>(schedule_.variable_of[i]) * n_labels_;
    const std::size_t count = count_at(i), slot = static_cast<std::size_t>(graph_.slot);
    const trws_detail::FixedRow row{top[i], factor, pairwise_.floors[i]};
    const auto out = std::span(scores_).subspan(i * slot, slot);
    if (theta.empty()) {
      row.write(unary.data.subspan(start, count), out);
    } else {
      row.write(unary.data.subspan(start, count), theta.subspan(start, count), out);
    }
    sum.add(top[i]);
  }
  constant_ = sum;
  bound_ = kTrwsNoBound;
  has_labeling_ = false;
}

template void Trws::set_scores(MatrixView<const float>, std::span<const double>);
template void Trws::set_scores(MatrixView<const double>, std::span<const double>);

}  // namespace hedgehop
