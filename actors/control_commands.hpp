#pragma once

#include "actors/control.hpp"

namespace ke {

class coordinator;

/// What the owner of a store does for a client (control socket, or `--connect`):
///   {"command": "status"} · {"command": "pause"|"resume"|"stop", "campaign": NAME} · {"command": "hint",
///   "node": ID, "text": TEXT} ·
///   {"command": "set", "key": KEY, "value": VALUE} · {"command": "submit", "config": resolved TOML,
///   "problem": hex of pack(problem), "fresh": BOOL} ·
///   {"command": "merge", "name": NAME} (actors/shared_files.hpp)
/// An error is {"error": TEXT} with an exit code. Blocking.
control_reply carry_out(coordinator& owner, const std::string& command);

/// Bytes as hexadecimal text and back; `from_hex` gives an empty string for malformed text.
std::string to_hex(const std::string& bytes);
std::string from_hex(const std::string& text);

} // namespace ke
