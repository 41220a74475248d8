#include "runtime/fleet/lease.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ke {

lease_table::lease_table(std::chrono::nanoseconds term, unsigned poison_after)
    : term_{term}, poison_after_{poison_after} {}

void lease_table::start(entry& e) {
  e.live = true;
  by_expiry_.emplace(e.current.end(), e.current.job);
  by_worker_[e.current.worker].insert(e.current.job);
}

void lease_table::end(entry& e) {
  if (!e.live)
    return;
  e.live = false;
  by_expiry_.erase({e.current.end(), e.current.job});
  auto at = by_worker_.find(e.current.worker);
  at->second.erase(e.current.job);
  if (at->second.empty())
    by_worker_.erase(at);
}

bool lease_table::grant(const job& j, const std::string& worker, const std::string& device, time_point now,
                        time_point deadline) {
  auto [at, fresh] = jobs_.try_emplace(j.id);
  auto& e = at->second;
  if (!fresh && j.attempt <= e.current.attempt)
    return false;
  end(e);
  e.current = {
      j.id, j.attempt, j.epoch, worker, device, j.node, now + term_, deadline, wire::lease_stage::queued};
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
    by_expiry_.erase({e.current.end(), ref.job});
    e.current.until = now + term_;
    e.current.stage = ref.stage;
    by_expiry_.emplace(e.current.end(), ref.job);
  }
  return strangers;
}

std::vector<lease> lease_table::expire(time_point now) {
  std::vector<lease> ended;
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    auto& e = jobs_.at(by_expiry_.begin()->second);
    ended.push_back(e.current);
    count_loss(e.current, e.current.until < e.current.deadline);
    end(e);
  }
  return ended;
}

void lease_table::stood_still(std::chrono::nanoseconds span, time_point now) {
  auto live = std::exchange(by_expiry_, {});
  for (const auto& [at, job] : live) {
    auto& l = jobs_.at(job).current;
    l.until = std::max(l.until + span, now + 2 * term_);
    if (l.deadline != time_point::max())
      l.deadline += span;
    by_expiry_.emplace(l.end(), job);
  }
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

bool lease_table::release(const std::string& worker, std::uint64_t job, std::uint32_t attempt) {
  auto at = jobs_.find(job);
  if (at == jobs_.end() || !at->second.live || at->second.current.attempt != attempt ||
      at->second.current.worker != worker)
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
      count_loss(e.current, true);
    end(e);
  }
  return ended;
}

std::vector<lease> lease_table::worker_lost(const std::string& worker) {
  auto ended = drop_all(worker, true);
  processes_.erase(worker);
  return ended;
}

std::vector<lease> lease_table::worker_left(const std::string& worker) {
  auto ended = drop_all(worker, false);
  processes_.erase(worker);
  return ended;
}

void lease_table::attached(const std::string& worker, const std::string& process) {
  processes_[worker] = process;
  if (process.empty())
    return;
  for (auto at = losses_.begin(); at != losses_.end();) {
    std::erase_if(at->second, [&](const loss& l) { return l.silent && l.process == process; });
    at = at->second.empty() ? losses_.erase(at) : std::next(at);
  }
}

void lease_table::count_loss(const lease& l, bool silent) {
  auto process = processes_.find(l.worker);
  losses_[l.node].push_back({process == processes_.end() ? std::string{} : process->second, silent});
}

bool lease_table::adopt(lease what, time_point now) {
  auto at = jobs_.find(what.job);
  if (at != jobs_.end()) {
    const auto& known = at->second.current;
    if (known.attempt != what.attempt || known.epoch != what.epoch ||
        (at->second.live && known.worker != what.worker) || known.deadline <= now)
      return false;
    what.deadline = std::min(what.deadline, known.deadline); // a hello is no new receipt
  }
  auto& e = jobs_[what.job];
  end(e);
  e.current = std::move(what);
  e.current.until = now + term_;
  start(e);
  return true;
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
  return at == losses_.end() ? 0 : static_cast<unsigned>(at->second.size());
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
