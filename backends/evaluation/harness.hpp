#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ke {

enum class dtype : std::uint8_t;
struct problem;

/// How a native reference becomes the truth. `all_but_carried`: tensors in types that C++ lacks (bf16, f8e4m3,
/// f8e5m2), and the reference's own values in them, stay the bits that they are; for references that do not
/// compile, or make no sense, in `all`.
enum class widening : std::uint8_t { none, all, all_but_carried };

/// Whether tensors of this type have wide_bytes in this form. In `all` a carried type has where the reference uses
/// its helpers of ke.h; one of eight bits where it is written as well and no other type is a uint8_t.
bool is_wider(const problem& what, dtype d, widening as);

/// The first to try: `all` if any carried type of the problem's tensors is wider in it.
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
/// problem. The headers in angle brackets that the reference or `included` (texts of what it may include by name)
/// includes come first; then float becomes double, double becomes long double, and the libm names
/// without an overload follow. In `all` a uint16_t is a bf16 that keeps the double it was made from, or stands for
/// the bits it was made from; a uint8_t keeps it too, but is read as what it rounds to: what is rounded to eight
/// bits on the way is meant to be.
std::string widening_header(const problem& what, widening as, std::string_view included = {});

/// Bytes of one element in the truth's memory, if it is wider there.
std::size_t wide_bytes(dtype d);

} // namespace ke
