#include "actors/campaign/evaluator.hpp"
#include "actors/campaign/verdict_key.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/same_object.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/text/source_text.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/virtual_time.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace ke;

namespace {

struct evaluator_fixture : test::virtual_time {
  std::shared_ptr<directory> names = std::make_shared<directory>();
  test::memory_store store;
  std::vector<std::shared_ptr<const job>> submitted;
  std::vector<std::set<std::string>> avoided;
  std::vector<fleet_device> preferred;
  std::vector<std::uint64_t> cancelled;
  std::vector<judged> verdicts;
  std::vector<stage_changed> stages;
  std::vector<measured_again> again;
  std::vector<evaluation_failed> failures;
  std::vector<caf::actor> actors;
  int acknowledged = 0;

  evaluator_fixture() {
    add(addresses::fleet, system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
          [this](const submit_job& s) {
            submitted.push_back(s.what);
            avoided.push_back(s.avoid);
            preferred.push_back(s.prefer);
          },
          [this](const cancel_job& c) { cancelled.push_back(c.id); },
          [](const watch_capacity&) {},
      };
    }));
    add(addresses::campaign(1), system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
          [this](const judged& j) { verdicts.push_back(j); },
          [this](const stage_changed& s) { stages.push_back(s); },
          [this](const measured_again& m) { again.push_back(m); },
          [this](const evaluation_failed& f) { failures.push_back(f); },
      };
    }));
    evaluator_options o;
    o.names = names;
    o.store = &store;
    add(addresses::evaluator, system.spawn(evaluator, o));
    settle();
    tell(capacity{"cpu-cpp", 1, {device()}});
  }
  ~evaluator_fixture() {
    for (auto& a : actors)
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
    settle();
  }

  static device_info device() { return {"cpu:test", "cpu-cpp", "ok", {{"flags", "-O3"}}}; }
  void add(const address<>& at, caf::actor who) {
    names->set(at, who);
    actors.push_back(std::move(who));
  }
  template <class Message>
  void tell(Message m) {
    names->send(addresses::evaluator, std::move(m));
    settle();
  }
  static evaluate_request request(std::uint32_t node, const std::string& source = "void kernel() {}") {
    evaluate_request r;
    r.node = {1, 0, node};
    r.backend = "cpu-cpp";
    r.devices = {"cpu:*"};
    r.source = std::make_shared<const std::string>(source);
    r.source_digest = digest_of(source);
    r.normalised_digest = source_digest(source, source_language::cpp);
    r.problem_digest = "p";
    r.problem = std::make_shared<const problem>();
    r.timed = false;
    return r;
  }
  void done(std::uint64_t id, ending how, failure why = {}) {
    auto r = std::make_shared<job_result>();
    r->id = id;
    r->why = std::move(why);
    r->found.ending = how;
    r->found.reason = "as scripted";
    r->found.timed = false;
    r->found.cases = 3;
    tell(job_done{id, from(std::move(r)), "w", [this] { ++acknowledged; }});
  }
  /// Evidence tells of what it is.
  std::shared_ptr<job_result> from(std::shared_ptr<job_result> r) const {
    for (const auto& j : submitted)
      if (j->id == r->id) {
        r->found.provenance["candidate"] = j->source_digest;
        r->found.provenance["problem"] = j->problem_digest;
      }
    return r;
  }
};

} // namespace

TEST_CASE_METHOD(evaluator_fixture,
                 "a candidate becomes a job, and its evidence a verdict with the rows to commit") {
  tell(request(1));
  REQUIRE(submitted.size() == 1);
  CHECK(submitted[0]->device == "cpu:*");
  CHECK(submitted[0]->inline_blobs.at(submitted[0]->source_digest) == "void kernel() {}");
  tell(job_stage{submitted[0]->id, node_state::measuring});
  REQUIRE(stages.size() == 1);
  CHECK(stages[0].node == node_key{1, 0, 1});
  done(submitted[0]->id, ending::finished);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].found->state == verdict_state::correct);
  CHECK_FALSE(verdicts[0].duplicate);
  REQUIRE(verdicts[0].batch);
  CHECK(verdicts[0].batch->puts.size() == 2);
  CHECK(acknowledged == 0); // the campaign acknowledges, after its commit
  verdicts[0].committed();
  CHECK(acknowledged == 1);
}

TEST_CASE_METHOD(evaluator_fixture, "an evaluation that fails for the machine's sake is tried three times, "
                                    "then its verdict is harness_error") {
  auto machine = GENERATE(true, false);
  auto fail = [&] {
    machine ? done(submitted[0]->id, ending::finished, {failure_kind::device, "the device fell over", true})
            : done(submitted[0]->id, ending::harness_error);
  };
  tell(request(1));
  fail();
  CHECK(submitted.size() == 2);
  CHECK(acknowledged == 1);
  fail();
  CHECK(submitted.size() == 3);
  CHECK(verdicts.empty());
  fail();
  CHECK(submitted.size() == 3);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].found->state == verdict_state::harness_error);
  CHECK(verdicts[0].found->reason == (machine ? "the device fell over" : "as scripted"));
  CHECK(cancelled == std::vector<std::uint64_t>{submitted[0]->id}); // the fleet keeps nothing of it
}

TEST_CASE_METHOD(evaluator_fixture, "nodes with the same candidate at the same time cost one evaluation") {
  tell(request(1));
  tell(request(2, "void  kernel() {} // the same but for blank space"));
  tell(request(3, "void kernel() { return; }"));
  REQUIRE(submitted.size() == 2);
  done(submitted[0]->id, ending::finished);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].node.node == 1);
  CHECK_FALSE(verdicts[0].duplicate);
  CHECK(verdicts[1].node.node == 2);
  CHECK(verdicts[1].duplicate);
  CHECK(verdicts[1].device_s == 0);
  CHECK(verdicts[1].verdict_digest == verdicts[0].verdict_digest);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a verdict that says nothing about the candidate is passed on to nobody else") {
  tell(request(1));
  tell(request(2));
  REQUIRE(submitted.size() == 1);
  done(submitted[0]->id, ending::timeout);
  CHECK(verdicts.size() == 1);
  REQUIRE(submitted.size() == 2); // the second is judged for itself
  CHECK(submitted[1]->node.node == 2);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "what is measured again does not change what an earlier node was judged by") {
  tell(request(1));
  done(submitted.at(0)->id, ending::timeout);
  REQUIRE(verdicts.size() == 1);
  store.write(std::move(*verdicts[0].batch));
  tell(request(2));
  REQUIRE(submitted.size() == 2);
  done(submitted[1]->id, ending::finished);
  REQUIRE(verdicts.size() == 2);
  CHECK_FALSE(verdicts[1].duplicate);
  store.write(std::move(*verdicts[1].batch));
  auto state_of = [&](const judged& j) {
    std::optional<verdict_state> state;
    store.read(table::verdicts, j.verdict_digest,
               [&](result<std::string> bytes) { state = unpack<verdict>(*bytes)->state; });
    return state;
  };
  CHECK(state_of(verdicts[0]) == verdict_state::timeout);
  CHECK(state_of(verdicts[1]) == verdict_state::correct);
  tell(request(3)); // takes over the good one
  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[2].duplicate);
  CHECK(verdicts[2].verdict_digest == verdicts[1].verdict_digest);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a stored verdict is taken unless it was noisy or the machine's failure") {
  auto r = request(1);
  auto key = verdict_key(r.problem_digest, r.normalised_digest, device(), r.plan, r.timed);
  verdict old;
  old.state = GENERATE(verdict_state::correct, verdict_state::incorrect, verdict_state::noisy,
                       verdict_state::harness_error);
  store_batch batch;
  batch.put(table::verdicts, key, pack(old));
  store.write(std::move(batch));
  tell(r);
  auto reused = old.state == verdict_state::correct || old.state == verdict_state::incorrect;
  CHECK(verdicts.size() == (reused ? 1 : 0));
  CHECK(submitted.size() == (reused ? 0 : 1));
  if (reused)
    CHECK(verdicts[0].duplicate);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a candidate that its worker knew by its object code is a duplicate of that node") {
  tell(request(5));
  REQUIRE(submitted.size() == 1);
  auto r = std::make_shared<job_result>();
  r->id = submitted[0]->id;
  r->found.cases = 3;
  r->found.timed = false;
  r->found.build_s = 2;
  r->found.provenance[same_object_as] = "1/0/3";
  tell(job_done{r->id, from(r), "w", [this] { ++acknowledged; }});
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].duplicate);
  CHECK(verdicts[0].duplicate_of == 3);
  CHECK(node_of_text("1/0/3x") == std::nullopt);
  CHECK(node_of_text("1/0") == std::nullopt);
  tell(request(6, "void kernel() { int x; }"));
  auto other = std::make_shared<job_result>(*r);
  other->id = submitted.back()->id;
  other->found.provenance[same_object_as] = "2/0/3"; // another campaign's: known, but nothing in this tree
  tell(job_done{other->id, from(other), "w", [] {}});
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[1].duplicate);
  CHECK(verdicts[1].duplicate_of == no_node);
  tell(request(7, "void kernel() { int y; }"));
  auto itself = std::make_shared<job_result>(*r);
  itself->id = submitted.back()->id;
  itself->found.provenance[same_object_as] = "1/0/7"; // granted once more, its first result was lost
  tell(job_done{itself->id, from(itself), "w", [] {}});
  REQUIRE(verdicts.size() == 3);
  CHECK_FALSE(verdicts[2].duplicate);
}

TEST_CASE_METHOD(evaluator_fixture, "evidence of another candidate or problem is no verdict on this one") {
  const char* what = GENERATE("candidate", "problem", "nothing");
  tell(request(1));
  for (int tried = 1; tried <= 3; ++tried) {
    REQUIRE(submitted.size() == static_cast<std::size_t>(tried));
    auto r = std::make_shared<job_result>();
    r->id = submitted[0]->id;
    r->found.timed = false;
    r->found.cases = 3;
    from(r);
    if (std::string{what} == "nothing")
      r->found.provenance.clear();
    else
      r->found.provenance[what] = "another";
    tell(job_done{r->id, r, "w", [this] { ++acknowledged; }});
  }
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].found->state == verdict_state::harness_error);
}

TEST_CASE_METHOD(evaluator_fixture, "evidence that tells of an impossible time is not taken") {
  auto seconds = GENERATE(std::numeric_limits<double>::quiet_NaN(), 1e300, -1.0);
  tell(request(1));
  auto r = std::make_shared<job_result>();
  r->id = submitted[0]->id;
  r->found.timed = false;
  r->found.cases = 3;
  r->found.build_s = seconds;
  tell(job_done{r->id, from(r), "w", [] {}});
  CHECK(verdicts.empty());
  CHECK(submitted.size() == 2);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "what tools printed is stored with the evidence, but not beyond the bounds") {
  auto stored_of = [&](std::size_t bytes) {
    tell(request(static_cast<std::uint32_t>(bytes),
                 "void kernel() { int x = " + std::to_string(bytes) + "; }"));
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found.timed = false;
    r->found.cases = 3;
    r->found.artifacts["kernel.asm"] = std::string(bytes, 'x');
    tell(job_done{r->id, from(r), "w", [] {}});
    REQUIRE(verdicts.back().batch);
    auto read = unpack<evidence>(verdicts.back().batch->puts.front().value);
    REQUIRE(read);
    CHECK(read->cases == 3);
    return read->artifacts.size();
  };
  CHECK(stored_of(100) == 1);
  CHECK(stored_of(300u << 10) == 0);
}

TEST_CASE("a job's id tells the store, the problem and the candidate apart") {
  auto r = evaluator_fixture::request(1);
  auto id = job_id("s", r, 0);
  CHECK(job_id("s", r, 0) == id);
  CHECK(job_id("t", r, 0) != id);
  CHECK(job_id("s", r, 1) != id);
  CHECK(job_id("s", evaluator_fixture::request(2), 0) != id);
  CHECK(job_id("s", evaluator_fixture::request(1, "int x;"), 0) != id);
  auto claim = r;
  claim.plan = measure_plan::claim;
  CHECK(job_id("s", claim, 0) != id);
  r.problem_digest = "q";
  CHECK(job_id("s", r, 0) != id);
}

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

TEST_CASE("what changes the verdict is part of its key") {
  auto device = evaluator_fixture::device();
  auto key = [&] { return verdict_key("p", "c", device, measure_plan::rank, true); };
  auto first = key();
  CHECK(key() == first);
  device.facts["flags"] = "-O2";
  CHECK(key() != first);
  device = evaluator_fixture::device();
  device.facts["hostname"] = "elsewhere";
  CHECK(key() == first);
  CHECK(verdict_key("p", "c", device, measure_plan::rank, false) != first);
  CHECK(verdict_key("p", "d", device, measure_plan::rank, true) != first);
}

TEST_CASE_METHOD(evaluator_fixture, "a candidate that cost three workers fails its node; one that waited for "
                                    "its verdict is judged for itself") {
  tell(request(1));
  tell(request(2));
  tell(job_poisoned{submitted[0]->id, "three workers were lost"});
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].node.node == 1);
  CHECK(failures[0].state == node_state::poisoned);
  CHECK(failures[0].why == "three workers were lost");
  CHECK(submitted.size() == 2);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a cancelled evaluation is taken from the fleet, and one that waited for it begins") {
  tell(request(1));
  tell(request(2));
  auto first = submitted[0]->id;
  tell(cancel_evaluation{{1, 0, 1}});
  CHECK(cancelled == std::vector<std::uint64_t>{first});
  REQUIRE(submitted.size() == 2);
  done(first, ending::finished); // too late: acknowledged, nobody hears of it
  CHECK(acknowledged == 1);
  CHECK(verdicts.empty());
  done(submitted[1]->id, ending::finished);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].node.node == 2);
}
