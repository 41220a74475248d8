#pragma once

#include <string>
#include <string_view>

namespace ke {

struct prompt_request;

/// The fenced `ke-task` block at every prompt's beginning: knowledge/ke_task.md. Fences in its strings are
/// escaped as JSON allows. Pure.
std::string task_block(const prompt_request& request);

/// The JSON after `// ke-point:` (or `# ke-point:`) in a source, or empty.
std::string point_of(std::string_view source);

} // namespace ke
