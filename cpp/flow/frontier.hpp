// SPDX-License-Identifier: BSD-3-Clause
// What a forest of the flow search has to do next: nodes to scan, by the level of the frontier, and orphans
// to place, by level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "flow/storage.hpp"

namespace hedgehop::flow {

inline constexpr Index no_level = std::numeric_limits<Index>::max();

// One list a level, linked through the nodes; -1 ends a list.
class OrphanLists {
 public:
  // Returns what the node must link to.
  Index insert(Index v, Index level) {
    if (static_cast<std::size_t>(level) >= first_.size()) {
      first_.resize(2 * static_cast<std::size_t>(level) + 64, -1);
    }
    lowest_ = std::min(lowest_, level);
    highest_ = std::max(highest_, level);
    return std::exchange(first_[static_cast<std::size_t>(level)], v);
  }

  Index lowest() const { return lowest_; }  // nothing is listed outside of [lowest, highest]
  Index highest() const { return highest_; }
  Index first(Index level) const { return first_[static_cast<std::size_t>(level)]; }
  void set_first(Index level, Index v) { first_[static_cast<std::size_t>(level)] = v; }

  void forget() { lowest_ = no_level, highest_ = -1; }  // all lists are empty

  void clear() {
    forget();
    first_.assign(64, -1);
  }

  std::size_t capacity() const { return first_.capacity(); }

 private:
  Index lowest_ = no_level, highest_ = -1;
  std::vector<Index> first_;
};

struct Forest {
  Index level = 1;       // of the frontier: lower nodes are scanned
  Index limit = 1;       // highest level a node may have
  bool pending = false;  // the frontier holds nodes that an update put there
  bool carry = false;    // the same for the frontier being scanned: a node relabelled now stays pending
  std::vector<Index> front, next;  // nodes of the frontier level and one above; stale if their level differs
  OrphanLists orphans;

  void clear() {
    level = limit = 1;
    pending = carry = false;
    front.clear();
    next.clear();
    orphans.clear();
  }

  // v has just got this level: it needs scanning unless the level is a scanned one.
  void enqueue(Index v, Index new_level) {
    if (new_level == level) {
      front.push_back(v);
    } else if (new_level == level + 1) {
      next.push_back(v);
    }
  }

  std::size_t entries() const { return front.capacity() + next.capacity() + orphans.capacity(); }
};

}  // namespace hedgehop::flow
