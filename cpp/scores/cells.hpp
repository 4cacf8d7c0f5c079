// SPDX-License-Identifier: BSD-3-Clause
// Cells of variables that some labelings do not tell apart: each labeling splits them by its labels there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::scores {

// Entries: the labels that labelings give a cell, and those it had before; see CellScores. `rows` has the
// entry of each labeling in each cell, labeling after labeling.
struct CellsView {
  std::span<const std::int32_t> cell, starts;
  std::span<const Label> labels;
  std::span<const std::int32_t> rows;

  std::size_t n_cells() const { return starts.size() - 1; }
};

struct Cells {
  std::vector<std::int32_t> cell, starts;
  std::vector<Label> labels;
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> origin;  // of each entry that was there before, or new_entry
};

inline constexpr std::int32_t new_entry = -1;

// Splits cells by the labels of one more labeling. Cells keep their order, and those made of one are in that
// of their labels. O(n + entries).
class Splitter {
 public:
  Splitter(const CellsView& cells, std::span<const Label> labeling, std::size_t n_labels)
      : cells_(cells), labeling_(labeling), child_(n_labels, none) {}

  Cells split() {
    Cells found{std::vector<std::int32_t>(cells_.cell.size()), {0}, {}, {}, {}};
    group();
    found.labels.reserve(cells_.labels.size() + cells_.labels.size() / 4),
        found.origin.reserve(found.labels.capacity());
    for (std::size_t c = 0; c < cells_.n_cells(); ++c) split_cell(c, found);
    found.labels.shrink_to_fit(), found.origin.shrink_to_fit();
    lay_out_rows(found);
    return found;
  }

 private:
  static constexpr std::int32_t none = -1, wanted = -2;

  // The variables of each cell, one after the other.
  void group() {
    first_.assign(cells_.n_cells() + 1, 0);
    for (const std::int32_t c : cells_.cell) ++first_[index(c) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
    variables_.resize(cells_.cell.size());
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      variables_[index(next[index(cells_.cell[i])]++)] = static_cast<std::int32_t>(i);
    }
  }

  void split_cell(std::size_t c, Cells& found) {
    const std::span members(variables_.data() + first_[c], index(first_[c + 1] - first_[c]));
    here_.clear();
    for (const std::int32_t i : members) {
      const Label label = labeling_[index(i)];
      if (child_[index(label)] == none) here_.push_back(label);
      child_[index(label)] = wanted;
    }
    std::sort(here_.begin(), here_.end());
    for (const Label label : here_) add_cell(c, label, found);
    for (const std::int32_t i : members) found.cell[index(i)] = child_[index(labeling_[index(i)])];
    for (const Label label : here_) child_[index(label)] = none;
  }

  void add_cell(std::size_t c, Label label, Cells& found) {
    child_[index(label)] = static_cast<std::int32_t>(parent_.size());
    std::int32_t entry = new_entry;
    for (std::int32_t e = cells_.starts[c]; e < cells_.starts[c + 1]; ++e) {
      if (cells_.labels[index(e)] == label) entry = static_cast<std::int32_t>(found.labels.size());
      found.labels.push_back(cells_.labels[index(e)]);
      found.origin.push_back(e);
    }
    if (entry == new_entry) {
      entry = static_cast<std::int32_t>(found.labels.size());
      found.labels.push_back(label);
      found.origin.push_back(new_entry);
    }
    if (found.labels.size() > std::numeric_limits<std::int32_t>::max()) {
      throw std::overflow_error("more than 2^31 labels of cells");
    }
    found.starts.push_back(static_cast<std::int32_t>(found.labels.size()));
    parent_.push_back(static_cast<std::int32_t>(c));
    entry_.push_back(entry);
  }

  // Entries move with their cells; the last labeling's are known.
  void lay_out_rows(Cells& found) const {
    const std::size_t before = cells_.n_cells(), after = parent_.size();
    const std::size_t n_rows = before == 0 ? 0 : cells_.rows.size() / before;
    found.rows.resize((n_rows + 1) * after);
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t k = 0; k < after; ++k) {
        const std::size_t c = index(parent_[k]);
        found.rows[r * after + k] = found.starts[k] + cells_.rows[r * before + c] - cells_.starts[c];
      }
    }
    std::copy(entry_.begin(), entry_.end(), found.rows.end() - static_cast<std::ptrdiff_t>(after));
  }

  CellsView cells_;
  std::span<const Label> labeling_;
  std::vector<std::int32_t> child_;  // of the cell in hand, by label
  std::vector<std::int32_t> first_, variables_, parent_, entry_;
  std::vector<Label> here_;
};

// Sums of weights over the variables of each entry's cell; weights n x 1, or n x L if they depend on the
// label.
inline void add_weights(const CellsView& cells, MatrixView<const double> weights, std::span<double> sums) {
  for (std::size_t i = 0; i < cells.cell.size(); ++i) {
    const std::size_t c = index(cells.cell[i]);
    for (std::size_t e = index(cells.starts[c]); e < index(cells.starts[c + 1]); ++e) {
      sums[e] += weights(i, weights.columns == 1 ? 0 : index(cells.labels[e]));
    }
  }
}

}  // namespace hedgehop::scores
