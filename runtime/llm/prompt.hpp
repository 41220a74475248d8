#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ke {

/// A piece of a prompt. `stable` pieces are equal for many prompts of a campaign (rules, constraints,
/// hardware notes), so a provider that can cache a prefix is told to.
struct prompt_section {
  std::string text;
  bool stable = false;
};

/// What a model is asked. The first section holds the `ke-task` block (knowledge/ke_task.md).
struct prompt {
  std::vector<prompt_section> sections;
};

/// The whole prompt as one text: the sections in their order, nothing added. What `command`, `spool`,
/// `playbook` and `openai` read.
std::string text_of(const prompt& p);
std::size_t bytes_of(const prompt& p);

} // namespace ke
