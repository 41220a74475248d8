#pragma once

#include "runtime/toml/toml_document.hpp"

namespace ke {

/// Whether a key's name promises a secret ("api_key", "token", "password"). `api_key_env` does not: it names
/// a variable.
bool names_a_secret(std::string_view key);

/// Whether the text looks like a key: a known prefix ("sk-..."), or a long run of mixed letters and digits.
bool looks_like_a_secret(std::string_view text);

/// Removes every secret from the document and reports each, with the right way. The errors never show the
/// value.
void refuse_secrets(toml_node& document, std::vector<config_error>& errors);

} // namespace ke
