#pragma once

#include "actors/campaign/campaign_outcome.hpp"
#include "interface/cli/campaign_start.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/signal_watch.hpp"
#include "runtime/store/store_reader.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace ke {
class store_owner;
} // namespace ke

namespace ke::cli {

class display;

/// This process owns a store and runs campaigns in it, one after the other, until Ctrl-C: the first is gentle,
/// the second at once, the third doesn't wait for anything. Call signal_watch::block() first. One thread.
class owning_session {
public:
  /// Events go to `shown`, which must outlive this.
  explicit owning_session(display& shown);
  ~owning_session();

  /// Opens the store of the settings and starts actors and the local worker. `held`: another process owns it.
  status start(const campaign_settings& settings, const start_options& o);

  struct ended {
    std::uint32_t id = 0;
    campaign_outcome out;
  };
  /// Starts or resumes a campaign and blocks until its session has ended. Fails as `store_owner::submit`.
  result<ended> run(const campaign_settings& settings, const problem& what, bool fresh);

  /// The store, once all that was written so far is committed; `disk_full` after five seconds without that.
  result<store_reader> committed();
  /// Drains and closes the store while a further signal still counts.
  void close();

  bool interrupted() const { return interrupts_ > 0; }
  /// For space or a device, now.
  bool waits() const { return waiting_; }
  /// Whether it was paused while it waited: then somebody gave up waiting (exit code 5).
  bool gave_up(const campaign_outcome& out) const {
    return out.state == "paused" && (stopped_waiting_ || waiting_);
  }

private:
  void signalled(int count);

  display& shown_;
  std::atomic<bool> waiting_{false};
  std::atomic<bool> stopped_waiting_{false}; ///< while it waited: closing the store may well succeed
  std::atomic<int> interrupts_{0};
  std::unique_ptr<store_owner> owner_;
  std::optional<signal_watch> signals_; ///< last: it uses the rest
};

} // namespace ke::cli
