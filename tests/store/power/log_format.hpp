#pragma once

#include <cstdint>

// What a program did to its files, as power_shim.cpp writes it down and power_loss.hpp plays it back: one
// header after another, each followed by `names` bytes of paths (two paths: with a zero byte between) and
// `bytes` bytes of data.

namespace ke::power {

enum class act : std::uint32_t {
  create,   ///< a file of a name that was free
  folder,   ///< the same for a folder
  resize,   ///< to `offset` bytes
  write,    ///< at `offset`
  sync,     ///< a file's data, or a folder's entries
  rename,   ///< two names
  remove,   ///< a name
  announce, ///< the program says that all before this is safe; `offset` is its number for it
};

struct header {
  act what;
  std::uint32_t names;
  std::uint64_t bytes;
  std::uint64_t file; ///< inode: names a file from its `create` to the next one of the same number
  std::uint64_t offset;
  std::uint32_t durable; ///< of a write: it was synced by itself (O_DSYNC)
  std::uint32_t folder;  ///< of a sync: the entries of a folder
};

} // namespace ke::power
