#pragma once

#include <string>
#include <string_view>

namespace ke {

/// The embedded optimizer: answers a prompt as a model would, offline and without a key.
///
/// Reads only the `ke-task` block of the prompt (knowledge/ke_task.md) and understands the reference in it as
/// loop nests. Returns a sentence of rationale and one fenced ```cpp block; its second line is `// ke-point:
/// {JSON}`. An answer without a code block is a refusal and says why: the reference is outside the subset,
/// the backend is unknown, or every point was tried. Pure: equal prompts get equal answers. Any thread. Never
/// throws on malformed input.
std::string playbook_answer(std::string_view prompt_text);

} // namespace ke
