#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/token_usage.hpp"

#include <cstdint>
#include <string>

namespace ke {

/// Row of table `calls`: one call to a model, from the intent on.
struct call_row {
  std::string model;
  std::string prompt_digest;
  std::string reply_digest; ///< raw body, stored before any actor hears of it
  failure_kind outcome = failure_kind::none;
  token_usage usage;
  reservation reserved;
  std::uint64_t sent_unix_ms = 0;
  double seconds = 0;
  bool open = true; ///< intent committed, answer not yet stored
  std::uint64_t prompt_bytes = 0;
  bool sent = false; ///< with outcome `cancelled`: it had left; `reply_digest` is what came until then
};
KE_FIELDS(call_row, x.model, x.prompt_digest, x.reply_digest, x.outcome, x.usage, x.reserved, x.sent_unix_ms,
          x.seconds, x.open, x.prompt_bytes, x.sent)

} // namespace ke
