// What two workers with the same device say of one candidate.
#include "tests/actors/evaluator_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;

namespace {

struct two_workers : evaluator_fixture {
  two_workers() {
    capacity c{"cpu-cpp", 2, {device(), device()}, {}};
    c.offered_by[class_of(device())] = {"a", "b"};
    tell(c);
  }
  /// A worker's result that ends like this.
  void ends(const std::string& worker, ending how) {
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found = timed_evidence(99);
    r->found.ending = how;
    tell(job_done{r->id, from(r), worker, [this] { ++acknowledged; }});
  }
  /// A worker's result that decides nothing: its device's baseline differs from itself.
  void noisy(const std::string& worker) {
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found = timed_evidence(1.5);
    r->found.aa_width = 0.9;
    tell(job_done{r->id, from(r), worker, [this] { ++acknowledged; }});
  }
  /// A worker's result: right, and so many times as fast.
  void faster(const std::string& worker, double times) {
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found = timed_evidence(times);
    tell(job_done{r->id, from(r), worker, [this] { ++acknowledged; }});
  }
  /// A worker's result between two readings of its device's fixed kernel, in ns.
  void between(const std::string& worker, double before_ns, double after_ns, double times = 1.5) {
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found = timed_evidence(times);
    r->found.time_s = 2;
    r->found.counters["sentinel.before.memory.1"] = before_ns;
    r->found.counters["sentinel.after.memory.1"] = after_ns;
    tell(job_done{r->id, from(r), worker, [this] { ++acknowledged; }, "cpu:test#2"});
  }
  static evaluate_request timed_request(std::uint32_t node) {
    auto r = request(node, "void kernel() { int n = " + std::to_string(node) + "; }");
    problem p;
    p.workloads = {{"wide", {}, 1.0, false}};
    r.problem = std::make_shared<const problem>(p);
    r.timed = true;
    return r;
  }
  static evidence timed_evidence(double times) {
    evidence e;
    e.device = "cpu:test";
    e.cases = 3;
    e.timed_calls = e.timed_calls_checked = 200;
    for (int launch = 0; launch < 5; ++launch) {
      launch_samples s;
      for (int n = 0; n < 20; ++n) {
        s.reference_ns.push_back(1e6 + n);
        s.candidate_ns.push_back((1e6 + n) / times);
      }
      e.launches.push_back(std::move(s));
    }
    return e;
  }
};

} // namespace

TEST_CASE_METHOD(two_workers, "a score beyond belief is not taken on one worker's word") {
  tell(timed_request(1));
  REQUIRE(submitted.size() == 1);
  CHECK(avoided.back().empty());
  faster("a", 99);
  CHECK(verdicts.empty());
  REQUIRE(submitted.size() == 2);
  CHECK(avoided.back() == std::set<std::string>{"a"});
  CHECK(acknowledged == 0);
  SECTION("the other finds no such thing") {
    faster("b", 1.01);
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].found->score.value_or(0) < 1.1);
    CHECK(verdicts[0].found->provenance.at("worker") == "b");
    verdicts[0].committed();
    CHECK(acknowledged == 2);
  }
  SECTION("the other finds it wrong") {
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found = timed_evidence(99);
    r->found.failed = 1;
    tell(job_done{r->id, from(r), "b", [] {}});
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].found->state != verdict_state::correct);
  }
  SECTION("the other confirms it: the lower one counts, and the next of its kind is believed") {
    faster("b", 101);
    REQUIRE(verdicts.size() == 1);
    CHECK(*verdicts[0].found->score == Approx(99).epsilon(0.02));
    tell(timed_request(2));
    faster("a", 150);
    CHECK(verdicts.size() == 2);
    CHECK(submitted.size() == 3);
    CHECK(submitted[0]->closer_above < 1e-6); // the first one that is right is a new best
    CHECK(submitted[2]->closer_above == Approx(99).epsilon(0.02));
    tell(timed_request(3));
    CHECK(submitted[3]->closer_above == Approx(0.8 * 150).epsilon(0.02)); // a fourth: a likely parent
  }
}

TEST_CASE_METHOD(two_workers, "a second opinion that times out contradicts a score beyond belief") {
  tell(timed_request(1));
  faster("a", 99);
  ends("b", ending::timeout);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].found->state == verdict_state::timeout);
  CHECK(verdicts[0].found->provenance.at("worker") == "b");
  tell(timed_request(2)); // and nothing is believed the more for it
  faster("a", 99);
  CHECK(verdicts.size() == 1);
  CHECK(submitted.size() == 4);
}

TEST_CASE_METHOD(two_workers, "a second opinion that decides nothing is asked for again, and does not make a "
                              "score beyond belief stand") {
  tell(timed_request(1));
  faster("a", 99);
  SECTION("noisy, then confirmed") {
    noisy("b");
    CHECK(verdicts.empty());
    REQUIRE(submitted.size() == 3);
    CHECK(avoided.back() == std::set<std::string>{"a"});
    faster("b", 90);
    REQUIRE(verdicts.size() == 1);
    CHECK(*verdicts[0].found->score == Approx(90).epsilon(0.02));
  }
  SECTION("noisy whenever it is asked") {
    for (int n = 0; n < 3; ++n)
      noisy("b");
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].found->state == verdict_state::noisy);
  }
  SECTION("its evaluation fails whenever it is asked") {
    for (int n = 0; n < 3; ++n)
      ends("b", ending::harness_error);
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].found->state == verdict_state::harness_error);
  }
  SECTION("it leaves: there is nobody else whom one could ask") {
    capacity alone{"cpu-cpp", 1, {device()}, {}};
    alone.offered_by[class_of(device())] = {"a"};
    tell(alone);
    for (int n = 0; n < 3; ++n)
      ends("b", ending::harness_error);
    REQUIRE(verdicts.size() == 1);
    CHECK(*verdicts[0].found->score == Approx(99).epsilon(0.02));
  }
}

TEST_CASE_METHOD(two_workers, "a score beyond belief is confirmed by the same device with the same compiler, "
                              "where another worker has it") {
  auto other = device();
  other.facts["toolchain"] = "another";
  capacity c{"cpu-cpp", 3, {device(), device(), other}, {}};
  c.offered_by[class_of(device())] = {"a", "b"};
  c.offered_by[class_of(other)] = {"c"};
  tell(c);
  tell(timed_request(1));
  faster("a", 99);
  CHECK(avoided.back() == std::set<std::string>{"a", "c"});
}

TEST_CASE_METHOD(two_workers, "an ordinary score is measured once") {
  tell(timed_request(1));
  faster("a", 2.5);
  CHECK(verdicts.size() == 1);
  CHECK(submitted.size() == 1);
}

TEST_CASE_METHOD(
    two_workers,
    "a candidate beside whose measurement the device's fixed kernels left their band is measured "
    "again before it has a verdict") {
  for (std::uint32_t node = 1; node <= 3; ++node) {
    tell(timed_request(node));
    between("a", 1000 + node, 1000 - node);
  }
  REQUIRE(verdicts.size() == 3);
  tell(timed_request(4));
  between("a", 1000, 1400, 2.4);
  CHECK(verdicts.size() == 3);
  REQUIRE(again.size() == 1);
  CHECK(again[0].node == node_key{1, 0, 4});
  CHECK(again[0].why == "memory.1 40% slower than it was");
  CHECK(acknowledged == 1); // the worker need not keep what does not count
  REQUIRE(submitted.size() == 5);
  CHECK(submitted.back()->id == submitted[3]->id);
  SECTION("it is as it was: the second time counts, and both are paid for") {
    between("a", 1001, 999, 1.6);
    REQUIRE(verdicts.size() == 4);
    CHECK(*verdicts[3].found->score == Approx(1.6).epsilon(0.1));
    CHECK(verdicts[3].device_s == Approx(4));
    CHECK(again.size() == 1);
  }
  SECTION("another worker's device has a band of its own") {
    between("b", 2000, 2001);
    CHECK(verdicts.size() == 4);
  }
  SECTION("it goes on: after three it counts as it is") {
    between("a", 1400, 2100);
    between("a", 3100, 1500);
    CHECK(verdicts.size() == 4);
    CHECK(again.size() == 2);
  }
  SECTION("the device is another for good") {
    between("a", 1401, 1402);
    between("a", 1400, 1399);
    CHECK(verdicts.size() == 4);
    tell(timed_request(5));
    between("a", 1405, 1402);
    CHECK(verdicts.size() == 5);
    CHECK(again.size() == 2);
  }
}

TEST_CASE_METHOD(two_workers, "a child goes to the device that measured its parent") {
  tell(timed_request(1));
  between("b", 1000, 1000);
  CHECK(preferred.back().worker.empty()); // its parent is the reference
  auto child = timed_request(2);
  child.parent = 1;
  tell(child);
  CHECK(preferred.back().worker == "b");
  CHECK(preferred.back().device == "cpu:test#2");
  auto other = timed_request(3);
  other.parent = 1;
  other.node.campaign = 2;
  tell(other);
  CHECK(preferred.back().worker.empty());
}

TEST_CASE_METHOD(two_workers, "a noisy candidate is measured once more, unless the machine was loud") {
  tell(timed_request(1));
  SECTION("the machine is calm again") {
    noisy("a");
    CHECK(verdicts.empty());
    faster("a", 2);
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].found->state == verdict_state::correct);
  }
  SECTION("it is not") {
    noisy("a");
    noisy("a");
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].found->state == verdict_state::noisy);
    REQUIRE(again.size() == 1);
    CHECK(again[0].why == "noisy");
  }
  SECTION("others work on it, and will") {
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found = timed_evidence(1.5);
    r->found.aa_width = 0.9;
    r->found.counters["gate.loud"] = 1;
    tell(job_done{r->id, from(r), "a", [] {}});
    CHECK(verdicts.size() == 1);
    CHECK(again.empty());
  }
}
