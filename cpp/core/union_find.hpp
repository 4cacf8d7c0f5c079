// SPDX-License-Identifier: BSD-3-Clause
// Disjoint sets: union by size, find with path halving (Tarjan 1975). O(alpha(n)) a call.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace hedgehop {

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n), size_(n, 1) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  // Whether a and b were apart before.
  bool unite(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    if (a == b) return false;
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
    return true;
  }

 private:
  std::vector<std::size_t> parent_, size_;
};

}  // namespace hedgehop
