// SPDX-License-Identifier: BSD-3-Clause
// A large table of zeros of which few entries are used: the system maps its memory as it is touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace hedgehop {

template <class T>
class Zeroed {
  static_assert(std::is_trivial_v<T>);

 public:
  Zeroed() = default;

  explicit Zeroed(std::size_t size) : size_(size) {
    if (size == 0) return;
    data_.reset(static_cast<T*>(std::calloc(size, sizeof(T))));
    if (!data_) throw std::bad_alloc();
  }

  std::size_t size() const { return size_; }
  T* data() const { return data_.get(); }
  T& operator[](std::size_t k) { return data_.get()[k]; }
  const T& operator[](std::size_t k) const { return data_.get()[k]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace hedgehop
