#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// How a prompt quotes foreign text (sources, logs, answers, reasons): bounded, and unable to end its
// quotation, so that it cannot become an instruction. Pure.

namespace ke {

/// For the middle of a line: a code span of at most 400 bytes, which its content can't end.
std::string in_line(std::string_view text);

/// A fenced block of at most `limit` bytes; fences inside it are defused.
std::string quoted(std::string_view text, std::size_t limit, std::string_view language = "text");

/// A source, unchanged, in a fence longer than any in it.
std::string fenced(const std::string& language, std::string_view source);

/// The first `limit` bytes, cut between characters.
std::string_view head(std::string_view text, std::size_t limit);

/// Three significant digits.
std::string short_number(double x);

/// The fewest digits that give this very number.
std::string exact_number(double x);

} // namespace ke
