// SPDX-License-Identifier: BSD-3-Clause
// Score tables end to end, equal ones kept once: many models repeat a few tables on all their edges.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "core/matrix.hpp"

namespace hedgehop::scores {

// Where each table begins among those that are kept, and where these begin in `flat`.
struct DistinctTables {
  std::vector<std::int64_t> offsets;       // of each table
  std::vector<std::int64_t> begins, ends;  // in `flat`, of those that are kept
};

template <class Real>
class TableFinder {
 public:
  explicit TableFinder(std::span<const Real> flat) : flat_(flat) {}

  // Stops to look for equal tables if most of the first ones differ.
  DistinctTables find(std::span<const std::int64_t> sizes) {
    DistinctTables found;
    std::int64_t begin = 0, room = 0;
    for (std::size_t e = 0; e < sizes.size(); ++e) {
      const Place place{begin, begin + sizes[e], room};
      begin = place.end;
      if (e < kLookedAt || 2 * known_.size() < kLookedAt) {
        const auto [at, is_new] = known_.insert(place);
        found.offsets.push_back(at->offset);
        if (!is_new) continue;
      } else {
        found.offsets.push_back(room);
      }
      found.begins.push_back(place.begin), found.ends.push_back(place.end);
      room += sizes[e];
    }
    return found;
  }

 private:
  static constexpr std::size_t kLookedAt = 1024;

  struct Place {
    std::int64_t begin, end;  // in `flat`
    std::int64_t offset;      // among those that are kept
  };

  std::span<const Real> table(const Place& p) const {
    return flat_.subspan(index(p.begin), index(p.end - p.begin));
  }

  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;

  std::size_t hash(const Place& p) const {
    std::uint64_t mixed = index(p.end - p.begin);
    for (const Real x : table(p)) {
      mixed = (mixed ^ std::bit_cast<Bits>(x + Real{0})) * 0x9E3779B97F4A7C15u;  // -0 + 0 is 0
      mixed ^= mixed >> 32;
    }
    return mixed;
  }
  struct Hash {
    const TableFinder* finder;
    std::size_t operator()(const Place& p) const { return finder->hash(p); }
  };
  struct Equal {
    const TableFinder* finder;
    bool operator()(const Place& a, const Place& b) const {
      return std::ranges::equal(finder->table(a), finder->table(b));
    }
  };

  std::span<const Real> flat_;
  std::unordered_set<Place, Hash, Equal> known_{0, Hash{this}, Equal{this}};
};

}  // namespace hedgehop::scores
