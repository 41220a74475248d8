#pragma once

#include <string>
#include <string_view>

namespace ke::cli {

// A worker's words (device, compiler, flags), for files that others run or render.

/// One word for a POSIX shell, quoted if needed; drops everything after a line end.
std::string shell_word(std::string_view text);

/// The same for a recipe of a Makefile, which make expands before the shell does.
std::string recipe_word(std::string_view text);

/// One line for a cell of a Markdown table, at most `most` bytes of it; without a meaning to Markdown, HTML
/// or a terminal.
std::string markdown_cell(std::string_view text, std::size_t most = 200);

} // namespace ke::cli
