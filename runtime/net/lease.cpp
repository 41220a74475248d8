#include "runtime/net/lease.hpp"

namespace ke {

lease_table::lease_table(std::chrono::nanoseconds term, unsigned poison_after)
    : term_{term}, poison_after_{poison_after} {}

void lease_table::start(entry& e) {
  e.live = true;
  by_expiry_.emplace(e.current.until, e.current.job);
  by_worker_[e.current.worker].insert(e.current.job);
}

void lease_table::end(entry& e) {
  if (!e.live)
    return;
  e.live = false;
  by_expiry_.erase({e.current.until, e.current.job});
  auto at = by_worker_.find(e.current.worker);
  at->second.erase(e.current.job);
  if (at->second.empty())
    by_worker_.erase(at);
}

bool lease_table::grant(const job& j, const std::string& worker, const std::string& device, time_point now) {
  auto [at, fresh] = jobs_.try_emplace(j.id);
  auto& e = at->second;
  if (!fresh && j.attempt <= e.current.attempt)
    return false;
  end(e);
  e.current = {j.id, j.attempt, j.epoch, worker, device, j.node, now + term_, wire::lease_stage::queued};
  start(e);
  return true;
}

std::vector<wire::lease_ref> lease_table::renew(const std::string& worker,
                                                const std::vector<wire::lease_ref>& held, time_point now) {
  std::vector<wire::lease_ref> strangers;
  for (auto& ref : held) {
    auto at = jobs_.find(ref.job);
    if (at == jobs_.end() || !at->second.live || at->second.current.worker != worker ||
        at->second.current.attempt != ref.attempt || at->second.current.epoch != ref.epoch) {
      strangers.push_back(ref);
      continue;
    }
    auto& e = at->second;
    by_expiry_.erase({e.current.until, ref.job});
    e.current.until = now + term_;
    e.current.stage = ref.stage;
    by_expiry_.emplace(e.current.until, ref.job);
  }
  return strangers;
}

std::vector<lease> lease_table::expire(time_point now) {
  std::vector<lease> ended;
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    auto& e = jobs_.at(by_expiry_.begin()->second);
    ended.push_back(e.current);
    ++losses_[e.current.node];
    end(e);
  }
  return ended;
}

lease_table::time_point lease_table::next_expiry() const {
  return by_expiry_.empty() ? time_point::max() : by_expiry_.begin()->first;
}

result_fate lease_table::result(std::uint64_t job, std::uint32_t attempt, std::uint64_t epoch) {
  auto at = jobs_.find(job);
  if (at == jobs_.end())
    return result_fate::unknown;
  if (at->second.current.attempt != attempt || at->second.current.epoch != epoch)
    return result_fate::stale;
  end(at->second);
  jobs_.erase(at);
  return result_fate::accept;
}

bool lease_table::release(std::uint64_t job, std::uint32_t attempt) {
  auto at = jobs_.find(job);
  if (at == jobs_.end() || !at->second.live || at->second.current.attempt != attempt)
    return false;
  end(at->second);
  return true;
}

std::vector<lease> lease_table::drop_all(const std::string& worker, bool count) {
  std::vector<lease> ended;
  auto at = by_worker_.find(worker);
  if (at == by_worker_.end())
    return ended;
  auto jobs = at->second;
  for (auto job : jobs) {
    auto& e = jobs_.at(job);
    ended.push_back(e.current);
    if (count)
      ++losses_[e.current.node];
    end(e);
  }
  return ended;
}

std::vector<lease> lease_table::worker_lost(const std::string& worker) {
  return drop_all(worker, true);
}

std::vector<lease> lease_table::worker_left(const std::string& worker) {
  return drop_all(worker, false);
}

std::vector<wire::lease_ref> lease_table::adopt(const std::string& worker,
                                                const std::vector<wire::lease_ref>& held,
                                                const std::function<const job*(std::uint64_t)>& open,
                                                time_point now) {
  std::vector<wire::lease_ref> others;
  for (auto& ref : held) {
    const job* j = open(ref.job);
    auto at = jobs_.find(ref.job);
    bool taken = at != jobs_.end() &&
                 (at->second.current.attempt != ref.attempt || at->second.current.epoch != ref.epoch ||
                  (at->second.live && at->second.current.worker != worker));
    if (!j || j->attempt > ref.attempt || taken) {
      others.push_back(ref);
      continue;
    }
    auto& e = jobs_[ref.job];
    auto device = e.current.device;
    end(e);
    e.current = {ref.job, ref.attempt, ref.epoch, worker, device, j->node, now + term_, ref.stage};
    start(e);
  }
  return others;
}

std::optional<lease> lease_table::close(std::uint64_t job) {
  auto at = jobs_.find(job);
  if (at == jobs_.end())
    return std::nullopt;
  std::optional<lease> held;
  if (at->second.live)
    held = at->second.current;
  end(at->second);
  jobs_.erase(at);
  return held;
}

unsigned lease_table::losses(const node_key& node) const {
  auto at = losses_.find(node);
  return at == losses_.end() ? 0 : at->second;
}

const lease* lease_table::find(std::uint64_t job) const {
  auto at = jobs_.find(job);
  return at == jobs_.end() || !at->second.live ? nullptr : &at->second.current;
}

std::uint32_t lease_table::last_attempt(std::uint64_t job) const {
  auto at = jobs_.find(job);
  return at == jobs_.end() ? 0 : at->second.current.attempt;
}

std::vector<lease> lease_table::held_by(const std::string& worker) const {
  std::vector<lease> out;
  if (auto at = by_worker_.find(worker); at != by_worker_.end())
    for (auto job : at->second)
      out.push_back(jobs_.at(job).current);
  return out;
}

} // namespace ke
