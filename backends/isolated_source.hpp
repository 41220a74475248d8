#pragma once

#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A C++ candidate made ready to stand in one source with others.
struct isolated_source {
  std::vector<std::string>
      headers;              ///< its #include lines; with those of conditions, where any depends on one
  bool conditional = false; ///< `headers` hold conditions: whole and in this order, or not at all
  std::string body; ///< the rest, in a namespace, with the macros and options that it sets taken back behind
};

/// `name` becomes the namespace; the function `kernel` is called NAME_kernel in it. What cannot be taken
/// apart safely is `invalid`; the text says why. Pure; cost O(text).
result<isolated_source> isolate_cpp(std::string_view source, const std::string& name);

} // namespace ke
