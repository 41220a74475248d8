#pragma once

#include "runtime/core/shared_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ke {

/// Most complete candidates in one answer; the prompt says so.
inline constexpr std::size_t most_candidates_of_answer = 4;

/// A piece of a prompt. `stable` ones are equal in many prompts of a campaign (rules, constraints, hardware
/// notes): providers that cache prefixes are told.
struct prompt_section {
  shared_text text;
  bool stable = false;
  std::string name = {}; ///< "task", "parent", "knowledge:<id>"...: for readers of stored prompts
  bool shared = false;   ///< not stable, but equal in many prompts: stored once
};

/// What a model is asked. The first section holds the `ke-task` block (knowledge/ke_task.md).
struct prompt {
  std::vector<prompt_section> sections;
  std::vector<std::string> dropped = {}; ///< names of sections left out for the token budget
};

/// The whole prompt as one text: the sections in order, nothing added. Read by `command`, `spool`, `playbook`
/// and `openai`.
std::string text_of(const prompt& p);
/// The name of sections that tell what each campaign measures anew.
inline constexpr const char* section_measured = "measured";
/// What a prompt is known by: the digest of its text without such sections, so that `replay` finds what another campaign
/// was answered to the same question.
std::string prompt_key(const prompt& p);
std::size_t bytes_of(const prompt& p);

} // namespace ke
