#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/core/token_scale.hpp"
#include "runtime/core/token_usage.hpp"

#include <cstddef>
#include <cstdint>

namespace ke {

/// An upper bound: no tokenizer makes more tokens than bytes; 64 for the chat template.
std::uint64_t most_tokens(std::size_t prompt_bytes);
/// The usual size, if a provider told no usage: 3.5 bytes a token.
std::uint64_t likely_tokens(std::size_t bytes);

double usd_of(const model_settings& model, double input_tokens, double output_tokens);

/// The most that a request may cost: every prompt byte a token, and `max_tokens` of answer.
reservation worst_case(const model_settings& model, std::size_t prompt_bytes);

/// The charge of a call: the told usage, plus an estimate for bytes that it does not cover. The estimate
/// brings the output to `max_tokens` at most.
call_charge charge_of(const model_settings& model, const token_scale& scale, const token_usage& told,
                      const call_meter& meter);
/// The charge of a call whose end nobody heard: the prompt, and an answer as long as the longest so far. At
/// most the reservation; all of it if `prompt_bytes` is 0 (unknown).
call_charge charge_unheard(const model_settings& model, const token_scale& scale, std::uint64_t prompt_bytes,
                           const reservation& reserved);

} // namespace ke
