#pragma once

#include <string>

namespace ke {

struct candidate_language;
struct problem;

/// Whether the problem is one of PyTorch: its reference is called with tensors, and so are candidates.
bool is_python(const problem& p);

/// What an answer to this problem must define: `kernel`, or the class of a KernelBench problem.
std::string symbol_of(const problem& p);

/// The reference as an answer would write it: if any candidate can be right, this one is.
std::string reference_as_candidate(const problem& p);

/// The C prototype for native candidates, e.g.
/// `extern "C" void kernel(const float* x, float* y, int64_t M, int64_t N)`.
std::string native_signature(const problem& p);

/// What a source in this language must define and what it may count on, for the prompt: some sentences.
std::string definition_of(const problem& p, const candidate_language& language);

} // namespace ke
