#pragma once

#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// What a session of a campaign is doing. The state machine:
///
///                     can't be read, or is finished already; interrupt
///   loading -----------------------------------------------------------+
///      |                                                               |
///      | the journal is folded                                         |
///      v          interrupt, trouble             all heard, or grace   |
///   running ----------------------------> pausing -----------------> ended
///      |                                     |                         ^
///      | stop rule, a person's stop          | a person's stop         |
///      +------------------> settling <-------+                         |
///                            |  |  ^ a person's stop                   |
///              all are heard |  |  |                                   |
///                            |  v  |   no finalist is left             |
///                            | claiming --------------+--------------->+
///                            |                        v                |
///                            +-------------------> learning ---------->+
///                                 something is confirmed
///
/// An interrupt ends `settling`, `claiming` and `learning` at once. `settling` goes straight to `ended` if
/// there is nothing to claim and nothing to learn.
enum class campaign_phase : std::uint8_t {
  loading,  ///< the store is being read
  running,  ///< candidates are begun, asked for, judged
  pausing,  ///< begins nothing; what is in flight may end, for a grace
  settling, ///< the search is over; calls that are out are cancelled, and heard for a moment
  claiming, ///< finalists are measured again
  learning, ///< what a claim confirmed becomes skills
  ended     ///< for this session
};
KE_NAMES(campaign_phase, 7, "loading", "running", "pausing", "settling", "claiming", "learning", "ended")

/// What is still measured before a campaign is over; a confirmed champion on a second device also after finalists.
enum class last_measurements : std::uint8_t { none, champion, finalists };

/// Why a session ends, and whether the next one goes on. All phases after `running` have one.
struct session_ending {
  bool resumable = true; ///< else the campaign is finished, once all phases on the way are through
  std::string state;     ///< paused | failed | finished
  std::string reason;    ///< product.md "stop_reason"
  failure why = {};      ///< paused: out of credit...; failed: what
  bool proven = false;   ///< of a resumable one: better than the baseline when it was decided
  last_measurements first = last_measurements::none; ///< of a final one
};

/// The phase of one session and the reason of its end. Pure; not thread-safe.
class phase_machine {
public:
  using time_point = std::chrono::steady_clock::time_point;

  campaign_phase now() const { return now_; }
  bool is(campaign_phase p) const { return now_ == p; }
  /// The journal is folded, and the session is not over: messages are taken.
  bool is_live() const { return now_ != campaign_phase::loading && now_ != campaign_phase::ended; }
  /// The session came further than `loading`: it has a state to show and to keep.
  bool has_run() const { return has_run_; }
  /// Of the phases after `running`; one that comes later replaces it.
  const session_ending& ending() const { return *ending_; }
  /// Whether the phase `p` has lasted for `patience`: a timer of an earlier stay in it says nothing.
  bool has_lasted(campaign_phase p, std::chrono::nanoseconds patience, time_point at) const {
    return now_ == p && at - since_ >= patience;
  }

  /// The only way to another phase. Throws logic_error for an arrow that is not drawn above, and for a phase
  /// after `running` without an ending.
  void enter(campaign_phase next, time_point at, std::optional<session_ending> why = {});

private:
  campaign_phase now_ = campaign_phase::loading;
  std::optional<session_ending> ending_;
  time_point since_{}; ///< the phase was entered
  bool has_run_ = false;
};

} // namespace ke
