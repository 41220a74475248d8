#include "actors/campaign/target_devices.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ke;
using namespace ke::test;

// Several targets and backends, and devices that come late, leave or fail.

TEST_CASE_METHOD(search_fixture, "several targets of one backend are one tree with a score per target; their "
                                 "geometric mean decides") {
  auto s = settings(2, 1);
  s.targets = {{"cpu-cpp", "cpu:a"}, {"cpu-cpp", "cpu:b"}};
  launch(s);
  answer();
  REQUIRE(waiting.size() == 1);
  CHECK(waiting.front().devices == std::vector<std::string>{"cpu:a", "cpu:b"});
  auto r = waiting.front();
  waiting.pop_front();
  judge_target(r, 1, correct(8));
  CHECK(nodes_in(node_state::correct) == 0); // one is missing
  CHECK(count_events(events, "node") == 0);
  judge_target(r, 0, correct(2));
  CHECK(nodes_in(node_state::correct) == 1);
  CHECK(acknowledged == 2);
  auto tree = stored();
  CHECK(tree->fold.trees().size() == 1);
  CHECK(tree->fold.trees()[0].tree()[1].score == Approx(4));
  auto row = store->row<node_row>(table::nodes, key_of(1, 0, 1));
  REQUIRE(row);
  CHECK(row->scores == std::vector<std::optional<double>>{2.0, 8.0});
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
}

TEST_CASE_METHOD(search_fixture, "a target that fails a candidate fails it, whatever the others say") {
  auto s = settings(1, 1);
  s.targets = {{"cpu-cpp", "cpu:a"}, {"cpu-cpp", "cpu:b"}};
  launch(s);
  answer();
  auto r = waiting.front();
  waiting.pop_front();
  judge_target(r, 0, correct(8));
  verdict wrong;
  wrong.state = verdict_state::incorrect;
  judge_target(r, 1, wrong);
  CHECK(nodes_in(node_state::incorrect) == 1);
  CHECK(nodes_in(node_state::correct) == 0);
}

TEST_CASE_METHOD(search_fixture,
                 "several backends are a tree each under one budget, and resume each with its own device") {
  auto s = settings(10, 2);
  s.targets = {{"cpu-cpp", "*"}, {"other", "*"}};
  launch(s);
  answer();
  kill();
  start(1, s);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
  auto end = stored();
  REQUIRE(end->fold.trees().size() == 2);
  auto used = [&](std::size_t t) { return end->fold.trees()[t].tree().ended(); };
  CHECK(used(0) + used(1) == 10);
  CHECK(used(0) > 0);
  CHECK(used(1) > 0);
  CHECK(end->fold.trees()[1].backend() == "other");
  CHECK(end->fold.open_calls().empty());
}

TEST_CASE_METHOD(search_fixture, "a backend without a device waits while the other one goes on") {
  auto s = settings(6, 2);
  s.targets = {{"cpu-cpp", "*"}, {"other", "*"}};
  launch(s);
  tell(addresses::campaign(1), capacity{"other", 0, {}, "no worker offers the backend other any more"});
  CHECK(std::none_of(events.begin(), events.end(),
                     [](auto& e) { return e.find("\"trouble\"") != std::string::npos; }));
  answer();
  CHECK(outcomes.empty());
  tell(addresses::campaign(1), capacity{"cpu-cpp", 0, {}, "it left"});
  CHECK(events.back().find("it left; no worker offers the backend other any more") != std::string::npos);
}

TEST_CASE_METHOD(search_fixture, "no model is asked before a worker is there") {
  slots = 0;
  launch(settings(12, 4));
  pass(1min);
  CHECK(models.asked.empty());
  tell(addresses::campaign(1), capacity{"cpu-cpp", 2, {{"cpu:test", "cpu-cpp", "ok", {}}}});
  CHECK(models.asked.size() == 4);
}

TEST_CASE_METHOD(search_fixture, "with no device left a campaign waits, says why, and goes on by itself") {
  launch(settings(12, 2));
  answer();
  auto told = [&] {
    std::string text;
    tell(addresses::campaign(1), status_request{[&](std::string json) { text = std::move(json); }});
    return nlohmann::json::parse(text);
  };
  CHECK(told()["state"] == "running");
  capacity none{
      "cpu-cpp", 0, {{"cpu:test", "cpu-cpp", "quarantined", {}}}, "device cpu:test is quarantined: no"};
  tell(addresses::campaign(1), none);
  CHECK(told()["state"] == "paused");
  CHECK(told()["trouble"] == "device cpu:test is quarantined: no");
  CHECK(stored()->row.state == "running"); // by its rules it goes on
  CHECK(events.back().find("\"trouble\"") != std::string::npos);
  auto asked = models.asked.size();
  answer();
  pass(1h);
  CHECK(models.asked.size() == asked);
  CHECK(outcomes.empty());
  tell(addresses::campaign(1), capacity{"cpu-cpp", 2, {{"cpu:test", "cpu-cpp", "ok", {}}}});
  CHECK(told()["state"] == "running");
  CHECK_FALSE(told().contains("trouble"));
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
}

TEST_CASE_METHOD(search_fixture,
                 "an interrupt while a campaign waits for a device ends at once as paused, with "
                 "the reason") {
  launch(settings(12, 2));
  answer();
  answer();
  REQUIRE(waiting.size() == 2); // judged by nobody now
  tell(addresses::campaign(1), capacity{"cpu-cpp", 0, {}, "no worker offers the backend cpu-cpp any more"});
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(outcomes[1].why.kind == failure_kind::device);
  CHECK(outcomes[1].why.text ==
        "stopped while it waited for a device: no worker offers the backend cpu-cpp any more");
}

TEST_CASE_METHOD(search_fixture, "a worker that does not come is waited for, and missed after a while") {
  slots = 0;
  launch(settings(4, 1));
  pass(9s);
  CHECK(std::none_of(events.begin(), events.end(),
                     [](auto& e) { return e.find("\"trouble\"") != std::string::npos; }));
  pass(2s);
  CHECK(std::any_of(events.begin(), events.end(), [](auto& e) {
    return e.find("no worker has attached that offers the backend cpu-cpp") != std::string::npos;
  }));
  tell(addresses::campaign(1), interrupt{});
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].why.kind == failure_kind::device);
}

TEST_CASE_METHOD(search_fixture,
                 "a target whose device has not attached delays its own tree only, and status says so") {
  auto s = settings(12, 4);
  s.targets = {{"cpu-cpp", "*"}, {"triton", "nvidia-h200"}};
  launch(s);
  CHECK(models.asked.size() == 4);
  for (const auto& call : models.asked)
    CHECK(call.find("-t0-") != std::string::npos);
  auto told = told_status();
  CHECK(told["state"] == "running");
  REQUIRE(told["waiting"].size() == 1);
  CHECK(told["waiting"][0]["text"] == "waiting for nvidia-h200");
  CHECK(told["waiting"][0]["backend"] == "triton");
  CHECK(told["waiting"][0]["device"] == "nvidia-h200");
  // Another device of that backend is not the one.
  tell(addresses::campaign(1), offered("triton", {"nvidia-h100"}, 8));
  CHECK(told_status()["waiting"].size() == 1);
  CHECK(models.asked.size() == 4);
  tell(addresses::campaign(1), offered("triton", {"nvidia-h100", "nvidia-h200"}, 16));
  CHECK(told_status()["waiting"].empty());
  CHECK(models.asked.size() == 8); // at once
  CHECK(outcomes.empty());
}

TEST_CASE_METHOD(search_fixture,
                 "with nothing but a target without a device a campaign runs and waits, for hours") {
  auto s = settings(12, 4);
  s.targets = {{"triton", "nvidia-h200"}};
  launch(s);
  pass(1h);
  CHECK(outcomes.empty());
  CHECK(models.asked.empty());
  auto told = told_status();
  CHECK(told["state"] == "running");
  CHECK_FALSE(told.contains("trouble"));
  CHECK(told["waiting"][0]["text"] == "waiting for nvidia-h200");
  CHECK(count_events(events, "trouble") == 0);
  CHECK(count_events(events, "waiting") == 1); // told once
  tell(addresses::campaign(1), offered("triton", {"nvidia-h200"}, 1));
  CHECK(models.asked.size() == 4);
  CHECK(count_events(events, "waiting") == 2); // and once that it is over
}

TEST_CASE_METHOD(search_fixture,
                 "a tree of two targets waits for both, for a candidate needs both verdicts") {
  auto s = settings(12, 4);
  s.targets = {{"cpu-cpp", "cpu:a"}, {"cpu-cpp", "cpu:z"}};
  launch(s);
  pass(1min);
  CHECK(models.asked.empty());
  REQUIRE(told_status()["waiting"].size() == 1);
  CHECK(told_status()["waiting"][0]["text"] == "waiting for cpu:z");
  tell(addresses::campaign(1), offered("cpu-cpp", {"cpu:a", "cpu:z"}, 2));
  CHECK(models.asked.size() == 4);
}

TEST_CASE("a tree counts the slots of the devices that its targets fit") {
  capacity c{"b",
             8,
             {{"x:1", "b", "ok", {}},
              {"x:2", "b", "ok", {}},
              {"y:1", "b", "ok", {}},
              {"y:2", "b", "quarantined", {}}},
             {}};
  CHECK(slots_for(c, {"*"}) == 8);
  CHECK(slots_for(c, {"y:*"}) == 2); // a third of eight
  CHECK(slots_for(c, {"y:2"}) == 0);
  CHECK(slots_for(c, {"x:1", "y:1"}) == 5);
  CHECK(device_of(c, "y:*")->name == "y:1");
  CHECK(device_of(c, "z*") == nullptr);
  c.slots = 0;
  CHECK(device_of(c, "x:1") == nullptr);
  CHECK(waiting_text("b", "x:*") == "waiting for x:*");
  CHECK(waiting_text("b", "*") == "waiting for a device of b");
}
