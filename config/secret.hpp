#pragma once

#include "config/document.hpp"

namespace ke {

/// Does the name of a key promise a secret ("api_key", "token", "password")? `api_key_env` does not: it names
/// a variable.
bool names_a_secret(std::string_view key);

/// Does the text look like a key: a known prefix ("sk-..."), or a long run of mixed letters and digits?
bool looks_like_a_secret(std::string_view text);

/// Takes every secret out of the document and reports each with the way to do it right. The errors never show
/// the value.
void refuse_secrets(toml_node& document, std::vector<config_error>& errors);

} // namespace ke
