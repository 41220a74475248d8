#pragma once

#include "runtime/core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// What a client asks of the owner of a store, read from its JSON:
///   {"command": "status"} · {"command": "watch"}
///   {"command": "pause"|"resume"|"stop", "campaign": NAME}
///   {"command": "hint", "campaign": NAME, "node": ID, "text": TEXT}
///   {"command": "set", "campaign": NAME, "key": KEY, "value": VALUE}
///   {"command": "submit", "config": resolved TOML, "problem": hex of pack(problem), "fresh": BOOL}
///   {"command": "merge", "name": NAME}
///   {"command": "read", "campaign": NAME, "words": [WORD...], "writes": BOOL}
/// Everything but "command" may be left out. Fields that a command does not have are not looked at.
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

/// Any bytes in. `invalid` with one sentence that names the field and what it should have been; never throws
/// but for want of memory, of which it takes a small multiple of the text.
result<client_command> parse_command(std::string_view json);

} // namespace ke
