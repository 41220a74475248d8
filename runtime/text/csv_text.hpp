#pragma once

#include <optional>
#include <string>

namespace ke {

// Fields of a table in CSV (RFC 4180). Pure.

/// In quotes, if it must be.
std::string csv_cell(const std::string& text);

/// The digits that give this very number; empty: there is none.
std::string csv_number(std::optional<double> x);

} // namespace ke
