#include "actors/campaign/campaign_keeper.hpp"

#include "actors/messages/addresses.hpp"
#include "backends/verdict/floor.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/search/campaign/campaign_status.hpp"
#include "runtime/search/campaign/dispatchers.hpp"
#include "runtime/search/campaign/finalists.hpp"
#include "runtime/text/source_text.hpp"

#include <fnmatch.h>

#include <string_view>

namespace ke {
namespace {

static_assert(most_finalists == claim_finalists, "the plan's levels are divided by the number of finalists");
constexpr unsigned most_claim_tries = 3; ///< of a measurement that decides nothing

} // namespace

/// The search is over, for `reason`: what is in flight ends, the finalists are measured again, then the
/// campaign is finished.
void keeper::close(std::string reason) {
  end_search(std::move(reason), true);
}

void keeper::go_on_closing() {
  if (claims_out_ || interrupted_ || dispatching())
    return;
  auto next = next_finalist(fold_);
  // A goal that is reached asks for no other finalist than a dispatcher, which comes first.
  if (next && (*closing_ != "target" || is_dispatcher(core(next->first).tree()[next->second])))
    return begin_claim(*next);
  conclude(*std::exchange(closing_, std::nullopt));
}

void keeper::begin_claim(tree_node who) {
  node_key node{options_.id, who.first, who.second};
  claims_out_ = node;
  log::info("campaign", "measuring a finalist again, for the claim", {{"node", id(node)}});
  if (options_.publish)
    options_.publish(event("claim", {{"node", id(node)}, {"state", "measuring"}}));
  auto me = weak(self_);
  auto* store = options_.store;
  store->read(table::nodes, key_of(node.campaign, node.tree, node.node),
              [me, store, node](result<std::string> bytes) {
                auto row = bytes ? unpack<node_row>(*bytes) : result<node_row>{bytes.error()};
                if (!row)
                  return send_weak(me, finalist_read{node, nullptr, row.error(), {}, {}});
                // The reads come back in this order, on one thread.
                auto f = std::make_shared<finalist_read>(finalist_read{node, nullptr, {}, {}, {}});
                f->devices.resize(row->verdict_digests.size());
                for (std::size_t t = 0; t < row->verdict_digests.size(); ++t)
                  store->read(table::verdicts, row->verdict_digests[t], [f, t](result<std::string> bytes) {
                    auto v = bytes ? unpack<verdict>(*bytes) : result<verdict>{bytes.error()};
                    if (!v)
                      return;
                    f->devices[t] = v->device;
                    if (auto worker = v->provenance.find("worker"); worker != v->provenance.end())
                      f->workers.insert(worker->second);
                  });
                store->read_blob(row->source_digest, [me, f](result<std::string> source) {
                  if (source)
                    f->source = std::make_shared<const std::string>(std::move(*source));
                  else
                    f->why = source.error();
                  send_weak(me, *f);
                });
              });
}

/// The search's verdict was measured on `device`: the claim is, too, while such a device is attached.
std::string keeper::device_for_claim(const std::string& backend, const std::string& pattern,
                                     const std::string& device) const {
  auto c = capacity_.find(backend);
  if (device.empty() || c == capacity_.end() || !offered(c->second.offered_by, device) ||
      ::fnmatch(pattern.c_str(), device.c_str(), 0) != 0)
    return pattern;
  std::string exactly;
  for (auto letter : device) {
    if (std::string_view{"*?[]\\"}.find(letter) != std::string_view::npos)
      exactly += '\\';
    exactly += letter;
  }
  return exactly;
}

void keeper::finalist(const finalist_read& f) {
  if (ended_ || interrupted_ || claims_out_ != f.node)
    return;
  if (!f.source)
    return claim_failed(f.node, "its source can't be read: " + f.why.text);
  evaluate_request e;
  e.node = f.node;
  e.backend = core(f.node.tree).backend();
  for (const auto& target : books().settings().targets)
    if (target.backend == e.backend)
      e.devices.push_back(device_for_claim(
          e.backend, target.device, e.devices.size() < f.devices.size() ? f.devices[e.devices.size()] : ""));
  e.avoid = f.workers; // nobody confirms his own word while another can be asked
  e.source = f.source;
  e.source_digest = digest_of(*f.source);
  e.normalised_digest = source_digest(*f.source, language_of(f.node.tree)->syntax);
  e.problem_digest = books().problem_digest();
  e.problem = stored_->problem;
  e.plan = measure_plan::claim;
  e.timed = books().settings().goal.timed;
  e.seed = checksum_of(e.source_digest + " claim");
  claim_request_ = std::make_shared<const evaluate_request>(std::move(e));
  claim_tries_ = 1;
  options_.names->send(addresses::evaluator, *claim_request_);
}

void keeper::claim_judged(judged& j) {
  if (claims_out_ != j.node || interrupted_) { // given up meanwhile: it will be measured once more
    if (j.committed)
      j.committed();
    return;
  }
  const auto& v = *j.found;
  if (v.state == verdict_state::noisy && claim_tries_ < most_claim_tries && claim_request_ &&
      claim_request_->devices.size() == 1) { // the machine's fault, perhaps a passing one
    ++claim_tries_;
    if (j.committed)
      j.committed();
    return options_.names->send(addresses::evaluator, *claim_request_), void();
  }
  auto batch = j.batch ? std::move(*j.batch) : store_batch{};
  leave_solution(batch, j, true);
  const auto& goal = books().settings().goal;
  if (const auto* w = below_floor(v, goal, measure_plan::claim))
    log::info("campaign", "a finalist is below the floor on a workload, and is not claimed",
              {{"node", id(j.node)}, {"workload", w->name}, {"speedup", std::to_string(w->speedup)}});
  record(batch, journal_kind::claimed,
         journal_claimed{j.node.tree, j.node.node, j.target, v.state,
                         decision_under(v, goal, measure_plan::claim), v.score, j.verdict_digest,
                         j.device_s});
  claim_recorded(std::move(batch), j.node, j.committed);
}

void keeper::claim_failed(const node_key& n, const std::string& why) {
  log::warn("campaign", "a finalist can't be measured again", {{"node", id(n)}, {"why", why}});
  store_batch batch;
  for (std::uint32_t t = 0; t < core(n.tree).tree().targets(); ++t)
    record(batch, journal_kind::claimed, journal_claimed{n.tree, n.node, t});
  claim_recorded(std::move(batch), n, {});
}

void keeper::claim_recorded(store_batch batch, const node_key& n, std::function<void()> then) {
  const auto* e = books().claims().find({n.tree, n.node});
  std::string line;
  if (e && e->complete()) {
    claims_out_.reset();
    auto timed = books().settings().goal.timed;
    line = event("claim", {{"node", id(n)},
                           {"state", e->confirmed(timed) ? "confirmed" : "not confirmed"},
                           {"score", std::to_string(e->score())},
                           {"search_score", std::to_string(e->search_score)}});
    put_campaign(batch, "running", "");
  }
  commit(std::move(batch), std::move(line), std::move(then));
  pump();
}

void keeper::leave_solution(store_batch& batch, const judged& j, bool claimed) {
  const auto& v = *j.found;
  auto timed = books().settings().goal.timed;
  auto decided = decision_under(v, books().settings().goal, j.plan);
  auto right =
      v.state == verdict_state::correct && (!timed || (decided == timing_decision::faster && v.score));
  if (!claimed) {
    auto best = left_.find({j.node.tree, j.target});
    if (!right || j.duplicate || (best != left_.end() && v.score.value_or(0) <= best->second))
      return;
    left_[{j.node.tree, j.target}] = v.score.value_or(0);
  }
  if (says_nothing(v.state))
    return; // nothing new is known
  solution_row row;
  row.place = place_of(*stored_->problem, core(j.node.tree).backend(), v.device);
  row.problem = stored_->problem->name;
  row.problem_digest = books().problem_digest();
  row.source_digest = v.candidate;
  row.verdict_digest = j.verdict_digest;
  row.timed = timed || !right; // an untimed one that a claim refutes has no score to tell it
  row.claimed = claimed;
  row.score = right ? v.score.value_or(0) : 0;
  if (right && v.timing) {
    row.speedup = v.timing->speedup;
    row.low = v.timing->low;
    row.high = v.timing->high;
  }
  if (v.diagnosis)
    row.bottleneck = v.diagnosis->bottleneck;
  row.store = options_.store_id;
  row.campaign = books_name();
  row.node = j.node;
  row.target = j.target;
  row.measured_unix_ms = options_.unix_ms();
  row.program = KE_VERSION;
  if (auto b = baseline_of(*stored_->problem)) {
    row.baseline = b->name;
    row.baseline_digest = b->source.empty() ? "" : digest_of(b->source);
  }
  batch.put(table::solutions, key_of(row), pack(row));
}

void keeper::drop_claim() {
  if (!claims_out_)
    return;
  options_.names->send(addresses::evaluator, cancel_evaluation{*claims_out_, measure_plan::claim});
  claims_out_.reset();
}

} // namespace ke
