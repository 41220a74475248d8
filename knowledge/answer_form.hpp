#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/source_tokens.hpp"

#include <string>

namespace ke {

/// The language in which candidates are read: the reference's.
source_language language_of(const problem& p);

/// Whether candidates are Python.
bool is_python(const problem& p);

/// What an answer to this problem must have: the language of its fence ("cpp", "python"), and the name that
/// its source defines (`kernel`, or the class of a KernelBench problem).
struct answer_form {
  std::string language;
  std::string symbol;
};
answer_form answer_form_of(const problem& p);

/// The reference as an answer would write it: if any candidate can be right, this one is.
std::string reference_as_candidate(const problem& p);

/// The C prototype for native candidates, e.g.
/// `extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N)`.
std::string native_signature(const problem& p);

/// What the source must define and may rely on, in some sentences for the prompt.
std::string definition_of(const problem& p);

} // namespace ke
