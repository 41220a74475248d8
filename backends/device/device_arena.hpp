#pragma once

#include "backends/device/judge_device.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ke {

/// Memory of a device that one driver process inherits, and the judge's own copy of what it wrote there, which is
/// never exported. Writes are collected and happen in `settle`; of two to the same place the later one holds.
/// Offsets and sizes in bytes. One thread.
class device_arena {
public:
  /// `bytes` that the judge writes and keeps a copy of, and `pool` bytes behind them for what the process makes there.
  /// `device` if there is no room for that.
  static result<std::unique_ptr<device_arena>> make(judge_device& device, std::size_t bytes,
                                                    std::size_t pool = 0);
  ~device_arena();
  device_arena(const device_arena&) = delete;

  /// What a process inherits to map it.
  int descriptor() const { return descriptor_.get(); }
  std::size_t size() const { return size_; }
  /// Of its first part, which the judge writes.
  std::size_t judged() const { return judged_; }

  /// A place to write to now: `bytes` that `settle` brings to `offset`.
  result<char*> place(std::uint64_t offset, std::size_t bytes);
  status write(std::uint64_t offset, const char* from, std::size_t bytes);
  /// `bytes` at `offset` become elements of a pool (of `size` bytes each), which `key` picks, in `settle`. Several stand
  /// together: what was written before the first lies below them, what is written after it above.
  status mix(std::uint64_t offset, std::size_t bytes, const device_memory& pool, std::size_t size,
             std::uint64_t key);
  /// All writes so far lie there when this returns.
  status settle();

  struct range {
    std::uint64_t offset;
    std::size_t bytes;
  };
  /// Whether each range still holds what was written there. Settled.
  result<std::vector<bool>> unchanged(std::span<const range> ranges);
  /// Copies ranges to the host, `to[i]` for `from[i]`, by the judge's kernels.
  status copy_out(std::span<const range> from, std::span<char* const> to);
  /// Copies ranges to memory of the judge, `places[i]` for `from[i]`.
  status copy_out(std::span<const range> from, const device_memory& to, std::span<const std::size_t> places);
  /// Fills a range of the second part with a byte; done after the next `settle` or fence.
  status soil(std::uint64_t offset, std::size_t bytes, unsigned char with);
  /// By the copy engine, beside what runs.
  status read(std::uint64_t offset, void* to, std::size_t bytes);

private:
  explicit device_arena(judge_device& device) : device_{device} {}
  status open(std::size_t bytes, std::size_t pool);
  /// Numbers of rounds, so that overlapping writes happen one after another, and the writes in each.
  std::vector<std::vector<device_chunk>> in_rounds() const;

  judge_device& device_;
  unique_fd descriptor_;
  cuda::allocation handle_ = 0;
  cuda::address arena_ = 0, copy_ = 0;
  std::size_t size_ = 0, judged_ = 0;
  lent_buffer staged_;      ///< while writes are not yet settled
  std::size_t waiting_ = 0; ///< staged bytes of them; each as far from 16 as its place
  std::vector<device_chunk> writes_;
  std::vector<device_mix> mixes_;
};

} // namespace ke
