#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// The owner of a store, or how the last one closed it: the JSON text of owner.lock.
struct owner_record {
  bool closed = false; ///< a closing record; only the next two fields count then
  std::uint64_t data_size = 0;
  std::int64_t data_changed_ns = 0; ///< time of change of data.mdb
  std::int64_t pid = 0;
  std::string host;
  std::string boot;
  std::uint64_t since_unix_ms = 0;
  std::string socket;
};

/// Exclusive ownership of a store directory (an OFD lock on owner.lock). Ends with the object or the process,
/// so a crashed owner never blocks the next one. A forked child keeps the lock while it holds the descriptor,
/// and must not outlive its parent; exec closes it.
class owner_lock {
public:
  /// Takes the lock or fails at once: `held`, naming pid and host; `invalid` if the file can't be written.
  static result<owner_lock> take(const std::string& dir);

  owner_lock(owner_lock&& other) noexcept : fd_{other.fd_}, dir_{std::move(other.dir_)} { other.fd_ = -1; }
  owner_lock& operator=(owner_lock&&) = delete;
  ~owner_lock();

  /// Replaces the record durably.
  status write(const owner_record& record);
  /// This process's record, `since` now.
  static owner_record self(std::string socket);

  /// Keeps readers from opening while data files are swapped; waits for those just opening. Released with the
  /// lock.
  status shut_gate();

private:
  owner_lock(int fd, std::string dir) : fd_{fd}, dir_{std::move(dir)} {}
  int fd_;
  std::string dir_;
};

/// Held by a reader while it opens (see `shut_gate`). No effect without owner.lock.
class opening_gate {
public:
  explicit opening_gate(const std::string& dir);
  ~opening_gate();
  opening_gate(const opening_gate&) = delete;
  opening_gate& operator=(const opening_gate&) = delete;

private:
  int fd_;
};

/// The record as it stands, whoever wrote it; nothing if the file is absent or unreadable.
std::optional<owner_record> read_owner_record(const std::string& dir);
/// True if some process (this one included) owns the store now. Takes no lock.
bool owner_lives(const std::string& dir);

} // namespace ke
