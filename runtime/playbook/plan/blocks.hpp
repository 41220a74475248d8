#pragma once

#include "runtime/playbook/read/normalize.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ke::playbook {

/// A kernel with one nest of independent loops around one assignment. One loop is contiguous on the left
/// side, another one on the right: a transposition, with any elementwise work on top.
struct transposition {
  std::vector<const stmt*> loops; ///< outermost first
  std::size_t reads = 0;          ///< the loop contiguous in reads
  std::size_t writes = 0;         ///< the loop contiguous in writes
  const stmt* body = nullptr;
};

std::optional<transposition> find_transposition(const understood_kernel& u);

/// Square blocks of `edge`; `group` blocks side by side per step of a thread. `prefetch`: asks for the next
/// block's rows while this one is read.
std::string emit_transposition(const understood_kernel& u, const transposition& t, std::int64_t threads,
                               std::int64_t edge, std::int64_t group, bool prefetch);

} // namespace ke::playbook
