#pragma once

#include "runtime/text/source_tokens.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// The language that a backend's candidates are written in, as its backend.toml says: data, never code.
struct candidate_language {
  std::string name;                ///< as tasks and people have it: "c++"
  source_syntax syntax;            ///< how digests, templates and skills read a source
  std::vector<std::string> fences; ///< names of a fenced block in an answer; the first is asked for
  std::vector<std::string> begins; ///< how code begins, for answers without a fence
  std::string suffix;              ///< of a source file, with the dot
  std::string form;                ///< sentences for prompts: how a kernel is written in it; may be empty
  /// The declaration of a kernel with {arguments} in it, where it is not that of the C ABI; else empty.
  std::string prototype;
  std::map<std::string, std::string> types; ///< of elements, by dtype, where they are not those of the C ABI
  bool own_names = false; ///< a candidate says itself how the functions are called that it defines
  std::size_t source_bytes = 256u << 10; ///< of one candidate, at most

  /// Of the blocks that prompts show and ask for.
  const std::string& fence() const { return fences.empty() ? name : fences.front(); }
};

} // namespace ke
