// SPDX-License-Identifier: BSD-3-Clause
// What all parts of the maximum flow share: index types, the two sides, and memory for millions of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hedgehop::flow {

using Index = std::int32_t;  // a node
using Total = std::int64_t;  // a sum over all nodes

enum Side : int { source = 0, sink = 1 };

constexpr Side other(Side side) {
  return side == source ? sink : source;
}

// Levels, and with them differences of levels, stay within int32.
inline constexpr std::size_t max_nodes = std::size_t{1} << 30;
// A terminal larger than the capacities around its node is as good as infinite; these leave room for sums.
template <class Cap>
inline constexpr Cap hard_terminal = sizeof(Cap) == 4 ? Cap{1} << 28 : static_cast<Cap>(1LL << 40);

inline Index checked_nodes(std::size_t n) {
  if (n > max_nodes) throw std::length_error("a flow has at most 2^30 nodes; got " + std::to_string(n));
  return static_cast<Index>(n);
}

inline void prefetch([[maybe_unused]] const void* address) {
#ifdef __GNUC__
  __builtin_prefetch(address);
#endif
}

// An array that is not written before its builder does (that would cost 10-20 % of a build), on huge pages
// where the system grants them: a search visits records in no order that a page table could follow.
template <class T>
class Storage {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Storage() = default;
  explicit Storage(std::size_t size) : size_(size), data_(std::make_unique_for_overwrite<Block[]>(blocks())) {
    advise();
  }

  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* data() { return reinterpret_cast<T*>(data_.get()); }
  const T* data() const { return reinterpret_cast<const T*>(data_.get()); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };

  std::size_t blocks() const { return (bytes() + sizeof(Block) - 1) / sizeof(Block); }

  void advise() {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21, enough = 4 * page;  // small arrays gain nothing
    const auto begin = reinterpret_cast<std::uintptr_t>(data_.get()), end = begin + bytes();
    const auto first = (begin + page - 1) / page * page, last = end / page * page;
    if (first + enough < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
  }

  std::size_t size_ = 0;
  std::unique_ptr<Block[]> data_;
};

}  // namespace hedgehop::flow
