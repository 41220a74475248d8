#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/core/token_scale.hpp"
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

/// What a call is charged: what was told, and for the rest of what went out and came in an estimate, at most
/// `max_tokens` of output.
call_charge charge_of(const model_settings& model, const token_scale& scale, const token_usage& told,
                      const call_meter& meter);
/// What a call is charged of whose end nobody heard: its prompt, and an answer as long as the longest so far.
/// At most its reservation; all of it if `prompt_bytes` is 0: not known.
call_charge charge_unheard(const model_settings& model, const token_scale& scale, std::uint64_t prompt_bytes,
                           const reservation& reserved);

} // namespace ke
