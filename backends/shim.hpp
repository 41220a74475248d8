#pragma once

#include "runtime/core/problem.hpp"

#include <cstddef>
#include <string>

namespace ke {

/// The text of the harness that is compiled with each native source. It depends on the problem alone (same
/// problem, same bytes):
///   extern "C" void ke_call(void* const* args)
/// args: one pointer per tensor in file order, then a pointer to each scalar (double or int64_t), then one to
/// each dim (int64_t). `widened`: the harness of the truth, whose floating tensors are one size wider (see
/// wide_bytes).
std::string shim_source(const problem& what, bool widened);

/// The declaration that a candidate must define, as a person writes it.
std::string kernel_signature(const problem& what);

/// Included before a reference that is compiled as the truth: standard headers first, then float becomes
/// double, double becomes long double, and the libm names without an overload follow.
std::string widening_header(const problem& what);

/// Bytes of one element, in the candidate's memory and in the truth's.
std::size_t bytes_of(dtype d);
std::size_t wide_bytes(dtype d);
bool is_floating(dtype d);

} // namespace ke
