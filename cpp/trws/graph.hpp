// SPDX-License-Identifier: BSD-3-Clause
// What the TRW-S kernels see: plain pointers, so that a file compiled for one instruction set includes
// nothing whose code could leak into files compiled for another.
//
// Positions: variables renumbered by wavefront level (trws/schedule.hpp). Edge e joins a lower and a higher
// position; edges are sorted by their lower end, so that those leading up from i are up[i] .. up[i + 1];
// those leading down are listed in down_edge. Each edge has ONE slot of `slot` values: before a position is
// visited in a sweep the slot holds the message into it, afterwards the message into the other end.
#pragma once

#include <cstdint>

namespace hedgehop::trws {

struct Graph {
  std::int32_t n_labels = 0;             // the most that any variable has
  std::int32_t slot = 0;                 // n_labels rounded up to whole vectors (slot_size, trws/solver.hpp)
  const std::int32_t* scores = nullptr;  // n x slot, each row's best is 0
  std::int32_t* messages = nullptr;      // E x slot, all <= 0
  const std::int32_t* strengths = nullptr;    // E, Potts; null for tables
  const std::int32_t* tables = nullptr;       // T x slot x slot
  const std::int32_t* table_up = nullptr;     // E, the table whose row is the label of the lower end
  const std::int32_t* table_down = nullptr;   // E, its transpose
  const std::int32_t* counts = nullptr;       // n, labels of each position; null if all have n_labels
  const std::int32_t* up = nullptr;           // n + 1
  const std::int32_t* up_node = nullptr;      // E
  const std::int32_t* down = nullptr;         // n + 1
  const std::int32_t* down_edge = nullptr;    // E
  const std::int32_t* down_node = nullptr;    // E
  const float* share = nullptr;               // n, a little less than 1 / chains through the position
  const std::int32_t* variable_of = nullptr;  // n, the caller's index of a position
  std::int32_t* decoded[2] = {};              // n each: labels found by a reporting sweep forward, backward
  const std::int32_t* floors = nullptr;       // n, see trws/fixed_point.hpp; null: beliefs as they are
  float* beliefs = nullptr;                   // n x n_labels in the caller's order, or null
  std::uint8_t* close = nullptr;              // the same: whether a belief is at least `least`, or null
  float least = 0.0F;
  std::int32_t* excess = nullptr;  // n, by which rounding a portion raised the bound; or null
  float never = 0.0F;              // what beliefs say of labels at the floor: -infinity
  float unit = 1.0F;               // one step of the fixed point, for the beliefs
};

enum class Pass : std::int32_t { forward, backward, report_forward, report_backward };

// One instruction set's kernels. Both work on positions [first, last).
struct Kernel {
  // Returns the bound's share of these positions and of the edges they send through (0 unless reporting).
  std::int64_t (*sweep)(const Graph& graph, std::int32_t first, std::int32_t last, Pass how);
  // Gives each stale position its best label given its neighbours'; neighbours of a change become stale.
  // Returns the gain.
  std::int64_t (*polish)(const Graph& graph, std::int32_t first, std::int32_t last, std::int32_t* labels,
                         std::uint8_t* stale);
  std::int32_t lanes;
};

inline constexpr std::int32_t kMostLabels = 4096;  // rows of the kernels live on the stack

namespace baseline {
extern const Kernel kernel;
}
namespace avx2 {
extern const Kernel kernel;
}
namespace avx512 {
extern const Kernel kernel;
}

}  // namespace hedgehop::trws
