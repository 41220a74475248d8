#pragma once

#include "runtime/core/fields.hpp"

#include <cstdint>

namespace ke {

struct token_usage {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t cached_tokens = 0;
  double usd = 0;

  token_usage& operator+=(const token_usage& o) {
    input_tokens += o.input_tokens;
    output_tokens += o.output_tokens;
    cached_tokens += o.cached_tokens;
    usd += o.usd;
    return *this;
  }
};
KE_FIELDS(token_usage, x.input_tokens, x.output_tokens, x.cached_tokens, x.usd)

/// Known sizes of a call, for the part of the usage that its provider has not told. All zero if the call is
/// not billed: it never left, or a status refused it.
struct call_meter {
  std::uint64_t sent_bytes = 0;     ///< of the prompt
  std::uint64_t received_bytes = 0; ///< of the answer, with thoughts that were shown
  std::uint64_t untold_bytes = 0;   ///< of these, what came after the last told usage
  bool told_input = false;
};
KE_FIELDS(call_meter, x.sent_bytes, x.received_bytes, x.untold_bytes, x.told_input)

/// The charge of a call: usage told by the provider, and an estimate by size for the rest.
struct call_charge {
  token_usage usage;
  token_usage estimated; ///< part of `usage`
};

/// A paid call in two phases: reserved at its worst case before it leaves, settled when its answer is stored.
struct reservation {
  std::uint64_t tokens = 0;
  double usd = 0;
};
KE_FIELDS(reservation, x.tokens, x.usd)

} // namespace ke
