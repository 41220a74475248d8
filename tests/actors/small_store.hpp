#pragma once

#include "backends/verdict/floor.hpp"
#include "runtime/core/call_row.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/journal_retrieved.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"
#include "runtime/store/prompt_sections.hpp"
#include "runtime/text/source_text.hpp"
#include "tests/store/temp_store.hpp"

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ke {

/// A softmax-like problem, small and complete.
inline problem small_problem(const std::string& name = "softmax") {
  problem p;
  p.name = name;
  p.family = "softmax";
  p.dims = {"M", "N"};
  tensor_spec x, y;
  x.name = "x";
  x.shape = {"M", "N"};
  y = x;
  y.name = "y";
  y.role = tensor_role::out;
  p.tensors = {x, y};
  p.scalars = {{"scale", false, 1.0}};
  p.workloads = {{"wide", {{"M", 512}, {"N", 4096}}, 1.0, false},
                 {"odd", {{"M", 127}, {"N", 1001}}, 1.0, true}};
  p.reference_language = "c++";
  p.reference = "extern \"C\" void kernel(...) {\n  reference();\n}\n";
  p.tolerances = {{"f32", {1e-5, 1e-6}}};
  p.policy.threads = 2;
  p.flops = "5*M*N";
  p.bytes = "8*M*N";
  return p;
}

/// Writes a campaign into a store as the campaign actor does: each input goes to the fold and to the journal
/// in one order, and the rows follow. Campaign time advances by 100 ms per act.
class small_campaign {
public:
  small_campaign(store_service& store, std::uint32_t id = 1, std::string name = "small",
                 std::vector<std::string> backends = {"cpu-cpp"}, problem what = small_problem())
      : store_{store}, id_{id} {
    settings.name = name_ = std::move(name);
    settings.store = store.dir();
    settings.seed = 7;
    settings.budget.candidates = 20;
    settings.search.drafts = 4;
    for (const auto& b : backends)
      settings.targets.push_back({b, "*"});
    model_settings m;
    m.name = "main";
    m.provider = provider_kind::openai;
    settings.models = {m};
    store_batch batch;
    row_.id = id;
    row_.name = name_;
    row_.created_unix_ms = unix_ms;
    row_.settings_digest = batch.blob(pack(settings));
    row_.problem_digest = batch.blob(pack(what));
    problem_digest_ = row_.problem_digest;
    record(batch, journal_kind::configured,
           journal_configured{settings, row_.problem_digest, backends, "0.1.0"});
    record(batch, journal_kind::session, journal_session{1});
    put_campaign(batch, "running", "");
    commit(std::move(batch));
  }

  /// New nodes: numbers within the tree.
  std::vector<std::uint32_t> plan(std::uint32_t count, std::uint32_t tree = 0) {
    auto stepped = fold.step(tree, count);
    if (!stepped)
      throw std::runtime_error{stepped.error().text};
    store_batch batch;
    batch.journal.emplace_back(
        id_, journal_record{journal_kind::stepped, wall_ms, unix_ms, pack(stepped->second)});
    std::vector<std::uint32_t> nodes;
    for (const auto& x : stepped->first) {
      auto& row = rows_[key(tree, x.node)];
      row.parents = {x.parent};
      if (x.parent2 != no_node)
        row.parents.push_back(x.parent2);
      row.model = x.model;
      row.memory = x.memory;
      row.planned_ms = wall_ms;
      nodes.push_back(x.node);
    }
    commit(std::move(batch));
    return nodes;
  }

  void ask(std::uint32_t n, const std::string& prompt, std::uint32_t tree = 0) {
    auto& row = rows_[key(tree, n)];
    store_batch batch;
    reservation most{4000, 0.04};
    if (auto documents = std::exchange(found, std::nullopt)) {
      documents->tree = tree;
      documents->node = n;
      documents->attempt = 1;
      record(batch, journal_kind::retrieved, *documents);
    }
    record(batch, journal_kind::asked, journal_asked{tree, n, 1, row.model, digest_of(prompt), most});
    row.prompt_digest = digest_of(prompt);
    row.sections_digest = batch.blob(pack(std::vector<stored_section>{{batch.blob(prompt), {}}}));
    row.attempts = 1;
    row.asked_ms = wall_ms;
    row.state = node_state::asked;
    batch.put(
        table::calls, key_of(id_, tree, n, 1),
        pack(call_row{row.model, row.prompt_digest, {}, failure_kind::none, {}, most, unix_ms, 0, true}));
    put_node(batch, tree, n);
    commit(std::move(batch));
  }

  void answer(std::uint32_t n, const std::string& source, std::uint32_t tree = 0) {
    auto& row = rows_[key(tree, n)];
    store_batch batch;
    auto body = "My plan for node " + std::to_string(n) + ".\n```cpp\n" + source + "```\n";
    journal_replied r{tree,
                      n,
                      1,
                      failure_kind::none,
                      batch.blob(body),
                      batch.blob(source),
                      source_digest(source, source_language::cpp),
                      {1200, 300, 0, 0.006},
                      false};
    batch.put(table::calls, key_of(id_, tree, n, 1),
              pack(call_row{row.model,
                            row.prompt_digest,
                            r.reply_digest,
                            failure_kind::none,
                            r.usage,
                            {4000, 0.04},
                            unix_ms,
                            2.5,
                            false}));
    record(batch, journal_kind::replied, r);
    normalised_[n] = r.normalised_digest;
    row.reply_digest = r.reply_digest;
    row.source_digest = r.source_digest;
    row.note = "My plan for node " + std::to_string(n) + ".";
    row.answered_ms = wall_ms;
    row.usage = r.usage;
    row.state = node_state::answered;
    if (auto first = fold.trees()[tree].first_with(r.normalised_digest); first && *first != n)
      row.duplicate_of = *first;
    put_node(batch, tree, n);
    commit(std::move(batch));
  }

  /// A candidate that is put together from these nodes, as at the end of a search.
  std::uint32_t dispatch(const std::vector<std::uint32_t>& parts, const std::string& source,
                         const std::string& plan) {
    store_batch batch;
    journal_seeded r{0, {{batch.blob(source), plan}}};
    for (auto part : parts)
      r.seeds.push_back({normalised_.at(part), "node " + std::to_string(part)});
    record(batch, journal_kind::seeded, r);
    auto n = fold.trees()[0].tree().size() - 1;
    auto& row = rows_[key(0, n)];
    row.parents = fold.trees()[0].tree().parents(n);
    row.note = plan;
    row.source_digest = r.seeds.front().source_digest;
    journal_replied given{0, n, 0};
    given.source_digest = row.source_digest;
    given.normalised_digest = source_digest(source, source_language::cpp);
    record(batch, journal_kind::replied, given);
    put_node(batch, 0, n);
    commit(std::move(batch));
    return n;
  }

  /// A try of the node's request failed, and it was sent again.
  void fail_once(std::uint32_t n, failure_kind kind, std::uint32_t tree = 0) {
    store_batch batch;
    record(batch, journal_kind::failed_request, journal_failed_request{tree, n, 1, kind, "try again"});
    commit(std::move(batch));
  }

  /// The answer holds no code.
  void answer_badly(std::uint32_t n, failure_kind kind, std::uint32_t tree = 0) {
    store_batch batch;
    auto body = std::string{"I would rather not."};
    journal_replied r{tree, n, 1, kind, batch.blob(body), {}, {}, {1200, 20, 0, 0.002}, false};
    record(batch, journal_kind::replied, r);
    auto& row = rows_[key(tree, n)];
    row.reply_digest = r.reply_digest;
    row.usage = r.usage;
    record(batch, journal_kind::ended,
           journal_ended{tree, n, node_state::unanswered, std::string{to_text(kind)}});
    row.note = to_text(kind);
    close(batch, tree, n);
  }

  /// A verdict; `speedup` counts with `correct` only. Its interval is 0.05 wide to either side.
  void judge(std::uint32_t n, verdict_state state, double speedup = 0, std::uint32_t tree = 0,
             const std::string& bottleneck = "memory") {
    auto& row = rows_[key(tree, n)];
    verdict v;
    v.state = state;
    v.backend = fold.trees()[tree].backend();
    v.device = "cpu:test";
    v.problem = problem_digest_;
    v.candidate = row.source_digest;
    v.cases = 45;
    v.log = "the log of node " + std::to_string(n);
    v.build_s = 1.2;
    v.provenance = {{"backend", v.backend},
                    {"compiler", "g++ 12.2.0"},
                    {"flags", "-std=c++20 -O3 -march=native -fPIC -shared"},
                    {"problem", v.problem},
                    {"candidate", v.candidate},
                    {"sandbox", "full"},
                    {"environment", "e0"}};
    for (const auto& [key, value] : told)
      (key == "device" ? v.device : v.provenance[key]) = value;
    if (state == verdict_state::correct) {
      timing_summary t;
      t.speedup = speedup;
      t.low = speedup - 0.05;
      t.high = speedup + 0.05;
      t.pairs = 100;
      t.launches = 5;
      t.candidate_ns = 100000 / speedup;
      t.reference_ns = 100000;
      t.workloads = {{"wide", speedup, t.low, t.high}};
      t.workloads.insert(t.workloads.end(), besides.begin(), besides.end());
      v.timing = t;
      v.decision = t.low > 1    ? timing_decision::faster
                   : t.high < 1 ? timing_decision::slower
                                : timing_decision::same;
      v.score = t.low;
      if (!bottleneck.empty())
        v.diagnosis = diagnosis{bottleneck, 0.9, 0.7, {}};
    } else if (state != verdict_state::noisy && state != verdict_state::harness_error) {
      v.score = 0;
      v.reason = "it is " + std::string{to_text(state)};
    }
    store_batch batch;
    auto digest = digest_of("verdict " + row.source_digest + std::string{to_text(state)} + v.backend);
    batch.put(table::verdicts, digest, pack(v));
    evidence e;
    e.cases = v.cases;
    e.log = v.log;
    e.device = v.device;
    e.provenance = v.provenance;
    auto duplicate = row.duplicate_of != no_node;
    if (!duplicate)
      batch.put(table::evidence, key_of(id_, tree, n, 0), pack(e));
    record(batch, journal_kind::judged,
           journal_judged{tree, n, 0, v.state, decision_under(v, settings.goal, measure_plan::rank), v.score,
                          digest, duplicate ? 0 : 0.5, row.duplicate_of});
    row.scores = {v.score};
    row.verdict_digests = {digest};
    row.device_s = duplicate ? 0 : 0.5;
    row.judged_ms = wall_ms;
    row.decision = fold.trees()[tree].tree()[n].decision;
    close(batch, tree, n);
  }

  /// A right candidate was measured again for a claim: what that said of its workloads, the first one's lower
  /// end for the whole.
  void claim(std::uint32_t n, const std::vector<workload_timing>& workloads, std::uint32_t tree = 0) {
    verdict v;
    v.state = verdict_state::correct;
    v.decision = timing_decision::faster;
    v.backend = fold.trees()[tree].backend();
    v.device = "cpu:test";
    const auto& first = workloads.front();
    timing_summary t;
    t.speedup = first.speedup;
    t.low = first.low;
    t.high = first.high;
    t.workloads = workloads;
    v.timing = t;
    v.score = t.low;
    store_batch batch;
    auto digest = digest_of("claim of " + rows_[key(tree, n)].source_digest);
    batch.put(table::verdicts, digest, pack(v));
    record(batch, journal_kind::claimed,
           journal_claimed{tree, n, 0, v.state, v.decision, v.score, digest, 2});
    commit(std::move(batch));
  }

  /// New settings in the middle.
  void configure(const campaign_settings& changed) {
    store_batch batch;
    record(batch, journal_kind::configured,
           journal_configured{changed, problem_digest_, fold.books().backends(), "0.1.0"});
    commit(std::move(batch));
  }

  void steer(const std::string& act) {
    store_batch batch;
    record(batch, journal_kind::steered, journal_steered{act, "", ""});
    put_campaign(batch, fold.books().paused() ? "paused" : "running", "");
    commit(std::move(batch));
  }

  void finish(const std::string& reason) {
    store_batch batch;
    for (const auto& [t, call] : fold.open_calls())
      record(batch, journal_kind::replied,
             journal_replied{t, call.node, call.attempt, failure_kind::cancelled, {}, {}, {}, {}, false});
    for (auto& tree : fold.trees())
      for (auto n : tree.open_nodes()) {
        record(batch, journal_kind::ended, journal_ended{tree.number(), n, node_state::cancelled, reason});
        auto& row = rows_[key(tree.number(), n)];
        row.state = node_state::cancelled;
        row.note = reason;
        put_node(batch, tree.number(), n);
        batch.put(table::hot, key_of(id_, tree.number(), n), pack(tree.row(n)));
      }
    record(batch, journal_kind::finished, journal_finished{reason});
    put_campaign(batch, "finished", reason);
    commit(std::move(batch));
  }

  node_key key(std::uint32_t tree, std::uint32_t n) const { return {id_, tree, n}; }
  const node_row& row(std::uint32_t n, std::uint32_t tree = 0) { return rows_[key(tree, n)]; }

  campaign_settings settings;
  std::map<std::string, std::string> told; ///< by a worker: provenance of the verdicts to come, and `device`
  std::vector<workload_timing> besides;    ///< in the verdicts to come, beside the workload "wide"
  std::optional<journal_retrieved> found;  ///< the documents of the next `ask`
  campaign_fold fold;
  std::uint64_t wall_ms = 0;
  std::uint64_t unix_ms = 1'790'000'000'000;

private:
  template <class Record>
  void record(store_batch& batch, journal_kind kind, const Record& r) {
    wall_ms += 100;
    unix_ms += 100;
    fold.books().wall(wall_ms);
    if (auto done = fold.apply(r); !done)
      throw std::runtime_error{done.error().text};
    batch.journal.emplace_back(id_, journal_record{kind, wall_ms, unix_ms, pack(r)});
  }

  void commit(store_batch batch) {
    if (auto done = write(store_, std::move(batch)); !done)
      throw std::runtime_error{done.error().text};
  }

  void put_node(store_batch& batch, std::uint32_t tree, std::uint32_t n) {
    batch.put(table::nodes, key_of(id_, tree, n), pack(rows_[key(tree, n)]));
  }

  void put_campaign(store_batch& batch, const std::string& state, const std::string& reason) {
    auto row = fold.row(id_);
    row.name = name_;
    row.settings_digest = row_.settings_digest;
    row.problem_digest = row_.problem_digest;
    row.created_unix_ms = row_.created_unix_ms;
    row.state = state;
    row.stop_reason = reason;
    batch.put(table::campaigns, key_of(id_), pack(row));
  }

  void close(store_batch& batch, std::uint32_t t, std::uint32_t n) {
    const auto& tree = fold.trees()[t];
    auto& row = rows_[key(t, n)];
    row.state = tree.tree()[n].state;
    put_node(batch, t, n);
    batch.put(table::hot, key_of(id_, t, n), pack(tree.row(n)));
    if (has_verdict(row.state))
      for (auto up = tree.tree()[n].parent; up != no_node; up = tree.tree()[up].parent)
        batch.put(table::hot, key_of(id_, t, up), pack(tree.row(up)));
    put_campaign(batch, "running", "");
    commit(std::move(batch));
  }

  std::map<std::uint32_t, std::string> normalised_; ///< digests of answers, by node
  store_service& store_;
  std::uint32_t id_;
  std::string name_, problem_digest_;
  campaign_row row_;
  std::map<node_key, node_row> rows_;
};

/// Source of candidate n: differs from others in one line; holds what a report must escape.
inline std::string small_source(std::uint32_t n) {
  return "// candidate " + std::to_string(n) +
         "\nextern \"C\" void kernel(const float* x, float* y) {\n  // <script>alert('&')</script>\n  y[0] = "
         "x[" +
         std::to_string(n) + "];\n}\n";
}

/// Of a draft: two pages shown, one dropped, one not chosen.
inline journal_retrieved small_retrieval() {
  journal_retrieved r;
  r.family = "softmax";
  r.dtypes = {"f32"};
  r.targets = {"x86-64-avx2", "cpu-cpp"};
  r.language = "c++";
  r.level = 1;
  r.looked_up = true;
  r.documents = 57;
  r.candidates = {{"guidance/patterns/online-softmax", 1'925, document_fate::shown},
                  {"guidance/compute/vector-exp", 1'250, document_fate::shown},
                  {"guidance/method/roofline", 300, document_fate::no_room},
                  {"guidance/memory/tlb-and-pages", 120, document_fate::lower}};
  return r;
}

/// Four drafts: 1 correct (2.0x), 2 build_failed, 3 correct (3.0x, the best), 4 without code; then two
/// children: 5 still asked, 6 only planned. Of 3 the documents are recorded.
inline void typical(small_campaign& c) {
  auto drafts = c.plan(4);
  for (auto n : drafts) {
    if (n == 3)
      c.found = small_retrieval();
    c.ask(n, "```ke-task\n{}\n```\nWrite node " + std::to_string(n) + "\n");
  }
  c.fail_once(1, failure_kind::rate_limited);
  for (std::uint32_t n : {1u, 2u, 3u})
    c.answer(n, small_source(n));
  c.judge(1, verdict_state::correct, 2.0);
  c.judge(2, verdict_state::build_failed);
  c.judge(3, verdict_state::correct, 3.0, 0, "compute");
  c.answer_badly(4, failure_kind::no_code);
  auto more = c.plan(2);
  c.ask(more.at(0), "Improve it\n");
}

} // namespace ke
