#include "actors/campaign/claims_round.hpp"

#include "backends/verdict/floor.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/device_name.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/search/campaign/finalists.hpp"
#include "runtime/text/source_text.hpp"

#include <chrono>

namespace ke {
namespace {

static_assert(most_finalists == claim_finalists, "the plan's levels are divided by the number of finalists");
constexpr unsigned most_claim_tries = 3; ///< of a measurement that decides nothing
constexpr std::chrono::seconds second_device_may_return{60};

/// Reads row, verdicts and source, in this order, on the store's thread.
void read_finalist(store_port& store, const node_key& node, std::function<void(finalist_read)> done) {
  store.read(table::nodes, key_of(node.campaign, node.tree, node.node),
             [&store, node, done = std::move(done)](result<std::string> bytes) {
               auto row = bytes ? unpack<node_row>(*bytes) : result<node_row>{bytes.error()};
               if (!row)
                 return done(finalist_read{node, nullptr, row.error(), {}, {}});
               auto f = std::make_shared<finalist_read>(finalist_read{node, nullptr, {}, {}, {}});
               f->devices.resize(row->verdict_digests.size());
               for (std::size_t t = 0; t < row->verdict_digests.size(); ++t)
                 store.read(table::verdicts, row->verdict_digests[t], [f, t](result<std::string> bytes) {
                   auto v = bytes ? unpack<verdict>(*bytes) : result<verdict>{bytes.error()};
                   if (!v)
                     return;
                   f->devices[t] = v->device;
                   if (auto worker = v->provenance.find(provenance_keys::worker);
                       worker != v->provenance.end())
                     f->workers.insert(worker->second);
                 });
               store.read_blob(row->source_digest, [done, f](result<std::string> source) {
                 if (source)
                   f->source = std::make_shared<const std::string>(std::move(*source));
                 else
                   f->why = source.error();
                 done(*f);
               });
             });
}

} // namespace

std::optional<tree_node> claims_round::goal_candidate() {
  std::pair news{journal_.books().claims().all().size(), journal_.settings().goal.target_speedup};
  for (const auto& e : journal_.books().claims().all())
    news.first += e.complete();
  for (const auto& tree : journal_.trees())
    news.first += tree.tree().count(node_state::correct);
  if (news == goal_checked_at_)
    return std::nullopt;
  auto who = ke::goal_candidate(journal_.fold());
  if (!who)
    goal_checked_at_ = news;
  return who;
}

void claims_round::begin(tree_node who) {
  auto node = journal_.key(who.first, who.second);
  out_now_ = node;
  log::info("campaign", "measuring a finalist again, for the claim", {{"node", journal_.id(node)}});
  journal_.publish(journal_.event("claim", {{"node", journal_.id(node)}, {"state", "measuring"}}));
  read_finalist(*journal_.options().store, node, out_.read);
}

bool claims_round::validate() {
  const auto* champion = journal_.books().claims().champion(journal_.settings().goal.timed);
  if (!champion || champion->validated())
    return false;
  second_ = second_devices_of(*champion);
  if (second_.empty())
    return false;
  auto node = journal_.key(champion->who.first, champion->who.second);
  out_now_ = node;
  log::info("campaign", "measuring the best finalist on a second device", {{"node", journal_.id(node)}});
  journal_.publish(journal_.event("claim", {{"node", journal_.id(node)}, {"state", "validating"}}));
  read_finalist(*journal_.options().store, node, out_.read);
  return true;
}

std::vector<second_device> claims_round::second_devices_of(const claim_book::entry& claimed) const {
  const auto& backend = journal_.tree(claimed.who.first).backend();
  const auto* offered = devices_.of(backend);
  auto patterns = devices_.targets_of(backend);
  std::vector<second_device> all(patterns.size());
  for (const auto& claim : claimed.targets) {
    auto there = offered && claim.target < patterns.size()
                     ? second_device_of(*offered, patterns[claim.target], claim)
                     : std::nullopt;
    if (!there)
      return {};
    all[claim.target] = *there;
  }
  return all;
}

void claims_round::look() {
  if (!out_now_ || second_.empty())
    return;
  const auto* claimed = journal_.books().claims().find({out_now_->tree, out_now_->node});
  if (claimed && !second_devices_of(*claimed).empty()) {
    second_lost_.reset();
    return;
  }
  if (!second_lost_)
    second_lost_ = journal_.now();
  if (journal_.now() - *second_lost_ < second_device_may_return)
    return;
  out_.cancel(cancel_evaluation{*out_now_, measure_plan::claim});
  claim_failed(*out_now_, "the second device has gone");
}

/// The search's verdict was measured on `device`: the claim is, too, while such a device is attached.
std::string claims_round::device_for(const std::string& backend, const std::string& pattern,
                                     const std::string& device) const {
  const auto* c = devices_.of(backend);
  if (device.empty() || !c || !offered(c->offered_by, device) || !names_device(pattern, device))
    return pattern;
  return exact_pattern(device);
}

void claims_round::measure(const finalist_read& f) {
  if (!is_out(f.node))
    return;
  if (!f.source)
    return claim_failed(f.node, "its source can't be read: " + f.why.text);
  request_ = std::make_shared<const evaluate_request>(request_of(f));
  tries_ = 1;
  out_.evaluate(*request_);
}

evaluate_request claims_round::request_of(const finalist_read& f) const {
  evaluate_request e;
  e.node = f.node;
  e.backend = journal_.tree(f.node.tree).backend();
  e.second = !second_.empty();
  e.avoid = f.workers; // nobody confirms his own word while another can be asked
  if (e.second) {
    e.avoid.clear();
    for (const auto& there : second_) {
      e.devices.push_back(there.pattern);
      e.avoid.insert(there.avoid.begin(), there.avoid.end());
      e.prefer = there.prefer;
    }
  } else {
    for (const auto& pattern : devices_.targets_of(e.backend)) {
      auto target = e.devices.size();
      e.devices.push_back(
          device_for(e.backend, pattern, target < f.devices.size() ? f.devices[target] : std::string{}));
    }
  }
  e.source = f.source;
  e.source_digest = digest_of(*f.source);
  e.normalised_digest = source_digest(*f.source, journal_.language_of(f.node.tree)->syntax);
  e.problem_digest = journal_.books().problem_digest();
  e.problem = journal_.stored().problem;
  e.plan = measure_plan::claim;
  e.timed = journal_.settings().goal.timed;
  e.seed = checksum_of(e.source_digest + (e.second ? " validation" : " claim"));
  return e;
}

/// It decides nothing by the machine's fault, perhaps a passing one.
bool claims_round::is_passing(const verdict& v) const {
  return v.state == verdict_state::noisy && tries_ < most_claim_tries && request_ &&
         request_->devices.size() == 1;
}

void claims_round::claim_judged(judged& j) {
  auto mine = is_out(j.node); // else it was given up meanwhile: it will be measured once more
  auto passing = mine && is_passing(*j.found);
  if (!mine || passing) {
    if (j.committed)
      j.committed();
    if (passing) {
      ++tries_;
      out_.evaluate(*request_);
    }
    return;
  }
  recorded(record(j), j.node, j.committed);
}

store_batch claims_round::record(judged& j) {
  const auto& v = *j.found;
  auto batch = j.batch ? std::move(*j.batch) : store_batch{};
  const auto& goal = journal_.settings().goal;
  auto said = [&](const char* key) {
    auto p = v.provenance.find(key);
    return p == v.provenance.end() ? std::string{} : p->second;
  };
  journal_claimed r{j.node.tree,
                    j.node.node,
                    j.target,
                    v.state,
                    decision_under(v, goal, measure_plan::claim),
                    v.score,
                    j.verdict_digest,
                    j.device_s,
                    said(provenance_keys::worker),
                    said(provenance_keys::unit)};
  if (!second_.empty()) {
    const auto* e = journal_.books().claims().find({j.node.tree, j.node.node});
    for (const auto& first : e->targets)
      if (first.target == r.target && first.worker == r.worker && first.device == r.device)
        r.state = verdict_state::harness_error, r.score.reset(); // the second one had gone meanwhile
    journal_.record(batch, journal_kind::validated, journal_validated{r});
    return batch;
  }
  solutions_.judged_by_claim(batch, j);
  if (const auto* w = below_floor(v, goal, measure_plan::claim))
    log::info(
        "campaign", "a finalist is below the floor on a workload, and is not claimed",
        {{"node", journal_.id(j.node)}, {"workload", w->name}, {"speedup", std::to_string(w->speedup)}});
  journal_.record(batch, journal_kind::claimed, r);
  return batch;
}

void claims_round::claim_failed(const node_key& n, const std::string& why) {
  log::warn("campaign", "a finalist can't be measured again", {{"node", journal_.id(n)}, {"why", why}});
  store_batch batch;
  for (std::uint32_t t = 0; t < journal_.tree(n.tree).tree().targets(); ++t) {
    journal_claimed none{n.tree, n.node, t};
    if (second_.empty())
      journal_.record(batch, journal_kind::claimed, none);
    else
      journal_.record(batch, journal_kind::validated, journal_validated{none});
  }
  recorded(std::move(batch), n, {});
}

void claims_round::recorded(store_batch batch, const node_key& n, std::function<void()> then) {
  const auto* e = journal_.books().claims().find({n.tree, n.node});
  std::string line;
  if (e && e->complete() && (second_.empty() || e->validated())) {
    auto timed = journal_.settings().goal.timed;
    auto state = !second_.empty() ? "validated" : e->confirmed(timed) ? "confirmed" : "not confirmed";
    line = journal_.event("claim", {{"node", journal_.id(n)},
                                    {"state", state},
                                    {"score", std::to_string(e->score())},
                                    {"search_score", std::to_string(e->search_score)},
                                    {"second_device", std::string{to_text(e->on_second(timed))}}});
    journal_.put_campaign(batch, "running");
    end();
  }
  journal_.commit(std::move(batch), std::move(line), std::move(then));
}

void claims_round::end() {
  out_now_.reset();
  second_.clear();
  second_lost_.reset();
}

void claims_round::drop() {
  if (out_now_)
    out_.cancel(cancel_evaluation{*out_now_, measure_plan::claim});
  end();
}

} // namespace ke
