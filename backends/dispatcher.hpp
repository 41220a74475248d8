#pragma once

#include "backends/shape_buckets.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A kernel that a dispatcher may call.
struct dispatcher_part {
  std::string name;   ///< for people: "node 7", "the reference"
  std::string source; ///< a whole candidate
};

/// Shapes in `where` are computed by one of the parts.
struct dispatcher_rule {
  shape_bucket where;
  std::size_t part = 0;
  std::string workload; ///< for people
};

/// Begins every dispatcher's source, behind what begins a comment.
inline constexpr const char* dispatcher_words = " A dispatcher, put together by ke-runtime ";
inline constexpr const char* dispatcher_mark = "// A dispatcher, put together by ke-runtime ";

/// One candidate for all shapes, as C++ with the problem's C ABI: the first rule that holds chooses the
/// part, and where none does `fallback` computes. Every part stands in a namespace of its own with its
/// macros and compiler options taken back after it; headers stand before all. The comment that it begins with
/// says which part has which shapes.
///
/// `invalid`, with the part and the reason, where parts can't live in one source: what is not C++ text as
/// the lexer understands it, includes within declarations or by the part's own conditions, specialisations
/// in std, pragmas and directives that would act on the others. It promises no more than text: whether the
/// whole compiles, computes and gains, the judge says as of any candidate. Pure.
result<std::string> cpp_dispatcher(const problem& what, const std::vector<dispatcher_part>& parts,
                                   const std::vector<dispatcher_rule>& rules,
                                   const dispatcher_part& fallback);

/// The same for a problem with a function in Python: a source whose `kernel` chooses by the extents of its
/// tensors. Every part is a module of its own, made from its text while the source is loaded, so no names can
/// clash, and tracebacks and `inspect` find its lines. `invalid` where a dim is no extent of an input by
/// itself, for then nothing tells it. Pure.
result<std::string> python_dispatcher(const problem& what, const std::vector<dispatcher_part>& parts,
                                      const std::vector<dispatcher_rule>& rules,
                                      const dispatcher_part& fallback);

/// A text as a literal of Python, whatever it holds; bytes that are not UTF-8 become U+FFFD, as the driver
/// reads a source. A string per line, in parentheses. Pure.
std::string python_literal(std::string_view text);

/// Who computes what, as comments that begin with `comment`. Pure.
std::string dispatcher_heading(const std::string& comment, const problem& what,
                               const std::vector<dispatcher_part>& parts,
                               const std::vector<dispatcher_rule>& rules, const dispatcher_part& fallback);
/// Text of others within a comment.
std::string comment_text(std::string text);

} // namespace ke
