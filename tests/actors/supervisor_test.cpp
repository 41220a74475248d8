#include "actors/supervision/supervisor.hpp"
#include "tests/actors/virtual_time.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace std::chrono_literals;

namespace {

caf::behavior fragile(caf::event_based_actor* self) {
  keep_exception_text(self);
  return {[](const std::string& text) { throw std::runtime_error(text); }};
}

/// Ignores every request to end: only a kill ends it.
caf::behavior stubborn(caf::event_based_actor* self) {
  self->set_exit_handler([](caf::exit_msg&) {});
  return {[](int) {}};
}

struct children_fixture : test::virtual_time {
  std::map<std::string, caf::actor> alive;
  std::map<std::string, int> starts;
  std::vector<std::string> ended;
  std::vector<std::pair<std::string, std::string>> failures;
  caf::actor boss;
  caf::error why;
  bool gone = false;

  ~children_fixture() { // functors above refer to this fixture
    caf::anon_send_exit(boss, caf::exit_reason::user_shutdown);
    settle();
    pass(1min);
  }

  child_spec child(std::string name, restart_mode mode = restart_mode::permanent) {
    return {name, mode, [this, name](caf::event_based_actor* self) {
              auto handle = self->spawn(fragile);
              handle->attach_functor([this, name](const caf::error&) { ended.push_back(name); });
              ++starts[name];
              return alive[name] = handle;
            }};
  }
  void launch(std::vector<child_spec> specs, restart_strategy strategy,
              restart_policy restarts = {.jitter = 0}) {
    supervisor_options options{"boss", strategy, restarts, 1, [this](auto& name, auto& reason, auto) {
                                 failures.emplace_back(name, text_of(reason));
                               }};
    boss = system.spawn(supervisor, std::move(specs), std::move(options));
    boss->attach_functor([this](const caf::error& reason) { why = reason, gone = true; });
    settle();
  }
  void crash(const std::string& name) { caf::anon_send(alive[name], "lost " + name), settle(); }
};

} // namespace

TEST_CASE_METHOD(
    children_fixture,
    "a failing child comes back after 100, 200 and 400 ms, then the supervisor gives up and says why") {
  launch({child("gpu")}, restart_strategy::one_for_one, {.intensity = 3, .jitter = 0});
  REQUIRE(starts["gpu"] == 1);
  for (auto delay : {100ms, 200ms, 400ms}) {
    auto before = starts["gpu"];
    crash("gpu");
    pass(delay - 1ms);
    CHECK(starts["gpu"] == before);
    pass(1ms);
    CHECK(starts["gpu"] == before + 1);
  }
  crash("gpu");
  CHECK(gone);
  CHECK(text_of(why) == "boss: gpu failed too often, last: lost gpu");
  CHECK(failures.back() == std::pair<std::string, std::string>{"gpu", "lost gpu"});
}

TEST_CASE_METHOD(children_fixture, "one_for_one: a child's crash touches no sibling") {
  launch({child("a"), child("b"), child("c")}, restart_strategy::one_for_one);
  crash("b");
  pass(100ms);
  CHECK(starts == std::map<std::string, int>{{"a", 1}, {"b", 2}, {"c", 1}});
  CHECK(ended == std::vector<std::string>{"b"});
}

TEST_CASE_METHOD(children_fixture, "one_for_one: two failed children keep their own delays") {
  launch({child("a"), child("b")}, restart_strategy::one_for_one);
  crash("a");
  pass(50ms);
  crash("b");
  pass(50ms);
  CHECK(starts == std::map<std::string, int>{{"a", 2}, {"b", 1}});
  pass(50ms);
  CHECK(starts == std::map<std::string, int>{{"a", 2}, {"b", 2}});
}

TEST_CASE_METHOD(children_fixture,
                 "rest_for_one: later children end in reverse order and all start again in order") {
  launch({child("a"), child("b"), child("c"), child("d")}, restart_strategy::rest_for_one);
  crash("b");
  CHECK(ended == std::vector<std::string>{"b", "d", "c"});
  CHECK(starts == std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
  pass(100ms);
  CHECK(starts == std::map<std::string, int>{{"a", 1}, {"b", 2}, {"c", 2}, {"d", 2}});
}

TEST_CASE_METHOD(
    children_fixture,
    "children end in reverse order of their start, and one that ignores it is killed after its grace") {
  child_spec rock{"rock", restart_mode::permanent, [this](caf::event_based_actor* self) {
                    auto handle = self->spawn(stubborn);
                    handle->attach_functor([this](const caf::error&) { ended.push_back("rock"); });
                    return handle;
                  }};
  launch({child("store"), rock, child("campaign")}, restart_strategy::rest_for_one);
  caf::anon_send_exit(boss, caf::exit_reason::user_shutdown);
  settle();
  CHECK(ended == std::vector<std::string>{"campaign"});
  pass(5s);
  CHECK(ended == std::vector<std::string>{"campaign", "rock", "store"});
  CHECK(gone);
}

TEST_CASE_METHOD(children_fixture, "transient children return only from a crash, temporary ones never") {
  launch({child("campaign", restart_mode::transient), child("call", restart_mode::temporary)},
         restart_strategy::one_for_one);
  crash("call");
  crash("campaign");
  pass(100ms);
  CHECK(starts == std::map<std::string, int>{{"campaign", 2}, {"call", 1}});
  caf::anon_send_exit(alive["campaign"], caf::exit_reason::user_shutdown);
  settle();
  pass(10s);
  CHECK(starts["campaign"] == 2);
  CHECK_FALSE(gone);
}

TEST_CASE_METHOD(children_fixture, "children are added and removed at run time") {
  launch({child("a")}, restart_strategy::rest_for_one);
  caf::anon_send(boss, start_child{child("b")});
  settle();
  CHECK(starts["b"] == 1);
  caf::anon_send(boss, stop_child{"b"});
  settle();
  pass(10s);
  CHECK(starts["b"] == 1);
  CHECK(ended == std::vector<std::string>{"b"});
}

TEST_CASE("a window forgets failures older than its period, and jitter only shortens a delay") {
  restart_window window{{.intensity = 1, .period = 10s, .floor = 1s, .ceiling = 8s, .jitter = 0.5}};
  restart_window::time_point start{};
  CHECK(window.fail(start) == 1s);
  CHECK(window.fail(start + 5s) == std::nullopt);
  CHECK(window.fail(start + 40s, 0.5) == 750ms);
}

TEST_CASE_METHOD(children_fixture,
                 "a child that is stopped and started again in one breath is started anew, once it is "
                 "down") {
  launch({child("a"), child("b")}, restart_strategy::rest_for_one);
  caf::anon_send(boss, start_child{child("b")}); // taken
  caf::anon_send(boss, stop_child{"b"});
  caf::anon_send(boss, start_child{child("b")});
  settle();
  CHECK(starts["b"] == 2);
  CHECK(starts["a"] == 1);
  CHECK(ended == std::vector<std::string>{"b"});
  crash("b");
  pass(1s);
  CHECK(starts["b"] == 3); // supervised like any other
  CHECK(failures.size() == 1);
}
