#include "actors/messages/addresses.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/counters.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ke;
using namespace ke::test;

namespace {

/// The bodies of all records of a kind.
template <class T>
std::vector<T> bodies(const memory_store& store, journal_kind kind) {
  std::vector<T> all;
  for (const auto& r : store.journal_of(1))
    if (r.kind == kind)
      all.push_back(*unpack<T>(r.body));
  return all;
}

} // namespace

TEST_CASE_METHOD(search_fixture,
                 "a campaign of 12 candidates ends with budget.candidates, and every one has its verdict") {
  launch(settings(12));
  REQUIRE(drive());
  CHECK(outcomes[1].state == "finished");
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(outcomes[1].proven);
  CHECK(models.asked.size() == 12);
  CHECK(acknowledged == 12);
  CHECK(nodes_in(node_state::correct) + nodes_in(node_state::incorrect) == 12);
  CHECK(store->count(1, journal_kind::asked) == 12);
  CHECK(store->count(1, journal_kind::judged) == 12);
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(
    search_fixture,
    "the last candidates of the budget are begun only as far as it reaches, whatever `parallel` says") {
  launch(settings(3, 8));
  CHECK(models.open.size() == 3);
  REQUIRE(drive());
  CHECK(models.asked.size() == 3);
}

TEST_CASE_METHOD(search_fixture, "reaching the target ends the campaign and cancels what is in flight") {
  auto s = settings(50, 4);
  s.goal.target_speedup = 3;
  launch(s);
  answer();
  answer();
  REQUIRE(waiting.size() == 2);
  REQUIRE(models.open.size() == 2);
  judge_as(correct(3.5));
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "target");
  CHECK(outcomes[1].proven);
  CHECK(models.cancelled.size() == 2);
  CHECK(cancelled.size() >= 1);
  CHECK(waiting.empty());
  CHECK(nodes_in(node_state::cancelled) == 3);
  CHECK(stored()->fold.open_calls().empty());
  CHECK(stored()->fold.books().money().reserved().tokens == 0);
}

TEST_CASE_METHOD(search_fixture, "a campaign whose problem is unfit fails early instead of asking on") {
  launch(settings(100, 2));
  verdict unfit;
  unfit.state = verdict_state::unfit_problem;
  unfit.reason = "its check accepts zeros";
  for (int n = 0; n < 100 && !outcomes.contains(1); ++n) {
    if (waiting.empty())
      answer();
    judge_as(unfit);
  }
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "failed");
  CHECK(outcomes[1].why.kind == failure_kind::invalid);
  CHECK(outcomes[1].why.text.find("its check accepts zeros") != std::string::npos);
  CHECK(models.asked.size() <= 5);
}

TEST_CASE_METHOD(search_fixture, "one unfit verdict among others ends nothing") {
  launch(settings(8, 1));
  verdict unfit;
  unfit.state = verdict_state::unfit_problem;
  for (int n = 0; n < 8; ++n) {
    answer();
    judge_as(n == 0 ? correct(1.5) : unfit);
  }
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "finished");
}

TEST_CASE_METHOD(search_fixture, "a campaign without gain ends with stall") {
  auto s = settings(100, 1);
  s.budget.stall_candidates = 5;
  launch(s);
  for (int n = 0; n < 100 && !outcomes.contains(1); ++n) {
    answer();
    judge_as(correct(1.5));
  }
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "stall");
  CHECK(store->count(1, journal_kind::judged) == 6); // the first one is a gain
}

TEST_CASE_METHOD(search_fixture,
                 "spent and reserved tokens never exceed the budget, at no record of the journal") {
  auto s = settings(40, 8);
  s.budget.tokens = 20'000; // a few worst cases at a time
  launch(s);
  CHECK(models.open.size() < 8);
  REQUIRE(drive());
  campaign_fold fold;
  std::uint64_t most = 0;
  for (const auto& r : store->journal_of(1)) {
    REQUIRE(fold.apply(r));
    const auto& money = fold.books().money();
    most = std::max(most, money.spent().tokens + money.reserved().tokens);
  }
  CHECK(most <= 20'000);
  CHECK(most > 10'000);
}

TEST_CASE_METHOD(search_fixture,
                 "a budget that can't hold another call ends with budget.tokens, not with a call too many") {
  auto s = settings(40, 2);
  s.budget.tokens = 3'500; // one worst case, hardly more
  launch(s);
  REQUIRE(models.open.size() <= 1);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.tokens");
  CHECK(stored()->fold.books().money().spent().tokens <= 3'500);
}

TEST_CASE_METHOD(search_fixture,
                 "spent and reserved money never exceed the budget, at no record of the journal") {
  auto s = settings(20, 8);
  s.models[0].price_input = 3;
  s.models[0].price_output = 15;
  s.budget.usd = 0.08; // a few worst cases at a time
  launch(s);
  CHECK(models.open.size() >= 1);
  CHECK(models.open.size() < 8);
  REQUIRE(drive());
  campaign_fold fold;
  double most = 0;
  for (const auto& r : store->journal_of(1)) {
    REQUIRE(fold.apply(r));
    const auto& money = fold.books().money();
    most = std::max(most, money.spent().usd() + money.reserved().usd());
  }
  CHECK(most <= 0.08);
  CHECK(most > 0.02);
}

TEST_CASE_METHOD(search_fixture,
                 "a budget that can't pay the worst case of one call ends with budget.usd, unasked") {
  auto s = settings(20, 2);
  s.models[0].price_output = 15;
  s.budget.usd = 0.001;
  launch(s);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.usd");
  CHECK_FALSE(outcomes[1].proven);
  CHECK(models.asked.empty());
}

TEST_CASE_METHOD(search_fixture, "a campaign ends with budget.device once its evaluations have used it up") {
  auto s = settings(20, 1);
  s.budget.device_hours = 4.0 / 3600; // at 1.5 s each
  launch(s);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.device");
  CHECK(store->count(1, journal_kind::judged) == 3);
  CHECK(stored()->fold.books().money().spent().device_s() == Approx(4.5));
}

TEST_CASE_METHOD(search_fixture,
                 "a campaign ends with budget.wall when its time is over, over its sessions, and "
                 "what is in flight is cancelled") {
  auto s = settings(20, 2);
  s.budget.wall_hours = 10.0 / 3600;
  launch(s);
  pass(6s);
  answer(); // a record tells the time
  kill();
  outcomes.clear();
  start(1, s);
  REQUIRE(models.open.size() >= 1);
  pass(3s);
  CHECK(outcomes.empty());
  pass(2s);
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "budget.wall");
  CHECK(nodes_in(node_state::cancelled) == 2);
  CHECK(stored()->fold.open_calls().empty());
}

TEST_CASE_METHOD(search_fixture, "no request leaves before its intent is committed") {
  auto s = settings(4, 2);
  create(1, s);
  store->hold = true;
  start(1, s);
  pass(1s);
  CHECK(store->count(1, journal_kind::asked) == 2); // written, not yet committed
  CHECK(models.asked.empty());
  store->release();
  settle();
  REQUIRE(models.asked.size() == 2);
  CHECK(models.asked[0].starts_with("c1-t0-n1-a1-"));
  CHECK(models.asked[1].starts_with("c1-t0-n2-a1-"));
}

TEST_CASE_METHOD(search_fixture, "neither the worker nor a person hears of a verdict before its commit") {
  launch(settings(4, 1));
  answer();
  store->hold = true;
  judge();
  CHECK(store->count(1, journal_kind::judged) == 1);
  CHECK(acknowledged == 0);
  CHECK(count_events(events, "node") == 0);
  store->release();
  settle();
  CHECK(acknowledged == 1);
  CHECK(count_events(events, "node") == 1);
}

TEST_CASE_METHOD(
    search_fixture,
    "two answers without code make their node unanswered, are charged, and the campaign goes on") {
  launch(settings(3, 1));
  answer_with("I would rather not.");
  auto replies = bodies<journal_replied>(*store, journal_kind::replied);
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].kind == failure_kind::no_code);
  CHECK(replies[0].usage.output_tokens == 20);
  CHECK(waiting.empty());
  CHECK(nodes_in(node_state::unanswered) == 0);
  answer_with("I said no.");
  CHECK(nodes_in(node_state::unanswered) == 1);
  REQUIRE(drive());
  CHECK(models.asked.size() == 4);
  CHECK(stored()->fold.books().failures().at("no_code") == 2);
}

TEST_CASE_METHOD(
    search_fixture,
    "a source that was answered before is journalled as a duplicate of the first, at no device time") {
  launch(settings(3, 1));
  answer_with(reply(7));
  judge_as(correct(1.5));
  answer_with(reply(7));
  judge_as(correct(1.5), true);
  auto verdicts = bodies<journal_judged>(*store, journal_kind::judged);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].duplicate_of == no_node);
  CHECK(verdicts[1].duplicate_of == 1);
  CHECK(verdicts[1].device_s == 0);
}

TEST_CASE_METHOD(search_fixture,
                 "a source that is measured again, since its first verdict was noisy, is no duplicate") {
  launch(settings(3, 1));
  answer_with(reply(7));
  verdict noisy;
  noisy.state = verdict_state::noisy;
  judge_as(noisy);
  answer_with(reply(7));
  judge_as(correct(1.5)); // measured: its first verdict says nothing
  for (std::uint32_t n : {1u, 2u}) {
    auto row = store->row<node_row>(table::nodes, key_of(1, 0, n));
    REQUIRE(row);
    CHECK(row->duplicate_of == no_node);
  }
}

TEST_CASE_METHOD(search_fixture, "pause begins nothing new and lets run what runs; resume goes on") {
  launch(settings(12, 2));
  CHECK(steer_to("pause").kind == failure_kind::none);
  answer();
  answer();
  judge();
  judge();
  pass(1min);
  CHECK(models.asked.size() == 2);
  CHECK(stored()->fold.books().paused());
  CHECK(steer_to("resume").kind == failure_kind::none);
  CHECK(models.asked.size() == 4);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
}

TEST_CASE_METHOD(search_fixture, "stop ends the campaign for good and cancels calls and evaluations") {
  launch(settings(12, 3));
  answer();
  CHECK(steer_to("stop").kind == failure_kind::none);
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "finished");
  CHECK(outcomes[1].reason == "stopped");
  CHECK(models.open.empty());
  CHECK(waiting.empty());
  CHECK(steer_to("resume").kind == failure_kind::invalid); // it is over
  CHECK(steer_to("resume").text == "the campaign is not running");
}

TEST_CASE_METHOD(search_fixture, "a hint is journalled and stands in the prompts of the nodes below it") {
  launch(settings(12, 1));
  CHECK(steer_to("hint", "0", "tile by 32").kind == failure_kind::none);
  CHECK(text_of(models.open.front().request.prompt).find("tile by 32") == std::string::npos); // asked before
  answer();
  judge_as(correct(2));
  REQUIRE(models.open.size() == 1);
  CHECK(text_of(models.open.front().request.prompt).find("- tile by 32\n") != std::string::npos);
}

TEST_CASE_METHOD(search_fixture,
                 "set changes a budget at once, and a key that is not there is refused by name") {
  launch(settings(12, 1));
  CHECK(steer_to("set", "budget.candidate", "2").text == "no key budget.candidate");
  CHECK(steer_to("set", "budget.candidates", "2").kind == failure_kind::none);
  REQUIRE(drive());
  CHECK(models.asked.size() == 2);
  CHECK(store->count(1, journal_kind::configured) == 2);
}

TEST_CASE_METHOD(search_fixture,
                 "what cannot change within a campaign is refused, and the campaign lives on") {
  launch(settings(6, 2));
  for (auto [key, value] :
       {std::pair{"search.policy", "greedy"}, {"search.rule", "uct"}, {"campaign.name", "x"}}) {
    auto why = steer_to("set", key, value);
    CHECK(why.kind == failure_kind::invalid);
    CHECK(why.text.starts_with(key));
    CHECK(why.text.find(key == std::string{"campaign.name"} ? "start it again" : "--fresh") !=
          std::string::npos);
  }
  auto why = steer_to("hint", "9999", "try this");
  CHECK(why.kind == failure_kind::invalid);
  CHECK(why.text.find("9999") != std::string::npos);
  CHECK(steer_to("hint", "0", "try this").kind == failure_kind::none);
  REQUIRE(drive());
  CHECK(outcomes[1].state == "finished");
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture, "an interrupt begins nothing new and ends as soon as nothing is in flight") {
  launch(settings(12, 2));
  tell(addresses::campaign(1), interrupt{});
  CHECK(outcomes.empty());
  answer();
  answer();
  judge();
  CHECK(outcomes.empty());
  judge();
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(outcomes[1].reason == "interrupted");
  CHECK(models.asked.size() == 2);
  auto stop = nlohmann::json::parse(events.back());
  CHECK(stop["event"] == "stop");
  CHECK(stop["state"] == "paused");
  CHECK(stop["reason"] == "interrupted");
}

TEST_CASE_METHOD(search_fixture, "an interrupt while a campaign is read from the store is told as its stop") {
  create(1, settings(2, 1));
  load = [](auto) {}; // never done
  start(1, settings(2, 1));
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "interrupted");
  REQUIRE(events.size() == 1);
  CHECK(nlohmann::json::parse(events.back())["event"] == "stop");
}

TEST_CASE_METHOD(search_fixture, "a campaign that was interrupted while it was read does not begin") {
  create(1, settings(2, 1));
  std::function<void(result<std::shared_ptr<stored_campaign>>)> read;
  load = [&](auto done) { read = std::move(done); };
  start(1, settings(2, 1));
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  auto records = store->journal_of(1).size();
  read(read_stored_campaign(*store, 1));
  settle();
  pass(1s);
  CHECK(store->journal_of(1).size() == records);
  CHECK(models.asked.empty());
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture,
                 "an interrupt waits no longer than its grace, and the campaign can be resumed") {
  launch(settings(4, 2));
  tell(addresses::campaign(1), interrupt{});
  pass(9900ms);
  CHECK(outcomes.empty());
  pass(100ms);
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(stored()->fold.books().finished_reason().empty());
  kill();
  outcomes.clear();
  start(1, settings(4, 2));
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
}

TEST_CASE_METHOD(search_fixture, "an interrupt does not wait for requests that never left") {
  auto s = settings(12, 4);
  s.models[0].max_parallel = 1;
  launch(s);
  REQUIRE(models.open.size() == 1);
  tell(addresses::campaign(1), interrupt{});
  answer();
  judge();
  CHECK(outcomes.contains(1));
  CHECK(models.asked.size() == 1);
  CHECK(stored()->fold.books().money().reserved().tokens == 0); // what never left costs nothing
}

TEST_CASE_METHOD(search_fixture, "a second interrupt ends at once") {
  launch(settings(12, 2));
  tell(addresses::campaign(1), interrupt{});
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
}

TEST_CASE_METHOD(search_fixture, "a campaign that is stopped while it pauses is finished, not paused") {
  launch(settings(12, 2));
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(models.open.size() == 2);
  REQUIRE_FALSE(outcomes.contains(1));
  CHECK(steer_to("stop").kind == failure_kind::none);
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "finished");
  CHECK(outcomes[1].reason == "stopped");
  CHECK(models.cancelled.size() == 2);
  CHECK(stored()->fold.books().finished_reason() == "stopped");
}

TEST_CASE_METHOD(search_fixture,
                 "a node whose actor crashes is woken once more, and its campaign is not touched") {
  tree_options.summaries = 0; // so that children read their parent's summary from the store
  auto s = settings(6, 1);
  s.search.drafts = 1;
  launch(s);
  answer();
  store->traps[key_of(1, 0, 1)] = 1;
  judge_as(correct(2));
  CHECK(store->traps[key_of(1, 0, 1)] == 0); // it crashed there
  REQUIRE(models.open.size() == 1);          // and asked all the same
  REQUIRE(drive());
  CHECK(nodes_in(node_state::poisoned) == 0);
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture, "a node whose actor crashes twice is poisoned, and its siblings live on") {
  tree_options.summaries = 0;
  auto s = settings(8, 2);
  s.search.drafts = 2;
  launch(s);
  REQUIRE(models.open.size() == 2);
  answer();
  store->traps[key_of(1, 0, 1)] = 2;
  judge_as(correct(2));
  REQUIRE(store->traps[key_of(1, 0, 1)] == 0);
  CHECK(models.open.front().request.call.starts_with("c1-t0-n2-a1-")); // its sibling waits as before
  auto ended = bodies<journal_ended>(*store, journal_kind::ended);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].state == node_state::poisoned);
  CHECK(ended[0].why == "a bug while it read");
  REQUIRE(drive());
  CHECK(nodes_in(node_state::poisoned) == 1);
  CHECK(store->count(1, journal_kind::judged) == 7);
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture, "nodes that wait for an answer rest, and their answers wake them") {
  auto& awake = counters::get("search.nodes_awake");
  auto s = settings(3, 3);
  s.models[0].provider = provider_kind::spool;
  launch(s);
  CHECK(awake == 3);
  pass(5min);
  CHECK(awake == 0);
  answer();
  CHECK(awake == 1);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting.front().node == node_key{1, 0, 1});
  pass(5min); // one waits for its verdict, which may take as long
  CHECK(awake == 0);
  REQUIRE(drive());
  CHECK(acknowledged == 3);
  CHECK(outcomes[1].reason == "budget.candidates");
}

TEST_CASE_METHOD(search_fixture, "no more nodes than allowed stay awake, and all get their answers") {
  tree_options.awake = 2;
  launch(settings(9, 9));
  CHECK(counters::get("search.nodes_awake") <= 3);
  REQUIRE(drive());
  CHECK(acknowledged == 9);
}

TEST_CASE_METHOD(search_fixture, "an interrupt before the first worker could come is an interrupt") {
  slots = 0;
  launch(settings(4, 1));
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].why.kind == failure_kind::none);
}

TEST_CASE_METHOD(search_fixture, "status tells which candidates are measured again, and why") {
  launch(settings(4, 1));
  answer();
  REQUIRE(waiting.size() == 1);
  auto told = [&](const std::string& part) {
    std::string text;
    tell(addresses::campaign(1), status_request{[&](std::string json) { text = std::move(json); }});
    return text.find(part) != std::string::npos;
  };
  CHECK(told(R"("machine":{"measured_again":0,"measured_again_now":0,"why":null)"));
  tell(addresses::campaign(1), measured_again{waiting.front().node, "memory.2 40% slower than it was"});
  CHECK(told(
      R"("machine":{"measured_again":1,"measured_again_now":1,"why":"memory.2 40% slower than it was")"));
  judge();
  CHECK(told(R"("measured_again":1,"measured_again_now":0)"));
}

TEST_CASE_METHOD(search_fixture, "the live state, the stored rows and the fold of the journal are one") {
  launch(settings(10, 3));
  auto live = [&] {
    std::string text;
    tell(addresses::campaign(1), status_request{[&](std::string json) { text = std::move(json); }});
    return text;
  };
  for (int round = 0; round < 60 && !outcomes.contains(1); ++round) {
    auto replayed = stored();
    auto row = replayed->fold.row(1);
    CHECK(live() == campaign_status_json(row, replayed->fold.books().settings(),
                                         {.live = true, .in_flight = replayed->fold.books().in_flight()}));
    if (round % 2 == 0 && !models.open.empty())
      answer();
    else if (!waiting.empty())
      judge();
  }
  REQUIRE(outcomes.contains(1));
  auto replayed = stored();
  const auto& tree = replayed->fold.trees().at(0);
  for (std::uint32_t n = 1; n < tree.tree().size(); ++n) {
    auto hot = *store->row<hot_row>(table::hot, key_of(1, 0, n));
    auto now = tree.row(n);
    CHECK(hot.visits <= now.visits); // as it ended; its children came later
    hot.visits = now.visits;
    hot.value = now.value;
    CHECK(hot == now);
  }
  auto row = store->row<campaign_row>(table::campaigns, key_of(1));
  REQUIRE(row);
  CHECK(row->states == replayed->fold.states());
  CHECK(row->state == "finished");
  CHECK(row->best_node == tree.tree().best());
}

TEST_CASE_METHOD(search_fixture,
                 "a campaign that is started again asks the provider that refused it: it may be mended") {
  auto s = settings(4, 1);
  launch(s);
  models.fail({failure_kind::missing, "no such program", false});
  settle();
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(outcomes[1].why.kind == failure_kind::missing);
  CHECK(stored()->fold.books().money().spent().candidates == 0);
  outcomes.clear();
  start(1, s); // beside the same synthesizer
  CHECK(models.open.size() == 1);
  REQUIRE(drive());
  CHECK(outcomes[1].state == "finished");
}
