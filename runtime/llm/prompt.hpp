#pragma once

#include "runtime/core/shared_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ke {

/// Complete candidates that one answer may hold; the prompt says so.
inline constexpr std::size_t most_candidates_of_answer = 4;

/// A piece of a prompt. `stable` pieces are equal for many prompts of a campaign (rules, constraints,
/// hardware notes), so a provider that can cache a prefix is told to.
struct prompt_section {
  shared_text text;
  bool stable = false;
  std::string name = {}; ///< "task", "parent", "knowledge:<id>"...: for those who read stored prompts
  bool shared = false;   ///< not stable, but the same text in many prompts: stored once
};

/// What a model is asked. The first section holds the `ke-task` block (knowledge/ke_task.md).
struct prompt {
  std::vector<prompt_section> sections;
  std::vector<std::string> dropped = {}; ///< names of the sections that the token budget had no room for
};

/// The whole prompt as one text: the sections in their order, nothing added. What `command`, `spool`,
/// `playbook` and `openai` read.
std::string text_of(const prompt& p);
std::size_t bytes_of(const prompt& p);

} // namespace ke
