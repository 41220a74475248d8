#include "actors/campaign/target_devices.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/settings.hpp"

#include "tests/actors/parts_fixture.hpp"

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;

namespace {

campaign_settings with_targets(std::vector<target_settings> targets) {
  auto s = parts_fixture::settings();
  s.targets = std::move(targets);
  return s;
}

} // namespace

TEST_CASE_METHOD(parts_fixture, "devices: of a backend that nobody offers nothing is known") {
  start(with_targets({{"cpu-cpp", "cpu:a"}}));
  CHECK(devices.of("cpu-cpp") == nullptr);
  CHECK(devices.slots_of("cpu-cpp") == 0);
  CHECK(devices.missing("cpu-cpp") == std::vector<std::string>{"cpu:a"});
  CHECK(devices.targets_of("triton").empty());
  CHECK(devices.missing("triton").empty());
  offer("triton", {"gpu:a"}, 8); // no target is of it
  CHECK(devices.slots_of("triton") == 0);
  CHECK(devices.missing("cpu-cpp") == std::vector<std::string>{"cpu:a"});
}

TEST_CASE_METHOD(parts_fixture, "devices: a tree of two targets has slots once both have a device") {
  start(with_targets({{"cpu-cpp", "cpu:a"}, {"triton", "gpu:*"}, {"cpu-cpp", "cpu:z"}}));
  CHECK(devices.targets_of("cpu-cpp") == std::vector<std::string>{"cpu:a", "cpu:z"});
  offer("cpu-cpp", {"cpu:a", "cpu:b"}, 8);
  CHECK(devices.missing("cpu-cpp") == std::vector<std::string>{"cpu:z"});
  CHECK(devices.slots_of("cpu-cpp") == 0);
  offer("cpu-cpp", {"cpu:a", "cpu:b", "cpu:c", "cpu:z"}, 8);
  CHECK(devices.missing("cpu-cpp").empty());
  CHECK(devices.slots_of("cpu-cpp") == 4); // of two devices out of four
  CHECK(devices.slots_of("triton") == 0);
  offer("cpu-cpp", {"cpu:a"}, 2); // the newest word counts
  CHECK(devices.slots_of("cpu-cpp") == 0);
}

TEST_CASE_METHOD(parts_fixture, "devices: one that is quarantined, or has no slots, is none") {
  start(with_targets({{"cpu-cpp", "*"}}));
  devices.offered({"cpu-cpp", 4, {{"cpu:a", "cpu-cpp", "quarantined", {}}}, {}});
  CHECK(devices.missing("cpu-cpp") == std::vector<std::string>{"*"});
  CHECK(devices.slots_of("cpu-cpp") == 0);
  offer("cpu-cpp", {"cpu:a"}, 0);
  CHECK(devices.missing("cpu-cpp") == std::vector<std::string>{"*"});
  offer("cpu-cpp", {"cpu:a"}, 1);
  CHECK(devices.slots_of("cpu-cpp") == 1);
}

TEST_CASE_METHOD(parts_fixture, "devices: prompts tell the facts of the first target's first device") {
  start(with_targets({{"cpu-cpp", "cpu:z"}, {"cpu-cpp", "cpu:a"}}));
  CHECK(devices.facts_of("cpu-cpp") == nullptr);
  offer("cpu-cpp", {"cpu:a", "cpu:z"}, 2);
  devices.note_facts("cpu-cpp");
  REQUIRE(devices.facts_of("cpu-cpp"));
  CHECK(devices.facts_of("cpu-cpp")->name == "cpu:z");
  auto first = devices.facts_of("cpu-cpp");
  devices.offered({"cpu-cpp", 2, {{"cpu:z", "cpu-cpp", "ok", {{"isa", "other"}}}}, {}});
  devices.note_facts("cpu-cpp");
  CHECK(devices.facts_of("cpu-cpp") == first); // or prompts of one tree would tell different ones
}

TEST_CASE_METHOD(parts_fixture, "devices: a worker that does not come is waited for, then told once") {
  start(with_targets({{"cpu-cpp", "cpu:a"}}));
  clock += 9s;
  devices.look();
  CHECK(events.empty());
  CHECK(devices.none_left().empty());
  clock += 1s;
  devices.look();
  devices.look();
  REQUIRE(told("waiting").size() == 1);
  CHECK(told("waiting")[0]["backend"] == "cpu-cpp");
  CHECK(told("waiting")[0]["device"] == "cpu:a");
  CHECK(told("waiting")[0]["state"] == "waiting");
  CHECK(told("waiting")[0]["text"] ==
        "waiting for cpu:a: no worker has attached that offers the backend cpu-cpp");
  CHECK(devices.none_left() == "no worker has attached that offers the backend cpu-cpp");
  CHECK(devices.trouble().empty()); // it was never there
  CHECK(told("trouble").empty());
  offer("cpu-cpp", {"cpu:a"}, 1);
  devices.look();
  REQUIRE(told("waiting").size() == 2);
  CHECK(told("waiting")[1]["state"] == "over");
  CHECK(devices.none_left().empty());
  CHECK(told("trouble").empty());
}

TEST_CASE_METHOD(parts_fixture, "devices: a worker with other devices is told apart from none") {
  start(with_targets({{"cpu-cpp", "cpu:a"}}));
  offer("cpu-cpp", {"cpu:b"}, 2);
  devices.look();
  CHECK(events.empty()); // another one may be on its way
  clock += 10s;
  devices.look();
  CHECK(devices.none_left() == "no attached device of the backend cpu-cpp has a name like that");
}

TEST_CASE_METHOD(parts_fixture, "devices: a device that leaves is a trouble at once, until it is back") {
  start(with_targets({{"cpu-cpp", "*"}}));
  offer("cpu-cpp", {"cpu:a"}, 2);
  devices.look();
  CHECK(events.empty());
  offer("cpu-cpp", {}, 0, "it left");
  devices.look();
  devices.look();
  CHECK(devices.trouble() == "it left");
  REQUIRE(told("trouble").size() == 1);
  CHECK(told("trouble")[0]["kind"] == "device");
  CHECK(told("trouble")[0]["text"] == "it left");
  REQUIRE(told("waiting").size() == 1);
  CHECK(told("waiting")[0]["text"] == "waiting for a device of cpu-cpp: it left");
  offer("cpu-cpp", {"cpu:a"}, 2);
  devices.look();
  CHECK(devices.trouble().empty());
  REQUIRE(told("trouble").size() == 2);
  CHECK(told("trouble")[1]["kind"] == "none");
}

TEST_CASE_METHOD(parts_fixture, "devices: a backend that is lost is no trouble while another one goes on") {
  start(with_targets({{"cpu-cpp", "*"}, {"triton", "*"}}));
  offer("cpu-cpp", {"cpu:a"}, 2);
  offer("triton", {"gpu:a"}, 1);
  offer("triton", {}, 0, "the GPU left");
  devices.look();
  CHECK(devices.none_left().empty());
  CHECK(devices.trouble().empty());
  CHECK(told("trouble").empty());
  REQUIRE(told("waiting").size() == 1); // its own tree waits
  CHECK(told("waiting")[0]["backend"] == "triton");
  offer("cpu-cpp", {}, 0, "the CPU left");
  devices.look();
  CHECK(devices.trouble() == "the CPU left; the GPU left");
  CHECK(told("waiting").size() == 2);
}

TEST_CASE_METHOD(parts_fixture, "devices: a resumed session waits for its workers as a new one does") {
  start(with_targets({{"cpu-cpp", "*"}}));
  clock += 1h;
  load(); // the campaign is an hour old, its session is not
  target_devices next{journal};
  next.look();
  CHECK(events.empty());
  CHECK(next.none_left().empty());
  clock += 10s;
  next.look();
  CHECK(told("waiting").size() == 1);
  CHECK_FALSE(next.none_left().empty());
}
