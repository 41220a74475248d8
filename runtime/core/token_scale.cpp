#include "runtime/core/token_scale.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

constexpr double margin = 1.05;
constexpr double margin_of_few = 1.1; // prompts grow denser as measurements come into them
constexpr double untold_bytes_a_token = 3;
constexpr std::uint64_t enough_answers = 3;

std::uint64_t scaled(std::uint64_t bytes, std::uint64_t tokens, std::uint64_t of_bytes, double above) {
  auto each = tokens > 0 && of_bytes > 0 ? above * static_cast<double>(tokens) / static_cast<double>(of_bytes)
                                         : 1 / untold_bytes_a_token;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) * each));
}

} // namespace

void token_scale::learn(const token_usage& usage, const token_usage& estimated, const call_meter& meter) {
  // A product and no quotient: the fold must come to the same on every machine.
  if (meter.told_input && meter.sent_bytes > 0 &&
      usage.input_tokens * std::max<std::uint64_t>(input_bytes, 1) > input_tokens * meter.sent_bytes) {
    input_tokens = usage.input_tokens;
    input_bytes = meter.sent_bytes;
  }
  if (estimated.output_tokens > 0 || meter.untold_bytes > 0 || !meter.told_input || usage.output_tokens == 0)
    return;
  ++answers;
  longest_output = std::max(longest_output, usage.output_tokens);
  if (meter.received_bytes > 0) {
    output_tokens += usage.output_tokens;
    output_bytes += meter.received_bytes;
  }
}

std::uint64_t token_scale::input(std::uint64_t bytes) const {
  return scaled(bytes, input_tokens, input_bytes, answers < enough_answers ? margin_of_few : margin);
}

std::uint64_t token_scale::output(std::uint64_t bytes) const {
  return scaled(bytes, output_tokens, output_bytes, margin);
}

std::uint64_t token_scale::unheard_output(std::uint64_t most) const {
  if (answers < enough_answers)
    return most;
  return std::min(most, static_cast<std::uint64_t>(std::ceil(margin * static_cast<double>(longest_output))));
}

} // namespace ke
