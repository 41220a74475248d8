#include "runtime/fleet/placement.hpp"

#include "runtime/core/device_name.hpp"

#include <algorithm>

namespace ke {

namespace {

/// Waiting jobs of one queue looked at when the first cannot go to a free worker.
constexpr int look_ahead = 16;

} // namespace

std::uint32_t placement::worker_state::free() const {
  // A machine that offers no device slot takes nothing, whatever it could build: a job ends on a device.
  auto total = out || device_slots == 0 ? 0 : build_slots + device_slots;
  return total > used ? total - used : 0;
}

bool placement::avoids(const placement_request& r, const std::string& worker) const {
  return r.avoid.count(worker) || r.avoid_names.count(workers_.at(worker).name);
}

bool placement::fits(const worker_state& w, const device_info& d, const class_key& key) const {
  auto& [backend, pattern, labels] = key;
  if (d.backend != backend || w.quarantined.count(d.name))
    return false;
  if (!names_device(pattern, d.name))
    return false;
  return std::all_of(labels.begin(), labels.end(), [&](auto& l) {
    auto at = w.labels.find(l.first);
    return at != w.labels.end() && at->second == l.second;
  });
}

void placement::refit(const std::string& worker) {
  auto& w = workers_.at(worker);
  for (auto& [key, c] : classes_) {
    c.by_free.erase({-static_cast<std::int64_t>(w.free()), worker});
    std::vector<std::string> devices;
    for (auto& d : w.devices)
      if (fits(w, d, key) && std::find(devices.begin(), devices.end(), d.name) == devices.end())
        devices.push_back(d.name);
    if (devices.empty()) {
      c.fits.erase(worker);
      continue;
    }
    c.fits[worker] = std::move(devices);
    if (w.free() > 0)
      c.by_free.emplace(-static_cast<std::int64_t>(w.free()), worker);
  }
}

void placement::recredit(const std::string& worker, std::uint32_t before) {
  auto after = workers_.at(worker).free();
  if (before == after)
    return;
  for (auto& [key, c] : classes_)
    if (c.fits.count(worker)) {
      c.by_free.erase({-static_cast<std::int64_t>(before), worker});
      if (after > 0)
        c.by_free.emplace(-static_cast<std::int64_t>(after), worker);
    }
}

placement::class_state& placement::class_of(const class_key& key) {
  auto [at, fresh] = classes_.try_emplace(key);
  if (fresh)
    for (auto& [name, w] : workers_) {
      for (auto& d : w.devices)
        if (fits(w, d, key)) {
          auto& devices = at->second.fits[name];
          if (std::find(devices.begin(), devices.end(), d.name) == devices.end())
            devices.push_back(d.name);
        }
      if (at->second.fits.count(name) && w.free() > 0)
        at->second.by_free.emplace(-static_cast<std::int64_t>(w.free()), name);
    }
  return at->second;
}

void placement::worker_up(const std::string& worker, std::vector<device_info> devices,
                          std::map<std::string, std::string> labels, std::uint32_t build_slots,
                          std::uint32_t device_slots, std::string name) {
  auto& w = workers_[worker];
  w.name = std::move(name);
  by_name_[w.name] = worker;
  for (auto& [key, c] : classes_)
    c.by_free.erase({-static_cast<std::int64_t>(w.free()), worker});
  w.devices = std::move(devices);
  w.quarantined.clear(); // a hello is all that is known of it
  for (const auto& d : w.devices)
    if (d.state != "ok")
      w.quarantined.insert(d.name);
  w.labels = std::move(labels);
  w.build_slots = build_slots;
  w.device_slots = device_slots;
  refit(worker);
}

void placement::worker_down(const std::string& worker) {
  auto at = workers_.find(worker);
  if (at == workers_.end())
    return;
  for (auto& [key, c] : classes_) {
    c.by_free.erase({-static_cast<std::int64_t>(at->second.free()), worker});
    c.fits.erase(worker);
  }
  if (auto named = by_name_.find(at->second.name); named != by_name_.end() && named->second == worker)
    by_name_.erase(named);
  workers_.erase(at);
  std::vector<std::uint64_t> gone;
  for (auto& [job, r] : running_)
    if (r.worker == worker)
      gone.push_back(job);
  for (auto job : gone)
    done(job);
}

void placement::offer(const std::string& worker, std::uint32_t build_slots, std::uint32_t device_slots) {
  auto at = workers_.find(worker);
  if (at == workers_.end())
    return;
  auto before = at->second.free();
  at->second.build_slots = build_slots;
  at->second.device_slots = device_slots;
  recredit(worker, before);
}

void placement::quarantine(const std::string& worker, const std::string& device, bool out) {
  auto at = workers_.find(worker);
  if (at == workers_.end())
    return;
  auto& w = at->second;
  if (device.empty()) {
    auto before = w.free();
    w.out = out;
    recredit(worker, before);
    return;
  }
  if (out)
    w.quarantined.insert(device);
  else
    w.quarantined.erase(device);
  refit(worker);
}

void placement::enqueue(placement_request r) {
  cancel(r.job);
  class_key cls{r.backend, r.device, r.labels};
  class_of(cls);
  slot_key slot{-static_cast<std::int64_t>(r.priority), ++arrivals_};
  where_[r.job] = {r.campaign, cls, slot};
  auto campaign = r.campaign;
  campaigns_[campaign].queues[cls].emplace(slot, std::move(r));
}

bool placement::cancel(std::uint64_t job) {
  auto at = where_.find(job);
  if (at == where_.end())
    return false;
  auto& queues = campaigns_.at(at->second.campaign).queues;
  auto queue = queues.find(at->second.cls);
  queue->second.erase(at->second.slot);
  if (queue->second.empty())
    queues.erase(queue);
  where_.erase(at);
  return true;
}

std::optional<placed> placement::next() {
  // Campaigns are few: those with the least in flight first, then those not served for longest.
  std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>> turn;
  for (auto& [id, c] : campaigns_)
    if (!c.queues.empty())
      turn.emplace_back(c.in_flight, c.served, id);
  std::sort(turn.begin(), turn.end());
  for (auto& [in_flight, served, id] : turn)
    if (auto p = place_from(campaigns_.at(id), id))
      return p;
  return std::nullopt;
}

std::string placement::worker_for(const placement_request& r, const class_state& c) const {
  auto at = std::find_if(c.by_free.begin(), c.by_free.end(), [&](auto& w) { return !avoids(r, w.second); });
  // Every machine that could ever take it has failed it: then any may.
  if (at == c.by_free.end() &&
      std::all_of(c.fits.begin(), c.fits.end(), [&](auto& w) { return avoids(r, w.first); }))
    at = c.by_free.begin();
  return at == c.by_free.end() ? std::string{} : at->second;
}

std::uint32_t placement::load_of(const std::string& worker, const std::string& device) const {
  const auto& load = workers_.at(worker).load;
  auto at = load.find(device);
  return at == load.end() ? 0 : at->second;
}

std::string placement::device_for(const std::string& worker, const class_state& c) const {
  const auto& devices = c.fits.at(worker);
  return *std::min_element(devices.begin(), devices.end(),
                           [&](auto& a, auto& b) { return load_of(worker, a) < load_of(worker, b); });
}

std::optional<placed> placement::preferred(const placement_request& r, const class_state& c,
                                           const placed& otherwise) const {
  auto named = by_name_.find(r.prefer.worker);
  if (r.prefer.worker.empty() || named == by_name_.end() || avoids(r, named->second))
    return {};
  const auto& worker = named->second;
  auto fits = c.fits.find(worker);
  if (fits == c.fits.end() || workers_.at(worker).free() == 0)
    return {};
  const auto& devices = fits->second;
  bool there = std::find(devices.begin(), devices.end(), r.prefer.device) != devices.end() &&
               load_of(worker, r.prefer.device) <= load_of(otherwise.worker, otherwise.device);
  return there ? std::optional{placed{r.job, worker, r.prefer.device}} : std::nullopt;
}

std::optional<placed> placement::place_from(one_campaign& c, std::uint32_t campaign) {
  // Visits the campaign's queues in the order of their first waiting job, so that no class starves another.
  std::vector<std::pair<slot_key, const class_key*>> fronts;
  fronts.reserve(c.queues.size());
  for (auto& [key, queue] : c.queues)
    fronts.emplace_back(queue.begin()->first, &key);
  std::sort(fronts.begin(), fronts.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (auto& [front, key] : fronts) {
    auto& cls = classes_.at(*key);
    if (cls.by_free.empty())
      continue;
    int looked = 0;
    for (auto& [slot, r] : c.queues.at(*key)) {
      if (++looked > look_ahead)
        break;
      auto worker = worker_for(r, cls);
      if (worker.empty())
        continue;
      placed out{r.job, worker, device_for(worker, cls)};
      if (auto there = preferred(r, cls, out))
        out = *there;
      cancel(out.job);
      book(out.job, campaign, out.worker, out.device);
      c.served = ++serves_;
      return out;
    }
  }
  return std::nullopt;
}

void placement::book(std::uint64_t job, std::uint32_t campaign, const std::string& worker,
                     const std::string& device) {
  done(job);
  cancel(job);
  auto at = workers_.find(worker);
  if (at == workers_.end())
    return;
  auto before = at->second.free();
  ++at->second.used;
  ++at->second.load[device];
  recredit(worker, before);
  running_[job] = {campaign, worker, device};
  ++campaigns_[campaign].in_flight;
}

void placement::done(std::uint64_t job) {
  auto at = running_.find(job);
  if (at == running_.end())
    return;
  auto r = at->second;
  running_.erase(at);
  --campaigns_.at(r.campaign).in_flight;
  auto w = workers_.find(r.worker);
  if (w == workers_.end())
    return;
  auto before = w->second.free();
  --w->second.used;
  --w->second.load[r.device];
  recredit(r.worker, before);
}

} // namespace ke
