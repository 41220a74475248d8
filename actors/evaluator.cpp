#include "actors/evaluator.hpp"

#include "actors/same_object.hpp"
#include "actors/synthesizer.hpp"
#include "backends/verdict.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/log.hpp"

#include <fnmatch.h>

#include <map>
#include <unordered_map>

namespace ke {

struct verdict_looked_up {
  std::uint64_t job;
  std::shared_ptr<const verdict> found; ///< null: none in the store
};

} // namespace ke

KE_MESSAGE(ke::verdict_looked_up)

namespace ke {

std::string verdict_key(const std::string& problem_digest, const std::string& normalised_digest,
                        const device_info& device, measure_plan plan, bool timed) {
  auto fact = [&](const char* name) {
    auto f = device.facts.find(name);
    return f == device.facts.end() ? std::string{} : f->second;
  };
  return digest_of_parts({problem_digest, normalised_digest, device.backend, fact("flags"), fact("toolchain"),
                          device.name, KE_VERSION, to_text(plan), timed ? "timed" : "untimed"});
}

std::uint64_t job_id(const node_key& node, std::uint32_t target, measure_plan plan) {
  auto name = pack(node) + pack(target);
  return checksum_of(plan == measure_plan::rank ? name : name + pack(plan)) >> 1;
}

namespace {

struct open_job {
  std::shared_ptr<const evaluate_request> request;
  std::uint32_t target = 0;
  std::string key; ///< of its verdict
  unsigned tries = 0;
  bool submitted = false;
};

/// Of a verdict that no other node may take over.
std::string own_key(const std::string& key, const node_key& node, std::uint32_t target) {
  return digest_of_parts({key, pack(node), std::to_string(target)});
}

/// A verdict that says nothing about the candidate is not kept for others.
bool reusable(const verdict& v) {
  return v.state != verdict_state::harness_error && v.state != verdict_state::noisy &&
         v.state != verdict_state::timeout;
}

class bench {
public:
  bench(caf::event_based_actor* self, evaluator_options options) : self_{self}, options_{std::move(options)} {
    options_.names->send("fleet", watch_capacity{"evaluator"});
  }

  void evaluate(evaluate_request& r) {
    auto request = std::make_shared<const evaluate_request>(std::move(r));
    for (std::uint32_t t = 0; t < request->devices.size(); ++t) {
      auto id = job_id(request->node, t, request->plan);
      if (jobs_.contains(id))
        continue; // asked for again after a restart of its node
      const auto& device = device_for(request->backend, request->devices[t]);
      auto& j = jobs_[id];
      j.request = request;
      j.target = t;
      j.key = verdict_key(request->problem_digest, request->normalised_digest, device, request->plan,
                          request->timed);
      if (request->plan == measure_plan::claim) { // measured afresh, whatever is known of it
        j.key = own_key(j.key, request->node, t);
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
    if (l.found && reusable(*l.found))
      answer_all(j->second.key, l.found);
    else
      submit(l.job, j->second);
  }

  void done(const job_done& d) {
    auto j = jobs_.find(d.id);
    if (j == jobs_.end())
      return d.acknowledge();
    auto& job = j->second;
    const auto& r = *d.found;
    auto found = std::make_shared<verdict>(verdict_from(job, r));
    if (found->state == verdict_state::harness_error && ++job.tries < options_.harness_tries) {
      log::warn("evaluator", "evaluation failed, tried again",
                {{"worker", d.worker}, {"why", found->reason}});
      d.acknowledge();
      return submit(d.id, job);
    }
    if (found->state == verdict_state::harness_error)
      options_.names->send("fleet", cancel_job{d.id}); // it kept the job for another try
    auto batch = std::make_shared<store_batch>();
    auto node = job.request->node;
    auto place = job.request->plan == measure_plan::claim ? evidence_of_claims + job.target : job.target;
    batch->put(table::evidence, key_of(node.campaign, node.tree, node.node, place), pack(r.found));
    auto key = job.key;
    // What is measured again for the next node must not change what this one was judged by.
    auto row =
        reusable(*found) || job.request->plan == measure_plan::claim ? key : own_key(key, node, job.target);
    batch->put(table::verdicts, row, pack(*found));
    judged said{node,  job.target,    found,
                row,   false,         found->build_s + found->check_s + found->time_s,
                batch, d.acknowledge, job.request->plan};
    auto same = r.found.provenance.find(same_object_as);
    auto first = same == r.found.provenance.end() ? std::nullopt : node_of_text(same->second);
    if (first && same->second != text_of_node(node)) { // its own: it is judged for the second time
      said.duplicate = true;
      if (first->campaign == node.campaign && first->tree == node.tree)
        said.duplicate_of = first->node;
    }
    tell(job, std::move(said));
    jobs_.erase(j);
    auto others = take(key, d.id);
    if (reusable(*found)) {
      for (auto id : others)
        duplicate(id, found);
    } else { // each is judged for itself
      for (auto id : others)
        submit(id, jobs_.at(id));
    }
  }

  void stage(const job_stage& s) {
    auto j = jobs_.find(s.id);
    if (j != jobs_.end())
      options_.names->send(campaign_name(j->second.request->node.campaign),
                           stage_changed{j->second.request->node, s.stage});
  }

  void poisoned(const job_poisoned& p) {
    auto j = jobs_.find(p.id);
    if (j == jobs_.end())
      return;
    fail(p.id, {j->second.request->node, node_state::poisoned, p.why, j->second.request->plan});
  }

  void cancel(const cancel_evaluation& c) {
    for (std::uint32_t t = 0; jobs_.contains(job_id(c.node, t, c.plan)); ++t) {
      auto id = job_id(c.node, t, c.plan);
      auto& j = jobs_.at(id);
      if (j.submitted)
        options_.names->send("fleet", cancel_job{id});
      auto key = j.key;
      auto first = by_key_.at(key).front() == id;
      jobs_.erase(id);
      auto others = take(key, id);
      by_key_[key] = others;
      if (others.empty())
        by_key_.erase(key);
      else if (first)
        submit(others.front(), jobs_.at(others.front()));
    }
  }

  void capacity_is(const capacity& c) { devices_[c.backend] = c.devices; }

private:
  const device_info& device_for(const std::string& backend, const std::string& pattern) {
    static const device_info unknown;
    for (const auto& d : devices_[backend])
      if (fnmatch(pattern.c_str(), d.name.c_str(), 0) == 0)
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
    if (auto own = options_.limits.find(what->backend); own != options_.limits.end())
      what->limits = own->second;
    if (j.request->source->size() <= (64u << 10))
      what->inline_blobs[j.request->source_digest] = *j.request->source;
    j.submitted = true;
    options_.names->send("fleet", submit_job{what});
  }

  verdict verdict_from(const open_job& j, const job_result& r) {
    verdict v;
    if (r.why.kind == failure_kind::none) {
      v = verdict_of(r.found, *j.request->problem, j.request->plan);
    } else {
      v.state = verdict_state::harness_error;
      v.reason = r.why.text;
    }
    v.backend = j.request->backend;
    v.problem = j.request->problem_digest;
    v.candidate = j.request->source_digest;
    return v;
  }

  void tell(const open_job& j, judged message) {
    options_.names->send(campaign_name(j.request->node.campaign), std::move(message));
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
    jobs_.erase(j);
  }

  void answer_all(const std::string& key, const std::shared_ptr<const verdict>& found) {
    for (auto id : take(key, 0))
      duplicate(id, found);
  }

  void fail(std::uint64_t id, const evaluation_failed& f) {
    auto key = jobs_.at(id).key;
    options_.names->send(campaign_name(f.node.campaign), f);
    jobs_.erase(id);
    for (auto other : take(key, id))
      submit(other, jobs_.at(other));
  }

  caf::event_based_actor* self_;
  evaluator_options options_;
  std::unordered_map<std::uint64_t, open_job> jobs_;
  std::map<std::string, std::vector<std::uint64_t>> by_key_;
  std::map<std::string, std::vector<device_info>> devices_; ///< by backend
};

} // namespace

caf::behavior evaluator(caf::event_based_actor* self, evaluator_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<bench>(self, std::move(options));
  return {
      [=](evaluate_request& r) { state->evaluate(r); },
      [=](const verdict_looked_up& l) { state->looked_up(l); },
      [=](const job_done& d) { state->done(d); },
      [=](const job_stage& s) { state->stage(s); },
      [=](const job_poisoned& p) { state->poisoned(p); },
      [=](const cancel_evaluation& c) { state->cancel(c); },
      [=](const capacity& c) { state->capacity_is(c); },
  };
}

} // namespace ke
