#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace ke {

enum class dtype : std::uint8_t;
struct problem;

/// How a native reference becomes the truth. `all_but_bf16`: tensors in bf16, and the reference's own values
/// in it, stay 16 bits; for references that do not compile, or make no sense, in `all`.
enum class widening : std::uint8_t { none, all, all_but_bf16 };

/// The first to try: `all` for a reference that uses the bf16 helpers of ke.h, else `all_but_bf16`; the same
/// if no tensor is in bf16.
widening widest_form(const problem& what);

/// The harness compiled with each native source: harness/ke_shim.cpp, filled. Depends on the problem alone (same
/// problem, same bytes):
///   extern "C" void ke_call(void* const* args)
/// args: one pointer per tensor in file order, then one to each scalar (double or int64_t), then one to each
/// dim (int64_t). `as`: for the truth, whose floating tensors are wider (see wide_bytes).
std::string harness_source(const problem& what, widening as = widening::none);

/// The declaration that a candidate must define, as a person writes it.
std::string kernel_signature(const problem& what);

/// The same arguments alone. `types`: of elements, by dtype, where they are not those of the C ABI.
std::string kernel_arguments(const problem& what, const std::map<std::string, std::string>& types);

/// Included before a reference compiled as the truth: harness/ke_widen.h, and before it what of it holds for the
/// problem. Standard headers come first; then float becomes double, double becomes long double, and the libm names
/// without an overload follow. In `all` a uint16_t is a bf16 that keeps the double it was made from, or stands for
/// the bits it was made from.
std::string widening_header(const problem& what, widening as);

/// Bytes of one element in the truth's memory (`all`).
std::size_t wide_bytes(dtype d);
bool is_floating(dtype d);

} // namespace ke
