#include "runtime/core/device_info.hpp"
#include "runtime/fleet/placement.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <deque>
#include <random>
#include <set>

using namespace ke;

namespace {

std::vector<device_info> cpu(const std::string& name = "cpu:EPYC") {
  return {{name, "cpu-cpp", "ok", {}}};
}

placement_request want(std::uint64_t job, std::uint32_t campaign = 1, const std::string& device = "*") {
  placement_request r;
  r.job = job;
  r.campaign = campaign;
  r.backend = "cpu-cpp";
  r.device = device;
  return r;
}

} // namespace

TEST_CASE("jobs go to workers whose devices match backend, pattern and labels") {
  placement p;
  p.worker_up("a", {{"cpu:EPYC", "cpu-cpp", "ok", {}}, {"nvidia-h200", "triton", "ok", {}}}, {{"site", "x"}},
              1, 1);
  p.worker_up("b", cpu("cpu:Xeon"), {}, 1, 1);
  auto r = want(1, 1, "cpu:X*");
  p.enqueue(r);
  CHECK(p.next()->worker == "b");
  auto gpu = want(2);
  gpu.backend = "triton";
  gpu.device = "nvidia-*";
  p.enqueue(gpu);
  auto placed_gpu = p.next();
  REQUIRE(placed_gpu);
  CHECK(placed_gpu->worker == "a");
  CHECK(placed_gpu->device == "nvidia-h200");
  auto labelled = want(3);
  labelled.labels["site"] = "y";
  p.enqueue(labelled);
  CHECK_FALSE(p.next());
  CHECK(p.waiting() == 1);
  p.worker_up("c", cpu(), {{"site", "y"}}, 0, 1); // attached at run time
  CHECK(p.next()->worker == "c");
}

TEST_CASE("a job goes where its parent was measured if it waits no longer there") {
  std::vector<device_info> two{{"cpu:A", "cpu-cpp", "ok", {}}, {"cpu:B", "cpu-cpp", "ok", {}}};
  placement p;
  p.worker_up("1", two, {}, 1, 2, "big");
  p.worker_up("2", two, {}, 0, 2, "small");
  auto next = [&](std::uint64_t job, fleet_device prefer) {
    auto r = want(job);
    r.prefer = std::move(prefer);
    p.enqueue(r);
    auto at = p.next();
    return at ? at->worker + at->device : "";
  };
  CHECK(next(1, {"small", "cpu:B"}) == "2cpu:B"); // the other one has more credit
  CHECK(next(2, {"small", "cpu:B"}) == "1cpu:A"); // it would wait for the first
  CHECK(next(3, {"small", "cpu:C"}) == "1cpu:B"); // no such device
  CHECK(next(4, {"gone", "cpu:A"}) != "");
  p.worker_down("2");
  p.worker_up("3", two, {}, 0, 2, "small"); // it is back, under another address
  CHECK(next(5, {"small", "cpu:B"}) == "3cpu:B");
}

TEST_CASE("a job goes nowhere that it avoids, whatever it would prefer") {
  placement p;
  p.worker_up("1", cpu(), {}, 1, 1, "big");
  p.worker_up("2", cpu(), {}, 1, 1, "small");
  auto r = want(1);
  r.prefer = {"small", "cpu:EPYC"};
  r.avoid_names = {"small"};
  p.enqueue(r);
  CHECK(p.next()->worker == "1");
}

TEST_CASE("credit is never exceeded and returns when jobs end") {
  placement p;
  p.worker_up("a", cpu(), {}, 1, 2);
  for (std::uint64_t i = 1; i <= 5; ++i)
    p.enqueue(want(i));
  CHECK(p.next());
  CHECK(p.next());
  CHECK(p.next());
  CHECK_FALSE(p.next());
  CHECK(p.in_flight() == 3);
  p.done(1);
  p.done(1);
  p.done(99);
  CHECK(p.next()->job == 4);
  CHECK_FALSE(p.next());
  p.offer("a", 0, 0); // draining
  p.done(2);
  p.done(3);
  CHECK_FALSE(p.next());
  p.offer("a", 0, 1);
  CHECK_FALSE(p.next()); // job 4 still holds the one slot
  p.done(4);
  CHECK(p.next()->job == 5);
}

TEST_CASE("the least loaded worker and device come first") {
  placement p;
  p.worker_up("small", cpu(), {}, 0, 1);
  p.worker_up("big", {{"g0", "cpu-cpp", "ok", {}}, {"g1", "cpu-cpp", "ok", {}}}, {}, 0, 4);
  std::map<std::string, int> on;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    p.enqueue(want(i));
    auto at = p.next();
    REQUIRE(at);
    ++on[at->worker + "/" + at->device];
  }
  CHECK(on["big/g0"] == 2);
  CHECK(on["big/g1"] == 2);
  CHECK(on["small/cpu:EPYC"] == 1);
}

TEST_CASE("campaigns share the fleet whatever they queue") {
  placement p;
  p.worker_up("a", cpu(), {}, 0, 10);
  for (std::uint64_t i = 0; i < 100; ++i)
    p.enqueue(want(i, 1));
  for (std::uint64_t i = 100; i < 105; ++i)
    p.enqueue(want(i, 2));
  std::map<bool, int> of;
  for (int i = 0; i < 10; ++i)
    ++of[p.next()->job >= 100];
  CHECK(of[true] == 5);
  CHECK(of[false] == 5);
}

TEST_CASE("priority goes before arrival within a campaign") {
  placement p;
  p.enqueue(want(1));
  p.enqueue(want(2));
  auto urgent = want(3);
  urgent.priority = 5;
  p.enqueue(urgent);
  p.worker_up("a", cpu(), {}, 0, 3);
  CHECK(p.next()->job == 3);
  CHECK(p.next()->job == 1);
  CHECK(p.next()->job == 2);
}

TEST_CASE("quarantined devices and workers get nothing until they are back") {
  placement p;
  p.worker_up("a", {{"g0", "cpu-cpp", "ok", {}}, {"g1", "cpu-cpp", "ok", {}}}, {}, 0, 4);
  p.quarantine("a", "g0", true);
  p.enqueue(want(1));
  CHECK(p.next()->device == "g1");
  p.quarantine("a", "g1", true);
  p.enqueue(want(2));
  CHECK_FALSE(p.next());
  p.quarantine("a", "g0", false);
  CHECK(p.next()->device == "g0");
  p.quarantine("a", "", true);
  p.enqueue(want(3));
  CHECK_FALSE(p.next());
  p.quarantine("a", "", false);
  CHECK(p.next());
}

TEST_CASE("of two devices of one kind the quarantined one gets nothing, and the other works on") {
  placement p;
  auto devices = cpu("gpu");
  devices.push_back({"gpu#2", "cpu-cpp", "ok", {}});
  p.worker_up("a", devices, {}, 0, 2);
  std::set<std::string> given;
  for (std::uint64_t job : {1, 2}) {
    p.enqueue(want(job, 1, "gpu"));
    auto placed = p.next();
    REQUIRE(placed);
    given.insert(placed->device);
  }
  CHECK(given == std::set<std::string>{"gpu", "gpu#2"});
  p.done(1);
  p.done(2);
  p.quarantine("a", "gpu", true);
  for (std::uint64_t job : {3, 4}) {
    p.enqueue(want(job, 1, "gpu"));
    auto placed = p.next();
    REQUIRE(placed);
    CHECK(placed->device == "gpu#2");
  }
}

TEST_CASE("a job avoids where it failed unless nobody else could take it") {
  placement p;
  p.worker_up("a", cpu(), {}, 0, 2);
  p.worker_up("b", cpu(), {}, 0, 1);
  auto r = want(1);
  r.avoid = {"a"};
  p.enqueue(r);
  CHECK(p.next()->worker == "b");
  auto again = want(2);
  again.avoid = {"a"};
  p.enqueue(again);
  p.enqueue(want(3));
  CHECK(p.next()->job == 3); // goes past the one that waits for b
  CHECK_FALSE(p.next());
  p.worker_down("b");
  CHECK(p.next()->job == 2);
}

TEST_CASE("a lost worker's jobs are forgotten and adopted ones are booked") {
  placement p;
  p.worker_up("a", cpu(), {}, 0, 2);
  p.book(7, 1, "a", "cpu:EPYC");
  p.enqueue(want(1));
  p.enqueue(want(2));
  CHECK(p.next());
  CHECK_FALSE(p.next());
  p.worker_down("a");
  CHECK(p.in_flight() == 0);
  CHECK(p.waiting() == 1);
  CHECK_FALSE(p.next());
  p.worker_up("a", cpu(), {}, 0, 2);
  CHECK(p.next()->job == 2);
}

TEST_CASE("random histories keep the books straight") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random{seed};
    placement p;
    std::map<std::string, std::uint32_t> slots;
    std::map<std::uint64_t, std::string> running;
    std::set<std::uint64_t> queued;
    std::uint64_t jobs = 0;
    for (int step = 0; step < 400; ++step) {
      auto w = "w" + std::to_string(random() % 5);
      switch (random() % 6) {
      case 0:
        slots[w] = random() % 4;
        p.worker_up(w, cpu(random() % 2 ? "cpu:a" : "cpu:b"), {}, 0, slots[w]);
        break;
      case 1:
        p.worker_down(w);
        slots.erase(w);
        for (auto at = running.begin(); at != running.end();)
          at = at->second == w ? running.erase(at) : std::next(at);
        break;
      case 2:
      case 3:
        p.enqueue(want(++jobs, random() % 3, random() % 2 ? "*" : "cpu:a"));
        queued.insert(jobs);
        break;
      case 4:
        if (!running.empty()) {
          p.done(running.begin()->first);
          running.erase(running.begin());
        }
        break;
      default:
        while (auto at = p.next()) {
          CHECK(queued.erase(at->job) == 1);
          CHECK(slots.count(at->worker) == 1);
          running[at->job] = at->worker;
          std::uint32_t used = 0;
          for (auto& [job, on] : running)
            used += on == at->worker;
          CHECK(used <= slots[at->worker]);
        }
      }
      CHECK(p.waiting() == queued.size());
      CHECK(p.in_flight() == running.size());
    }
  }
}

TEST_CASE("a placement costs microseconds with many workers and thousands of jobs") {
  placement p;
  for (int i = 0; i < 64; ++i)
    p.worker_up("w" + std::to_string(i), cpu(), {}, 1, 1);
  for (std::uint64_t i = 0; i < 20'000; ++i)
    p.enqueue(want(i, static_cast<std::uint32_t>(i % 4)));
  auto begin = std::chrono::steady_clock::now();
  std::deque<std::uint64_t> running;
  std::uint64_t count = 0;
  for (;;) {
    if (auto at = p.next()) {
      running.push_back(at->job);
      ++count;
    } else if (!running.empty()) {
      p.done(running.front());
      running.pop_front();
    } else {
      break;
    }
  }
  auto each = (std::chrono::steady_clock::now() - begin) / count;
  CHECK(count == 20'000);
  // Microseconds when quiet; the bound is for a loaded debug build.
  CHECK(each < std::chrono::milliseconds{2});
}
