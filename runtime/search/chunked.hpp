#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ke {

/// A growing array whose elements never move: a million rows must not exist twice while a vector doubles.
/// Indices are stable; growth costs one allocation per `chunk` elements.
template <class T, std::size_t chunk = 4096>
class chunked {
public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / chunk][i % chunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / chunk][i % chunk]; }
  T& back() { return (*this)[size_ - 1]; }

  T& push_back(T value) {
    if (size_ % chunk == 0)
      chunks_.push_back(std::make_unique<T[]>(chunk));
    ++size_;
    return back() = std::move(value);
  }
  void resize(std::size_t n, const T& fill = {}) {
    while (size_ < n)
      push_back(fill);
  }

  std::size_t bytes() const {
    return chunks_.size() * chunk * sizeof(T) + chunks_.capacity() * sizeof(void*);
  }

private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

} // namespace ke
