#pragma once

#include "backends/verdict/shape_buckets.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct problem;

/// A kernel that a dispatcher may call.
struct dispatcher_part {
  std::string name;   ///< for people: "node 7", "the reference"
  std::string source; ///< a whole candidate
};

/// One of the parts computes the shapes in `where`.
struct dispatcher_rule {
  shape_bucket where;
  std::size_t part = 0;
  std::string workload; ///< for people
};

/// Begins every dispatcher's source, after the comment sign.
inline constexpr const char* dispatcher_words = " A dispatcher, put together by ke-runtime ";
inline constexpr const char* dispatcher_mark = "// A dispatcher, put together by ke-runtime ";

/// One candidate for all shapes, as C++ with the problem's C ABI. The first rule that holds chooses the part;
/// if none holds, `fallback` computes. Every part has a namespace of its own, and its macros and compiler
/// options are undone after it; headers come first. The leading comment says which part has which shapes.
///
/// `invalid`, with part and reason, if parts can't live in one source: text that the lexer does not take for
/// C++, includes within declarations or under the part's own conditions, specialisations in std, pragmas and
/// directives with effects on the others. Promises text only: whether it compiles, computes and gains is the
/// judge's to say. Pure.
result<std::string> cpp_dispatcher(const problem& what, const std::vector<dispatcher_part>& parts,
                                   const std::vector<dispatcher_rule>& rules,
                                   const dispatcher_part& fallback);

/// The same for a problem with a function in Python: `kernel` chooses by the extents of its tensors. Every
/// part is a module of its own, made from its text while the source is loaded: names can't clash, and
/// tracebacks and `inspect` find its lines. `invalid` if a dim is not by itself an extent of an input. Pure.
result<std::string> python_dispatcher(const problem& what, const std::vector<dispatcher_part>& parts,
                                      const std::vector<dispatcher_rule>& rules,
                                      const dispatcher_part& fallback);

/// Any text as a literal of Python, a string per line, in parentheses. Bytes that are not UTF-8 become
/// U+FFFD, as when the driver reads a source. Pure.
std::string python_literal(std::string_view text);

/// Which part computes what, as comments that begin with `comment`. Pure.
std::string dispatcher_heading(const std::string& comment, const problem& what,
                               const std::vector<dispatcher_part>& parts,
                               const std::vector<dispatcher_rule>& rules, const dispatcher_part& fallback);
/// Foreign text, made safe within a comment.
std::string comment_text(std::string text);

} // namespace ke
