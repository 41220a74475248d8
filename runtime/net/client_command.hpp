#pragma once

#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A client's command to the owner of a store, read from its JSON:
///   {"command": "status"} · {"command": "watch"}
///   {"command": "pause"|"resume"|"stop", "campaign": NAME}
///   {"command": "hint", "campaign": NAME, "node": ID, "text": TEXT}
///   {"command": "set", "campaign": NAME, "key": KEY, "value": VALUE}
///   {"command": "submit", "config": resolved TOML, "problem": hex of pack(problem), "fresh": BOOL}
///   {"command": "merge", "name": NAME}
///   {"command": "read", "campaign": NAME, "words": [WORD...], "writes": BOOL}
/// Only "command" is required. Fields of other commands are ignored.
struct client_command {
  std::string act;
  std::string campaign;
  std::string node, text;         ///< hint
  std::string key, value;         ///< set
  std::string config, problem;    ///< submit; the problem as bytes
  bool fresh = false;             ///< submit
  std::string name;               ///< merge
  std::vector<std::string> words; ///< read
  bool writes = false;            ///< read

  bool steers() const {
    return act == "pause" || act == "resume" || act == "stop" || act == "hint" || act == "set";
  }
};

/// Any bytes in. `invalid`, with one sentence naming the field and what was expected. Throws only if memory
/// runs out; needs a small multiple of the text.
result<client_command> parse_command(std::string_view json);

/// Commands that read a store; a client on another machine may ask the owner for them.
bool is_reading_command(const std::string& word);

} // namespace ke
