#pragma once

#include "backends/device/cuda_api.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace ke {

/// A piece of work of the judge's kernels: `bytes` in the arena at `at`, at most `most_chunk`, and where they are
/// in the buffer beside it. The layout of judge_kernels.cu.
struct device_chunk {
  std::uint64_t at = 0, other = 0;
  std::uint32_t bytes = 0;
  std::uint32_t mark = 0; ///< of whom a comparison speaks
};
inline constexpr std::size_t most_chunk = 64u << 10;

/// A part of a tensor that gets elements of a pool, which a key picks: at most `most_chunk` bytes in the arena at `at`.
/// The layout of judge_kernels.cu.
struct device_mix {
  std::uint64_t at = 0;
  cuda::address pool = 0;
  std::uint64_t key = 0;
  std::uint32_t first = 0; ///< element of its tensor
  std::uint32_t elements = 0;
  std::uint32_t choices = 0; ///< elements of the pool
  std::uint32_t size = 0;    ///< bytes of an element: 1, 2, 4, 8
};

/// How elements are compared: by their bytes, or as numbers.
enum class device_number : std::uint32_t { bytes, f32, f16, bf16, f64 };

/// Parts of two results, and what they may differ by. The layout of judge_kernels.cu.
struct device_compared {
  cuda::address a = 0, b = 0;
  std::uint32_t elements = 0; ///< of `bytes`: bytes
  std::uint32_t mark = 0;     ///< of whom the comparison speaks
  device_number form = device_number::bytes;
  std::uint32_t larger = 0; ///< |b - a| is at most the larger of both bounds; 0: their sum
  double relative = 0, absolute = 0;
};

/// Memory of a device that the judge alone has.
class device_memory {
public:
  device_memory(const cuda::api& cu, cuda::address at, std::size_t bytes)
      : cu_{&cu}, at_{at}, bytes_{bytes} {}
  ~device_memory() { (void)cu_->memory_free(at_); }
  device_memory(const device_memory&) = delete;
  cuda::address at() const { return at_; }
  std::size_t bytes() const { return bytes_; }

private:
  const cuda::api* cu_;
  cuda::address at_;
  std::size_t bytes_;
};

/// Memory of the device and a pinned buffer of the host that grow as asked, and keep what they have.
class device_buffer {
public:
  explicit device_buffer(const cuda::api& cu) : cu_{&cu} {}
  ~device_buffer();
  device_buffer(const device_buffer&) = delete;
  /// At least so many bytes, of which the first `kept` on the host stay what they are. `device` if there is no room.
  status hold(std::size_t bytes, std::size_t kept = 0);
  cuda::address on_device() const { return device_; }
  char* on_host() const { return host_; }
  std::size_t bytes() const { return bytes_; }

private:
  void drop();
  status take(std::size_t bytes);
  const cuda::api* cu_;
  cuda::address device_ = 0;
  char* host_ = nullptr;
  std::size_t bytes_ = 0;
};

class judge_device;

/// Puts a buffer back on its device's shelf.
struct back_on_shelf {
  judge_device* device = nullptr;
  void operator()(device_buffer* lent) const;
};
using lent_buffer = std::unique_ptr<device_buffer, back_on_shelf>;

/// The judge's own context on a device, with its kernels. One a process, used by one thread; never in the
/// process of a candidate. All functions block until the device has ended them, spinning.
class judge_device {
public:
  /// The context on this device (its number for the driver library), made once and kept. `missing` or
  /// `device`, in words, if it can't be had.
  static result<judge_device*> of(int number);

  const cuda::api& cu() const { return *cu_; }
  int number() const { return number_; }
  /// An empty kernel and a wait, in ns: what ran on the device before it is waited for.
  double fence();
  /// Bytes of the device's memory that nobody has taken.
  std::size_t free_bytes() const;
  /// The largest buffer that nobody has at the moment. Pinned memory costs half a second a gigabyte, so it is
  /// kept when a process ends, for the next one. The device outlives what it lends.
  lent_buffer borrow();
  /// Every line of the last-level cache gets other contents.
  status flush(std::uint32_t key);
  /// From the buffer's host side: the first `bytes` go to the device, then these chunks into arena and copy.
  status write(device_buffer& staged, std::size_t bytes, const std::vector<device_chunk>& chunks,
               cuda::address arena, cuda::address copy);
  /// One entry for each mark below `marks`: whether arena and copy hold the same in its chunks.
  result<std::vector<bool>> compare(const std::vector<device_chunk>& chunks, std::size_t marks,
                                    cuda::address arena, cuda::address copy);
  /// Out of the arena, to the buffer's host side.
  status gather(device_buffer& to, std::size_t bytes, const std::vector<device_chunk>& chunks,
                cuda::address arena);
  /// `device` if there is no room.
  result<std::unique_ptr<device_memory>> take(std::size_t bytes);
  /// The same, with these bytes in it.
  result<std::unique_ptr<device_memory>> take(std::string_view bytes);
  /// Into arena and copy.
  status mix(const std::vector<device_mix>& parts, cuda::address arena, cuda::address copy);
  /// Out of the arena, to memory of the judge.
  status gather(const device_memory& to, const std::vector<device_chunk>& chunks, cuda::address arena);
  /// One entry for each mark below `marks`: whether all its parts are near each other. A false one may be wrong where
  /// bounds are nearly reached, and where numbers are not finite.
  result<std::vector<bool>> agree(const std::vector<device_compared>& parts, std::size_t marks);
  /// By the copy engine, beside whatever runs.
  status read(cuda::address from, void* to, std::size_t bytes);

  /// Outcome as a status: `device`, with what was tried and the driver's words.
  status checked(cuda::outcome code, const char* what) const;

private:
  friend back_on_shelf;
  judge_device(const cuda::api& cu, int number) : cu_{&cu}, number_{number}, chunks_{cu}, marks_{cu} {}
  status open();
  status load();
  /// Chunks, or what another kernel works on, to where it finds them.
  template <class Part>
  status upload(const std::vector<Part>& list);
  /// Done once the device has been waited for.
  status begin_gather(cuda::address to, const std::vector<device_chunk>& chunks, cuda::address arena);
  /// Zeros for so many marks, and what a kernel has made of them.
  status clear_marks(std::size_t marks);
  result<std::vector<bool>> unmarked(std::size_t marks);
  status launch(cuda::function kernel, std::size_t chunks, void** arguments);

  const cuda::api* cu_;
  int number_;
  cuda::context context_ = nullptr;
  cuda::stream copies_ = nullptr;
  cuda::function nothing_ = nullptr, write_ = nullptr, compare_ = nullptr, gather_ = nullptr,
                 flush_ = nullptr, mix_ = nullptr, agree_ = nullptr;
  device_buffer chunks_, marks_;
  std::vector<std::unique_ptr<device_buffer>> shelf_; ///< the largest last
  cuda::address cache_ = 0;                           ///< larger than the last-level cache
  std::size_t cache_bytes_ = 0;
};

} // namespace ke
