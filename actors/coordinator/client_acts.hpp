#pragma once

#include "actors/coordinator/control.hpp"
#include "actors/coordinator/remote_reading.hpp"
#include "runtime/core/work_thread.hpp"
#include "runtime/process/process_port.hpp"
#include "runtime/store/lent_store.hpp"
#include "runtime/store/store_service.hpp"

#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace ke {

/// Runs clients' slow acts: reading a store, waiting for a commit on a full disk, running a child. So no
/// actor waits for them, they do not wait for each other, and the owner can end at any time. Any thread; only
/// `end` blocks.
class client_acts {
public:
  client_acts(store_service& store, process_port& processes);
  ~client_acts() { end(); }

  /// Work that may read files and the store, but waits for nothing else; in order of arrival. Nothing begins
  /// after `end`.
  void post(std::function<void()> work);

  /// Unites an export file with the store, one file after the other.
  void merge(std::string file, std::function<void(control_reply)> reply);

  /// A reading command in a child process; a few at a time.
  void read(reading_request what, std::function<void(control_reply)> reply);

  /// Ended by `end`: waiting for a commit must not outlast the owner.
  lent_store& store() { return lent_; }

  /// Begins nothing new and refuses all who wait for the store. On return only children run here; they end
  /// with the process service.
  void end();

private:
  struct reading {
    reading_request what;
    std::function<void(control_reply)> reply;
  };
  void begin_reading(reading r);
  void reading_over();
  bool ended();

  store_service& owned_;
  process_port& processes_;
  lent_store lent_;
  std::mutex mutex_;
  bool ended_ = false;
  std::size_t readings_ = 0; ///< children
  std::deque<reading> waiting_;
  work_thread quick_, merges_; ///< last: their work uses the rest
};

} // namespace ke
