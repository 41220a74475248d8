#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/node_rows.hpp"
#include "actors/campaign/paid_calls.hpp"
#include "actors/campaign/target_devices.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/records/stored_campaign.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/languages.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ke::test {

/// The parts of a campaign (actors/campaign/) without its actor: a journal over a store in memory, a clock
/// that the test sets, and what the parts send.
class parts_fixture {
public:
  std::unique_ptr<memory_store> store = std::make_unique<memory_store>();
  std::chrono::steady_clock::time_point clock{};
  campaign_options options;
  problem what;
  std::vector<std::string> events;
  std::vector<std::shared_ptr<const synthesis_request>> asked;
  std::vector<send_permit> permits;
  std::vector<evaluate_request> evaluations;
  std::vector<cancel_evaluation> cancelled;
  campaign_journal journal{options, [this] { return clock; }};
  node_rows rows{journal};
  target_devices devices{journal};
  paid_calls calls{journal,
                   rows,
                   {[this](auto request) { asked.push_back(std::move(request)); },
                    [this](send_permit p) { permits.push_back(std::move(p)); }}};

  parts_fixture() {
    what.name = "scale";
    what.dims = {"N"};
    what.workloads = {{"wide", {{"N", 1000}}, 1.0, false}};
    what.reference_language = "c++";
    what.reference = "void kernel() {}";
  }

  /// One model whose calls hold 1,000 tokens of answer and cost money.
  static campaign_settings settings() {
    campaign_settings s;
    s.name = "parts";
    s.budget.candidates = 12;
    s.search.drafts = 4;
    s.search.parallel = 4;
    s.targets = {{"cpu-cpp", "*"}};
    model_settings m;
    m.name = "m";
    m.provider = provider_kind::openai;
    m.max_tokens = 1000;
    m.price_output = 10;
    s.models = {m};
    return s;
  }

  void start(const campaign_settings& s) {
    options.id = 1;
    options.store = store.get();
    options.store_id = "store-1";
    options.settings = s;
    options.calls = std::make_shared<call_book>();
    options.unix_ms = [] { return std::uint64_t{1'000'000}; };
    options.publish = [this](const std::string& line) { events.push_back(line); };
    for (const auto& backend : trees_of(s))
      options.languages[backend] = std::make_shared<const candidate_language>(cpp_language());
    store_batch batch;
    campaign_row row;
    row.id = 1;
    row.name = s.name;
    row.problem_digest = batch.blob(pack(what));
    batch.put(table::campaigns, key_of(1u), pack(row));
    batch.journal.emplace_back(
        1, journal_record{journal_kind::configured, 0, 0,
                          pack(journal_configured{s, row.problem_digest, trees_of(s), "test"})});
    store->write(std::move(batch));
    load();
  }
  /// Reads the campaign as its actor does when it starts.
  void load() {
    auto stored = read_stored_campaign(*store, 1);
    REQUIRE(stored);
    rows.load((*stored)->rows);
    journal.load(*stored);
  }

  /// Journals new nodes.
  std::vector<node_key> step(std::uint32_t count, std::uint32_t tree = 0) {
    auto stepped = journal.fold().step(tree, count);
    REQUIRE(stepped);
    store_batch batch;
    journal.journal(batch, journal_kind::stepped, stepped->second);
    std::vector<node_key> made;
    for (const auto& x : stepped->first)
      made.push_back(rows.planned(tree, x));
    journal.commit(std::move(batch));
    return made;
  }
  std::shared_ptr<synthesis_request> prompt_of(const node_key& n, std::string text = "Write a kernel.") {
    auto r = std::make_shared<synthesis_request>();
    r->node = n;
    r->attempt = journal.tree(n.tree).tree()[n.node].attempts + 1u;
    r->model = "m";
    r->prompt.sections.push_back({std::move(text), false, "task"});
    r->prompt_digest = digest_of(text_of(r->prompt));
    return r;
  }
  /// Has the node's prompt asked.
  paid_call ask(const node_key& n) {
    calls.want(prompt_of(n));
    calls.pay();
    auto call = calls.find(n, 1);
    REQUIRE(call);
    return *call;
  }
  /// The node has this candidate.
  void give(const node_key& n, const std::string& source) {
    store_batch batch;
    journal_replied r{n.tree, n.node, 1};
    r.source_digest = batch.blob(source);
    r.normalised_digest = digest_of(source);
    journal.record(batch, journal_kind::replied, r);
    rows.has_source(batch, n, r);
    journal.commit(std::move(batch));
  }
  /// The node ends with a verdict of this score, measured by `worker`.
  void judge(const node_key& n, double score, const std::string& worker = "w") {
    verdict v;
    v.state = verdict_state::correct;
    v.score = score;
    v.device = "cpu:test";
    v.provenance["worker"] = worker;
    store_batch batch;
    auto digest = "verdict of " + std::to_string(n.node);
    batch.put(table::verdicts, digest, pack(v));
    journal_judged r{n.tree, n.node, 0, v.state, timing_decision::faster, score, digest};
    journal.record(batch, journal_kind::judged, r);
    rows.judged(n, r);
    rows.close(batch, n);
    journal.commit(std::move(batch));
  }
  /// A candidate with a verdict.
  node_key candidate(double score, const std::string& worker = "w") {
    auto n = step(1).at(0);
    ask(n);
    give(n, "void kernel() { /* " + std::to_string(n.node) + " */ }");
    judge(n, score, worker);
    return n;
  }

  /// The attached workers offer these devices of a backend; `why`: there are none now, though there were.
  void offer(const std::string& backend, const std::vector<std::string>& names, std::uint32_t slots,
             const std::string& why = {}) {
    capacity c{backend, slots, {}, why};
    for (const auto& name : names)
      c.devices.push_back({name, backend, "ok", {{"name", name}}});
    devices.offered(c);
  }
  /// What people were told, of one kind.
  std::vector<nlohmann::json> told(const std::string& kind) const {
    std::vector<nlohmann::json> all;
    for (const auto& line : events)
      if (auto e = nlohmann::json::parse(line); e.value("event", "") == kind)
        all.push_back(std::move(e));
    return all;
  }

  /// The bodies of all records of a kind.
  template <class T>
  std::vector<T> bodies(journal_kind kind) const {
    std::vector<T> all;
    for (const auto& r : store->journal_of(1))
      if (r.kind == kind)
        all.push_back(*unpack<T>(r.body));
    return all;
  }
};

} // namespace ke::test
