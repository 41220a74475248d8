#pragma once

#include "runtime/toml/config_error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A TOML document as a plain tree; every key and value knows its place. Hides the TOML library.
struct toml_node {
  enum class kind { boolean, integer, real, text, list, table, date };

  struct member;

  kind is = kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<toml_node> items;
  std::vector<member> members; ///< of a table, in the order of the file
  text_place place;

  toml_node* find(std::string_view key);
  const toml_node* find(std::string_view key) const;
};

struct toml_node::member {
  std::string key;
  text_place place; ///< of the key
  toml_node value;
};

/// "a string", "a table"...: for errors about what was found.
std::string_view kind_name(toml_node::kind k);

/// The tree, or nothing and one error in `errors`: the first syntax error ends the reading. `file` is only
/// for display. Refuses input over 1 MiB. Pure.
std::optional<toml_node> parse_toml(std::string_view text, const std::string& file,
                                    std::vector<config_error>& errors);

/// The text as a TOML string with its quotes.
std::string toml_text(std::string_view text);

/// Shortest text that reads back as the same number; always a TOML float or integer. Precondition: finite.
std::string toml_number(double x);

} // namespace ke
