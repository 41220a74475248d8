#pragma once

#include "actors/coordinator/control.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/net/client_command.hpp"
#include "runtime/process/process_port.hpp"

#include <string>
#include <vector>

namespace ke {

/// `words`: the command line without options that name a store or a place to write to.
struct reading_request {
  std::string campaign;
  std::vector<std::string> words;
  bool writes = false;
};

/// Removes what a killed owner of the store left in the temporary folder. For the next owner: there is only
/// one at a time.
void drop_reading_folders(const std::string& store);

/// One reading command for a client: this program, in a child process, on the owner's store.
struct reading_child {
  process_spec spec;     ///< once prepared; the caller runs it
  private_folder folder; ///< for what the command writes
  bool writes = false;

  /// Refuses other commands, and options that name a file of this machine.
  status prepare(const std::string& store, const reading_request& what);
  /// JSON {out, err, code, files: {name: hex}}. `files`: what the command wrote if `writes`, one file named
  /// "" or a folder's. Reads files.
  control_reply answer(process_exit& how) const;

private:
  std::filesystem::path place() const { return folder.path() / "out"; }
};

} // namespace ke
