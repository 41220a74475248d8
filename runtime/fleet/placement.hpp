#pragma once

#include "runtime/core/device_info.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ke {

/// A device of the fleet, by names that survive restarts.
struct fleet_device {
  std::string worker; ///< name
  std::string device;
};

/// A waiting job, as placement sees it.
struct placement_request {
  std::uint64_t job = 0;
  std::uint32_t campaign = 0;
  std::string backend;
  std::string device = "*";                  ///< glob over announced device names
  std::map<std::string, std::string> labels; ///< required of the worker
  std::int32_t priority = 0;                 ///< higher first, within its campaign
  std::set<std::string> avoid;       ///< workers where it failed: used only if no other could ever take it
  std::set<std::string> avoid_names; ///< the same, by worker name, which survives restarts
  /// Where what it is compared with was measured: it goes there if it waits no longer for it. Empty: no matter.
  fleet_device prefer = {};
};

struct placed {
  std::uint64_t job = 0;
  std::string worker;
  std::string device;
};

/// Which job goes to which worker and device. Pure. A worker's credit is its device slots plus its build
/// slots, less the jobs that it holds: the next job builds while another one is measured. Campaigns share by
/// jobs in flight, then by longest wait; a job takes the worker with the most free credit. O(log n) a step in
/// jobs and workers; classes of jobs (backend, device, labels) are few.
class placement {
public:
  /// A worker said hello, perhaps again. Its devices are in service as it says now; booked jobs stay booked.
  void worker_up(const std::string& worker, std::vector<device_info> devices,
                 std::map<std::string, std::string> labels, std::uint32_t build_slots,
                 std::uint32_t device_slots, std::string name = {});
  /// Forgets the worker's jobs in flight: enqueue their next attempts.
  void worker_down(const std::string& worker);
  /// A `ready`: all slots offered. 0, 0: draining.
  void offer(const std::string& worker, std::uint32_t build_slots, std::uint32_t device_slots);
  /// Takes a device (empty: the whole worker) out of service, or back; running jobs are not touched.
  void quarantine(const std::string& worker, const std::string& device, bool out);

  void enqueue(placement_request r);
  /// Takes a waiting job out. False: it does not wait.
  bool cancel(std::uint64_t job);
  /// The next placement, booked against the worker's credit; nothing: no waiting job fits a free worker now.
  std::optional<placed> next();
  /// Books a job that a worker already holds (adopted after a restart).
  void book(std::uint64_t job, std::uint32_t campaign, const std::string& worker, const std::string& device);
  /// The job ended there (result, decline, expiry): its credit returns. Unknown jobs are ignored.
  void done(std::uint64_t job);

  std::size_t waiting() const { return where_.size(); }
  std::size_t in_flight() const { return running_.size(); }

private:
  using class_key = std::tuple<std::string, std::string, std::map<std::string, std::string>>;
  using slot_key = std::pair<std::int64_t, std::uint64_t>; ///< (-priority, arrival)

  struct worker_state {
    std::string name;
    std::vector<device_info> devices;
    std::map<std::string, std::string> labels;
    std::uint32_t build_slots = 0, device_slots = 0, used = 0;
    std::set<std::string> quarantined;
    bool out = false;
    std::map<std::string, std::uint32_t> load; ///< by device
    std::uint32_t free() const;
  };
  struct class_state {
    std::map<std::string, std::vector<std::string>> fits;   ///< worker -> devices that match
    std::set<std::pair<std::int64_t, std::string>> by_free; ///< (-free, worker), free > 0 only
  };
  struct one_campaign {
    std::uint32_t in_flight = 0;
    std::uint64_t served = 0; ///< when last
    std::map<class_key, std::map<slot_key, placement_request>> queues;
  };
  struct waiting_at {
    std::uint32_t campaign;
    class_key cls;
    slot_key slot;
  };
  struct running_job {
    std::uint32_t campaign;
    std::string worker, device;
  };

  bool avoids(const placement_request& r, const std::string& worker) const;
  bool fits(const worker_state& w, const device_info& d, const class_key& key) const;
  void refit(const std::string& worker);
  void recredit(const std::string& worker, std::uint32_t before);
  class_state& class_of(const class_key& key);
  std::optional<placed> place_from(one_campaign& c, std::uint32_t campaign);
  /// The free worker with most credit that the job doesn't avoid; empty: none.
  std::string worker_for(const placement_request& r, const class_state& c) const;
  /// `prefer`, where the job waits no longer than it would otherwise.
  std::optional<placed> preferred(const placement_request& r, const class_state& c,
                                  const placed& otherwise) const;
  std::uint32_t load_of(const std::string& worker, const std::string& device) const;
  /// Of a worker's devices the least loaded one.
  std::string device_for(const std::string& worker, const class_state& c) const;

  std::map<std::string, worker_state> workers_;
  std::map<std::string, std::string> by_name_; ///< names of workers
  std::map<class_key, class_state> classes_;
  std::map<std::uint32_t, one_campaign> campaigns_;
  std::map<std::uint64_t, waiting_at> where_;
  std::map<std::uint64_t, running_job> running_;
  std::uint64_t arrivals_ = 0, serves_ = 0;
};

} // namespace ke
