#pragma once

#include "runtime/core/job.hpp"
#include "runtime/core/node_key.hpp"
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

/// A worker may do a job while it shows signs of life. A worker whose lease ran out may still be computing:
/// its result is fenced by (attempt, epoch), never by hope.
struct lease {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string worker;
  std::string device;
  node_key node;
  std::chrono::steady_clock::time_point until; ///< its end without another beat
  /// Its end however many beats come.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  wire::lease_stage stage = wire::lease_stage::queued;

  wire::lease_ref ref() const { return {job, attempt, epoch, stage, {}}; }
  std::chrono::steady_clock::time_point end() const { return std::min(until, deadline); }
};

enum class result_fate : std::uint8_t {
  accept,  ///< the open job's latest attempt: apply it; it closes the job
  stale,   ///< an older attempt or another epoch of an open job: acknowledge, keep as a late observation
  unknown, ///< no such open job (done, or of an earlier life): acknowledge, keep
};

/// All leases of a coordinator. Pure: the caller brings the time (steady clock), which must not run
/// backwards. Knows only grants of its own life; for earlier ones the caller checks the warrant first
/// (warrant.hpp).
class lease_table {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit lease_table(std::chrono::nanoseconds term, unsigned poison_after = 3);

  /// Gives the job (attempt and epoch) to the worker. A later attempt supersedes an earlier one. False: the
  /// attempt is not later than the last one, which would make two leases indistinguishable. Beats renew it up
  /// to `deadline`.
  bool grant(const job& j, const std::string& worker, const std::string& device, time_point now,
             time_point deadline = time_point::max());

  /// A worker's beat. Returns leases that it holds but should not: revoke them.
  std::vector<wire::lease_ref> renew(const std::string& worker, const std::vector<wire::lease_ref>& held,
                                     time_point now);

  /// Leases that ran out; their jobs stay open without a holder, and count as losses of the nodes.
  std::vector<lease> expire(time_point now);
  /// The caller stood still for `span` until now (suspended, swapped out) and could hear no beats: leases and
  /// deadlines are extended by `span`, and every worker has two terms to attach again.
  void stood_still(std::chrono::nanoseconds span, time_point now);

  /// A result arrived.
  result_fate result(std::uint64_t job, std::uint32_t attempt, std::uint64_t epoch);

  /// The worker declined: the lease ends, without a loss. False if it is not the current one, or not this
  /// worker's.
  bool release(const std::string& worker, std::uint64_t job, std::uint32_t attempt);

  /// The worker attached as this process. If this one was thought lost, it was only out of reach: losses by
  /// its silence are taken back, because it survived these candidates. A missed deadline stays counted.
  void attached(const std::string& worker, const std::string& process);

  /// Ends all leases of a lost worker; each counts as a loss of its node.
  std::vector<lease> worker_lost(const std::string& worker);
  /// Ends all leases of a worker that said bye, without losses.
  std::vector<lease> worker_left(const std::string& worker);

  /// A re-hello, after a restart of either side: a lease (or held result) granted to this worker becomes its
  /// own again, with attempt and epoch of `what`; a known deadline stays. False: another worker holds the
  /// job, a later attempt was granted, or the deadline has passed.
  bool adopt(lease what, time_point now);

  /// The job will not be tried again (cancelled, poisoned, decided elsewhere). Returns its live lease, if
  /// any.
  std::optional<lease> close(std::uint64_t job);

  /// Workers lost while they held a job of this node, and not back.
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
  /// A loss of a node: the process that held the job, and whether it fell silent or missed the deadline.
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
