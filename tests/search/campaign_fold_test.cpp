#include "runtime/core/journal.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/journal_retrieved.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/search/random_campaign.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/text/source_text.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

campaign_fold fold_of(const std::vector<journal_record>& journal, std::size_t records) {
  campaign_fold fold;
  for (std::size_t i = 0; i < records; ++i) {
    auto done = fold.apply(journal[i]);
    INFO((done ? "" : done.error().text));
    REQUIRE(done);
  }
  return fold;
}

campaign_settings random_settings(std::uint64_t seed) {
  random_source random{seed, 5};
  auto s = simulated_settings(seed, 40 + static_cast<std::int64_t>(random.below(160)),
                              1 + static_cast<std::int64_t>(random.below(24)));
  s.search.drafts = 1 + static_cast<std::int64_t>(random.below(10));
  s.search.exploration = random.uniform() * 2;
  s.targets.resize(1 + random.below(3));
  if (random.uniform() < 0.4)
    s.targets.push_back({.backend = "opencl", .device = "*"});
  s.budget.fruitless = static_cast<std::int64_t>(random.below(4));
  return s;
}

} // namespace

TEST_CASE("the fold of a journal is the live state, after every campaign and after any part of it") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    search_simulation live{random_settings(seed), hills(seed), {.seed = seed}};
    random_source random{seed, 9};
    std::size_t events = 50 + random.below(400);
    std::vector<std::pair<std::size_t, std::string>> marks;
    for (std::size_t i = 0; i < events && live.advance(); ++i)
      if (i % 61 == 0)
        marks.emplace_back(live.journal().size(), live.fold().hash());
    marks.emplace_back(live.journal().size(), live.fold().hash());
    for (const auto& [records, hash] : marks)
      CHECK(fold_of(live.journal(), records).hash() == hash);
    // A part, folded, then continued with the rest, is the whole.
    auto half = fold_of(live.journal(), live.journal().size() / 2);
    for (auto i = live.journal().size() / 2; i < live.journal().size(); ++i)
      REQUIRE(half.apply(live.journal()[i]));
    CHECK(half.hash() == live.fold().hash());
  }
}

TEST_CASE("a fold that comes from an image goes on exactly like the one that it was made of") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    search_simulation live{random_settings(seed), hills(seed), {.seed = seed}};
    random_source random{seed, 9};
    std::size_t events = 50 + random.below(600);
    for (std::size_t i = 0; i < events && live.advance(); ++i)
      ;
    const auto& journal = live.journal();
    for (std::size_t records = 2; records <= journal.size(); records += 1 + journal.size() / 5) {
      auto copy = campaign_fold::from_image(fold_of(journal, records).image(records));
      INFO("seed " << seed << ", after " << records << " records: " << (copy ? "" : copy.error().text));
      REQUIRE(copy);
      CHECK(copy->records() == records);
      CHECK(copy->hash() == fold_of(journal, records).hash());
      for (auto i = records; i < journal.size(); ++i)
        REQUIRE(copy->apply(journal[i]));
      CHECK(copy->hash() == live.fold().hash());
      CHECK(pack(copy->row(1)) == pack(live.fold().row(1)));
    }
  }
}

TEST_CASE(
    "with every policy and ensemble an image goes on alike, and the fold of the journal is the live state",
    "[costly]") {
  for (auto kind : {policy_kind::greedy, policy_kind::best_of_n, policy_kind::evolution, policy_kind::beam,
                    policy_kind::mcts})
    for (auto models : {ensemble_kind::weights, ensemble_kind::ucb, ensemble_kind::cost_ucb})
      for (auto rule : {tree_rule_kind::rank_puct, tree_rule_kind::uct}) {
        auto s = random_settings(3);
        s.budget.candidates = 300;
        s.search.policy = kind;
        s.search.ensemble = models;
        s.search.rule = rule;
        s.search.restart = 20;
        s.search.islands = 3;
        search_simulation live{s, hills(3), {.seed = 3}};
        live.run();
        INFO(to_text(kind) << ", " << to_text(models) << ", " << to_text(rule));
        for (auto part : {live.journal().size() / 3, live.journal().size() * 2 / 3}) {
          auto before = fold_of(live.journal(), part);
          auto copy = campaign_fold::from_image(before.image(part));
          REQUIRE(copy);
          CHECK(copy->hash() == before.hash());
          for (auto i = part; i < live.journal().size(); ++i)
            REQUIRE(copy->apply(live.journal()[i]));
          CHECK(copy->hash() == live.fold().hash());
        }
      }
}

TEST_CASE("a cut or lengthened image is refused") {
  search_simulation live{random_settings(4), hills(4), {.seed = 4}};
  for (int i = 0; i < 200; ++i)
    live.advance();
  auto image = live.fold().image(7);
  REQUIRE(campaign_fold::from_image(image));
  for (std::size_t cut = 0; cut < image.size(); cut += 1 + image.size() / 97)
    CHECK_FALSE(campaign_fold::from_image(std::string_view{image}.substr(0, cut)));
  CHECK_FALSE(campaign_fold::from_image(image + "x"));
}

TEST_CASE("a campaign ends with its budget spent exactly, and all counts agree") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto s = random_settings(seed);
    search_simulation live{s, hills(seed), {.seed = seed}};
    CHECK(live.run() == "budget.candidates");
    const auto& books = live.fold().books();
    CHECK(books.money().spent().candidates == static_cast<std::uint64_t>(s.budget.candidates));
    CHECK(books.money().reserved() == amounts{});
    CHECK(books.in_flight() == 0);
    CHECK(live.fold().open_calls().empty());
    std::uint64_t sum = 0;
    for (const auto& [state, n] : live.fold().states())
      sum += n;
    CHECK(sum == live.fold().ended());
    auto cancelled = live.fold().states()["cancelled"];
    CHECK(sum - cancelled == static_cast<std::uint64_t>(s.budget.candidates) + books.tuned());
    auto row = live.fold().row(4);
    CHECK(row.state == "finished");
    CHECK(row.stop_reason == "budget.candidates");
    CHECK(row.spend.usd > 0);
    CHECK(row.failures["no_code"] + row.failures["rate_limited"] > 0);
  }
}

TEST_CASE("points of templates are counted apart, and never more than their own budget") {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (std::int64_t cap : {0, 7, 400}) {
      auto s = simulated_settings(seed, 60, 8);
      s.budget.tune_candidates = cap;
      search_simulation live{s, hills(seed), {.seed = seed, .templates = 0.5}};
      CHECK(live.run() == "budget.candidates");
      const auto& books = live.fold().books();
      CHECK(books.money().spent().candidates == 60);
      CHECK(books.tuned() <= static_cast<std::uint64_t>(cap));
      std::uint64_t points = 0;
      for (const auto& tree : live.fold().trees())
        for (std::uint32_t n = 1; n < tree.tree().size(); ++n)
          points += tree.tree()[n].operation == operation_kind::tune &&
                    tree.tree()[n].state != node_state::cancelled;
      CHECK(points == books.tuned());
      CHECK(live.fold().row(1).tuned == points);
      most = std::max(most, points);
      CHECK(fold_of(live.journal(), live.journal().size()).hash() == live.fold().hash());
    }
  CHECK(most > 7);
}

TEST_CASE("a journal of before points had a budget of their own makes the same tree") {
  auto s = simulated_settings(3, 60, 8);
  s.budget.tune_candidates = 1'000'000;
  search_simulation live{s, hills(3), {.seed = 3, .templates = 0.5}};
  live.run();
  REQUIRE(live.fold().books().tuned() > 0);
  auto journal = live.journal();
  for (auto& record : journal) {
    if (record.kind == journal_kind::configured) { // settings of then say nothing of it
      auto r = *unpack<journal_configured>(record.body);
      r.settings.budget.tune_candidates = 0;
      record.body = pack(r);
    }
    if (record.kind == journal_kind::stepped) {
      auto r = *unpack<journal_stepped>(record.body);
      record.body = pack(std::vector<std::uint32_t>{r.tree, r.count, r.first}); // three fields, as they were
    }
  }
  auto again = fold_of(journal, journal.size());
  REQUIRE(again.trees().size() == live.fold().trees().size());
  for (std::size_t t = 0; t < again.trees().size(); ++t)
    CHECK(again.trees()[t].hash() == live.fold().trees()[t].hash());
  CHECK(again.books().tune_left() == 0);
}

TEST_CASE("target and stall end a simulated campaign with their reasons") {
  auto s = simulated_settings(2, 5000, 8);
  s.goal.target_speedup = 1.2;
  search_simulation reaches{s, hills(2)};
  CHECK(reaches.run() == "target");
  CHECK(reaches.fold().books().best().score >= 1.2);
  s.goal.target_speedup = 1000;
  s.budget.stall_candidates = 60;
  search_simulation stalls{s, hills(2)};
  CHECK(stalls.run() == "stall");
  CHECK(stalls.fold().books().progress().ends() >= 60);
}

TEST_CASE("after a crash at any record a campaign goes on: unknown calls are charged, open nodes are driven, "
          "the budget holds") {
  auto s = simulated_settings(6, 60, 10);
  s.targets.resize(2);
  search_simulation live{s, hills(6)};
  live.run();
  for (std::size_t cut = 2; cut < live.journal().size(); cut += 37) {
    std::vector<journal_record> part(live.journal().begin(),
                                     live.journal().begin() + static_cast<std::ptrdiff_t>(cut));
    auto before = fold_of(part, part.size());
    auto out = before.open_calls().size();
    auto held = before.books().money().reserved().tokens;
    auto spent = before.books().money().spent().tokens;
    auto resumed = search_simulation::resume(part, hills(6), {.seed = 100 + cut});
    CHECK(resumed.fold().open_calls().empty());
    CHECK(resumed.fold().books().epoch() == 2);
    CHECK(resumed.fold().books().money().spent().tokens == spent + held);
    CHECK(held == 4000 * out);
    CHECK(resumed.run() == "budget.candidates");
    CHECK(resumed.fold().books().money().spent().candidates == 60);
    CHECK(fold_of(resumed.journal(), resumed.journal().size()).hash() == resumed.fold().hash());
  }
}

TEST_CASE("the same seed gives the same journal, another seed another tree") {
  auto run = [](std::uint64_t seed) {
    search_simulation live{simulated_settings(seed, 80, 6), hills(1), {.seed = 1}};
    live.run();
    return live.fold().trees()[0].hash();
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("settings may change in the middle, but not the policy or the backends") {
  auto s = simulated_settings(3, 100, 8);
  campaign_fold fold;
  REQUIRE(fold.apply(journal_configured{s, "p", {"cpu-cpp"}, "1"}));
  REQUIRE(fold.step(0, 8));
  s.search.exploration = 0;
  s.budget.candidates = 9;
  s.models[0].weight = 0;
  REQUIRE(fold.apply(journal_configured{s, "p", {"cpu-cpp"}, "1"}));
  REQUIRE(fold.apply(journal_judged{0, 1, 0, verdict_state::correct, timing_decision::faster, 1.5}));
  auto more = fold.step(0, 10);
  REQUIRE(more);
  REQUIRE(more->first.size() == 1); // nine candidates in all
  CHECK(more->first[0].model == "large");
  CHECK_FALSE(fold.apply(journal_configured{s, "p", {"opencl"}, "1"}));
  s.search.policy = policy_kind::best_of_n;
  CHECK_FALSE(fold.apply(journal_configured{s, "p", {"cpu-cpp"}, "1"}));
}

TEST_CASE("a record that cannot follow the earlier ones is called corrupt") {
  campaign_fold fold;
  REQUIRE(fold.apply(journal_configured{simulated_settings(3), "p", {"cpu-cpp"}, "1"}));
  auto kind = [](const status& s) { return s ? failure_kind::none : s.error().kind; };
  CHECK(kind(fold.apply(journal_stepped{0, 3, 7})) == failure_kind::corrupt);
  CHECK(kind(fold.apply(journal_stepped{4, 3, 1})) == failure_kind::corrupt);
  CHECK(kind(fold.apply(journal_judged{0, 12, 0, verdict_state::correct})) == failure_kind::corrupt);
  CHECK(kind(fold.apply(journal_record{journal_kind::judged, 1, 1, "not msgpack"})) == failure_kind::corrupt);
}

TEST_CASE("the duplicate filter finds the first node with a source, and lists what was tried") {
  auto core = search_tree::make(0, "cpu-cpp", simulated_settings(1));
  REQUIRE(core);
  auto made = core->step(3);
  REQUIRE(made.size() == 3);
  auto reply = [&](std::uint32_t node, const std::string& source) {
    journal_replied r{0, node, 0};
    r.normalised_digest = source_digest(source, source_language::cpp);
    REQUIRE(core->apply(journal_asked{0, node, 0, "small", "", {10, 0.1}}));
    CHECK(core->open_calls().size() == 1);
    REQUIRE(core->apply(r));
    return *core->first_with(r.normalised_digest);
  };
  CHECK(reply(1, "int a;") == 1);
  CHECK(reply(2, "int b;") == 2);
  CHECK(reply(3, "int  a; // again") == 1);
  CHECK(core->tried() == std::vector<std::string>{source_digest("int a;", source_language::cpp),
                                                  source_digest("int b;", source_language::cpp)});
  CHECK_FALSE(core->first_with(source_digest("int c;", source_language::cpp)));
  digest_filter filter;
  for (std::uint32_t i = 0; i < 6000; ++i)
    REQUIRE(filter.note(digest_of(std::to_string(i % 5000)), i) == i % 5000);
  CHECK(filter.size() == 5000);
  CHECK(filter.latest().size() == 4096);
  CHECK(filter.latest().back() == digest_of("4999"));
}

TEST_CASE("a sub-agent's call holds its worst case until it is settled, and survives an image") {
  search_simulation live{random_settings(3), hills(3), {.seed = 3}};
  for (int i = 0; i < 60; ++i)
    live.advance();
  auto fold = fold_of(live.journal(), live.journal().size());
  auto& money = fold.books().money();
  auto held = money.reserved(), spent = money.spent();
  REQUIRE(fold.apply(journal_agent_asked{0, 1, 1, "research", "m", "d", {500, 0.25}}));
  CHECK(money.reserved().tokens == held.tokens + 500);
  CHECK(fold.books().agent_call(1));
  auto copy = campaign_fold::from_image(fold.image(7));
  REQUIRE(copy);
  CHECK(copy->hash() == fold.hash());
  for (auto* f : {&fold, &*copy}) {
    REQUIRE(f->apply(journal_agent_replied{1, failure_kind::none, "r", {100, 20, 0, 0.05}, false}));
    CHECK(f->books().agent_calls_out().empty());
    CHECK(f->books().money().reserved().tokens == held.tokens);
    CHECK(f->books().money().spent().tokens == spent.tokens + 120);
    CHECK(f->row(1).agent_spend.usd == Approx(0.05));
  }
  CHECK(copy->hash() == fold.hash());
  // What a crash left open is charged as it was held.
  REQUIRE(fold.apply(journal_agent_asked{0, 1, 2, "memory", "m", "d", {300, 0}}));
  REQUIRE(fold.apply(journal_agent_replied{2, failure_kind::cancelled, {}, {300, 0, 0, 0}, true}));
  CHECK(fold.books().money().spent().tokens == spent.tokens + 420);
  CHECK(fold.books().failures().at("cancelled") >= 1);
}

TEST_CASE("a sub-agent's call out of order, of no tree or ended twice is a damaged journal") {
  search_simulation live{random_settings(3), hills(3), {.seed = 3}};
  auto fresh = [&] { return fold_of(live.journal(), live.journal().size()); };
  CHECK(fresh().apply(journal_agent_asked{0, 1, 2, "memory", "m", "d", {}}).error().kind ==
        failure_kind::corrupt);
  CHECK(fresh().apply(journal_agent_asked{99, 1, 1, "memory", "m", "d", {}}).error().kind ==
        failure_kind::corrupt);
  CHECK(fresh().apply(journal_agent_replied{1}).error().kind == failure_kind::corrupt);
  auto fold = fresh();
  REQUIRE(fold.apply(journal_agent_asked{0, 1, 1, "memory", "m", "d", {}}));
  REQUIRE(fold.apply(journal_agent_replied{1}));
  CHECK(fold.apply(journal_agent_replied{1}).error().kind == failure_kind::corrupt);
}

TEST_CASE("sub-agents may hold their share of all tokens, the call itself counted") {
  search_simulation live{random_settings(3), hills(3), {.seed = 3}};
  auto fold = fold_of(live.journal(), live.journal().size());
  auto configured = journal_configured{fold.books().settings(), "p", fold.books().backends(), "test"};
  configured.settings.agents.share = 0.25;
  REQUIRE(fold.apply(configured));
  auto& books = fold.books();
  books.money().settle({}, {.tokens = 900 - books.money().spent().tokens - books.money().reserved().tokens});
  CHECK(books.agents_may_hold({300, 0})); // 300 of 1200
  CHECK_FALSE(books.agents_may_hold({301, 0}));
  REQUIRE(fold.apply(journal_agent_asked{0, 1, 1, "memory", "m", "d", {200, 0}}));
  CHECK(books.agents_may_hold({100, 0}));
  CHECK_FALSE(books.agents_may_hold({200, 0}));
}

namespace {

/// A campaign of one model with a node that is asked.
campaign_fold one_call_out(const budget_settings& budget, const reservation& reserved) {
  auto s = simulated_settings(1, 20, 4);
  s.models.resize(1);
  s.budget = budget;
  campaign_fold fold;
  REQUIRE(fold.apply(journal_configured{s, "p", {"cpu-cpp"}, "test"}));
  REQUIRE(fold.apply(journal_stepped{0, 1, 1}));
  REQUIRE(fold.apply(journal_asked{0, 1, 1, "small", "d", reserved}));
  return fold;
}

} // namespace

TEST_CASE("a try that failed is charged beside the reservation of the next one, and counts as a request") {
  budget_settings b;
  b.candidates = 20;
  b.tokens = 2000;
  auto fold = one_call_out(b, {1000, 0.1});
  auto& money = fold.books().money();
  CHECK(fold.books().requests() == 1);
  REQUIRE(fold.apply(journal_failed_request{0,
                                            1,
                                            1,
                                            failure_kind::timeout,
                                            "stall",
                                            {600, 200, 0, 0.02},
                                            {0, 200, 0, 0.01},
                                            {1800, 600, 600, true}}));
  CHECK(fold.books().requests() == 2);
  CHECK(money.spent().tokens == 800);
  CHECK(money.reserved().tokens == 1000);
  CHECK_FALSE(money.overdrawn());
  CHECK(fold.books().estimated().output_tokens == 200);
  CHECK(fold.books().scale("small").input_tokens == 600); // told; the rest was not
  CHECK(fold.books().scale("small").answers == 0);
  // The last one: no further request.
  REQUIRE(fold.apply(
      journal_failed_request{0, 1, 1, failure_kind::timeout, "stall", {600, 200, 0, 0.02}, {}, {}, true}));
  CHECK(fold.books().requests() == 2);
  CHECK(money.overdrawn() == resource::tokens);
  REQUIRE(fold.apply(journal_replied{0, 1, 1, failure_kind::cancelled}));
  CHECK(fold.books().requests() == 2);
  CHECK(money.reserved() == amounts{.candidates = 1}); // its node may ask again
  CHECK(money.spent().tokens == 1600);
  auto copy = campaign_fold::from_image(fold.image(9));
  REQUIRE(copy);
  CHECK(copy->hash() == fold.hash());
  CHECK(copy->books().scale("small") == fold.books().scale("small"));
}

TEST_CASE(
    "a call that was never sent is no request, and one that nobody heard is charged as its record says") {
  auto fold = one_call_out({}, {1000, 0.1});
  journal_replied r{0, 1, 1, failure_kind::cancelled};
  r.unsent = true;
  REQUIRE(fold.apply(r));
  CHECK(fold.books().requests() == 0);
  REQUIRE(fold.apply(journal_asked{0, 1, 2, "small", "d", {1000, 0.1}}));
  r = {0, 1, 2, failure_kind::cancelled};
  r.unknown = true;
  r.usage = r.estimated = {300, 100, 0, 0.03};
  REQUIRE(fold.apply(r));
  CHECK(fold.books().requests() == 1);
  CHECK(fold.books().unheard() == 1);
  CHECK(fold.books().money().spent().tokens == 400);
  // Of an earlier version: at its reservation, whatever its usage says.
  REQUIRE(fold.apply(journal_asked{0, 1, 3, "small", "d", {1000, 0.1}}));
  r = {0, 1, 3, failure_kind::cancelled};
  r.unknown = true;
  r.usage = {1000, 0, 0, 0.1};
  REQUIRE(fold.apply(r));
  CHECK(fold.books().money().spent().tokens == 1400);
}

TEST_CASE("a record of documents changes no tree, and must name nodes that there are") {
  campaign_fold fold;
  REQUIRE(fold.apply(journal_configured{simulated_settings(1, 10, 2), "", {"cpu-cpp"}, "test"}));
  REQUIRE(fold.step(0, 2));
  auto before = fold.hash();
  journal_retrieved r;
  r.node = 1;
  REQUIRE(fold.apply(journal_record{journal_kind::retrieved, 0, 0, pack(r)}));
  CHECK(fold.hash() == before);
  for (auto [node, diagnosed] : {std::pair{0u, 0u}, {9u, 0u}, {1u, 9u}}) {
    r.node = node;
    r.diagnosed = diagnosed;
    CHECK(fold.apply(r).error().kind == failure_kind::corrupt);
  }
  r = {};
  r.tree = 5;
  r.node = 1;
  CHECK(fold.apply(r).error().kind == failure_kind::corrupt);
}

TEST_CASE("records of earlier versions, which told less, are read with what they leave out unset") {
  struct failed {
    std::uint32_t tree = 0, node = 1, attempt = 1;
    std::uint64_t kind = static_cast<std::uint64_t>(failure_kind::timeout);
    std::string text = "stall";
  };
  failed old;
  msgpack::sbuffer bytes;
  msgpack::packer<msgpack::sbuffer> out{bytes};
  out.pack_array(5);
  out.pack(old.tree);
  out.pack(old.node);
  out.pack(old.attempt);
  out.pack(old.kind);
  out.pack_bin(5);
  out.pack_bin_body(old.text.data(), 5);
  auto read = unpack<journal_failed_request>({bytes.data(), bytes.size()});
  REQUIRE(read);
  CHECK(*read == journal_failed_request{0, 1, 1, failure_kind::timeout, "stall"});
  auto fold = one_call_out({}, {1000, 0.1});
  REQUIRE(fold.apply(*read));
  CHECK(fold.books().requests() == 2);
  CHECK(fold.books().money().spent().tokens == 0);
}

TEST_CASE(
    "a model is set aside after so many paid answers in a row without a candidate, until one session more") {
  budget_settings b;
  b.candidates = 20;
  b.fruitless = 3;
  auto fold = one_call_out(b, {});
  auto attempt = 1u;
  auto answer = [&](failure_kind kind, token_usage usage) {
    journal_replied r{0, 1, attempt, kind};
    r.usage = usage;
    REQUIRE(fold.apply(r));
    REQUIRE(fold.apply(journal_asked{0, 1, ++attempt, "small", "d", {}}));
  };
  answer(failure_kind::no_code, {10, 10, 0, 0});
  answer(failure_kind::refused, {10, 10, 0, 0});
  answer(failure_kind::server_error, {10, 10, 0, 0}); // nobody answered
  answer(failure_kind::malformed, {});                // nobody was paid
  CHECK(fold.books().set_aside().empty());
  REQUIRE(fold.apply(journal_session{2})); // a restart does not begin the count anew
  answer(failure_kind::empty, {10, 0, 0, 0});
  CHECK(fold.books().set_aside() == std::set<std::string>{"small"});
  CHECK(fold.books().all_set_aside());
  auto copy = campaign_fold::from_image(fold.image(9));
  REQUIRE(copy);
  CHECK(copy->books().all_set_aside());
  REQUIRE(fold.apply(journal_session{3}));
  CHECK(fold.books().set_aside().empty());
  for (int i = 0; i < 3; ++i)
    answer(failure_kind::truncated, {10, 10, 0, 0});
  CHECK(fold.books().all_set_aside());
  REQUIRE(fold.apply(journal_steered{"resume", "", ""}));
  CHECK(fold.books().set_aside().empty());
}
