// SPDX-License-Identifier: BSD-3-Clause
// Which variables may change to a label, and what they score there: found for several labels at a time, whose
// scores lie beside each other, so that moves on one label after the other need not go through all scores.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "moves/problem.hpp"

namespace hedgehop::moves {

class Candidates {
 public:
  struct Entry {
    std::int32_t variable;
    Fixed score;
  };

  // `allowed`: which labels a variable may change to, n x L, or empty for all that the problem allows.
  Candidates(const Problem& problem, MatrixView<const std::uint8_t> allowed)
      : problem_(problem), allowed_(allowed), at_once_(allowed.data.empty() ? 1 : most_at_once) {}

  std::span<const Entry> of(Label label) {
    const std::size_t l = index(label);
    if (l < from_ || l >= to_) gather(l / at_once_ * at_once_);
    return lists_[l - from_];
  }

 private:
  static constexpr std::size_t most_at_once = 8;  // scores share lines of the cache

  void gather(std::size_t from) {
    from_ = from, to_ = std::min(from + at_once_, problem_.n_labels());
    for (auto& list : lists_) list.clear();
    for (std::size_t i = 0; i < problem_.n_variables(); ++i) {
      if (!allowed_.data.empty() && !any(allowed_.row(i).subspan(from_, to_ - from_))) continue;
      for (std::size_t l = from_; l < to_; ++l) {
        const auto label = static_cast<Label>(l);
        if (!allowed_.data.empty() && allowed_(i, l) == 0) continue;
        if (!problem_.allows(i, label)) continue;
        lists_[l - from_].push_back({static_cast<std::int32_t>(i), problem_.unary(i, label)});
      }
    }
  }

  static bool any(std::span<const std::uint8_t> flags) {
    std::uint8_t all = 0;
    for (const std::uint8_t flag : flags) all |= flag;
    return all != 0;
  }

  const Problem& problem_;
  MatrixView<const std::uint8_t> allowed_;
  std::size_t at_once_, from_ = 0, to_ = 0;
  std::array<std::vector<Entry>, most_at_once> lists_;
};

}  // namespace hedgehop::moves
