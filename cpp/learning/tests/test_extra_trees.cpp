// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "check.hpp"
#include "learning/extra_trees.hpp"

using namespace hedgehop;
using namespace hedgehop::learning;
using test::Random;

namespace {

struct Table {
  std::vector<double> values;
  std::size_t columns;
  MatrixView<const double> view() const { return {values, values.size() / columns, columns}; }
};

Table random_table(Random& random, std::size_t rows, std::size_t columns) {
  Table table{{}, columns};
  for (std::size_t k = 0; k < rows * columns; ++k) table.values.push_back(random.uniform(0, 1));
  return table;
}

std::vector<double> shares_of(const Table& table, const std::vector<std::int32_t>& examples,
                              const std::vector<Label>& labels, std::size_t n_labels, int trees) {
  ExtraTrees forest(table.view(), examples, labels, n_labels, 0);
  std::vector<double> shares(table.view().rows * n_labels, 0.0);
  Poll poll;
  for (int k = 0; k < trees; ++k) forest.grow({shares, table.view().rows, n_labels}, poll);
  for (double& share : shares) share /= trees;
  return shares;
}

// Leaves are pure: an example whose row is unlike all others is always told its own label.
void examples_know_their_label(Random& random) {
  const std::size_t n_labels = 2 + random.below(3);
  const auto table = random_table(random, 40, 1 + random.below(6));
  std::vector<std::int32_t> examples;
  std::vector<Label> labels;
  for (std::int32_t k = 0; k < 20; ++k) {
    examples.push_back(2 * k);
    labels.push_back(static_cast<Label>(index(k) < n_labels ? index(k) : random.below(n_labels)));
  }
  const auto shares = shares_of(table, examples, labels, n_labels, 5);
  for (std::size_t k = 0; k < examples.size(); ++k) {
    CHECK(test::close(shares[index(examples[k]) * n_labels + index(labels[k])], 1.0));
  }
  for (std::size_t row = 0; row < 40; ++row) {
    double sum = 0;
    for (std::size_t l = 0; l < n_labels; ++l) sum += shares[row * n_labels + l];
    CHECK(test::close(sum, 1.0));
  }
}

// Between two examples thresholds are uniform: the share of a label falls linearly.
void thresholds_are_uniform() {
  const Table table{{0.0, 0.25, 0.5, 0.75, 1.0}, 1};
  const auto shares = shares_of(table, {0, 4}, {0, 1}, 2, 4000);
  for (std::size_t row = 0; row < 5; ++row) {
    CHECK(test::close(shares[2 * row + 1], 0.25 * static_cast<double>(row), 0.03));
  }
}

// Equal rows with different labels cannot be told apart: labels weigh the same, however many examples.
void labels_are_balanced() {
  const Table table{{1.0, 1.0, 1.0, 1.0, 1.0}, 1};
  const auto shares = shares_of(table, {0, 1, 2, 3}, {0, 0, 0, 1}, 2, 3);
  CHECK(test::close(shares[8], 0.5));
}

}  // namespace

int main() {
  Random random(1);
  for (int round = 0; round < 50; ++round) examples_know_their_label(random);
  thresholds_are_uniform();
  labels_are_balanced();
  return test::exit_code();
}
