#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/core/types.hpp"

#include <cstddef>
#include <cstdint>

namespace ke {

/// An upper bound: no tokenizer makes more tokens than bytes; 64 for the chat template.
std::uint64_t most_tokens(std::size_t prompt_bytes);
/// The usual size, for usage that a provider did not tell: 3.5 bytes a token.
std::uint64_t likely_tokens(std::size_t bytes);

double usd_of(const model_settings& model, double input_tokens, double output_tokens);

/// What a request may cost at most: every prompt byte a token and `max_tokens` of answer.
reservation worst_case(const model_settings& model, std::size_t prompt_bytes);

/// What a call is charged: its told usage, or, if none was told and nothing is known of it (killed while
/// out), its reservation.
token_usage charged_at_reservation(const reservation& reserved);

} // namespace ke
