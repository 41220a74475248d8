#include "actors/worker/link.hpp"

#include "actors/messages/handlers_of.hpp"
#include "actors/messages/worker_addresses.hpp"
#include "backends/evaluation/known_objects.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/fleet/held_results.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/failpoint.hpp"
#include "runtime/observe/log.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ke {

struct look_at_leases {};

} // namespace ke

KE_MESSAGE(ke::look_at_leases)

namespace ke {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t blob_cache_bytes = 64u << 20;
constexpr std::uint64_t longest_job_ms = 7ull * 86'400'000;
constexpr auto look_again = 2s;
constexpr auto want_again = 6s;             ///< content that has not come
constexpr std::size_t most_results_out = 4; ///< sent and not acknowledged: each may be a megabyte

struct leased {
  job what;
  std::string device;
  wire::lease_stage stage = wire::lease_stage::queued;
  std::set<std::string> missing; ///< digests on their way
  std::chrono::steady_clock::time_point deadline, wanted;
  bool started = false;
  bool at_device = false; ///< built, and given to its device
  std::string object;     ///< its key in known_objects, once it is built
};

class worker_link {
public:
  worker_link(caf::event_based_actor* self, link_options options)
      : self_{self}, options_{std::move(options)}, held_{options_.results} {
    after(self_, look_again, look_at_leases{});
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
    drain();
  }

  void frame(const frame_in& in) {
    const auto& f = in.what;
    switch (f.kind) {
    case frame_kind::welcome:
      log::info("worker", "attached", {{"epoch", std::to_string(f.epoch)}});
      if (options_.attached)
        options_.attached();
      return welcomed(f);
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
    case frame_kind::bye: // it comes back, perhaps
      attached_ = false;
      return leave_if_done();
    case frame_kind::ack:
      if (auto body = wire::decode<wire::ack_body>(f.body))
        acknowledged(body->job, body->attempt);
      return;
    default:
      return;
    }
  }

  void lost(const peer_lost& l) {
    log::warn("worker", "the coordinator is silent; working on, results are kept", {{"why", l.why.text}});
    attached_ = false;
    leave_if_done();
  }

  void blob(blob_in& b) {
    keep_blob(b.digest, std::move(b.bytes));
    std::vector<std::uint64_t> complete; // `begin` may end a lease
    for (auto& [id, l] : leases_)
      if (l.missing.erase(b.digest) && l.missing.empty())
        complete.push_back(id);
    for (auto id : complete)
      if (auto l = leases_.find(id); l != leases_.end())
        begin(l->second);
  }

  /// What did not come is asked for again, what takes too long is given up.
  void look() {
    after(self_, look_again, look_at_leases{});
    drain();
    auto now = self_->clock().now();
    std::vector<std::uint64_t> overdue;
    for (auto& [id, l] : leases_) {
      if (now >= l.deadline)
        overdue.push_back(id);
      else if (!l.missing.empty() && now - l.wanted >= want_again)
        want(l);
    }
    for (auto id : overdue)
      give_up(id, {failure_kind::timeout, "it did not end within its deadline on this worker", true});
  }

  void lost_works(const assignments_lost& lost) {
    std::vector<std::uint64_t> gone;
    for (const auto& [id, l] : leases_)
      if (l.started &&
          (lost.everything || (lost.device.empty() ? !l.at_device : l.at_device && l.device == lost.device)))
        gone.push_back(id);
    for (auto id : gone)
      give_up(id, {failure_kind::device, lost.why, true});
  }

  void stage(const assignment_stage& s) {
    auto l = leases_.find(s.job);
    if (l == leases_.end())
      return;
    l->second.stage = s.stage;
    say_state(true);
  }

  void built(const assignment_built& b) {
    auto l = leases_.find(b.item->what.id);
    if (l == leases_.end())
      return;
    if (!b.item->steps->complete()) {
      auto& key = l->second.object =
          known_objects::key_of(b.item->what, l->second.device, b.item->steps->artifact());
      if (auto known = objects_.find(key, b.item->what)) {
        static auto& again = counters::get("worker.objects_known");
        ++again;
        return finish({b.item, {}, std::move(known)});
      }
      l->second.at_device = true;
      options_.names->send(addresses::devices, measure_assignment{b.item});
      return;
    }
    auto found = b.item->steps->finish(); // over already: it does not build, or nothing here can run it
    finish(found ? assignment_done{b.item, {}, std::make_shared<evidence>(std::move(*found))}
                 : assignment_done{b.item, found.error(), nullptr});
  }

  void finish(const assignment_done& d) {
    auto l = leases_.find(d.item->what.id);
    if (l == leases_.end() || l->second.what.attempt != d.item->what.attempt)
      return;
    const auto& what = l->second.what;
    job_result r{what.id,       what.attempt, what.epoch,  d.why, d.found ? *d.found : evidence{},
                 d.item->spans, what.store,   what.warrant};
    note_health(l->second.device, r);
    if (auto p = problems_.find(what.problem_digest);
        p != problems_.end() && r.why.kind == failure_kind::none)
      objects_.learn(l->second.object, what, p->second, r.found);
    leases_.erase(l);
    static auto& done = counters::get("worker.jobs_done");
    ++done;
    keep(std::move(r));
  }

  void device_changed(const device_state_changed& c) {
    health_[c.device] = {c.device, c.state, c.reason};
    say_state(true);
  }

  void drain() {
    if (!options_.leaving || !options_.leaving->asked() || std::exchange(draining_, true))
      return;
    transport_->send(wire::make_frame("", frame_kind::drain, wire::ready_body{}));
    leave_if_done();
  }

private:
  void send_ready() {
    transport_->send(wire::make_frame(
        "", frame_kind::ready, wire::ready_body{options_.hello.build_slots, options_.hello.device_slots}));
  }

  /// A session begins, perhaps with another store than the last one.
  void welcomed(const ke::frame& f) {
    auto body = wire::decode<wire::welcome_body>(f.body);
    store_ = body ? body->store : std::string{};
    attached_ = true;
    if (draining_)
      transport_->send(wire::make_frame("", frame_kind::drain, wire::ready_body{}));
    else
      send_ready();
    out_.clear();
    send_results();
    for (auto& [id, l] : leases_) // what was on its way is lost with the session
      if (l.what.store == store_ && !l.missing.empty())
        want(l);
    say_state(true);
  }

  void want(leased& l) {
    l.wanted = self_->clock().now();
    for (const auto& digest : l.missing)
      transport_->send(wire::make_frame("", frame_kind::want, wire::want_body{digest}));
  }

  /// The machine's failure, told as a result: the job is done elsewhere.
  void give_up(std::uint64_t id, failure why) {
    auto l = leases_.find(id);
    if (l == leases_.end())
      return;
    log::warn("worker", "a job is given up", {{"job", std::to_string(id)}, {"why", why.text}});
    auto what = l->second.what;
    cancel(id);
    keep({what.id, what.attempt, what.epoch, std::move(why), {}, {}, what.store, what.warrant});
  }

  void keep(job_result r) {
    held_.put(std::move(r));
    failpoint::pass("worker.before_result");
    send_results();
    say_state(true);
    leave_if_done();
  }

  /// A few at a time: beats share their way.
  void send_results() {
    for (const auto& [id, r] : held_.all())
      if (r.store == store_ && out_.size() < most_results_out && out_.insert(id).second)
        transport_->send({"", frame_kind::result, 0, 0, 0, r.bytes});
  }

  /// Leaves once nothing holds it. Results for an absent coordinator stay in the folder until it is back;
  /// only an attached one is waited for.
  void leave_if_done() {
    if (draining_ && !attached_) // nobody will send what these wait for
      std::erase_if(leases_, [](const auto& l) { return !l.second.started; });
    if (draining_ && leases_.empty() && !options_.leaving->left() && !(attached_ && held_.any_of(store_)))
      left();
  }

  void left() {
    transport_->send({"", frame_kind::bye, 0, 0, 0, pack(wire::ready_body{})});
    options_.leaving->leave();
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
    options_.names->send(addresses::devices, suspect_device{device, why});
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
    if (leases_.contains(j.id))
      cancel(j.id);
    failpoint::pass("worker.after_accept");
    if (auto done = held_.result_of(j.id)) { // in an earlier attempt that nobody has acknowledged
      auto fit = done->why.kind == failure_kind::none && done->found.ending != ending::harness_error;
      held_.drop(j.id);
      out_.erase(j.id);
      if (fit) {
        done->attempt = j.attempt, done->epoch = j.epoch, done->store = j.store, done->warrant = j.warrant;
        return keep(std::move(*done));
      }
    }
    auto& l = leases_[j.id];
    l.device = body->device;
    auto most = body->deadline_ms ? std::min(body->deadline_ms, longest_job_ms) : longest_job_ms;
    l.deadline = self_->clock().now() + std::chrono::milliseconds{most};
    for (auto& [digest, bytes] : j.inline_blobs)
      if (digest_of(bytes) == digest)
        keep_blob(digest, std::move(bytes));
    j.inline_blobs.clear();
    l.what = std::move(j);
    for (const auto& digest : {l.what.problem_digest, l.what.source_digest})
      if (!blobs_.contains(digest))
        l.missing.insert(digest);
    if (!l.missing.empty())
      want(l);
    else
      begin(l);
    say_state(false);
  }

  void begin(leased& l) {
    if (std::exchange(l.started, true))
      return;
    auto p = problem_of(l.what.problem_digest);
    auto item = std::make_shared<assignment>();
    item->what = l.what;
    item->device = l.device;
    if (!p) {
      item->steps = nullptr;
      return finish({item, p.error(), nullptr});
    }
    auto options = options_.evaluation;
    options.timed = l.what.timed;
    options.seed = l.what.seed;
    options.closer_above = l.what.closer_above;
    options.limits = l.what.limits;
    const auto* b = backend_of(l.what.backend);
    device_info target;
    for (const auto& d : options_.hello.devices)
      if (d.backend == l.what.backend && (target.name.empty() || d.name == l.device))
        target = d;
    item->steps = std::make_shared<evaluation>(**p, blobs_.at(l.what.source_digest), *b, target, l.what.plan,
                                               std::move(options));
    options_.names->send(addresses::builder, build_assignment{item});
  }

  void cancel(std::uint64_t id) {
    options_.names->send(addresses::builder, cancel_assignment{id});
    options_.names->send(addresses::devices, cancel_assignment{id});
    leases_.erase(id);
  }

  void revoke(const wire::lease_ref& r) {
    auto l = leases_.find(r.job);
    if (l != leases_.end() && l->second.what.attempt == r.attempt) {
      cancel(r.job);
      say_state(false);
    }
    acknowledged(r.job, r.attempt);
  }

  void acknowledged(std::uint64_t id, std::uint32_t attempt) {
    auto held = held_.all().find(id);
    if (held == held_.all().end() || held->second.ref.attempt != attempt)
      return;
    held_.drop(id);
    out_.erase(id);
    send_results();
    say_state(false);
    leave_if_done();
  }

  /// What a beat and a re-hello say of us; `now`: also at once.
  void say_state(bool now) {
    wire::worker_beat beat;
    auto hello = options_.hello;
    hello.leases.clear();
    for (const auto& [id, l] : leases_) {
      wire::lease_ref ref{id, l.what.attempt, l.what.epoch, l.stage, {}};
      if (l.what.store == store_)
        beat.leases.push_back(ref);
      ref.warrant = l.what.warrant;
      hello.leases.push_back(std::move(ref));
    }
    for (const auto& [name, h] : health_)
      beat.devices.push_back(h);
    auto used = static_cast<std::uint32_t>(leases_.size());
    auto slots = options_.hello.build_slots + options_.hello.device_slots;
    beat.device_slots = slots > used ? slots - used : 0;
    auto bytes = pack(beat);
    for (auto& d : hello.devices)
      if (auto h = health_.find(d.name); h != health_.end())
        d.state = h->second.state;
    for (const auto& [id, r] : held_.all())
      hello.held.push_back(r.ref);
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

  caf::event_based_actor* self_;
  link_options options_;
  std::shared_ptr<transport_port> transport_;
  std::map<std::uint64_t, leased> leases_;
  held_results held_;
  std::set<std::uint64_t> out_; ///< results that were sent in this session
  std::string store_;           ///< of the coordinator that has welcomed us last
  bool attached_ = false;       ///< and it has been heard since
  std::map<std::string, std::string> blobs_;
  std::size_t blob_bytes_ = 0;
  std::map<std::string, problem> problems_;
  known_objects objects_;
  std::map<std::string, wire::device_health> health_;
  std::map<std::string, unsigned> failures_; ///< of the machine, in a row, by device
  bool draining_ = false;
};

} // namespace

caf::behavior link(caf::event_based_actor* self, link_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<worker_link>(self, std::move(options));
  handlers_of handlers{
      addresses::link,
      [=](const frame_in& in) { state->frame(in); },
      [=](const peer_lost& l) { state->lost(l); },
      [=](blob_in& b) { state->blob(b); },
      [=](const assignment_stage& s) { state->stage(s); },
      [=](const assignment_built& b) { state->built(b); },
      [=](const assignment_done& d) { state->finish(d); },
      [=](const assignments_lost& w) { state->lost_works(w); },
      [=](const look_at_leases&) { state->look(); },
      [=](const device_state_changed& c) { state->device_changed(c); },
      [=](const drain_worker&) { state->drain(); },
  };
  return handlers.behavior();
}

} // namespace ke
