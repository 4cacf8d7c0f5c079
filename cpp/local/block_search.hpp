// SPDX-License-Identifier: BSD-3-Clause
// A search by moves over blocks. Each round makes two labelings, one by annealing single labels and one by
// moves over blocks with noise that cools down, and fuses them with the best labeling so far: blocks of the
// variables in which they differ choose between both. For models whose pairs and cliques contradict each
// other; it proves nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "core/random.hpp"
#include "local/annealing.hpp"
#include "local/block_moves.hpp"
#include "local/factors.hpp"

namespace hedgehop::local {

template <class Scores>
class BlockSearch {
 public:
  // No block needs a table of more than so many cells.
  BlockSearch(const Factors<Scores>& factors, std::span<const Label> start, std::size_t most_cells,
              std::uint64_t seed)
      : best_(factors, start),
        now_(factors, start),
        annealing_(factors, start, seed),
        moves_(factors, most_cells),
        draws_(seed) {}

  // Anneals single labels in so many sweeps from a temperature.
  void anneal(std::size_t sweeps, double temperature, Poll& poll) {
    annealing_.run(sweeps, temperature, poll);
    for (std::size_t i = 0; i < now_.labels().size(); ++i) now_.put(i, annealing_.now()[i]);
    fuse(poll);
  }

  // Begins again at the best labeling.
  void restart() {
    for (std::size_t i = 0; i < now_.labels().size(); ++i) now_.put(i, best_.labels()[i]);
  }

  // Moves over blocks until they have visited so many cells; their noise cools from a temperature to 0.
  void cool(std::size_t work, double temperature, Poll& poll) {
    for (std::size_t done = 0; done < work;) {
      const double left = 1.0 - static_cast<double>(done) / static_cast<double>(work);
      done += moves_.move(now_, temperature * left * left, draws_, poll);
    }
    moves_.move(now_, 0.0, draws_, poll);
    fuse(poll);
  }

  std::span<const Label> best() const { return best_.labels(); }

 private:
  static constexpr int kFusions =
      2;  // blocks leave out what does not fit into a table, other variables each time

  void fuse(Poll& poll) {
    const std::vector<Label> other(now_.labels().begin(), now_.labels().end());
    for (int k = 0; k < kFusions; ++k) moves_.fuse(best_, other, draws_, poll);
  }

  FactorLabels<Scores> best_, now_;
  Annealing<Scores> annealing_;
  BlockMoves<Scores> moves_;
  SplitMix64 draws_;
};

}  // namespace hedgehop::local
