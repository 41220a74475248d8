#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/net/wire.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace ke::wire {

/// Also how each hello begins, of whatever version.
struct version_range {
  std::uint32_t least = min_version;
  std::uint32_t most = version;
};
KE_FIELDS(version_range, x.least, x.most)

/// Answers a range by versions alone: the highest common one, or why there is none. Pure.
std::variant<std::uint32_t, refuse_body> negotiate(version_range ours, version_range theirs);

struct heard_hello {
  hello_body hello;
  std::uint32_t version = 0; ///< agreed
};
/// What a refusal says of a hello, and whether its bytes were at fault.
struct bad_hello {
  refuse_body why;
  bool malformed = false;
};
/// Reads a hello's bytes: the versions first, for without a common one the rest may be of any shape. A refusal
/// names both ranges, as far as the hello tells its own. Pure.
std::variant<heard_hello, bad_hello> read_hello(version_range ours, std::string_view body);

/// The answer to a frame of a version that is not spoken here. Pure.
refuse_body unspoken(version_range ours, std::uint32_t theirs);

/// Checks the texts of a hello, which go into documents, logs and terminals: UTF-8 names without control
/// characters, of bounded length and number. Returns a refusal, for good, that names the first fault, or
/// nothing. Pure.
std::optional<refuse_body> fault_in(const hello_body& theirs);

} // namespace ke::wire
