#include "actors/worker/link.hpp"

#include "actors/worker/known_objects.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/counters.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/failpoint.hpp"
#include "runtime/core/log.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ke {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t blob_cache_bytes = 64u << 20;

struct leased {
  job what;
  std::string device;
  wire::lease_stage stage = wire::lease_stage::queued;
  std::set<std::string> missing; ///< digests on their way
  bool started = false;
  std::string object; ///< its key in known_objects, once it is built
};

class worker_link {
public:
  worker_link(caf::event_based_actor* self, link_options options)
      : self_{self}, options_{std::move(options)} {
    load_held();
    auto me = weak(self_);
    transport_events events;
    events.on_frame = [me](ke::frame f) { send_weak(me, frame_in{std::move(f)}); };
    events.on_blob = [me](std::string, std::string digest, std::string bytes) {
      send_weak(me, blob_in{std::move(digest), std::move(bytes)});
    };
    events.on_lost = [me](std::string peer, failure why) {
      send_weak(me, peer_lost{std::move(peer), std::move(why)});
    };
    auto opened = options_.connect(std::move(events));
    if (!opened)
      throw std::runtime_error{opened.error().text};
    transport_ = std::move(*opened);
    say_state(false);
  }

  void frame(const frame_in& in) {
    const auto& f = in.what;
    switch (f.kind) {
    case frame_kind::welcome:
      log::info("worker", "attached", {{"epoch", std::to_string(f.epoch)}});
      if (options_.attached)
        options_.attached();
      send_ready();
      for (const auto& [id, bytes] : held_)
        transport_->send({"", frame_kind::result, 0, 0, 0, bytes});
      return;
    case frame_kind::refuse: {
      auto body = wire::decode<wire::refuse_body>(f.body);
      auto text = body ? body->reason : std::string{"no reason given"};
      log::error("worker", "refused by the coordinator", {{"why", text}});
      if ((!body || !body->retry) && options_.refused)
        options_.refused({failure_kind::invalid, "the coordinator refused this worker: " + text, false});
      return;
    }
    case frame_kind::grant:
      return grant(f);
    case frame_kind::revoke:
      if (auto body = wire::decode<wire::revoke_body>(f.body))
        revoke(body->lease);
      return;
    case frame_kind::beat:
      if (auto body = wire::decode<wire::coordinator_beat>(f.body))
        for (const auto& r : body->revoked)
          revoke(r);
      return;
    case frame_kind::ack:
      if (auto body = wire::decode<wire::ack_body>(f.body))
        acknowledged(body->job);
      return;
    default:
      return;
    }
  }

  void lost(const peer_lost& l) {
    log::warn("worker", "the coordinator is silent; working on, results are kept", {{"why", l.why.text}});
  }

  void blob(blob_in& b) {
    keep_blob(b.digest, std::move(b.bytes));
    for (auto& [id, l] : leases_)
      if (l.missing.erase(b.digest) && l.missing.empty())
        begin(l);
  }

  void stage(const work_stage& s) {
    auto l = leases_.find(s.job);
    if (l == leases_.end())
      return;
    l->second.stage = s.stage;
    say_state(true);
  }

  void built(const work_built& b) {
    auto l = leases_.find(b.item->what.id);
    if (l == leases_.end())
      return;
    if (!b.item->steps->complete()) {
      auto& key = l->second.object =
          known_objects::key_of(b.item->what, l->second.device, b.item->steps->artifact());
      if (const auto* known = objects_.find(key)) {
        static auto& again = counters::get("worker.objects_known");
        ++again;
        return finish({b.item, {}, std::make_shared<evidence>(*known)});
      }
      options_.names->send("devices", measure_work{b.item});
      return;
    }
    auto found = b.item->steps->finish(); // over already: it does not build, or nothing here can run it
    finish(found ? work_done{b.item, {}, std::make_shared<evidence>(std::move(*found))}
                 : work_done{b.item, found.error(), nullptr});
  }

  void finish(const work_done& d) {
    auto l = leases_.find(d.item->what.id);
    if (l == leases_.end() || l->second.what.attempt != d.item->what.attempt)
      return;
    job_result r{
        d.item->what.id, d.item->what.attempt, d.item->what.epoch, d.why, d.found ? *d.found : evidence{},
        d.item->hops};
    note_health(l->second.device, r);
    if (auto p = problems_.find(l->second.what.problem_digest);
        p != problems_.end() && r.why.kind == failure_kind::none)
      objects_.learn(l->second.object, l->second.what, p->second, r.found);
    leases_.erase(l);
    static auto& done = counters::get("worker.jobs_done");
    ++done;
    auto bytes = wire::encode_result(std::move(r));
    save_held(d.item->what.id, bytes);
    failpoint::pass("worker.before_result");
    transport_->send({"", frame_kind::result, 0, 0, 0, bytes});
    say_state(true);
    if (draining_ && leases_.empty() && held_.empty())
      left();
  }

  void device_changed(const device_state_changed& c) {
    health_[c.device] = {c.device, c.state, c.reason};
    say_state(true);
  }

  void drain(const drain_worker& d) {
    draining_ = d.done;
    transport_->send(wire::make_frame("", frame_kind::drain, wire::ready_body{}));
    if (leases_.empty() && held_.empty())
      left();
  }

private:
  void send_ready() {
    transport_->send(wire::make_frame(
        "", frame_kind::ready, wire::ready_body{options_.hello.build_slots, options_.hello.device_slots}));
  }

  void left() {
    transport_->send({"", frame_kind::bye, 0, 0, 0, pack(wire::ready_body{})});
    std::exchange(draining_, nullptr)();
  }

  /// A machine that fails one candidate after another would use up the campaign's.
  void note_health(const std::string& device, const job_result& r) {
    if (r.why.kind == failure_kind::cancelled)
      return;
    auto ours = r.why.kind != failure_kind::none || r.found.ending == ending::harness_error;
    auto& failures = failures_[device];
    failures = ours ? failures + 1 : 0;
    if (failures < options_.suspect_after)
      return;
    failures = 0;
    auto why = r.why.kind != failure_kind::none ? r.why.text : r.found.reason;
    health_[device] = {device, "quarantined", why}; // said before the result, so that no job comes for it
    say_state(true);
    options_.names->send("devices", suspect_device{device, why});
  }

  void decline(const job& j, const std::string& why) {
    transport_->send(wire::make_frame("", frame_kind::decline, wire::decline_body{j.id, j.attempt, why}));
  }

  void grant(const ke::frame& f) {
    auto body = wire::decode<wire::grant_body>(f.body);
    if (!body)
      return log::warn("worker", "a grant that can't be read", {{"why", body.error().text}});
    auto& j = body->job;
    if (draining_)
      return decline(j, "draining");
    if (!backend_of(j.backend))
      return decline(j, "no backend " + j.backend + " here");
    if (held_.contains(j.id)) // done in an earlier attempt that nobody has acknowledged: this attempt's
                              // answer is the same
      acknowledged(j.id);
    if (leases_.contains(j.id))
      cancel(j.id);
    transport_->send(wire::make_frame("", frame_kind::accept, wire::accept_body{j.id, j.attempt}));
    failpoint::pass("worker.after_accept");
    auto& l = leases_[j.id];
    l.device = body->device;
    for (auto& [digest, bytes] : j.inline_blobs)
      if (digest_of(bytes) == digest)
        keep_blob(digest, std::move(bytes));
    j.inline_blobs.clear();
    l.what = std::move(j);
    for (const auto& digest : {l.what.problem_digest, l.what.source_digest})
      if (!blobs_.contains(digest)) {
        l.missing.insert(digest);
        transport_->send(wire::make_frame("", frame_kind::want, wire::want_body{digest}));
      }
    if (l.missing.empty())
      begin(l);
    say_state(false);
  }

  void begin(leased& l) {
    if (std::exchange(l.started, true))
      return;
    auto p = problem_of(l.what.problem_digest);
    auto item = std::make_shared<work>();
    item->what = l.what;
    item->device = l.device;
    if (!p) {
      item->steps = nullptr;
      return finish({item, p.error(), nullptr});
    }
    auto options = options_.evaluation;
    options.timed = l.what.timed;
    options.seed = l.what.seed;
    options.limits = l.what.limits;
    const auto* b = backend_of(l.what.backend);
    device_info target;
    for (const auto& d : options_.hello.devices)
      if (d.backend == l.what.backend && (target.name.empty() || d.name == l.device))
        target = d;
    item->steps = std::make_shared<evaluation>(**p, blobs_.at(l.what.source_digest), *b, target, l.what.plan,
                                               std::move(options));
    options_.names->send("builder", build_work{item});
  }

  void cancel(std::uint64_t id) {
    options_.names->send("builder", cancel_work{id});
    options_.names->send("devices", cancel_work{id});
    leases_.erase(id);
  }

  void revoke(const wire::lease_ref& r) {
    auto l = leases_.find(r.job);
    if (l != leases_.end() && l->second.what.attempt == r.attempt) {
      cancel(r.job);
      say_state(false);
    }
    if (held_.contains(r.job))
      acknowledged(r.job);
  }

  void acknowledged(std::uint64_t id) {
    if (!held_.erase(id))
      return;
    std::error_code ignored;
    fs::remove(file_of(id), ignored);
    say_state(false);
    if (draining_ && leases_.empty() && held_.empty())
      left();
  }

  /// What a beat and a re-hello say of us; `now`: also at once.
  void say_state(bool now) {
    wire::worker_beat beat;
    for (const auto& [id, l] : leases_)
      beat.leases.push_back({id, l.what.attempt, l.what.epoch, l.stage});
    for (const auto& [name, h] : health_)
      beat.devices.push_back(h);
    auto used = static_cast<std::uint32_t>(leases_.size());
    auto slots = options_.hello.build_slots + options_.hello.device_slots;
    beat.device_slots = slots > used ? slots - used : 0;
    auto bytes = pack(beat);
    auto hello = options_.hello;
    hello.leases = beat.leases;
    for (const auto& [id, result] : held_)
      if (auto r = unpack<job_result>(result))
        hello.held.push_back({r->id, r->attempt, r->epoch, wire::lease_stage::measuring});
    transport_->set_hello(pack(hello));
    transport_->set_beat("", bytes);
    if (now)
      transport_->send({"", frame_kind::beat, 0, 0, 0, bytes});
  }

  const backend* backend_of(const std::string& name) const {
    for (const auto& b : options_.backends)
      if (b.name == name)
        return &b;
    return nullptr;
  }

  result<const problem*> problem_of(const std::string& digest) {
    auto p = problems_.find(digest);
    if (p != problems_.end())
      return &p->second;
    auto parsed = unpack<problem>(blobs_.at(digest));
    if (!parsed)
      return parsed.error();
    return &problems_.emplace(digest, std::move(*parsed)).first->second;
  }

  void keep_blob(const std::string& digest, std::string bytes) {
    blob_bytes_ += bytes.size();
    blobs_[digest] = std::move(bytes);
    if (blob_bytes_ <= blob_cache_bytes)
      return;
    std::set<std::string> needed{digest};
    for (const auto& [id, l] : leases_)
      needed.insert({l.what.problem_digest, l.what.source_digest});
    for (auto b = blobs_.begin(); b != blobs_.end() && blob_bytes_ > blob_cache_bytes / 2;)
      if (needed.contains(b->first)) {
        ++b;
      } else {
        blob_bytes_ -= b->second.size();
        b = blobs_.erase(b);
      }
  }

  // -- results that nobody has acknowledged
  // ---------------------------------------------------------------------------------

  fs::path file_of(std::uint64_t id) const {
    return fs::path{options_.results} / (std::to_string(id) + ".result");
  }

  void save_held(std::uint64_t id, const std::string& bytes) {
    held_[id] = bytes;
    if (options_.results.empty())
      return;
    auto temporary = file_of(id).string() + ".ke-tmp";
    std::ofstream{temporary, std::ios::binary} << bytes;
    std::error_code error;
    fs::rename(temporary, file_of(id), error);
    if (error)
      log::warn("worker", "a result can't be kept on disk", {{"why", error.message()}});
  }

  void load_held() {
    if (options_.results.empty())
      return;
    std::error_code error;
    fs::create_directories(options_.results, error);
    for (const auto& file : fs::directory_iterator{options_.results, error}) {
      if (file.path().extension() != ".result")
        continue;
      std::ostringstream bytes;
      bytes << std::ifstream{file.path(), std::ios::binary}.rdbuf();
      if (auto r = unpack<job_result>(bytes.str()))
        held_[r->id] = bytes.str();
      else
        fs::remove(file.path(), error);
    }
  }

  caf::event_based_actor* self_;
  link_options options_;
  std::shared_ptr<transport_port> transport_;
  std::map<std::uint64_t, leased> leases_;
  std::map<std::uint64_t, std::string> held_; ///< packed results
  std::map<std::string, std::string> blobs_;
  std::size_t blob_bytes_ = 0;
  std::map<std::string, problem> problems_;
  known_objects objects_;
  std::map<std::string, wire::device_health> health_;
  std::map<std::string, unsigned> failures_; ///< of the machine, in a row, by device
  std::function<void()> draining_;
};

} // namespace

caf::behavior link(caf::event_based_actor* self, link_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<worker_link>(self, std::move(options));
  return {
      [=](const frame_in& in) { state->frame(in); },
      [=](const peer_lost& l) { state->lost(l); },
      [=](blob_in& b) { state->blob(b); },
      [=](const work_stage& s) { state->stage(s); },
      [=](const work_built& b) { state->built(b); },
      [=](const work_done& d) { state->finish(d); },
      [=](const device_state_changed& c) { state->device_changed(c); },
      [=](const drain_worker& d) { state->drain(d); },
  };
}

} // namespace ke
