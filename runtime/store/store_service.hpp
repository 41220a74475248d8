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

  /// Runs `verify_store(dir)` (store_check.hpp) in a child process and tells how it ended; any abnormal end
  /// is damage. Called once, from `open`, and only if the last owner died or the data file was changed behind
  /// its back. Empty: the check runs in this process, where a damaged file can abort it.
  std::function<status(const std::string& dir)> verify;

  /// Called on the store thread: `disk_full` once when commits begin to wait (for space, or for a disk that
  /// reports errors to take writes again), kind `none` when they go on; any other kind is the end of the
  /// store: everything queued and later is refused with it.
  std::function<void(const failure&)> on_trouble;

  std::chrono::milliseconds retry_first{
      100}; ///< back-off while the disk is full: doubles up to `retry_ceiling`
  std::chrono::milliseconds retry_ceiling{2000};
  std::size_t map_bytes = std::size_t{256}
                          << 30; ///< halved until the address space takes it; grown by doubling when full

  /// What an older store is brought to, and how; for tests of the way itself.
  std::uint32_t schema = store_schema;
  std::vector<migration> steps = migrations();

  /// Fault injection: an error number to meet in place of the next commit, 0 for none. Called on the store
  /// thread.
  std::function<int()> commit_fault;
};

/// The owner of a store (store.md): the writer thread and all that protects it. See `store_port` for the
/// contract of its functions. One per directory among all processes of the machine, enforced by a lock that
/// dies with the process.
class store_service final : public store_port {
public:
  /// Opens or creates the store. Failures: `held` (another owner; names pid and host), `corrupt`,
  /// `newer_version`, `not_found`, `invalid` (not writable, network file system), `disk_full`. Takes well
  /// under a second unless a verification is due.
  static result<std::unique_ptr<store_service>> open(store_options options);

  /// Commits what is queued, calls every callback, closes cleanly. While the disk is full: one more try, then
  /// callbacks hear `disk_full`.
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
  const std::string& warrant_key() const; ///< what grants are sealed with (net/warrant.hpp); never leaves it

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
