#include "runtime/llm/price.hpp"

#include <algorithm>
#include <cmath>

namespace ke {

std::uint64_t most_tokens(std::size_t prompt_bytes) {
  return prompt_bytes + 64;
}

std::uint64_t likely_tokens(std::size_t bytes) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) / 3.5));
}

double usd_of(const model_settings& model, double input_tokens, double output_tokens) {
  return (input_tokens * model.price_input + output_tokens * model.price_output) / 1e6;
}

reservation worst_case(const model_settings& model, std::size_t prompt_bytes) {
  auto input = most_tokens(prompt_bytes);
  auto output = static_cast<std::uint64_t>(std::max<std::int64_t>(model.max_tokens, 0));
  // A cache write may cost more than plain input: the bound must hold for it, too.
  auto factor = traits_of(model.provider).cache_write_factor;
  return {input + output, usd_of(model, static_cast<double>(input) * factor, static_cast<double>(output))};
}

call_charge charge_of(const model_settings& model, const token_scale& scale, const token_usage& told,
                      const call_meter& meter) {
  auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(model.max_tokens, 0));
  token_usage guess;
  if (!meter.told_input && meter.sent_bytes > 0)
    guess.input_tokens = std::min(scale.input(meter.sent_bytes), most_tokens(meter.sent_bytes));
  // More than was asked for is not billed, however long a broken server goes on.
  guess.output_tokens = std::min(scale.output(meter.untold_bytes), most - std::min(most, told.output_tokens));
  guess.usd =
      usd_of(model, static_cast<double>(guess.input_tokens), static_cast<double>(guess.output_tokens));
  auto all = told;
  all += guess;
  return {all, guess};
}

call_charge charge_unheard(const model_settings& model, const token_scale& scale, std::uint64_t prompt_bytes,
                           const reservation& reserved) {
  token_usage guess;
  if (prompt_bytes == 0) { // which part would have been output is not known; the sum is what budgets count
    guess.input_tokens = reserved.tokens;
    guess.usd = reserved.usd;
    return {guess, guess};
  }
  auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(model.max_tokens, 0));
  guess.input_tokens = std::min({scale.input(prompt_bytes), most_tokens(prompt_bytes), reserved.tokens});
  guess.output_tokens = std::min(scale.unheard_output(most), reserved.tokens - guess.input_tokens);
  guess.usd = std::min(reserved.usd, usd_of(model, static_cast<double>(guess.input_tokens),
                                            static_cast<double>(guess.output_tokens)));
  return {guess, guess};
}

} // namespace ke
