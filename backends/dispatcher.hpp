#pragma once

#include "backends/shape_buckets.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <string>
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

/// Begins every dispatcher's source.
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

} // namespace ke
