#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>

namespace ke {

/// The head of a data.mdb, read without LMDB, which aborts, faults or silently starts anew on cut or
/// overwritten files.
struct data_file_facts {
  std::uint64_t bytes = 0;     ///< length of the file; 0 if absent
  std::int64_t changed_ns = 0; ///< time of its last change
  std::uint32_t page_bytes = 0;
  std::uint64_t last_page = 0;   ///< by the newer meta page
  std::uint64_t transaction = 0; ///< of the newer meta page
  bool too_short() const { return bytes < (last_page + 1) * page_bytes; }
};

/// `corrupt`, saying what is damaged, unless both meta pages are valid. An absent or empty file gives bytes =
/// 0. A short file is no failure here: its meaning depends on how the store was closed.
result<data_file_facts> inspect_data_file(const std::string& path);

} // namespace ke
