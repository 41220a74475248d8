// libke-arena-pool.so: where PyTorch's allocator takes a candidate's memory from in a driver of Python on a device
// (backends/torch-cuda/cuda_device.py): the second part of the judge's arena, so that results need no copy, and from the
// device itself once that is full. It lives beside the candidate and is not trusted: the judge checks where results lie.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>

namespace {

constexpr std::uint64_t step = 512; ///< bytes: what PyTorch expects of an address

struct pool {
  std::mutex mutex;
  std::uint64_t base = 0, bytes = 0;
  std::map<std::uint64_t, std::uint64_t> free; ///< begin and bytes, no two of them side by side
  int (*allocate)(unsigned long long*, std::size_t) = nullptr;
  int (*release)(unsigned long long) = nullptr;

  bool holds(std::uint64_t address) const { return address >= base && address - base < bytes; }
};

/// Never destroyed: allocators free late.
pool& the_pool() {
  static auto* one = new pool;
  return *one;
}

std::uint64_t rounded(std::size_t bytes) {
  return (bytes + step - 1) / step * step;
}

} // namespace

extern "C" {

/// Once, before the first allocation: the part of the arena that may be given away.
void ke_arena_pool(unsigned long long base, unsigned long long bytes) {
  auto& p = the_pool();
  std::lock_guard lock{p.mutex};
  p.base = base;
  p.bytes = bytes;
  p.free = {{base, bytes}};
  const char* name = std::getenv("KE_LIBCUDA");
  if (void* library = dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL)) {
    p.allocate = reinterpret_cast<int (*)(unsigned long long*, std::size_t)>(dlsym(library, "cuMemAlloc_v2"));
    p.release = reinterpret_cast<int (*)(unsigned long long)>(dlsym(library, "cuMemFree_v2"));
  }
}

/// The first place with room. Null: neither here nor on the device.
void* ke_arena_malloc(std::size_t bytes, int, void*) {
  auto& p = the_pool();
  auto size = rounded(bytes);
  {
    std::lock_guard lock{p.mutex};
    for (auto at = p.free.begin(); at != p.free.end(); ++at) {
      auto [begin, room] = *at;
      if (room < size)
        continue;
      p.free.erase(at);
      if (room > size)
        p.free.emplace(begin + size, room - size);
      return reinterpret_cast<void*>(begin);
    }
  }
  unsigned long long made = 0;
  return p.allocate && p.allocate(&made, bytes) == 0 ? reinterpret_cast<void*>(made) : nullptr;
}

void ke_arena_free(void* address, std::size_t bytes, int, void*) {
  auto& p = the_pool();
  auto begin = reinterpret_cast<std::uint64_t>(address);
  if (!p.holds(begin)) {
    if (p.release)
      p.release(begin);
    return;
  }
  std::lock_guard lock{p.mutex};
  auto [at, fresh] = p.free.emplace(begin, rounded(bytes));
  if (auto next = std::next(at); next != p.free.end() && begin + at->second == next->first) {
    at->second += next->second;
    p.free.erase(next);
  }
  if (at != p.free.begin())
    if (auto before = std::prev(at); before->first + before->second == begin) {
      before->second += at->second;
      p.free.erase(at);
    }
}
}
