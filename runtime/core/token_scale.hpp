#pragma once

#include "runtime/core/token_usage.hpp"

#include <cstdint>

namespace ke {

/// Tokens per byte of a model, learnt from the usage told in this campaign: the charge for failed calls whose
/// usage was not told. Part of the fold. Estimates err upwards, because the books must never be below the
/// bill. Of input: 5 % above the densest prompt that was told, 10 % while fewer than three answers were. Of
/// output: 5 % above what all told answers had. Before the first told usage: a token for each 3 bytes, more
/// tokens than today's tokenizers make of code or English.
struct token_scale {
  std::uint64_t input_tokens = 0, input_bytes = 0; ///< of the densest prompt
  std::uint64_t output_tokens = 0, output_bytes = 0;
  std::uint64_t longest_output = 0; ///< tokens of the longest answer that was told
  std::uint64_t answers = 0;        ///< whose output was told

  /// What a settled call has taught: only what was told counts.
  void learn(const token_usage& usage, const token_usage& estimated, const call_meter& meter);

  std::uint64_t input(std::uint64_t bytes) const;
  std::uint64_t output(std::uint64_t bytes) const;
  /// Of an answer that nobody heard: the longest so far, or `most` while too few were told.
  std::uint64_t unheard_output(std::uint64_t most) const;
};
KE_FIELDS(token_scale, x.input_tokens, x.input_bytes, x.output_tokens, x.output_bytes, x.longest_output,
          x.answers)

} // namespace ke
