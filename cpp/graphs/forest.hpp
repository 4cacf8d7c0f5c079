// SPDX-License-Identifier: BSD-3-Clause
// Exact max-sum on forests: score(y) = sum_i U(i, y_i) + sum_e P_e(y_i, y_j).
//
// argmax is one pass of messages from the leaves to the roots and one of decisions back (Viterbi on trees;
// Pearl 1988). max_marginals adds a pass of messages back. Nowhere is a message subtracted from a belief:
// "all children but one" comes from prefix and suffix sums, because -inf - (-inf) is not a number and because
// subtraction loses digits.
//
// Complexity: O(n L) time for Potts scores, O(n L^2) for tables; O(n L) memory. Ties go to the lowest label
// at each decision. Unaries may be -inf, never +inf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/pairs.hpp"
#include "graphs/forest_order.hpp"

namespace hedgehop::graphs {

using Visit = ForestOrder::Visit;

// How messages join a belief: scores are added; weights, their exponentials, are multiplied.
struct Adding {
  static void join(std::span<double> sum, std::span<const double> term) {
    for (std::size_t l = 0; l < sum.size(); ++l) sum[l] += term[l];
  }
};
struct Multiplying {
  static void join(std::span<double> product, std::span<const double> term) {
    for (std::size_t l = 0; l < product.size(); ++l) product[l] *= term[l];
  }
};

template <class Scores>
std::span<double> labels_of(const Scores& scores, MatrixView<double> table, std::size_t variable) {
  return table.row(variable).first(scores.label_count(variable));
}

inline double max_of(std::span<const double> values) {
  return *std::max_element(values.begin(), values.end());
}

// beliefs(i, .) = U(i, .) plus the messages of all children of i. Each message is given to
// keep(visit, message) as well.
template <class Joining = Adding, class Scores, class Keep>
void pass_up(const ForestOrder& order, const Scores& scores, MatrixView<double> beliefs, Keep keep) {
  std::vector<double> buffer(beliefs.columns);
  const auto visits = order.visits();
  for (std::size_t at = visits.size(); at-- > 0;) {
    const Visit& visit = visits[at];
    if (visit.parent == ForestOrder::none) continue;
    const auto target = labels_of(scores, beliefs, visits[visit.parent].variable);
    const auto message = std::span(buffer).first(target.size());
    scores.message(visit.edge, visit.child_is_first, labels_of(scores, beliefs, visit.variable), message);
    Joining::join(target, message);
    keep(visit, message);
  }
}

// result[c] = sum of the values of all components but c.
inline std::vector<double> sums_of_others(std::span<const double> values) {
  std::vector<double> result(values.size());
  double before = 0.0, after = 0.0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    result[c] = before;
    before += values[c];
  }
  for (std::size_t c = values.size(); c-- > 0;) {
    result[c] += after;
    after += values[c];
  }
  return result;
}

// Sends messages from one variable to its children, whose beliefs become max-marginals of their component.
// messages(v, .) holds the message from v up to its parent before, and the one down from its parent after.
template <class Scores, class Joining = Adding>
class DownwardPass {
 public:
  DownwardPass(const ForestOrder& order, const Scores& scores, Unaries unaries, MatrixView<double> beliefs,
               MatrixView<double> messages)
      : visits_(order.visits()), scores_(scores), unaries_(unaries), beliefs_(beliefs), messages_(messages) {}

  void operator()(const Visit& parent) {
    const std::size_t n_children = parent.children_end - parent.children;
    if (n_children == 0) return;
    const std::size_t width = scores_.label_count(parent.variable);
    sum_suffixes(parent, width);
    // Running sum of the unary, the message from above and those of the children already served.
    const auto unary = unaries_.row(parent.variable).first(width);
    prefix_.assign(unary.begin(), unary.end());
    if (parent.parent != ForestOrder::none)
      Joining::join(prefix_, labels_of(scores_, messages_, parent.variable));
    without_.resize(width);
    for (std::size_t k = 0; k < n_children; ++k) {
      const Visit& child = visits_[parent.children + k];
      const auto message = messages_.row(child.variable);
      std::copy(prefix_.begin(), prefix_.end(), without_.begin());
      if (k + 1 < n_children) Joining::join(without_, std::span(suffixes_).subspan((k + 1) * width, width));
      Joining::join(prefix_, message.first(width));
      const auto belief = labels_of(scores_, beliefs_, child.variable);
      scores_.message(child.edge, !child.child_is_first, without_, message.first(belief.size()));
      Joining::join(belief, message.first(belief.size()));
    }
  }

 private:
  // suffixes_[k] = sum of the messages of children k, k + 1, ... (the one of child 0 is not needed).
  void sum_suffixes(const Visit& parent, std::size_t width) {
    const std::size_t n_children = parent.children_end - parent.children;
    suffixes_.resize(n_children * width);
    for (std::size_t k = n_children; k-- > 1;) {
      const auto message = messages_.row(visits_[parent.children + k].variable).first(width);
      const auto suffix = std::span(suffixes_).subspan(k * width, width);
      std::copy(message.begin(), message.end(), suffix.begin());
      if (k + 1 < n_children) Joining::join(suffix, std::span(suffixes_).subspan((k + 1) * width, width));
    }
  }

  std::span<const Visit> visits_;
  const Scores& scores_;
  Unaries unaries_;
  MatrixView<double> beliefs_, messages_;
  std::vector<double> prefix_, without_, suffixes_;
};

// Writes a best labeling and returns its score; -inf if every labeling is forbidden (the labeling is then
// arbitrary, its labels are in range).
template <class Scores>
double argmax(const ForestOrder& order, Unaries unaries, const Scores& scores, std::span<Label> labeling) {
  std::vector<double> storage(unaries.data.begin(), unaries.data.end());
  const MatrixView<double> beliefs{storage, unaries.rows, unaries.columns};
  pass_up(order, scores, beliefs, [](const auto&, const auto&) {});
  double value = 0.0;
  for (const auto& visit : order.visits()) {
    const auto belief = labels_of(scores, beliefs, visit.variable);
    if (visit.parent == ForestOrder::none) {
      value += max_of(belief);
    } else {
      // Deciding afresh costs O(L), less than remembering a decision for every label of the parent.
      const auto above = index(labeling[order.visits()[visit.parent].variable]);
      for (std::size_t l = 0; l < belief.size(); ++l) {
        belief[l] += scores.score(visit.edge, visit.child_is_first, l, above);
      }
    }
    const auto best = std::max_element(belief.begin(), belief.end());
    labeling[visit.variable] = static_cast<Label>(best - belief.begin());
  }
  return value;
}

// out(i, l) = best score of a labeling with y_i = l; -inf if there is none.
template <class Scores>
void max_marginals(const ForestOrder& order, Unaries unaries, const Scores& scores, MatrixView<double> out) {
  std::copy(unaries.data.begin(), unaries.data.end(), out.data.begin());
  // A message up is as wide as the parent has labels, the one down as the child has: at most L each.
  std::vector<double> storage(unaries.data.size());
  const MatrixView<double> messages{storage, unaries.rows, unaries.columns};
  pass_up(order, scores, out, [&](const auto& visit, const auto& message) {
    std::copy(message.begin(), message.end(), messages.row(visit.variable).begin());
  });
  std::vector<double> values(order.n_components());
  for (std::size_t c = 0; c < values.size(); ++c) {
    const std::size_t root = order.visits()[order.component(c).first].variable;
    values[c] = max_of(labels_of(scores, out, root));
  }
  DownwardPass<Scores> send_down(order, scores, unaries, out, messages);
  for (const auto& visit : order.visits()) send_down(visit);

  const auto others = sums_of_others(values);
  for (std::size_t c = 0; c < values.size(); ++c) {
    const auto [begin, end] = order.component(c);
    for (std::size_t at = begin; at < end; ++at) {
      const std::size_t variable = order.visits()[at].variable;
      const auto row = out.row(variable);
      for (double& value : row.first(scores.label_count(variable))) value += others[c];
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(scores.label_count(variable)), row.end(),
                forbidden);
    }
  }
}

}  // namespace hedgehop::graphs
