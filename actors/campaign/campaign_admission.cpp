#include "actors/campaign/campaign_keeper.hpp"

#include "actors/campaign/evaluator.hpp"
#include "actors/messages/addresses.hpp"
#include "backends/evaluation/problem_lint.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/search/campaign/admission.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace ke {
namespace {

/// Under what an admission is kept: whatever a verdict on any candidate would depend on.
std::string admission_key(const std::string& problem_digest, const device_info& device, bool timed) {
  return verdict_key(problem_digest, "admission", device, measure_plan::rank, timed);
}

/// What no measurement is needed for.
std::string wrong_by_itself(const problem& what, const campaign_settings& settings) {
  if (auto agrees = baseline_agrees(settings.goal, what); !agrees)
    return agrees.error().text;
  lint_report said;
  if (!what.tensors.empty())
    lint_costs(what, said);
  return said.reasons.empty() ? std::string{} : said.reasons.front();
}

} // namespace

bool keeper::is_admitted(const search_tree& tree) {
  if (!options_.admission)
    return true;
  auto& a = admissions_[tree.number()];
  using progress = admission::progress;
  if (a.at == progress::unknown)
    look_up_admission(tree, a);
  else if (a.at == progress::resting && self_->clock().now() >= a.rest_until)
    measure_reference(tree, a);
  return a.at == progress::admitted;
}

void keeper::look_up_admission(const search_tree& tree, admission& a) {
  if (auto wrong = wrong_by_itself(*stored_->problem, books().settings()); !wrong.empty())
    return refuse(tree, a, wrong);
  a.at = admission::progress::looking;
  auto patterns = targets_of(tree.backend());
  a.known.assign(patterns.size(), false);
  auto me = weak(self_);
  std::vector<std::pair<std::uint32_t, std::string>> keys;
  for (std::uint32_t t = 0; t < patterns.size(); ++t) // any of a target's devices will do
    for (const auto& d : capacity_.at(tree.backend()).devices)
      if (fnmatch(patterns[t].c_str(), d.name.c_str(), 0) == 0)
        keys.emplace_back(t, admission_key(books().problem_digest(), d, books().settings().goal.timed));
  a.asked = keys.size();
  for (const auto& [target, key] : keys)
    options_.store->read(table::verdicts, key, [me, t = tree.number(), target](result<std::string> bytes) {
      send_weak(me, admission_looked_up{t, target, bytes && unpack<verdict>(*bytes)});
    });
}

void keeper::looked_up(const admission_looked_up& l) {
  auto& a = admissions_[l.tree];
  if (ended_ || a.at != admission::progress::looking)
    return;
  if (l.found)
    a.known.at(l.target) = true;
  if (--a.asked > 0)
    return;
  const auto& tree = core(l.tree);
  if (std::find(a.known.begin(), a.known.end(), false) == a.known.end()) {
    a.at = admission::progress::admitted;
    log::info("campaign", "the problem is admitted, as the store knows", {{"backend", tree.backend()}});
  } else if (!interrupted_ && !closing_) {
    measure_reference(tree, a);
  }
  pump();
}

void keeper::measure_reference(const search_tree& tree, admission& a) {
  const auto& what = *stored_->problem;
  auto first = a.at == admission::progress::looking;
  a.at = admission::progress::measuring;
  ++a.tries;
  evaluate_request e;
  e.node = {options_.id, tree.number(), 0};
  e.backend = tree.backend();
  e.devices = targets_of(e.backend);
  e.source =
      std::make_shared<const std::string>(admission_subject_of(what, books().settings().goal.timed).source);
  e.source_digest = digest_of(*e.source);
  // Its own: a verdict that is kept for candidates, or from an earlier try, is not asked for.
  e.normalised_digest = digest_of_parts({"admission", e.source_digest, std::to_string(options_.id),
                                         std::to_string(options_.epoch), std::to_string(a.tries)});
  e.problem_digest = books().problem_digest();
  e.problem = stored_->problem;
  // Nobody is condemned by the hasty measurement of a search, nor by what a worker remembers of one; and that
  // one leaves out the held-out workloads, which a claim would fail on.
  auto held_out =
      std::any_of(what.workloads.begin(), what.workloads.end(), [](const workload& w) { return w.held_out; });
  e.plan = a.tries > 1 || held_out ? measure_plan::eval : measure_plan::rank;
  e.timed = books().settings().goal.timed;
  e.seed = checksum_of(e.normalised_digest);
  a.found.assign(e.devices.size(), nullptr);
  a.request = std::make_shared<const evaluate_request>(std::move(e));
  if (first && options_.publish)
    options_.publish(event("admission", {{"backend", tree.backend()}, {"state", "measuring"}}));
  options_.names->send(addresses::evaluator, *a.request);
}

void keeper::reference_judged(judged& j) {
  auto a = admissions_.find(j.node.tree);
  if (a == admissions_.end() || a->second.at != admission::progress::measuring ||
      j.plan != a->second.request->plan || j.target >= a->second.found.size() || a->second.found[j.target])
    return keep_late(j);
  const auto& tree = core(j.node.tree);
  const auto& v = *j.found;
  a->second.found[j.target] = j.found;
  auto batch = j.batch ? std::move(*j.batch) : store_batch{};
  auto fate = admission_of(
      v.state, admission_subject_of(*stored_->problem, books().settings().goal.timed).is_baseline);
  if (fate == admission_fate::admitted)
    for (const auto& d : capacity_[tree.backend()].devices)
      if (d.name == v.device)
        batch.put(table::verdicts, admission_key(books().problem_digest(), d, books().settings().goal.timed),
                  pack(v));
  record(batch, journal_kind::admitted,
         journal_admitted{j.node.tree, j.target, v.state, j.verdict_digest, j.duplicate ? 0 : j.device_s,
                          fate == admission_fate::admitted ? std::string{} : v.reason});
  commit(std::move(batch), {}, j.committed);
  decide_admission(tree, a->second);
  pump();
}

void keeper::reference_failed(const evaluation_failed& f) {
  auto a = admissions_.find(f.node.tree);
  if (a == admissions_.end() || a->second.at != admission::progress::measuring)
    return;
  options_.names->send(addresses::evaluator, cancel_evaluation{f.node, f.plan});
  if (a->second.rests == 0) // the workers' bad luck, perhaps
    rest(core(f.node.tree), a->second, f.why);
  else
    refuse(core(f.node.tree), a->second,
           "its " + admission_subject_of(*stored_->problem, books().settings().goal.timed).name +
               " can't be measured: " + f.why);
  pump();
}

void keeper::decide_admission(const search_tree& tree, admission& a) {
  if (std::find(a.found.begin(), a.found.end(), nullptr) != a.found.end())
    return; // another target's verdict is still to come
  auto subject = admission_subject_of(*stored_->problem, books().settings().goal.timed);
  const verdict *wrong = nullptr, *machine = nullptr;
  for (const auto& v : a.found) {
    auto fate = admission_of(v->state, subject.is_baseline);
    if (fate == admission_fate::refused)
      wrong = v.get();
    else if (fate == admission_fate::machine)
      machine = v.get();
  }
  if (wrong && a.tries < admission_tries) {
    log::warn(
        "campaign", "the reference is measured again, more closely",
        {{"backend", tree.backend()}, {"state", std::string{to_text(wrong->state)}}, {"why", wrong->reason}});
    return measure_reference(tree, a);
  }
  if (wrong)
    return refuse(tree, a,
                  wrong->state == verdict_state::unfit_problem
                      ? wrong->reason
                      : "its " + subject.name + ", measured as a candidate, is " +
                            std::string{to_text(wrong->state)} + ": " + wrong->reason);
  if (!machine)
    return admit(tree, a);
  rest(tree, a, machine->reason);
}

void keeper::rest(const search_tree& tree, admission& a, const std::string& why) {
  a.at = admission::progress::resting;
  a.tries = 0;
  a.rest_until = self_->clock().now() + admission_rest(a.rests++);
  a.why = why;
  log::error("campaign", "the reference can't be measured now; no model is asked before it is",
             {{"backend", tree.backend()}, {"why", a.why}});
  if (options_.publish)
    options_.publish(
        event("admission", {{"backend", tree.backend()}, {"state", "resting"}, {"text", a.why}}));
}

void keeper::admit(const search_tree& tree, admission& a) {
  a.at = admission::progress::admitted;
  for (const auto& v : a.found)
    if (v->state == verdict_state::policy_violation)
      log::warn("campaign", "the reference does what its own policy forbids candidates",
                {{"backend", tree.backend()}, {"why", v->reason}});
  log::info("campaign", "the problem is admitted", {{"backend", tree.backend()}});
  if (options_.publish)
    options_.publish(event("admission", {{"backend", tree.backend()}, {"state", "admitted"}}));
}

void keeper::refuse(const search_tree& tree, admission& a, std::string why) {
  a.at = admission::progress::refused;
  a.why = std::move(why);
  log::error("campaign", "the problem can't be judged here", {{"backend", tree.backend()}, {"why", a.why}});
  if (options_.publish)
    options_.publish(
        event("admission", {{"backend", tree.backend()}, {"state", "refused"}, {"text", a.why}}));
  fail_if_all_refused();
}

void keeper::fail_if_all_refused() {
  std::string why;
  for (const auto& [number, a] : admissions_) {
    using progress = admission::progress;
    if (a.at == progress::refused)
      why = a.why;
    else if (a.at != progress::unknown)
      return;
  }
  interrupt_now("failed", "",
                {failure_kind::invalid, refusal_text(books().settings().problem_path, why), false});
}

void keeper::drop_admissions() {
  for (auto& [number, a] : admissions_)
    if (a.at == admission::progress::measuring) {
      options_.names->send(addresses::evaluator, cancel_evaluation{a.request->node, a.request->plan});
      a.at = admission::progress::unknown;
    }
}

} // namespace ke
