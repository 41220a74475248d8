#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ke {

/// A CURVE key pair in Z85 text, 40 characters each. A connecting side without one is anonymous (loopback,
/// ipc).
struct key_pair {
  std::string public_key;
  std::string secret_key;
};

/// Makes a pair and writes NAME.key (secret, mode 0600) and NAME.pub; makes the folder (mode 0700) if needed.
/// Never overwrites: an existing file is `invalid`.
status keygen(const std::string& name);

/// Reads NAME.key. `missing` without the file; `invalid` if it is no key, or readable by others.
result<key_pair> load_key_pair(const std::string& path);

/// Reads NAME.pub: the public key.
result<std::string> load_public_key(const std::string& path);

/// What a key may do.
struct key_rights {
  bool worker = false;
  bool client = false;
  bool trusted = false; ///< as a client: may name programs, folders and keys of this machine
  std::string name;     ///< of the .pub file, without the ending
};

/// The allow-list: folders of .pub files, re-read when a file or folder changes. One thread.
class key_ring {
public:
  /// An empty folder grants its right to no key. `admit_any`: unlisted keys are workers that name themselves
  /// (an open fleet). Keys in `client_folder`/trusted, if there is one, are trusted clients.
  key_ring(std::string worker_folder, std::string client_folder, bool admit_any);

  /// `invalid` or `missing`, with a text, if a named folder can't be read or none is named.
  status check() const;

  /// The rights of a public key (Z85), or nothing.
  std::optional<key_rights> find(const std::string& public_key);

private:
  void refresh();
  std::string worker_folder_, client_folder_, trusted_folder_;
  bool admit_any_;
  std::string stamp_; ///< of all folders when last read
  std::map<std::string, key_rights> keys_;
};

} // namespace ke
