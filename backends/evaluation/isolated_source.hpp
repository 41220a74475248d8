#pragma once

#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A C++ candidate, made ready to share one source with others.
struct isolated_source {
  /// Its #include lines; with those of conditions, if any depends on one.
  std::vector<std::string> headers;
  bool conditional = false; ///< `headers` hold conditions: use them whole and in this order
  std::string body;         ///< the rest in a namespace, its macros and options undone at the end
};

/// `name` becomes the namespace; the function `kernel` becomes NAME_kernel in it. `invalid`, with the reason,
/// if it cannot be taken apart safely. Pure; O(text).
result<isolated_source> isolate_cpp(std::string_view source, const std::string& name);

} // namespace ke
