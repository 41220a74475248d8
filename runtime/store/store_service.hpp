#pragma once

#include "runtime/store/migration.hpp"
#include "runtime/store/store_port.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ke {

struct store_options {
  std::string dir;
  bool create = true;  ///< false: `not_found` if there is no store
  std::string program; ///< version of this program, for the record
  std::string socket;  ///< where the owner listens, for the owner's record; see also `announce`

  /// Runs `verify_store(dir)` (store_check.hpp) in a child process; any abnormal end is damage. Called once,
  /// from `open`, if the last owner died or somebody else changed the data file. Empty: the check runs in
  /// this process, and a damaged file can abort it.
  std::function<status(const std::string& dir)> verify;

  /// Called on the store thread. `disk_full`: commits begin to wait (for space, or for a disk with errors to
  /// take writes again); once. `none`: they go on. Any other kind ends the store: everything queued and later
  /// is refused with it.
  std::function<void(const failure&)> on_trouble;

  /// Back-off while the disk is full; doubles up to `retry_ceiling`.
  std::chrono::milliseconds retry_first{100};
  std::chrono::milliseconds retry_ceiling{2000};
  /// Halved until the address space takes it; doubled when full.
  std::size_t map_bytes = std::size_t{256} << 30;

  /// Target schema and steps for an older store; for tests of migration.
  std::uint32_t schema = store_schema;
  std::vector<migration> steps = migrations();

  /// Fault injection: an error number in place of the next commit, or 0. Called on the store thread.
  std::function<int()> commit_fault;
};

/// The owner of a store (store.md): the writer thread and what protects the store. For functions see
/// `store_port`. One per directory and machine, enforced by a lock that dies with the process.
class store_service final : public store_port {
public:
  /// Opens or creates the store. Fails: `held` (another owner; names pid and host), `corrupt`,
  /// `newer_version`, `not_found`, `invalid` (not writable, network file system), `disk_full`. Well under a
  /// second unless a verification is due.
  static result<std::unique_ptr<store_service>> open(store_options options);

  /// Commits the queue, calls every callback, closes cleanly. If the disk is full: one more try, then
  /// callbacks get `disk_full`.
  ~store_service() override;

  void write(store_batch batch, std::function<void(status)> done = {}) override;
  void read(table where, std::string key, std::function<void(result<std::string>)> done) override;
  void read_blob(std::string digest, std::function<void(result<std::string>)> done) override;
  void scan(table where, std::string prefix, std::string first, std::size_t limit,
            std::function<void(result<std::vector<std::pair<std::string, std::string>>>)> done) override;

  /// Blocks until everything queued before is committed or refused. Never from a callback.
  void flush();
  /// Ends the back-off of a full disk now. Any thread.
  void retry_now();
  /// Puts the owner's socket into its record. Any thread.
  status announce(const std::string& socket);

  const std::string& id() const;          ///< of the store: 32 hexadecimal digits
  const std::string& dir() const;         ///< canonical
  std::uint64_t epoch() const;            ///< fencing epoch: grows by one with every opening
  const std::string& warrant_key() const; ///< seals grants (fleet/warrant.hpp); never leaves the store

  struct figures {
    std::uint64_t commits = 0; ///< transactions written
    std::uint64_t batches = 0; ///< batches in them
    std::uint64_t queued = 0;  ///< operations waiting
  };
  figures now() const; ///< any thread

private:
  class writer;
  explicit store_service(std::unique_ptr<writer> w);
  std::unique_ptr<writer> writer_;
};

} // namespace ke
