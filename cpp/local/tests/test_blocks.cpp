// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "core/tests/pairwise_model.hpp"
#include "local/block_moves.hpp"
#include "local/block_search.hpp"

using namespace hedgehop;
using namespace hedgehop::local;
using test::Random;

namespace {

// Random pairs and a clique of three variables, of 1 to 3 labels.
struct Instance : test::PairwiseModel {
  std::vector<std::int32_t> members{0, 2, 1};
  std::vector<std::int64_t> starts{0, 3};
  std::vector<double> cells;

  Instance(Random& random, std::size_t size) : PairwiseModel(random, size, 3, true) {
    const auto score = [&](auto...) { return random.uniform(-1, 1); };
    set_unary(score);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (random.below(2) == 0) add_edge(random, j, i, score(), score);
      }
    }
    for (int k = 0; k < counts[0] * counts[1] * counts[2]; ++k) cells.push_back(random.uniform(-3, 3));
  }

  Cliques cliques() const { return {members, starts, cells}; }

  std::vector<Label> draw(Random& random) const {
    std::vector<Label> labels;
    for (const auto count : counts) labels.push_back(static_cast<Label>(random.below(index(count))));
    return labels;
  }

  template <class Scores>
  double score(const Scores& scores, std::span<const Label> y) const {
    return value(scores, y) + cells[index((y[0] * counts[2] + y[2]) * counts[1] + y[1])];
  }

  // The best of the labelings that `may` accepts.
  template <class Scores, class May>
  double best(const Scores& scores, May may) const {
    double most = forbidden;
    test::for_each_labeling(
        n, [this](std::size_t i) { return counts[i]; },
        [&](const std::vector<Label>& y) {
          if (may(y)) most = std::max(most, score(scores, y));
        });
    return most;
  }
};

template <class Scores>
void wide_blocks_are_exact(Random& random, const Instance& instance, const Scores& scores) {
  const Pairs pairs = instance.pairs(scores);
  const Factors factors(instance.unary_view(), pairs, scores, instance.cliques());
  BlockMoves moves(factors, 6561);
  SplitMix64 draws(random.below(1000));
  Poll poll;
  FactorLabels labels(factors, instance.draw(random));
  moves.move(labels, 2.0, draws, poll);
  moves.move(labels, 0.0, draws, poll);
  CHECK(test::close(instance.score(scores, labels.labels()),
                    instance.best(scores, [](const auto&) { return true; }), 1e-9));

  FactorLabels fused(factors, instance.draw(random));
  const std::vector<Label> first(fused.labels().begin(), fused.labels().end()), other = instance.draw(random);
  const auto is_mixture = [&](const std::vector<Label>& y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != first[i] && y[i] != other[i]) return false;
    }
    return true;
  };
  moves.fuse(fused, other, draws, poll);
  CHECK(test::close(instance.score(scores, fused.labels()), instance.best(scores, is_mixture), 1e-9));
}

template <class Scores>
void narrow_blocks_never_lose(Random& random, const Instance& instance, const Scores& scores) {
  const Pairs pairs = instance.pairs(scores);
  const Factors factors(instance.unary_view(), pairs, scores, instance.cliques());
  SplitMix64 draws(random.below(1000));
  Poll poll;
  for (const std::size_t most_cells : {1, 2, 3, 9, 20}) {
    BlockMoves moves(factors, most_cells);
    FactorLabels labels(factors, instance.draw(random));
    double value = instance.score(scores, labels.labels());
    for (int k = 0; k < 10; ++k) {
      if (k % 2 == 0) {
        moves.move(labels, 0.0, draws, poll);
      } else {
        moves.fuse(labels, instance.draw(random), draws, poll);
      }
      const double now = instance.score(scores, labels.labels());
      CHECK(now >= value - 1e-9);
      value = now;
    }
  }
}

template <class Scores>
void searches_keep_the_best(Random& random, std::size_t most_cells, const Instance& instance,
                            const Scores& scores) {
  const Pairs pairs = instance.pairs(scores);
  const Factors factors(instance.unary_view(), pairs, scores, instance.cliques());
  const auto start = instance.draw(random);
  BlockSearch search(factors, start, most_cells, 1);
  Poll poll;
  double value = instance.score(scores, start);
  for (int round = 0; round < 6; ++round) {
    if (round % 3 == 0) search.anneal(20, 2.0, poll);
    if (round % 3 == 1) search.restart();
    search.cool(2000, round % 3, poll);
    const double now = instance.score(scores, search.best());
    CHECK(now >= value - 1e-9);
    value = now;
  }
  const bool is_whole = most_cells > 3000;  // one block
  CHECK(!is_whole || test::close(value, instance.best(scores, [](const auto&) { return true; }), 1e-9));
}

// Nothing can change, and the search ends all the same.
void single_labels_end() {
  const std::vector<double> unary{1.0, 2.0};
  const std::vector<std::int32_t> edges{0, 1};
  const std::vector<double> strengths{1.0};
  const PottsScores scores{strengths, 1};
  const Pairs pairs{2, 1, {}, Edges{edges, 1, 2}, scores};
  const std::vector<std::int64_t> starts{0};
  const Factors factors(Unaries{unary, 2, 1}, pairs, scores, Cliques{{}, starts, {}});
  BlockSearch search(factors, std::vector<Label>{0, 0}, 4, 1);
  Poll poll;
  search.cool(100, 1.0, poll);
  CHECK(search.best()[0] == 0 && search.best()[1] == 0);
}

}  // namespace

int main() {
  single_labels_end();
  Random random(1);
  for (std::size_t k = 0; k < 60; ++k) {
    const Instance instance(random, 3 + k % 5);
    wide_blocks_are_exact(random, instance, instance.tables());
    wide_blocks_are_exact(random, instance, instance.potts());
    narrow_blocks_never_lose(random, instance, instance.tables());
    narrow_blocks_never_lose(random, instance, instance.potts());
    searches_keep_the_best(random, k % 2 == 0 ? 9 : 6561, instance, instance.tables());
  }
  return test::exit_code();
}
