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
  // A cache write costs a quarter more than plain input (anthropic): the bound must hold for it, too.
  auto factor = model.provider == provider_kind::anthropic ? 1.25 : 1.0;
  return {input + output, usd_of(model, static_cast<double>(input) * factor, static_cast<double>(output))};
}

token_usage charged_at_reservation(const reservation& reserved) {
  token_usage usage;
  usage.input_tokens =
      reserved.tokens; // which part would have been output is not known; the sum is what budgets count
  usage.usd = reserved.usd;
  return usage;
}

} // namespace ke
