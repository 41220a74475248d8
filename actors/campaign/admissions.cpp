#include "actors/campaign/admissions.hpp"

#include "actors/campaign/verdict_key.hpp"
#include "backends/evaluation/problem_lint.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/device_name.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/log.hpp"

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

bool admissions::is_admitted(const search_tree& tree) {
  if (!journal_.options().admission)
    return true;
  auto& a = trees_[tree.number()];
  if (a.at == progress::unknown)
    look_up(tree, a);
  else if (a.at == progress::resting && journal_.now() >= a.rest_until)
    measure(tree, a);
  return a.at == progress::admitted;
}

void admissions::look_up(const search_tree& tree, entry& a) {
  if (auto wrong = wrong_by_itself(journal_.what(), journal_.settings()); !wrong.empty())
    return refuse(tree, a, wrong);
  a.at = progress::looking;
  auto patterns = devices_.targets_of(tree.backend());
  a.known.assign(patterns.size(), nullptr);
  std::vector<std::pair<std::uint32_t, std::string>> keys;
  for (std::uint32_t t = 0; t < patterns.size(); ++t) // any of a target's devices will do
    for (const auto& d : devices_.of(tree.backend())->devices)
      if (names_device(patterns[t], d.name))
        keys.emplace_back(t, admission_key(journal_.books().problem_digest(), d, timed()));
  a.asked = keys.size();
  for (const auto& [target, key] : keys)
    journal_.options().store->read(
        table::verdicts, key, [tell = out_.looked_up, t = tree.number(), target](result<std::string> bytes) {
          auto v = bytes ? unpack<verdict>(*bytes) : result<verdict>{failure{}};
          tell(admission_looked_up{t, target, v ? std::make_shared<const verdict>(*std::move(v)) : nullptr});
        });
}

void admissions::looked_up(const admission_looked_up& l, bool may_measure) {
  auto& a = trees_[l.tree];
  if (a.at != progress::looking)
    return;
  if (l.found)
    a.known.at(l.target) = l.found;
  if (--a.asked > 0)
    return;
  const auto& tree = journal_.tree(l.tree);
  if (std::find(a.known.begin(), a.known.end(), nullptr) == a.known.end()) {
    a.at = progress::admitted;
    log::info("campaign", "the problem is admitted, as the store knows", {{"backend", tree.backend()}});
  } else if (may_measure) {
    measure(tree, a);
  }
}

void admissions::measure(const search_tree& tree, entry& a) {
  auto first = a.at == progress::looking;
  a.at = progress::measuring;
  ++a.tries;
  auto e = request_of(tree, a);
  a.found.assign(e.devices.size(), nullptr);
  a.request = std::make_shared<const evaluate_request>(std::move(e));
  if (first)
    tell(tree, "measuring");
  out_.evaluate(*a.request);
}

evaluate_request admissions::request_of(const search_tree& tree, const entry& a) const {
  const auto& what = journal_.what();
  const auto& options = journal_.options();
  evaluate_request e;
  e.node = journal_.key(tree.number(), 0);
  e.backend = tree.backend();
  e.devices = devices_.targets_of(e.backend);
  e.source = std::make_shared<const std::string>(subject().source);
  e.source_digest = digest_of(*e.source);
  // Its own: a verdict that is kept for candidates, or from an earlier try, is not asked for.
  e.normalised_digest = digest_of_parts({"admission", e.source_digest, std::to_string(options.id),
                                         std::to_string(options.epoch), std::to_string(a.tries)});
  e.problem_digest = journal_.books().problem_digest();
  e.problem = journal_.stored().problem;
  // Nobody is condemned by the hasty measurement of a search, nor by what a worker remembers of one; and that
  // one leaves out the held-out workloads, which a claim would fail on.
  auto held_out =
      std::any_of(what.workloads.begin(), what.workloads.end(), [](const workload& w) { return w.held_out; });
  e.plan = a.tries > 1 || held_out ? measure_plan::eval : measure_plan::rank;
  e.timed = timed();
  e.seed = checksum_of(e.normalised_digest);
  return e;
}

admissions::entry* admissions::measuring(std::uint32_t tree) {
  auto a = trees_.find(tree);
  return a != trees_.end() && a->second.at == progress::measuring ? &a->second : nullptr;
}

bool admissions::reference_judged(judged& j) {
  auto* a = measuring(j.node.tree);
  if (!a || j.plan != a->request->plan || j.target >= a->found.size() || a->found[j.target])
    return false;
  const auto& tree = journal_.tree(j.node.tree);
  const auto& v = *j.found;
  a->found[j.target] = j.found;
  auto batch = j.batch ? std::move(*j.batch) : store_batch{};
  auto admitted = admission_of(v.state, subject().is_baseline) == admission_fate::admitted;
  if (admitted)
    keep_for_devices(batch, tree, v);
  journal_.record(batch, journal_kind::admitted,
                  journal_admitted{j.node.tree, j.target, v.state, j.verdict_digest,
                                   j.duplicate ? 0 : j.device_s, admitted ? std::string{} : v.reason});
  journal_.commit(std::move(batch), {}, j.committed);
  decide(tree, *a);
  return true;
}

/// Later campaigns look it up.
void admissions::keep_for_devices(store_batch& batch, const search_tree& tree, const verdict& v) const {
  const auto* there = devices_.of(tree.backend());
  if (!there)
    return;
  for (const auto& d : there->devices)
    if (kind_of_device(d.name) == v.device)
      batch.put(table::verdicts, admission_key(journal_.books().problem_digest(), d, timed()), pack(v));
}

bool admissions::reference_failed(const evaluation_failed& f) {
  auto* a = measuring(f.node.tree);
  if (!a)
    return false;
  out_.cancel(cancel_evaluation{f.node, f.plan});
  const auto& tree = journal_.tree(f.node.tree);
  if (a->rests == 0) // the workers' bad luck, perhaps
    rest(tree, *a, f.why);
  else
    refuse(tree, *a, "its " + subject().name + " can't be measured: " + f.why);
  return true;
}

void admissions::decide(const search_tree& tree, entry& a) {
  if (std::find(a.found.begin(), a.found.end(), nullptr) != a.found.end())
    return; // another target's verdict is still to come
  auto who = subject();
  const verdict *wrong = nullptr, *machine = nullptr;
  for (const auto& v : a.found) {
    auto fate = admission_of(v->state, who.is_baseline);
    if (fate == admission_fate::refused)
      wrong = v.get();
    else if (fate == admission_fate::machine)
      machine = v.get();
  }
  if (wrong && a.tries < admission_tries) {
    log::warn(
        "campaign", "the reference is measured again, more closely",
        {{"backend", tree.backend()}, {"state", std::string{to_text(wrong->state)}}, {"why", wrong->reason}});
    return measure(tree, a);
  }
  if (wrong)
    return refuse(tree, a,
                  wrong->state == verdict_state::unfit_problem
                      ? wrong->reason
                      : "its " + who.name + ", measured as a candidate, is " +
                            std::string{to_text(wrong->state)} + ": " + wrong->reason);
  if (!machine)
    return admit(tree, a);
  rest(tree, a, machine->reason);
}

std::shared_ptr<const timing_summary> admissions::reference_times(std::uint32_t tree) const {
  auto a = trees_.find(tree);
  if (a == trees_.end() || a->second.at != progress::admitted)
    return nullptr;
  for (const auto* from : {&a->second.found, &a->second.known})
    if (!from->empty() && from->front() && from->front()->timing) // prompts tell the first target's device
      return {from->front(), &*from->front()->timing};
  return nullptr;
}

void admissions::rest(const search_tree& tree, entry& a, const std::string& why) {
  a.at = progress::resting;
  a.tries = 0;
  a.rest_until = journal_.now() + admission_rest(a.rests++);
  a.why = why;
  log::error("campaign", "the reference can't be measured now; no model is asked before it is",
             {{"backend", tree.backend()}, {"why", a.why}});
  tell(tree, "resting", &a.why);
}

void admissions::admit(const search_tree& tree, entry& a) {
  a.at = progress::admitted;
  for (const auto& v : a.found)
    if (v->state == verdict_state::policy_violation)
      log::warn("campaign", "the reference does what its own policy forbids candidates",
                {{"backend", tree.backend()}, {"why", v->reason}});
  log::info("campaign", "the problem is admitted", {{"backend", tree.backend()}});
  tell(tree, "admitted");
}

void admissions::refuse(const search_tree& tree, entry& a, std::string why) {
  a.at = progress::refused;
  a.why = std::move(why);
  log::error("campaign", "the problem can't be judged here", {{"backend", tree.backend()}, {"why", a.why}});
  tell(tree, "refused", &a.why);
}

void admissions::tell(const search_tree& tree, const char* state, const std::string* why) const {
  const auto& backend = tree.backend();
  journal_.publish(why ? journal_.event("admission", {{"backend", backend}, {"state", state}, {"text", *why}})
                       : journal_.event("admission", {{"backend", backend}, {"state", state}}));
}

std::optional<std::string> admissions::all_refused() const {
  std::optional<std::string> why;
  for (const auto& [number, a] : trees_) {
    if (a.at == progress::refused)
      why = a.why;
    else if (a.at != progress::unknown)
      return std::nullopt;
  }
  return why;
}

std::string admissions::waits_for(std::uint32_t tree) const {
  auto a = trees_.find(tree);
  if (a == trees_.end())
    return {};
  switch (a->second.at) {
  case progress::measuring:
    return "the reference is measured before any model is asked";
  case progress::resting:
    return "the reference could not be measured, it is tried again: " + a->second.why;
  case progress::refused:
    return "left out: " + a->second.why;
  default:
    return {};
  }
}

void admissions::drop() {
  for (auto& [number, a] : trees_)
    if (a.at == progress::measuring) {
      out_.cancel(cancel_evaluation{a.request->node, a.request->plan});
      a.at = progress::unknown;
    }
}

} // namespace ke
