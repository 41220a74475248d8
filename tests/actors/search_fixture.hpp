#pragma once

#include "actors/campaign/campaign_actor.hpp"
#include "actors/campaign/node_supervisor.hpp"
#include "actors/knowledge/skill_learner.hpp"
#include "actors/llm/synthesizer.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/fleet_messages.hpp"
#include "actors/supervision/named_child.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/virtual_time.hpp"
#include "tests/languages.hpp"

#include <nlohmann/json.hpp>

#include <deque>
#include <map>

namespace ke::test {

using namespace std::chrono_literals;

/// Of one kind, among a campaign's JSON lines.
inline std::size_t count_events(const std::vector<std::string>& events, const std::string& kind) {
  std::size_t n = 0;
  for (const auto& line : events)
    n += nlohmann::json::parse(line).value("event", "") == kind;
  return n;
}

/// The search side of a coordinator under virtual time: synthesizer, campaigns, trees and nodes are real, the
/// models are scripted, and the evaluator and the fleet are stand-ins that the test drives.
class search_fixture : public virtual_time {
public:
  std::unique_ptr<memory_store> store = std::make_unique<memory_store>();
  scripted_models models;
  std::deque<evaluate_request> waiting; ///< for a verdict
  bool claims = false;                  ///< finalists are measured again
  bool admission = false;               ///< the reference is judged before a model is asked
  std::map<std::string, std::vector<std::string>> devices{{"cpu-cpp", {"cpu:test", "cpu:a", "cpu:b"}},
                                                          {"other", {"cpu:test"}}}; ///< by backend
  std::vector<node_key> cancelled;                                                  ///< evaluations
  std::map<std::uint32_t, campaign_outcome> outcomes;
  std::vector<std::string> events;
  std::size_t acknowledged = 0; ///< verdicts, as a worker hears of them
  std::uint32_t slots = 2;
  problem what;
  std::shared_ptr<directory> names = std::make_shared<directory>();
  std::shared_ptr<call_book> calls = std::make_shared<call_book>(); ///< of one process, as are the providers
  std::shared_ptr<provider_pool> providers;
  node_supervisor_options tree_options;
  std::shared_ptr<library> shelf; ///< null: prompts hold no documents
  caf::actor knowledge_actor;     ///< the knowledge actor, where a test opened the library
  std::uint64_t image_every = 0;  ///< records; 0: campaigns keep no images
  std::vector<image_file> images;
  std::size_t starts_from_images = 0;
  /// How a campaign is read from the store; absent: at once.
  std::function<void(std::function<void(result<std::shared_ptr<stored_campaign>>)>)> load;
  std::vector<std::pair<std::string, std::string>> crashes; ///< (child of a supervisor, why)

  search_fixture() {
    what.name = "scale";
    what.dims = {"N"};
    what.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
                    {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
    what.workloads = {{"wide", {{"N", 1000}}, 1.0, false}};
    what.reference_language = "c++";
    what.reference = "void kernel() {}";
  }
  ~search_fixture() {
    close_library();
    kill();
  }

  static campaign_settings settings(std::int64_t candidates = 12, std::int64_t parallel = 4) {
    campaign_settings s;
    s.seed = 7;
    s.budget.candidates = candidates;
    s.search.drafts = 4;
    s.search.parallel = parallel;
    s.targets = {{"cpu-cpp", "*"}};
    model_settings m;
    m.name = "m";
    m.provider = provider_kind::command;
    m.max_tokens = 1000;
    s.models = {m};
    return s;
  }

  /// Makes the campaign in the store, as a submission does.
  void create(std::uint32_t id, const campaign_settings& s) {
    store_batch batch;
    campaign_row row;
    row.id = id;
    row.name = s.name;
    row.state = "running";
    row.settings_digest = batch.blob(pack(s));
    row.problem_digest = batch.blob(pack(what));
    row.trees = trees_of(s);
    batch.put(table::campaigns, key_of(id), pack(row));
    journal_configured first{s, row.problem_digest, row.trees, "test"};
    batch.journal.emplace_back(id, journal_record{journal_kind::configured, 0, 0, pack(first)});
    store->write(std::move(batch));
  }

  /// Starts the actors of campaign `id`, which is in the store, and, the first time, those that all campaigns
  /// share.
  void start(std::uint32_t id, const campaign_settings& s) {
    if (!root_)
      start_shared();
    settings_[id] = s;
    campaign_options o;
    o.claims = claims;
    o.admission = admission;
    o.id = id;
    o.names = names;
    o.store = store.get();
    o.epoch = ++epoch_;
    o.settings = s;
    o.calls = calls;
    for (const auto& backend : trees_of(s))
      o.languages[backend] = std::make_shared<const candidate_language>(ke::test::cpp_language());
    o.override = [](const campaign_settings& now, const std::string& key,
                    const std::string& value) -> result<campaign_settings> {
      auto changed = now;
      if (key == "search.policy" || key == "search.rule" || key == "campaign.name") {
        if (key == "search.policy")
          changed.search.policy = *parse_name<policy_kind>(value);
        else if (key == "search.rule")
          changed.search.rule = *parse_name<tree_rule_kind>(value);
        else
          changed.name = value;
        return changed;
      }
      if (key != "budget.candidates" && key != "budget.tune_candidates")
        return failure{failure_kind::invalid, "no key " + key};
      (key == "budget.candidates" ? changed.budget.candidates : changed.budget.tune_candidates) =
          std::stoll(value);
      return changed;
    };
    o.load = [this, id](auto done) {
      load ? load(std::move(done)) : done(read_stored_campaign(*store, id, newest_image(id)));
    };
    if (image_every) {
      o.image_every = image_every;
      o.store_id = "memory";
      o.keep_image = [this](image_header head, std::string body) {
        images.push_back({std::move(head), std::move(body)});
      };
    }
    o.ended = [this, id](campaign_outcome out) { outcomes[id] = std::move(out); };
    o.publish = [this](const std::string& line) { events.push_back(line); };
    o.unix_ms = [] { return std::uint64_t{1'000'000}; };
    std::vector<child_spec> children;
    children.push_back(named_child(names, addresses::campaign(id),
                                   [o](caf::event_based_actor* self) { return self->spawn(campaign, o); }));
    auto trees = trees_of(s);
    for (std::uint32_t t = 0; t < trees.size(); ++t) {
      auto context = std::make_shared<tree_context>();
      context->campaign = id;
      context->tree = t;
      context->names = names;
      context->store = store.get();
      context->problem = std::make_shared<const problem>(what);
      context->problem_digest = digest_of(pack(what));
      context->backend = trees[t];
      context->language = o.languages.at(trees[t]);
      context->symbol = "kernel";
      context->library = shelf;
      context->agents = s.agents;
      if (!s.embeddings.base_url.empty())
        context->embeddings = std::make_shared<const embedding_settings>(s.embeddings);
      for (const auto& target : s.targets)
        if (target.backend == trees[t])
          context->devices.push_back(target.device);
      children.push_back(named_child(names, addresses::node_supervisor(id, t),
                                     [context, tree = tree_options](caf::event_based_actor* self) {
                                       return self->spawn(node_supervisor, context, tree);
                                     }));
    }
    child_spec spec;
    spec.name = addresses::campaign(id).name().text();
    spec.mode = restart_mode::transient;
    spec.start = [this, children](caf::event_based_actor* self) {
      return self->spawn(supervisor, children, supervised("campaign"));
    };
    caf::anon_send(root_, stop_child{spec.name}); // of an earlier session that has ended
    caf::anon_send(root_, start_child{std::move(spec)});
    settle();
  }
  void launch(const campaign_settings& s, std::uint32_t id = 1) {
    create(id, s);
    start(id, s);
  }
  /// Starts the knowledge actor on the shelf's documents; it lives through a `kill`.
  void open_library(http_port* http = nullptr) {
    knowledge_options k;
    k.names = names;
    k.store = store.get();
    k.store_id = "store-1";
    k.http = http;
    k.shelf = shelf;
    k.written = shelf->now();
    knowledge_actor = system.spawn(knowledge, k);
    names->set(addresses::knowledge, knowledge_actor);
    settle();
  }
  void close_library() {
    if (knowledge_actor)
      caf::anon_send_exit(knowledge_actor, caf::exit_reason::user_shutdown);
    knowledge_actor = {};
    settle();
  }
  /// Ends all actors at once, as a kill of the process would; the store stays.
  void kill() {
    if (root_)
      caf::anon_send_exit(root_, caf::exit_reason::user_shutdown);
    root_ = {};
    settle();
    pass(1min);
    if (providers)
      providers->close();
    calls = std::make_shared<call_book>();
    models.open.clear();
    waiting.clear();
  }
  /// Ends one actor as an exception in it would; its supervisor starts it again when time passes.
  void crash(const address<>& at) {
    caf::anon_send_exit(names->find(at).weak(), caf::exit_reason::unhandled_exception);
    settle();
  }

  template <class Message, class... Messages>
  void tell(const address<Messages...>& to, Message m) {
    names->send(to, std::move(m));
    settle();
  }
  failure steer_to(std::string act, std::string key = {}, std::string value = {}) {
    failure why{failure_kind::timeout, "no answer"};
    tell(addresses::campaign(1), steer{std::move(act), std::move(key), std::move(value),
                                       [&](status s) { why = s ? failure{} : s.error(); }});
    return why;
  }

  /// What the fleet says of workers with these devices.
  static capacity offered(const std::string& backend, const std::vector<std::string>& there,
                          std::uint32_t slots) {
    capacity c{backend, slots, {}, {}};
    for (const auto& name : there)
      c.devices.push_back({name, backend, "ok", {}});
    return c;
  }
  nlohmann::json told_status() {
    std::string text;
    tell(addresses::campaign(1), status_request{[&](std::string json) { text = std::move(json); }});
    return nlohmann::json::parse(text);
  }

  /// A source that is different for each `number`, and its answer.
  static std::string source(int number) {
    return "extern \"C\" void kernel() { int unroll = " + std::to_string(number) + "; }\n";
  }
  static std::string reply(int number) { return "Unroll more.\n```cpp\n" + source(number) + "```\n"; }

  /// Answers the oldest open call with a source that depends on its node alone.
  void answer() {
    const auto& call = models.open.front().request.call;
    answer_with(reply(std::stoi(call.substr(call.find("-n") + 2))));
  }
  void answer_with(std::string text) {
    models.answer(std::move(text));
    settle();
  }

  static verdict correct(double score) {
    verdict v;
    v.state = verdict_state::correct;
    v.score = score;
    v.decision = score > 1 ? timing_decision::faster : timing_decision::slower;
    v.build_s = v.check_s = v.time_s = 0.5;
    return v;
  }
  /// The same with a narrow interval around the speedup.
  static verdict timed(double speedup) {
    auto v = correct(speedup * 0.99);
    v.timing = timing_summary{};
    v.timing->speedup = speedup;
    v.timing->low = speedup * 0.99;
    v.timing->high = speedup * 1.01;
    return v;
  }
  /// Depends on the candidate alone: some fail, the others gain little by little.
  static verdict verdict_of_source(const std::string& source) {
    auto luck = checksum_of(source) % 8;
    if (luck != 0)
      return correct(0.5 + 0.25 * static_cast<double>(luck));
    verdict v;
    v.state = verdict_state::incorrect;
    v.reason = "wrong at [0]";
    return v;
  }
  /// Measures the finalists again, until the campaign has ended.
  void confirm(const verdict& v) {
    for (int i = 0; i < 5 && !outcomes.contains(1); ++i) {
      settle();
      if (!waiting.empty())
        judge_as(v);
    }
  }
  void judge() { judge_as(verdict_of_source(*waiting.front().source)); }
  void judge_as(const verdict& v, bool duplicate = false) {
    auto r = std::move(waiting.front());
    waiting.pop_front();
    for (std::uint32_t target = 0; target < r.devices.size(); ++target)
      judge_target(r, target, v, duplicate);
  }
  void judge_target(const evaluate_request& r, std::uint32_t target, const verdict& v,
                    bool duplicate = false) {
    judged j;
    j.target = target;
    j.node = r.node;
    j.found = std::make_shared<const verdict>(v);
    j.verdict_digest = digest_of(*r.source + std::string{to_text(r.plan)}); // of each plan another row
    j.duplicate = duplicate;
    j.device_s = 1.5;
    j.batch = std::make_shared<store_batch>();
    j.batch->put(table::verdicts, j.verdict_digest, pack(v));
    j.committed = [this] { ++acknowledged; };
    j.plan = r.plan;
    tell(addresses::campaign(r.node.campaign), std::move(j));
  }

  /// Answers and judges, oldest first, until campaign 1 ends. False: it did not within the rounds.
  bool drive(int rounds = 2000) {
    while (rounds-- > 0) {
      settle();
      if (outcomes.contains(1))
        return true;
      if (!waiting.empty())
        judge();
      else if (!models.open.empty())
        answer();
      else
        pass(500ms);
    }
    return false;
  }

  std::shared_ptr<stored_campaign> stored(std::uint32_t id = 1) const {
    auto s = read_stored_campaign(*store, id);
    if (!s)
      throw std::runtime_error{s.error().text};
    return *s;
  }
  std::string tree_hash_of(std::uint32_t id = 1) const { return stored(id)->fold.trees().at(0).hash(); }
  std::uint64_t nodes_in(node_state state, std::uint32_t id = 1) const {
    return stored(id)->fold.trees().at(0).tree().count(state);
  }

private:
  folded_start newest_image(std::uint32_t id) {
    if (images.empty())
      return {};
    const auto& journal = store->journal_of(id);
    auto records = images.back().header.records;
    auto start =
        fold_of_image(images.back(), "memory", id,
                      records <= journal.size() ? std::optional{journal[records - 1]} : std::nullopt);
    starts_from_images += start.records > 0;
    return start;
  }

  supervisor_options supervised(std::string name) {
    supervisor_options o;
    o.name = std::move(name);
    o.strategy = restart_strategy::rest_for_one;
    o.on_failure = [this](const std::string& child, const caf::error& why, auto) {
      crashes.emplace_back(child, text_of(why));
    };
    return o;
  }

  void start_shared() {
    models.record = [this](const raw_answer& a) { calls->record(*store, a); };
    synthesizer_options s;
    s.names = names;
    s.find = [this](std::uint32_t campaign, const std::string& name) -> std::optional<model_settings> {
      for (const auto& m : settings_[campaign].models)
        if (m.name == name)
          return m;
      return std::nullopt;
    };
    s.calls = calls;
    s.providers = providers = std::make_shared<provider_pool>(
        [this](const model_settings& m) -> result<std::unique_ptr<provider_port>> {
          return models.connect(m.name);
        });
    std::vector<child_spec> children;
    children.push_back(named_child(names, addresses::synthesizer, [s](caf::event_based_actor* self) {
      return self->spawn(synthesizer, s);
    }));
    children.push_back(named_child(names, addresses::evaluator, [this](caf::event_based_actor* self) {
      return self->spawn([this](caf::event_based_actor*) -> caf::behavior {
        return {
            [this](const evaluate_request& r) { waiting.push_back(r); },
            [this](const cancel_evaluation& c) {
              cancelled.push_back(c.node);
              std::erase_if(waiting, [&](const evaluate_request& r) { return r.node == c.node; });
            },
        };
      });
    }));
    children.push_back(named_child(names, addresses::fleet, [this](caf::event_based_actor* self) {
      return self->spawn([this](caf::event_based_actor*) -> caf::behavior {
        return {[this](const watch_capacity& w) {
                  for (const auto& [backend, there] : devices)
                    names->send(w.who, offered(backend, there, slots));
                },
                [this](const evaluations_wanted& w) { wanted.push_back(w); }};
      });
    }));
    root_ = system.spawn(supervisor, std::move(children), supervised("root"));
    settle();
  }

  std::vector<evaluations_wanted> wanted; ///< as campaigns told the fleet

  caf::actor root_;
  std::map<std::uint32_t, campaign_settings> settings_;
  std::uint64_t epoch_ = 0;
};

} // namespace ke::test
