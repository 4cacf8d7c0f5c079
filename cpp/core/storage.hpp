// SPDX-License-Identifier: BSD-3-Clause
// Memory for millions of records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hedgehop {

// An array that is not written before its builder does (that would cost 10-20 % of a flow's build). It begins
// at a multiple of 64 bytes, as vectors like it, and asks for huge pages: sweeps stream through all of it,
// and searches visit records in no order that a page table could follow.
template <class T>
class Storage {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Storage() = default;
  explicit Storage(std::size_t size) : size_(size), data_(std::make_unique_for_overwrite<Block[]>(blocks())) {
    advise();
  }
  Storage(std::size_t size, T value) : Storage(size) { std::fill(begin(), end(), value); }
  Storage(const Storage& from) : Storage(from.size_) { std::copy_n(from.data(), size_, data()); }
  Storage(Storage&&) = default;
  Storage& operator=(Storage&&) = default;

  T* begin() { return data(); }
  T* end() { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* data() { return reinterpret_cast<T*>(data_.get()); }
  const T* data() const { return reinterpret_cast<const T*>(data_.get()); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };

  std::size_t blocks() const { return (bytes() + sizeof(Block) - 1) / sizeof(Block); }

  void advise() {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto begin = reinterpret_cast<std::uintptr_t>(data_.get()), end = begin + bytes();
    const auto first = (begin + page - 1) / page * page, last = end / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
  }

  std::size_t size_ = 0;
  std::unique_ptr<Block[]> data_;
};

}  // namespace hedgehop
