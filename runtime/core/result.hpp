#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace ke {

/// Why a machine failed; a kernel's failure is a verdict. The LLM kinds are product.md's, counted per
/// campaign.
enum class failure_kind : std::uint8_t {
  none,
  // LLM requests
  rate_limited,
  server_error,
  connection,
  timeout,
  too_large,
  malformed,
  empty,
  refused,
  no_code,
  truncated,
  auth,
  credit,
  // everything else
  invalid,       ///< bad input: the caller can fix it; text names place and fix. Exit code 2.
  missing,       ///< the environment lacks something; text says how to get it. Exit code 3.
  disk_full,     ///< retried by waiting
  corrupt,       ///< stored bytes fail their checks. Exit code 6.
  newer_version, ///< written by a later program. Exit code 6.
  held,          ///< another process owns it and does not answer. Exit code 6.
  not_found,
  worker_lost,
  device,
  cancelled,
  internal,  ///< a bug. Exit code 4.
  duplicate, ///< an answer that repeats a candidate which is judged already
  markers,   ///< an answer that changed what lies outside of the parent's marked regions
};
KE_NAMES(failure_kind, 26, "none", "rate_limited", "server_error", "connection", "timeout", "too_large",
         "malformed", "empty", "refused", "no_code", "truncated", "auth", "credit", "invalid", "missing",
         "disk_full", "corrupt", "newer_version", "held", "not_found", "worker_lost", "device", "cancelled",
         "internal", "duplicate", "markers")

/// A machine's failure as a value. `text` is one sentence for a person: what, where, and how to mend it.
struct failure {
  failure_kind kind = failure_kind::none;
  std::string text;
  bool retryable = false;
};
KE_FIELDS(failure, x.kind, x.text, x.retryable)

/// A value or a failure. Accessing the wrong side is a bug (std::bad_variant_access).
template <class T>
class result {
public:
  result(T value) : state_{std::in_place_index<0>, std::move(value)} {}
  result(failure why) : state_{std::in_place_index<1>, std::move(why)} {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const failure& error() const { return std::get<1>(state_); }

private:
  std::variant<T, failure> state_;
};

/// For functions that return nothing but may fail.
struct ok_t {};
using status = result<ok_t>;
inline const ok_t ok{};

} // namespace ke
