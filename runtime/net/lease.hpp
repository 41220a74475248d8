#pragma once

#include "runtime/core/types.hpp"
#include "runtime/net/wire.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ke {

/// A worker may do a job for as long as it shows signs of life. Whoever holds a lease that ran out may still
/// be computing: its result is fenced by (attempt, epoch), never by hope.
struct lease {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string worker;
  std::string device;
  node_key node;
  std::chrono::steady_clock::time_point until; ///< without another beat
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max(); ///< with any
  wire::lease_stage stage = wire::lease_stage::queued;

  wire::lease_ref ref() const { return {job, attempt, epoch, stage, {}}; }
  std::chrono::steady_clock::time_point end() const { return std::min(until, deadline); }
};

enum class result_fate : std::uint8_t {
  accept,  ///< the job's latest attempt, and the job is open: apply it. The job is closed by this answer
  stale,   ///< an older attempt or another epoch of an open job: acknowledge, keep as a late observation
  unknown, ///< no such open job: done already, or of an earlier life. Acknowledge, keep
};

/// All leases of a coordinator. Pure: the caller brings the time (steady clock), which must not run
/// backwards. It knows what was granted in its own life; that an attempt was granted in an earlier one, its
/// warrant tells (warrant.hpp): the caller looks at it first.
class lease_table {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit lease_table(std::chrono::nanoseconds term, unsigned poison_after = 3);

  /// The job (its attempt and epoch) now belongs to the worker. A later attempt supersedes an earlier one;
  /// granting an attempt that is not later than the job's last one is refused (false): that would make two
  /// leases indistinguishable. Beats renew it up to `deadline`, and no further.
  bool grant(const job& j, const std::string& worker, const std::string& device, time_point now,
             time_point deadline = time_point::max());

  /// A worker's beat. Returns those that it holds but should not: revoke them.
  std::vector<wire::lease_ref> renew(const std::string& worker, const std::vector<wire::lease_ref>& held,
                                     time_point now);

  /// Leases that ran out; their jobs stay open without a holder, and count as a loss of the node.
  std::vector<lease> expire(time_point now);
  /// When `expire` has something to do next; time_point::max() if never.
  time_point next_expiry() const;
  /// The caller itself stood still for so long, until now (suspended, swapped out): nobody's beats could be
  /// heard meanwhile, so no lease ends for it, nor before its worker had two terms to attach again.
  void stood_still(std::chrono::nanoseconds span, time_point now);

  /// A result arrived.
  result_fate result(std::uint64_t job, std::uint32_t attempt, std::uint64_t epoch);

  /// The worker declined: the lease ends, no loss is counted. Nothing if it is not the current one, or not
  /// this worker's.
  bool release(const std::string& worker, std::uint64_t job, std::uint32_t attempt);

  /// The worker attached as this process. If that was thought lost before, it was only out of reach: what its
  /// silence was counted against the nodes that it held is taken back, since a candidate that a worker has
  /// survived did not cost it. A deadline that passed stays counted.
  void attached(const std::string& worker, const std::string& process);

  /// All leases of a worker that is gone end; each counts as a loss of its node.
  std::vector<lease> worker_lost(const std::string& worker);
  /// A worker that said bye: its leases end, nothing is counted against their nodes.
  std::vector<lease> worker_left(const std::string& worker);

  /// A re-hello, after either side restarted: a lease (or held result) that was granted to this worker
  /// becomes its own again, with the attempt and epoch of `what`; a deadline that is known already stays.
  /// False if another worker holds the job, a later attempt was granted, or its deadline has passed.
  bool adopt(lease what, time_point now);

  /// The job will not be tried again (cancelled, poisoned, decided elsewhere). Returns its lease if somebody
  /// holds it.
  std::optional<lease> close(std::uint64_t job);

  /// Workers that were lost while they held a job of this node, and have not come back.
  unsigned losses(const node_key& node) const;
  bool poisoned(const node_key& node) const { return losses(node) >= poison_after_; }

  const lease* find(std::uint64_t job) const;          ///< the live lease of a job, if any
  std::uint32_t last_attempt(std::uint64_t job) const; ///< 0 if none; attempts start at 1
  std::vector<lease> held_by(const std::string& worker) const;
  std::size_t live() const { return by_expiry_.size(); }

private:
  struct entry {
    lease current;
    bool live = false;
  };
  /// Of a node: the process that held its job, and whether that fell silent or let the deadline pass.
  struct loss {
    std::string process; ///< empty: unknown
    bool silent = true;
  };
  void end(entry& e);
  void start(entry& e);
  void count_loss(const lease& l, bool silent);
  std::vector<lease> drop_all(const std::string& worker, bool count);

  std::chrono::nanoseconds term_;
  unsigned poison_after_;
  std::map<std::uint64_t, entry> jobs_;                      ///< open jobs that were granted at least once
  std::set<std::pair<time_point, std::uint64_t>> by_expiry_; ///< live ones
  std::map<std::string, std::set<std::uint64_t>> by_worker_; ///< live ones
  std::map<std::string, std::string> processes_;             ///< of the workers that are attached
  std::map<node_key, std::vector<loss>> losses_;
};

} // namespace ke
