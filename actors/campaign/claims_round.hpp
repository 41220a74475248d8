#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/second_device.hpp"
#include "actors/campaign/solutions_left.hpp"
#include "actors/campaign/target_devices.hpp"
#include "actors/messages/evaluation_messages.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/search/campaign/claim_book.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// A finalist as its claim needs it, read from the store.
struct finalist_read {
  node_key node;
  std::shared_ptr<const std::string> source; ///< null: `why`
  failure why;
  std::vector<std::string> devices; ///< by target: device of the search's verdict
  std::set<std::string> workers;    ///< of the search's verdicts
};

/// Measures finalists again, one at a time (docs/decisions/0010), and the confirmed champion once more on a second
/// device of the class, where there is one (0070). Owns which one is being measured and how often it was tried; what
/// claims have said is a part of the fold. Not thread-safe.
class claims_round {
public:
  /// Ways out; any thread, must not block.
  struct port {
    std::function<void(evaluate_request)> evaluate;
    std::function<void(cancel_evaluation)> cancel;
    std::function<void(finalist_read)> read; ///< for `measure` below; on the store's thread
  };

  claims_round(campaign_journal& journal, const target_devices& devices, solutions_left& solutions, port out)
      : journal_{journal}, devices_{devices}, solutions_{solutions}, out_{std::move(out)} {}

  /// Whoever may reach the goal now. All nodes are looked at, so only after a candidate was found right or a
  /// claim ended: else a noisy claim of a good candidate would cost a walk at every step.
  std::optional<tree_node> goal_candidate();

  bool is_out() const { return out_now_.has_value(); }
  bool is_out(const node_key& n) const { return out_now_ == n; }
  /// Reads the finalist; `read` is called.
  void begin(tree_node who);
  /// The same for the champion and a second device. False: it has been there, or there is no such device.
  bool validate();
  /// The devices are others now: what waits for a second one that has gone ends after a minute.
  void look();
  /// Has it measured, if it is still out and can be read.
  void measure(const finalist_read& f);
  /// A verdict of a claim. Journalled; one that decides nothing is asked for again.
  void claim_judged(judged& j);
  /// It can't be measured: a claim that failed on all targets.
  void claim_failed(const node_key& n, const std::string& why);
  /// No new work: the next session makes it anew.
  void drop();

private:
  std::string device_for(const std::string& backend, const std::string& pattern,
                         const std::string& device) const;
  evaluate_request request_of(const finalist_read& f) const;
  /// On each of its targets; empty: on one of them there is none.
  std::vector<second_device> second_devices_of(const claim_book::entry& claimed) const;
  bool is_passing(const verdict& v) const;
  store_batch record(judged& j);
  void recorded(store_batch batch, const node_key& n, std::function<void()> then);
  void end();

  campaign_journal& journal_;
  const target_devices& devices_;
  solutions_left& solutions_;
  port out_;
  std::optional<node_key> out_now_;   ///< the finalist being measured
  std::vector<second_device> second_; ///< by target: where it is validated; empty: it is claimed
  std::optional<std::chrono::steady_clock::time_point> second_lost_; ///< since when there is none any more
  std::shared_ptr<const evaluate_request> request_;
  unsigned tries_ = 0;
  /// (Claims and correct nodes, target) at the last fruitless goal_candidate(): skip until either changes.
  std::optional<std::pair<std::size_t, double>> goal_checked_at_;
};

} // namespace ke
