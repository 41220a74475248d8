#pragma once

#include "backends/device/cuda_api.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
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
  /// By the copy engine, beside whatever runs.
  status read(cuda::address from, void* to, std::size_t bytes);

  /// Outcome as a status: `device`, with what was tried and the driver's words.
  status checked(cuda::outcome code, const char* what) const;

private:
  friend back_on_shelf;
  judge_device(const cuda::api& cu, int number) : cu_{&cu}, number_{number}, chunks_{cu}, marks_{cu} {}
  status open();
  status load();
  status upload(const std::vector<device_chunk>& chunks);
  status launch(cuda::function kernel, std::size_t chunks, void** arguments);

  const cuda::api* cu_;
  int number_;
  cuda::context context_ = nullptr;
  cuda::stream copies_ = nullptr;
  cuda::function nothing_ = nullptr, write_ = nullptr, compare_ = nullptr, gather_ = nullptr,
                 flush_ = nullptr;
  device_buffer chunks_, marks_;
  std::vector<std::unique_ptr<device_buffer>> shelf_; ///< the largest last
  cuda::address cache_ = 0;                           ///< larger than the last-level cache
  std::size_t cache_bytes_ = 0;
};

} // namespace ke
