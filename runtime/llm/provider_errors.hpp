#pragma once

#include "runtime/core/result.hpp"
#include "runtime/llm/http_port.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What a server's refusal means, in whatever API. Pure, any thread; nothing here throws for what a server
// says. Texts of failures name the model and are one bounded line.

namespace ke {

/// The failure for an HTTP status and a provider's error code and message; status 0: an error inside a
/// stream.
failure classify_error(const std::string& model_name, long status, std::string_view code,
                       std::string_view message);
/// The failure of a whole response whose status is not 2xx.
failure status_failure(const std::string& model_name, const http_response& response);
/// An answer that makes no sense; the prompt may be sent again.
failure malformed(const std::string& model_name, const std::string& what);

/// The wait that a Retry-After asks for: seconds or an HTTP date; nothing if it is neither. A date in the
/// past is zero. `unix_now` is in seconds.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::int64_t unix_now);

/// One line of untrusted text, of at most `limit` bytes: it goes to logs and status.
std::string one_line(std::string_view text, std::size_t limit = 200);
/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

} // namespace ke
