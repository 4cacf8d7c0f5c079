// SPDX-License-Identifier: BSD-3-Clause
#include "grammars/chart.hpp"

#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::grammars;
using test::Random;

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

struct Case {
  std::size_t words, symbols;
  std::vector<std::int32_t> rules;
  std::vector<double> scores;
};

struct Parse {
  std::vector<Label> labeling;
  double score;
};

std::size_t number(const Case& c, std::size_t i, std::size_t j) {
  std::size_t place = i;
  for (std::size_t width = 1; width < j - i; ++width) place += c.words - width + 1;
  return place;
}

// By the definition: all ways to derive words i .. j - 1 from a symbol.
std::vector<Parse> parses(const Case& c, std::size_t i, std::size_t j, std::int32_t symbol) {
  std::vector<Parse> all;
  if (j - i == 1) all.push_back({std::vector<Label>(c.words * (c.words + 1) / 2), 0.0});
  for (std::size_t r = 0; j - i > 1 && r < c.scores.size(); ++r) {
    if (c.rules[3 * r] != symbol || c.scores[r] == none) continue;
    for (std::size_t k = i + 1; k < j; ++k) {
      const auto right = parses(c, k, j, c.rules[3 * r + 2]);
      for (Parse parse : parses(c, i, k, c.rules[3 * r + 1])) {
        for (const Parse& other : right) {
          Parse both{parse.labeling, parse.score + other.score + c.scores[r]};
          for (std::size_t s = 0; s < both.labeling.size(); ++s) both.labeling[s] += other.labeling[s];
          all.push_back(both);
        }
      }
    }
  }
  for (Parse& parse : all) parse.labeling[number(c, i, j)] = symbol + 1;
  return all;
}

void parses_are_those_of_the_definition(Random& random) {
  Case c{1 + random.below(5), 1 + random.below(3), {}, {}};
  std::vector<bool> known(27);
  for (std::size_t r = 0; r < 6; ++r) {
    const auto rule = random.labels(3, c.symbols);
    const std::size_t place = index(rule[0]) * 9 + index(rule[1]) * 3 + index(rule[2]);
    if (known[place]) continue;  // each parse once
    known[place] = true;
    c.rules.insert(c.rules.end(), rule.begin(), rule.end());
    c.scores.push_back(random.below(10) == 0 ? none : random.uniform(-2.0, 1.0));
  }
  const Chart chart(c.words, c.symbols, {c.rules, c.scores.size(), 3}, c.scores);
  std::vector<Parse> all;
  for (std::size_t a = 0; a < c.symbols; ++a) {
    const auto some = parses(c, 0, c.words, static_cast<std::int32_t>(a));
    all.insert(all.end(), some.begin(), some.end());
  }
  const std::size_t spans = chart.n_spans(), labels = chart.n_labels();
  std::vector<double> added(spans * labels), marginals(added.size()), expected(added.size(), none);
  for (double& score : added) score = random.below(12) == 0 ? none : random.uniform(-2.0, 2.0);
  const MatrixView<const double> scores{added, spans, labels};
  double best = none;
  for (const Parse& parse : all) {
    double own = 0.0, total = parse.score;
    chart.scores({parse.labeling, 1, spans}, {&own, 1});
    CHECK(test::close(own, parse.score));
    for (std::size_t s = 0; s < spans; ++s) total += scores(s, parse.labeling[s]);
    best = std::max(best, total);
    for (std::size_t s = 0; s < spans; ++s) {
      double& marginal = expected[s * labels + index(parse.labeling[s])];
      marginal = std::max(marginal, total);
    }
  }
  Poll poll;
  std::vector<Label> labeling(spans);
  CHECK(test::close(chart.best(scores, labeling, poll), best));
  if (best > none) {
    double total = 0.0;
    chart.scores({labeling, 1, spans}, {&total, 1});
    for (std::size_t s = 0; s < spans; ++s) total += scores(s, labeling[s]);
    CHECK(test::close(total, best));
  }
  chart.max_marginals(scores, {marginals, spans, labels}, poll);
  for (std::size_t k = 0; k < marginals.size(); ++k) CHECK(test::close(marginals[k], expected[k]));
  if (c.words > 3 || (c.words == 3 && c.symbols == 3)) return;
  std::size_t found = 0;  // of all labelings, only these are parses
  test::for_each_labeling(
      spans, [&](std::size_t) { return labels; },
      [&](const std::vector<Label>& y) {
        double own = 0.0;
        chart.scores({y, 1, spans}, {&own, 1});
        found += own > none ? 1 : 0;
      });
  CHECK(found == all.size());
}

}  // namespace

int main() {
  Random random(1);
  for (int k = 0; k < 3000; ++k) parses_are_those_of_the_definition(random);
  return test::exit_code();
}
