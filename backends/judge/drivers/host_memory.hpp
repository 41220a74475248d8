#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

#include <cstddef>

namespace ke {

/// An arena in this host's memory: a file in memory that no side can shrink, mapped here. A process that
/// inherits `descriptor` maps it as well. Owns both. Moves.
class host_memory {
public:
  static result<host_memory> make(std::size_t bytes);
  host_memory(host_memory&& other) noexcept;
  host_memory& operator=(host_memory&&) = delete;
  ~host_memory();

  int descriptor() const { return file_.get(); }
  std::byte* begin() const { return mapped_; }
  std::size_t size() const { return size_; }

private:
  host_memory() = default;
  unique_fd file_;
  std::byte* mapped_ = nullptr;
  std::size_t size_ = 0;
};

/// Out of every cache of the machine, so that a timed call finds these bytes cold.
void evict(const std::byte* from, std::size_t bytes);

} // namespace ke
