#pragma once

#include "runtime/core/image.hpp"

#include <sys/mman.h>

#include <algorithm>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace ke {

/// A growing array whose elements never move: a million rows must not exist twice while a vector doubles.
/// Indices are stable; growth costs one allocation per `chunk` elements.
///
/// Chunks of 2 MiB or more lie on huge pages if the kernel gives them. A walk to the root of a large tree
/// misses the cache at each step; with 4 KiB pages it would miss the TLB, too. The first chunk keeps small
/// pages until there is a second one, so that a small tree stays small.
template <class T, std::size_t chunk = 4096>
class chunked {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / chunk].get()[i % chunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / chunk].get()[i % chunk]; }
  T& back() { return (*this)[size_ - 1]; }

  T& push_back(T value) {
    if (size_ % chunk == 0)
      chunks_.push_back(allocate());
    return *new (&(*this)[size_++]) T(std::move(value));
  }
  void resize(std::size_t n, const T& fill = {}) {
    while (size_ < n)
      push_back(fill);
  }

  std::size_t bytes() const { ///< that were touched: the rest of the last chunk is address space only
    return size_ * sizeof(T) + chunks_.capacity() * sizeof(void*);
  }
  void save(image_writer& out) const {
    out.value<std::uint64_t>(size_);
    for (std::size_t i = 0; i < size_; i += chunk)
      out.values(chunks_[i / chunk].get(), std::min(chunk, size_ - i));
  }
  void load(image_reader& in) { ///< in place of what was here
    chunks_.clear();
    size_ = 0;
    auto count = in.value<std::uint64_t>();
    if (count > in.left() / sizeof(T))
      return in.fail();
    for (; size_ < count; size_ += std::min<std::size_t>(chunk, count - size_)) {
      chunks_.push_back(allocate());
      in.values(chunks_.back().get(), std::min<std::size_t>(chunk, count - size_));
    }
  }
  /// The memory of element i will soon be read.
  void prefetch(std::size_t i) const { __builtin_prefetch(chunks_[i / chunk].get() + i % chunk); }

private:
  struct release {
    void operator()(T* p) const { std::free(p); }
  };
  using chunk_pointer = std::unique_ptr<T, release>;
  static constexpr std::size_t huge_page = 2 << 20, bytes_each = chunk * sizeof(T);
  static constexpr bool is_large = bytes_each >= huge_page && bytes_each % huge_page == 0;

  chunk_pointer allocate() {
    constexpr auto alignment = is_large ? huge_page : alignof(T) > 16 ? alignof(T) : 16;
    constexpr auto size = (bytes_each + alignment - 1) / alignment * alignment;
    auto p = static_cast<T*>(std::aligned_alloc(alignment, size));
    if (!p)
      throw std::bad_alloc{};
    if (is_large && !chunks_.empty()) { // advice only: where it is refused, small pages do
      if (chunks_.size() == 1)
        (void)madvise(chunks_[0].get(), size, MADV_HUGEPAGE);
      (void)madvise(p, size, MADV_HUGEPAGE);
    }
    return chunk_pointer{p};
  }

  std::vector<chunk_pointer> chunks_;
  std::size_t size_ = 0;
};

} // namespace ke
