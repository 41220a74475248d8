#pragma once

#include "runtime/core/result.hpp"
#include "runtime/text/nearest_name.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A place in a user's file. Lines and columns count from 1 (columns in characters); line 0: the whole file,
/// or a place without lines ("--set").
struct text_place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t col = 0;
};

/// One error in a configuration or problem file. Never holds the value of a secret.
struct config_error {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t col = 0;
  std::string key;  ///< dotted, "model.price.input"; may be empty for a syntax error
  std::string text; ///< what was expected, and the nearest right name for a typo
};
KE_FIELDS(config_error, x.file, x.line, x.col, x.key, x.text)

config_error error_at(const text_place& place, std::string key, std::string text);

/// "file:line:col: key: text", without unknown parts.
std::string to_line(const config_error& e);

/// One failure of the given kind, with a line of text for each error. Precondition: errors is not empty.
failure as_failure(failure_kind kind, const std::vector<config_error>& errors);

/// Sorts by line and column; errors of one place keep their order.
void in_file_order(std::vector<config_error>& errors);

} // namespace ke
