#pragma once

#include "actors/control.hpp"

#include <string>
#include <vector>

namespace ke {

/// Commands that read a store and that a client on another machine may ask its owner for.
bool is_reading_command(const std::string& word);

/// Carries out a reading command for a client: this program, in a child process, on this store. `words`: the
/// command line without the options that name a store or a place to write to. Answer: JSON {out, err, code,
/// files: {name: hex}}, `files` being what the command wrote where `writes`: one file named "" or a folder's.
/// Blocking. Refused: another command, an option that names a file of this machine.
control_reply read_for_client(const std::string& store, const std::string& campaign,
                              const std::vector<std::string>& words, bool writes);

} // namespace ke
