#pragma once

#include <string>
#include <string_view>

namespace ke {

/// The embedded optimizer: answers a prompt as a model would, offline and without a key.
///
/// Reads only the `ke-task` block of the prompt (knowledge/ke_task.md), understands the reference in it as
/// loop nests, and returns a sentence of rationale and one fenced ```cpp block whose second line is `//
/// ke-point: {JSON}`. An answer without a code block is a refusal and says why: the reference is outside of
/// the subset, the backend is unknown, or every point of the space was tried. Pure: equal prompts get equal
/// answers. Any thread. Never throws on malformed input.
std::string playbook_answer(std::string_view prompt_text);

} // namespace ke
