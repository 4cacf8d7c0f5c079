// SPDX-License-Identifier: BSD-3-Clause
#include "grammars/lattice.hpp"

#include <map>
#include <stdexcept>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::grammars;
using test::Random;

namespace {

using String = std::vector<Label>;
constexpr std::size_t n_symbols = 3, n_states = 6, longest = 4;

struct Case {
  std::vector<std::int32_t> arcs;
  std::vector<double> scores, finals;

  Automaton automaton() const { return {n_states, {arcs, scores.size(), 3}, scores, finals, 0}; }
};

// Arcs that read nothing lead to later states; others may go anywhere if cycles are allowed.
Case drawn(Random& random, bool cycles) {
  Case c{{}, {}, std::vector<double>(n_states, forbidden)};
  for (int k = 0; k < 14; ++k) {
    auto from = static_cast<std::int32_t>(random.below(n_states)),
         to = static_cast<std::int32_t>(random.below(n_states));
    const bool silent = random.below(4) == 0;
    if ((silent || !cycles) && from == to) continue;
    if ((silent || !cycles) && from > to) std::swap(from, to);
    c.arcs.insert(c.arcs.end(), {from, to, silent ? -1 : static_cast<std::int32_t>(random.below(n_symbols))});
    c.scores.push_back(random.below(10) == 0 ? forbidden : random.uniform(-2.0, 1.0));
  }
  c.finals[n_states - 1] = random.uniform(-1.0, 1.0);
  c.finals[random.below(n_states)] = 0.0;
  return c;
}

// By the definition: all ways from a state, by the strings that they read.
void walk(const Case& c, std::size_t state, double score, String& read, std::map<String, double>& best) {
  if (score == forbidden) return;
  if (c.finals[state] > forbidden) {
    const auto [entry, is_new] = best.emplace(read, score + c.finals[state]);
    entry->second = std::max(entry->second, score + c.finals[state]);
  }
  for (std::size_t a = 0; a < c.scores.size(); ++a) {
    if (index(c.arcs[3 * a]) != state) continue;
    const Label symbol = c.arcs[3 * a + 2];
    if (symbol >= 0 && read.size() == longest) continue;
    if (symbol >= 0) read.push_back(symbol);
    walk(c, index(c.arcs[3 * a + 1]), score + c.scores[a], read, best);
    if (symbol >= 0) read.pop_back();
  }
}

void strings_are_those_of_the_definition(Random& random, bool cycles) {
  const Case c = drawn(random, cycles);
  std::map<String, double> strings;
  String read;
  walk(c, 0, 0.0, read, strings);
  Poll poll;
  const Lattice lattice(c.automaton(), longest, poll);
  CHECK(lattice.is_empty() == strings.empty());
  if (strings.empty()) return;
  std::size_t size = 0;
  for (const auto& [string, score] : strings) size = std::max(size, string.size());
  CHECK(lattice.length() == size);
  if (size == 0) return;

  constexpr std::size_t labels = n_symbols + 1;
  std::vector<double> added(size * labels), marginals(size * labels), expected(size * labels, forbidden);
  for (double& score : added) score = random.below(12) == 0 ? forbidden : random.uniform(-1.0, 1.0);
  const MatrixView<const double> scores{added, size, labels};
  double best = forbidden;
  test::for_each_labeling(
      size, [](std::size_t) { return labels; },
      [&](const String& y) {
        String string;
        for (const Label label : y) {
          if (label == static_cast<Label>(n_symbols)) break;
          string.push_back(label);
        }
        bool padded = true;
        for (std::size_t t = string.size(); t < size; ++t) padded &= y[t] == static_cast<Label>(n_symbols);
        const auto known = strings.find(string);
        const double own = padded && known != strings.end() ? known->second : forbidden;
        double found = 0.0;
        lattice.scores({y, 1, size}, n_symbols, {&found, 1}, poll);
        CHECK(test::close(found, own));
        double total = own;
        for (std::size_t t = 0; t < size; ++t) total += scores(t, y[t]);
        best = std::max(best, total);
        for (std::size_t t = 0; t < size; ++t) {
          double& marginal = expected[t * labels + index(y[t])];
          marginal = std::max(marginal, total);
        }
      });
  String labeling(size);
  const double value = lattice.best(scores, labeling, poll);
  CHECK(test::close(value, best));
  if (best > forbidden) {
    double total = 0.0;
    lattice.scores({labeling, 1, size}, n_symbols, {&total, 1}, poll);
    for (std::size_t t = 0; t < size; ++t) total += scores(t, labeling[t]);
    CHECK(test::close(total, best));
  }
  lattice.max_marginals(scores, {marginals, size, labels}, poll);
  for (std::size_t k = 0; k < marginals.size(); ++k) CHECK(test::close(marginals[k], expected[k]));
}

void cycles_need_a_limit() {
  const Case loop{{0, 1, 0, 1, 0, 1, 1, 2, 2},
                  {0.0, 0.0, 0.0},
                  {forbidden, forbidden, 0.0, forbidden, forbidden, forbidden}};
  const Case silent{{0, 1, -1, 1, 0, -1, 1, 2, 2}, {0.0, 0.0, 0.0}, loop.finals};
  Poll poll;
  CHECK(test::throws<std::invalid_argument>([&] { Lattice(loop.automaton(), Lattice::unlimited, poll); }));
  CHECK(test::throws<std::invalid_argument>([&] { Lattice(silent.automaton(), 5, poll); }));
  CHECK(Lattice(loop.automaton(), 5, poll).length() == 4);  // strings have an even length
}

}  // namespace

int main() {
  Random random(1);
  for (int k = 0; k < 1500; ++k) strings_are_those_of_the_definition(random, k % 2 == 0);
  cycles_need_a_limit();
  return test::exit_code();
}
