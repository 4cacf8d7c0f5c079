// SPDX-License-Identifier: BSD-3-Clause
// A list of nodes that grows in the innermost loops of the flow search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "core/matrix.hpp"

namespace hedgehop::flow {

// As a std::vector, but what grows is moved by the system, which need not copy large lists, and room for many
// entries can be had at once, so that they may be written without branches.
class IndexList {
 public:
  IndexList() = default;
  IndexList(const IndexList& from) : IndexList() { *this = from; }
  IndexList(IndexList&& from) noexcept { swap(from); }
  IndexList& operator=(const IndexList& from) {
    if (this != &from) size_ = 0, std::copy_n(from.begin(), from.size_, room(from.size_)), size_ = from.size_;
    return *this;
  }
  IndexList& operator=(IndexList&& from) noexcept {
    swap(from);
    return *this;
  }

  void push_back(Index v) {
    if (size_ == capacity_) [[unlikely]] {
      room(1);
    }
    data_.get()[size_++] = v;
  }

  // Where the next entries go: so many may be written there, of which `take` takes the first ones.
  Index* room(std::size_t count) {
    if (capacity_ - size_ < count) [[unlikely]] {
      move_to(std::max(size_ + count, size_ + size_ / 2 + 64));
    }
    return data_.get() + size_;
  }
  void take(std::size_t count) { size_ += count; }

  // Keeps those entries for which this is true.
  template <class Keep>
  void keep_if(Keep keep) {
    size_ =
        static_cast<std::size_t>(std::remove_if(begin(), end(), [&](Index v) { return !keep(v); }) - begin());
  }

  // Gives back memory, if much of it is empty.
  void shrink() {
    if (capacity_ > size_ + size_ / 4 + 64) move_to(std::max<std::size_t>(size_, 1));
  }

  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  Index operator[](std::size_t i) const { return data_.get()[i]; }

  void swap(IndexList& other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(capacity_, other.capacity_);
  }

 private:
  struct Free {
    void operator()(Index* data) const { std::free(data); }
  };

  Index* begin() const { return data_.get(); }
  Index* end() const { return data_.get() + size_; }

  void move_to(std::size_t capacity) {
    auto* const moved = static_cast<Index*>(std::realloc(data_.get(), capacity * sizeof(Index)));
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(data_.release());
    data_.reset(moved);
    capacity_ = capacity;
  }

  std::unique_ptr<Index[], Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace hedgehop::flow
