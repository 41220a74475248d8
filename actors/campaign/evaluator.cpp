#include "actors/campaign/evaluator.hpp"

#include "actors/campaign/closer_looks.hpp"
#include "actors/campaign/verdict_key.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"
#include "backends/evidence/artifact_texts.hpp"
#include "backends/verdict/drift_watch.hpp"
#include "backends/verdict/second_opinion.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/device_name.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/same_object.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/fleet/device_class.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/store/store_port.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ke {

struct verdict_looked_up {
  std::uint64_t job;
  std::shared_ptr<const verdict> found; ///< null: none in the store
};

} // namespace ke

KE_MESSAGE(ke::verdict_looked_up)

namespace ke {

namespace {

/// What a job is for: a second device's look at a claim is not the first's.
std::string plan_of(const evaluate_request& r) {
  return std::string{to_text(r.plan)} + (r.second ? " second" : "");
}

} // namespace

std::uint64_t job_id(const std::string& store_id, const evaluate_request& r, std::uint32_t target) {
  return checksum_of(digest_of_parts({store_id, pack(r.node), std::to_string(target), plan_of(r),
                                      r.problem_digest, r.source_digest})) >>
         1;
}

namespace {

struct open_job {
  std::shared_ptr<const evaluate_request> request;
  std::uint32_t target = 0;
  std::string key; ///< of its verdict
  unsigned tries = 0;
  unsigned again = 0; ///< measured again because of its machine
  double spent_s = 0; ///< of the device, for what does not count
  bool submitted = false;
  std::optional<job_done> first;     ///< a score beyond belief, which another worker is to confirm
  std::set<std::string> measured_by; ///< workers that are not to confirm their own word
};

using node_target = std::pair<node_key, std::uint32_t>;

/// Where nodes were measured, the newest ones; a parent that is forgotten pulls its children nowhere.
class measuring_places {
public:
  void note(const node_target& what, fleet_device where) {
    if (at_.insert_or_assign(what, std::move(where)).second)
      order_.push_back(what);
    if (order_.size() > most) {
      at_.erase(order_.front());
      order_.pop_front();
    }
  }
  fleet_device of(const node_target& what) const {
    auto known = at_.find(what);
    return known == at_.end() ? fleet_device{} : known->second;
  }

private:
  static constexpr std::size_t most = 16384;
  std::map<node_target, fleet_device> at_;
  std::deque<node_target> order_;
};

double counted(const evidence& found, const char* key) {
  auto at = found.counters.find(key);
  return at == found.counters.end() ? 0 : at->second;
}

/// What a judgement took of its machine, in seconds.
double seconds_of(const verdict& v, const evidence& found) {
  return v.build_s + v.check_s + v.time_s + counted(found, counter_keys::tools_s);
}

/// Of a verdict that no other node may take over.
std::string own_key(const std::string& key, const evaluate_request& r, std::uint32_t target) {
  return digest_of_parts({key, pack(r.node), std::to_string(target) + (r.second ? " second" : "")});
}

std::uint32_t evidence_place(const evaluate_request& r, std::uint32_t target) {
  if (r.plan != measure_plan::claim)
    return target;
  return target + (r.second ? evidence_of_validations : evidence_of_claims);
}

class open_evaluations {
public:
  open_evaluations(caf::event_based_actor* self, evaluator_options options)
      : self_{self}, options_{std::move(options)} {
    options_.names->send(addresses::fleet, watch_capacity{addresses::evaluator});
  }

  void evaluate(evaluate_request& r) {
    auto request = std::make_shared<const evaluate_request>(std::move(r));
    for (std::uint32_t t = 0; t < request->devices.size(); ++t) {
      auto id = job_id(options_.store_id, *request, t);
      if (jobs_.contains(id))
        continue; // asked for again after a restart of its node
      by_node_[{request->node, request->plan}].insert(id);
      const auto& device = device_for(request->backend, request->devices[t]);
      auto& j = jobs_[id];
      j.request = request;
      j.target = t;
      j.measured_by = request->avoid;
      j.key = verdict_key(request->problem_digest, request->normalised_digest, device, request->plan,
                          request->timed);
      if (request->plan == measure_plan::claim) { // measured afresh, whatever is known of it
        j.key = own_key(j.key, *request, t);
        by_key_[j.key].push_back(id);
        submit(id, j);
        continue;
      }
      auto& waiting = by_key_[j.key];
      waiting.push_back(id);
      if (waiting.size() > 1)
        continue; // the same candidate is being judged for another node
      auto me = weak(self_);
      options_.store->read(table::verdicts, j.key, [me, id](result<std::string> bytes) {
        auto v = bytes ? unpack<verdict>(*bytes) : result<verdict>{bytes.error()};
        send_weak(me, verdict_looked_up{id, v ? std::make_shared<const verdict>(std::move(*v)) : nullptr});
      });
    }
  }

  void looked_up(const verdict_looked_up& l) {
    auto j = jobs_.find(l.job);
    if (j == jobs_.end())
      return;
    if (l.found && holds_elsewhere(l.found->state))
      answer_all(j->second.key, l.found);
    else
      submit(l.job, j->second);
  }

  void done(const job_done& d) {
    auto j = jobs_.find(d.id);
    if (j == jobs_.end())
      return d.acknowledge();
    auto& job = j->second;
    auto found = std::make_shared<verdict>(verdict_from(job, d));
    if (found->state == verdict_state::harness_error && ++job.tries < options_.harness_tries) {
      log::warn("evaluator", "evaluation failed, tried again",
                {{"worker", d.worker}, {"why", found->reason}});
      d.acknowledge();
      return submit(d.id, job);
    }
    if (found->state == verdict_state::harness_error)
      options_.names->send(addresses::fleet, cancel_job{d.id}); // it kept the job for another try
    if (auto why = job.first ? std::string{} : doubt(job, d, *found);
        !why.empty() && job.again < most_again) {
      ++job.again;
      job.spent_s += seconds_of(*found, d.found->found);
      log::info("evaluator", "measured again: the machine was not itself",
                {{"worker", d.worker}, {"device", found->device}, {"why", why}});
      options_.names->send(addresses::campaign(job.request->node.campaign),
                           measured_again{job.request->node, why});
      d.acknowledge();
      return submit(d.id, job);
    }
    if (!job.first && beyond_belief(job, *found) &&
        offered_by_another(offers_[job.request->backend], found->device, d.worker)) {
      log::info("evaluator", "a score beyond belief is measured by another worker, too",
                {{"worker", d.worker}, {"score", std::to_string(*found->score)}});
      job.first = d;
      job.measured_by.insert(d.worker);
      job.tries = 0;
      return submit(d.id, job);
    }
    auto counts = d;
    if (job.first) {
      auto first = std::make_shared<verdict>(verdict_from(job, *job.first));
      switch (agreed(*first, *found, d)) {
      case opinion::first:
        counts = *job.first;
        found = first;
        break;
      case opinion::second:
        break;
      case opinion::undecided:
        if (found->state == verdict_state::noisy && ++job.tries < options_.harness_tries) {
          d.acknowledge();
          return submit(d.id, job);
        }
        // A word that nobody can confirm is believed only as long as nobody else could be asked.
        if (!offered_by_another(offers_[job.request->backend], first->device, job.first->worker)) {
          counts = *job.first;
          found = first;
        }
      }
    }
    auto acknowledge = [first = job.first, d] {
      if (first)
        first->acknowledge();
      d.acknowledge();
    };
    if (found->timing)
      measured_at_.note({job.request->node, job.target}, {counts.worker, counts.device});
    if (found->state == verdict_state::correct && found->score)
      beliefs_.stands(place_of(job), *found->score);
    decided(j, counts, found, std::move(acknowledge));
  }

  void stage(const job_stage& s) {
    auto j = jobs_.find(s.id);
    if (j != jobs_.end())
      options_.names->send(addresses::campaign(j->second.request->node.campaign),
                           stage_changed{j->second.request->node, s.stage});
  }

  void poisoned(const job_poisoned& p) {
    auto j = jobs_.find(p.id);
    if (j == jobs_.end())
      return;
    fail(p.id, {j->second.request->node, node_state::poisoned, p.why, j->second.request->plan});
  }

  void cancel(const cancel_evaluation& c) {
    auto mine = by_node_.find({c.node, c.plan});
    if (mine == by_node_.end())
      return;
    for (auto id : std::set{mine->second}) {
      auto& j = jobs_.at(id);
      if (j.submitted)
        options_.names->send(addresses::fleet, cancel_job{id});
      auto key = j.key;
      auto first = by_key_.at(key).front() == id;
      erase(jobs_.find(id));
      auto others = take(key, id);
      by_key_[key] = others;
      if (others.empty())
        by_key_.erase(key);
      else if (first)
        submit(others.front(), jobs_.at(others.front()));
    }
  }

  void capacity_is(const capacity& c) {
    devices_[c.backend] = c.devices;
    offers_[c.backend] = c.offered_by;
  }

private:
  using open_jobs = std::unordered_map<std::uint64_t, open_job>;

  static node_target parent_of(const open_job& j) {
    const auto& r = *j.request;
    return {{r.node.campaign, r.node.tree, r.parent}, j.target};
  }

  static beliefs::place place_of(const open_job& j) {
    return {j.request->node.campaign, j.request->backend, j.request->devices[j.target]};
  }

  void erase(open_jobs::iterator j) {
    const auto& r = *j->second.request;
    auto mine = by_node_.find({r.node, r.plan});
    mine->second.erase(j->first);
    if (mine->second.empty())
      by_node_.erase(mine);
    jobs_.erase(j);
  }

  /// Why a time says less of the candidate than of its machine, in words; empty: it does not. What was noisy, or
  /// measured while the device's fixed kernels had left their band, is nobody's parent before it has been measured again.
  /// On a loud machine the judge has waited already, and its interval is wide: it would be no better the next time.
  std::string doubt(const open_job& j, const job_done& d, const verdict& v) {
    const auto& found = d.found->found;
    if (found.provenance.contains(same_object_as)) // of another's measurement
      return {};
    if (found.launches.empty() || (v.state != verdict_state::correct && v.state != verdict_state::noisy))
      return {};
    if (counted(found, device_facts::gate_loud) > 0)
      return {};
    auto drift = drifts_[{d.worker, d.device}].note(found);
    bool noisy = v.state == verdict_state::noisy && j.again == 0 &&
                 j.request->plan == measure_plan::rank; // a claim has its own tries
    return drift.empty() && noisy ? "noisy" : drift;
  }
  static constexpr unsigned most_again = 2; ///< then it counts as it is

  bool beyond_belief(const open_job& j, const verdict& v) const {
    return j.request->plan == measure_plan::rank && v.state == verdict_state::correct && v.score &&
           beliefs_.beyond(place_of(j), *v.score);
  }

  static opinion agreed(const verdict& first, const verdict& second, const job_done& d) {
    auto said = weigh(first, second);
    if (said == opinion::undecided)
      log::warn("evaluator", "another worker could not measure a score beyond belief",
                {{"candidate", first.candidate}, {"worker", d.worker}, {"why", second.reason}});
    else if (second.state != verdict_state::correct || second.score.value_or(0) * 1.5 < *first.score)
      log::warn(
          "evaluator", "two workers do not agree on a candidate: the lower score counts",
          {{"candidate", first.candidate},
           {"first", first.provenance.at(provenance_keys::worker) + ": " + std::to_string(*first.score)},
           {"second", d.worker + ": " + std::string{to_text(second.state)} + " " +
                          std::to_string(second.score.value_or(0))}});
    return said;
  }

  /// A worker that sends longer texts than any keeps does not fill the store with them.
  static std::string stored(const evidence& found) {
    if (within_bounds(found.artifacts))
      return pack(found);
    auto without = found;
    without.artifacts.clear();
    return pack(without);
  }

  void decided(open_jobs::iterator j, const job_done& d, const std::shared_ptr<verdict>& found,
               std::function<void()> acknowledge) {
    auto& job = j->second;
    const auto& evidence = d.found->found;
    auto batch = std::make_shared<store_batch>();
    auto node = job.request->node;
    batch->put(table::evidence,
               key_of(node.campaign, node.tree, node.node, evidence_place(*job.request, job.target)),
               stored(evidence));
    auto key = job.key;
    // What is measured again for the next node must not change what this one was judged by.
    auto row = holds_elsewhere(found->state) || job.request->plan == measure_plan::claim
                   ? key
                   : own_key(key, *job.request, job.target);
    batch->put(table::verdicts, row, pack(*found));
    judged said{node,  job.target,  found,
                row,   false,       job.spent_s + seconds_of(*found, evidence),
                batch, acknowledge, job.request->plan};
    auto tools_s = counted(evidence, counter_keys::tools_s);
    looks_[place_of(job)].took(found->check_s + found->time_s + tools_s, tools_s);
    said.held_s = counted(evidence, counter_keys::gate_held_s);
    said.beside_others = counted(evidence, counter_keys::gate_beside_others) > 0;
    auto same = evidence.provenance.find(same_object_as);
    auto first = same == evidence.provenance.end() ? std::nullopt : node_of_text(same->second);
    if (first && same->second != text_of_node(node)) { // its own: it is judged for the second time
      said.duplicate = true;
      if (first->campaign == node.campaign && first->tree == node.tree)
        said.duplicate_of = first->node;
    }
    tell(job, std::move(said));
    auto id = j->first;
    erase(j);
    auto others = take(key, id);
    if (holds_elsewhere(found->state)) {
      for (auto other : others)
        duplicate(other, found);
    } else { // each is judged for itself
      for (auto other : others)
        submit(other, jobs_.at(other));
    }
  }

  const device_info& device_for(const std::string& backend, const std::string& pattern) {
    static const device_info unknown;
    for (const auto& d : devices_[backend])
      if (names_device(pattern, d.name))
        return d;
    return unknown;
  }

  void submit(std::uint64_t id, open_job& j) {
    auto what = std::make_shared<job>();
    what->id = id;
    what->node = j.request->node;
    what->target = j.target;
    what->backend = j.request->backend;
    what->device = j.request->devices[j.target];
    what->problem_digest = j.request->problem_digest;
    what->source_digest = j.request->source_digest;
    what->plan = j.request->plan;
    what->timed = j.request->timed;
    what->seed = j.request->seed;
    if (what->plan == measure_plan::rank)
      what->closer_above = looks_[place_of(j)].above(beliefs_.highest(place_of(j)));
    if (auto own = options_.limits.find(what->backend); own != options_.limits.end())
      what->limits = own->second;
    if (j.request->source->size() <= (64u << 10))
      what->inline_blobs[j.request->source_digest] = *j.request->source;
    what->store = options_.store_id;
    j.submitted = true;
    std::set<std::string> avoid;
    if (!j.measured_by.empty())
      avoid =
          not_to_confirm(offers_[what->backend], device_for(what->backend, what->device).name, j.measured_by);
    const auto& prefer = j.request->prefer;
    options_.names->send(
        addresses::fleet,
        submit_job{what, std::move(avoid), prefer.worker.empty() ? measured_at_.of(parent_of(j)) : prefer});
  }

  verdict verdict_from(const open_job& j, const job_done& d) const {
    verdict v;
    auto why = d.found->why;
    if (why.kind == failure_kind::none)
      why = foreign(j, d.found->found);
    if (why.kind == failure_kind::none) {
      v = verdict_of(d.found->found, *j.request->problem, j.request->plan);
    } else {
      v.state = verdict_state::harness_error;
      v.reason = why.text;
    }
    v.backend = j.request->backend;
    v.problem = j.request->problem_digest;
    v.candidate = j.request->source_digest;
    v.provenance[provenance_keys::worker] = d.worker; // ours to say, not the evidence's
    v.provenance[provenance_keys::unit] = d.device;
    v.provenance[provenance_keys::baseline] = baseline_name(*j.request->problem);
    return v;
  }

  /// Why this is not evidence of the job's candidate.
  static failure foreign(const open_job& j, const evidence& found) {
    auto says = [&](const char* what, const std::string& digest) {
      auto p = found.provenance.find(what);
      return p != found.provenance.end() && p->second == digest;
    };
    if (!says("candidate", j.request->source_digest))
      return {failure_kind::corrupt, "the evidence is of another candidate", true};
    if (!says("problem", j.request->problem_digest))
      return {failure_kind::corrupt, "the evidence is of another problem", true};
    for (auto seconds : {found.build_s, found.check_s, found.time_s})
      if (!(seconds >= 0 && seconds <= most_seconds)) // NaN, too
        return {failure_kind::corrupt, "the evidence tells of an impossible time", true};
    return {};
  }
  static constexpr double most_seconds = 7 * 86'400;

  void tell(const open_job& j, judged message) {
    options_.names->send(addresses::campaign(j.request->node.campaign), std::move(message));
  }

  /// Those that wait for this key, without `but`; they are nobody's any more.
  std::vector<std::uint64_t> take(const std::string& key, std::uint64_t but) {
    auto k = by_key_.find(key);
    if (k == by_key_.end())
      return {};
    auto ids = std::move(k->second);
    by_key_.erase(k);
    std::erase(ids, but);
    std::erase_if(ids, [&](auto id) { return !jobs_.contains(id); });
    return ids;
  }

  void duplicate(std::uint64_t id, const std::shared_ptr<const verdict>& found) {
    auto j = jobs_.find(id);
    tell(j->second,
         judged{j->second.request->node, j->second.target, found, j->second.key, true, 0, nullptr, {}});
    erase(j);
  }

  void answer_all(const std::string& key, const std::shared_ptr<const verdict>& found) {
    for (auto id : take(key, 0))
      duplicate(id, found);
  }

  void fail(std::uint64_t id, const evaluation_failed& f) {
    auto key = jobs_.at(id).key;
    options_.names->send(addresses::campaign(f.node.campaign), f);
    erase(jobs_.find(id));
    for (auto other : take(key, id))
      submit(other, jobs_.at(other));
  }

  caf::event_based_actor* self_;
  evaluator_options options_;
  open_jobs jobs_;
  std::map<std::pair<node_key, measure_plan>, std::set<std::uint64_t>> by_node_;
  beliefs beliefs_;
  std::map<beliefs::place, closer_looks> looks_;
  measuring_places measured_at_;
  std::map<std::pair<std::string, std::string>, drift_watch> drifts_; ///< by worker and device
  std::map<std::string, class_offers> offers_;                        ///< by backend
  std::map<std::string, std::vector<std::uint64_t>> by_key_;
  std::map<std::string, std::vector<device_info>> devices_; ///< by backend
};

} // namespace

caf::behavior evaluator(caf::event_based_actor* self, evaluator_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<open_evaluations>(self, std::move(options));
  handlers_of handlers{
      addresses::evaluator,
      [=](evaluate_request& r) { state->evaluate(r); },
      [=](const verdict_looked_up& l) { state->looked_up(l); },
      [=](const job_done& d) { state->done(d); },
      [=](const job_stage& s) { state->stage(s); },
      [=](const job_poisoned& p) { state->poisoned(p); },
      [=](const cancel_evaluation& c) { state->cancel(c); },
      [=](const capacity& c) { state->capacity_is(c); },
  };
  return handlers.behavior();
}

} // namespace ke
