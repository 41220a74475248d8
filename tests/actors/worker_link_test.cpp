#include "actors/messages/worker_addresses.hpp"
#include "actors/worker/link.hpp"
#include "backends/evaluation/known_objects.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/measure_plan.hpp"
#include "tests/actors/worker_fixture.hpp"
#include "tests/backends/small_elf.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;

namespace {

struct link_fixture : worker_fixture {
  std::shared_ptr<scripted_transport> wire_out = std::make_shared<scripted_transport>();
  std::vector<assignment_ptr> to_build, to_measure;
  std::vector<std::uint64_t> build_cancels, device_cancels;
  std::vector<std::string> refusals;
  std::vector<suspect_device> suspected;
  std::string problem_digest, problem_bytes = pack(what());
  std::string store = "one"; ///< whose coordinator speaks
  std::shared_ptr<departure> leaving;
  bool left = false;

  link_fixture() {
    problem_digest = digest_of(problem_bytes);
    add(addresses::builder, system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const build_assignment& b) { to_build.push_back(b.item); },
              [this](const cancel_assignment& c) { build_cancels.push_back(c.job); }};
    }));
    add(addresses::devices, system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const measure_assignment& m) { to_measure.push_back(m.item); },
              [this](const cancel_assignment& c) { device_cancels.push_back(c.job); },
              [this](const suspect_device& s) { suspected.push_back(s); }};
    }));
    launch();
    welcome();
  }

  void launch(bool told_to_leave = false) {
    link_options o;
    o.names = names;
    o.connect = [this](transport_events events) -> result<std::shared_ptr<transport_port>> {
      wire_out->events = std::move(events);
      return std::shared_ptr<transport_port>{wire_out};
    };
    o.hello.name = "w";
    o.hello.build_slots = 1;
    o.hello.device_slots = 2;
    o.hello.devices = {{"cpu:0", "cpu-cpp", "ok", {}}};
    o.backends = {with()};
    o.evaluation = evaluation_options();
    o.results = (folder.path() / "results").string();
    o.refused = [this](failure why) { refusals.push_back(why.text); };
    left = false;
    o.leaving = leaving = std::make_shared<departure>([this] { left = true; });
    if (told_to_leave)
      leaving->ask();
    add(addresses::link, system.spawn(ke::link, o));
  }
  void drain() {
    leaving->ask();
    tell(addresses::link, drain_worker{});
  }
  /// The worker's process dies and another one starts in its place, with the same folder.
  void restart(bool told_to_leave = false) {
    caf::anon_send_exit(actors.back(), caf::exit_reason::kill);
    settle();
    actors.pop_back();
    wire_out = std::make_shared<scripted_transport>();
    launch(told_to_leave);
  }

  template <class Body>
  void hear(frame_kind kind, const Body& body) {
    wire_out->events.on_frame(wire::make_frame("", kind, body));
    settle();
  }
  void grant(std::uint64_t id, std::uint32_t attempt = 1, std::string backend_name = "cpu-cpp",
             bool with_source = true, measure_plan plan = measure_plan::rank) {
    wire::grant_body g;
    g.job.id = id;
    g.job.attempt = attempt;
    g.job.epoch = 5;
    g.job.node = {1, 0, static_cast<std::uint32_t>(id)};
    g.job.plan = plan;
    g.job.backend = std::move(backend_name);
    g.job.problem_digest = problem_digest;
    auto source = "extern \"C\" void kernel() { int a = " + std::to_string(id) + "; }";
    g.job.source_digest = digest_of(source);
    if (with_source)
      g.job.inline_blobs[g.job.source_digest] = source;
    g.job.store = store;
    g.job.warrant = "warrant " + std::to_string(id) + "/" + std::to_string(attempt);
    g.deadline_ms = 60'000;
    g.device = "cpu:0";
    hear(frame_kind::grant, g);
  }
  void welcome() {
    wire::welcome_body w;
    w.store = store;
    hear(frame_kind::welcome, w);
  }
  void send_problem() {
    wire_out->events.on_blob("", problem_digest, problem_bytes);
    settle();
  }
  void finish(const assignment_ptr& item) {
    auto found = std::make_shared<evidence>();
    found->cases = 3;
    found->timed = false;
    tell(addresses::link, assignment_done{item, {}, found});
  }
  /// Its compilers leave an object with this code.
  void build(const assignment_ptr& item, const std::string& code) {
    for (auto jobs = item->steps->ready(job_place::shared); !jobs.empty();
         jobs = item->steps->ready(job_place::shared))
      for (const auto& j : jobs) {
        std::ofstream{std::filesystem::path{j.spec.directory} / j.spec.argv.back(), std::ios::binary}
            << small_elf({{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code}});
        process_exit how;
        how.code = 0;
        item->steps->ended(j.id, how);
      }
    tell(addresses::link, assignment_built{item});
  }
  template <class T>
  std::vector<T> said(frame_kind kind) const {
    return wire_out->all<T>(kind);
  }
  wire::hello_body hello() const { return *unpack<wire::hello_body>(wire_out->hello); }
};

} // namespace

TEST_CASE_METHOD(link_fixture, "a grant begins once what it needs is here") {
  grant(1);
  auto wants = said<wire::want_body>(frame_kind::want);
  REQUIRE(wants.size() == 1);
  CHECK(wants[0].digest == problem_digest);
  CHECK(to_build.empty());
  send_problem();
  REQUIRE(to_build.size() == 1);
  CHECK(to_build[0]->what.id == 1);
  CHECK(to_build[0]->device == "cpu:0");
  grant(2); // the problem is known by now
  CHECK(to_build.size() == 2);
  CHECK(said<wire::want_body>(frame_kind::want).size() == 1);
}

TEST_CASE_METHOD(link_fixture, "content that is missing for two jobs begins both") {
  grant(1);
  grant(2);
  send_problem();
  CHECK(to_build.size() == 2);
}

TEST_CASE_METHOD(link_fixture, "inline content that does not match its digest is not used") {
  wire::grant_body g;
  g.job.id = 1;
  g.job.attempt = 1;
  g.job.backend = "cpu-cpp";
  g.job.problem_digest = problem_digest;
  g.job.source_digest = digest_of("the real source");
  g.job.inline_blobs[g.job.source_digest] = "another source";
  hear(frame_kind::grant, g);
  send_problem();
  CHECK(to_build.empty());
  CHECK(said<wire::want_body>(frame_kind::want).size() == 2);
}

TEST_CASE_METHOD(link_fixture, "a job for a backend that is not here is declined by name") {
  grant(1, 1, "cuda");
  auto declined = said<wire::decline_body>(frame_kind::decline);
  REQUIRE(declined.size() == 1);
  CHECK(declined[0].reason == "no backend cuda here");
  CHECK(to_build.empty());
}

TEST_CASE_METHOD(link_fixture,
                 "a built assignment goes on to be measured; one that did not build is reported at once") {
  grant(1);
  send_problem();
  REQUIRE_FALSE(to_build[0]->steps->complete());
  tell(addresses::link, assignment_built{to_build[0]});
  CHECK(to_measure.size() == 1);
  grant(2);
  for (const auto& j : to_build[1]->steps->ready(job_place::shared)) {
    process_exit how;
    how.code = 1;
    how.err = "error: no";
    to_build[1]->steps->ended(j.id, how);
  }
  tell(addresses::link, assignment_built{to_build[1]});
  CHECK(to_measure.size() == 1);
  auto results = said<job_result>(frame_kind::result);
  REQUIRE(results.size() == 1);
  CHECK(results[0].id == 2);
  CHECK(results[0].epoch == 5);
  CHECK(results[0].found.ending == ending::build_failed);
}

TEST_CASE_METHOD(link_fixture, "a result is kept until it is acknowledged, over restarts of the worker too") {
  grant(1);
  send_problem();
  finish(to_build[0]);
  CHECK(said<job_result>(frame_kind::result).size() == 1);
  CHECK(hello().held.size() == 1);
  restart();
  REQUIRE(hello().held.size() == 1);
  CHECK(hello().held[0].job == 1);
  CHECK(hello().held[0].attempt == 1);
  CHECK(hello().held[0].epoch == 5);
  welcome();
  REQUIRE(said<job_result>(frame_kind::result).size() == 1);
  CHECK(said<job_result>(frame_kind::result)[0].found.cases == 3);
  hear(frame_kind::ack, wire::ack_body{1, 1});
  CHECK(hello().held.empty());
  restart();
  CHECK(hello().held.empty());
  welcome();
  CHECK(said<job_result>(frame_kind::result).empty());
}

TEST_CASE_METHOD(link_fixture, "a file among the results that is no result is thrown away") {
  std::ofstream{folder.path() / "results" / "7.result"} << "half a res";
  restart();
  CHECK(hello().held.empty());
  CHECK_FALSE(std::filesystem::exists(folder.path() / "results" / "7.result"));
}

TEST_CASE_METHOD(link_fixture, "a revoked job is cancelled everywhere and reported by nobody") {
  grant(1);
  send_problem();
  hear(frame_kind::revoke, wire::revoke_body{{1, 1, 5, wire::lease_stage::building}, "not wanted"});
  CHECK(build_cancels == std::vector<std::uint64_t>{1});
  CHECK(device_cancels == std::vector<std::uint64_t>{1});
  finish(to_build[0]);
  CHECK(said<job_result>(frame_kind::result).empty());
  CHECK(hello().leases.empty());
}

TEST_CASE_METHOD(
    link_fixture,
    "a revocation of an earlier attempt leaves the present one alone; one in a beat counts as well") {
  grant(1, 2);
  send_problem();
  hear(frame_kind::revoke, wire::revoke_body{{1, 1, 5, wire::lease_stage::building}, "expired"});
  CHECK(build_cancels.empty());
  hear(frame_kind::beat, wire::coordinator_beat{5, {{1, 2, 5, wire::lease_stage::building}}});
  CHECK(build_cancels == std::vector<std::uint64_t>{1});
}

TEST_CASE_METHOD(link_fixture, "beats say what is leased, how far it is, and which device is ill") {
  grant(1);
  send_problem();
  tell(addresses::link, assignment_stage{1, wire::lease_stage::measuring});
  tell(addresses::link, device_state_changed{"cpu:0", "quarantined", "fell over"});
  auto beat = *unpack<wire::worker_beat>(wire_out->beats[""]);
  REQUIRE(beat.leases.size() == 1);
  CHECK(beat.leases[0].stage == wire::lease_stage::measuring);
  REQUIRE(beat.devices.size() == 1);
  CHECK(beat.devices[0].state == "quarantined");
  CHECK_FALSE(said<wire::worker_beat>(frame_kind::beat).empty()); // at once, not with the next beat
}

TEST_CASE_METHOD(
    link_fixture,
    "a draining worker declines what comes, finishes what it has, and leaves when all is acknowledged") {
  grant(1);
  send_problem();
  drain();
  CHECK(said<wire::ready_body>(frame_kind::drain).size() == 1);
  grant(2);
  CHECK(said<wire::decline_body>(frame_kind::decline).size() == 1);
  finish(to_build[0]);
  CHECK_FALSE(left);
  hear(frame_kind::ack, wire::ack_body{1, 1});
  CHECK(left);
  CHECK(said<wire::ready_body>(frame_kind::bye).size() == 1);
}

TEST_CASE_METHOD(link_fixture,
                 "evaluations that fail one after another for the machine's sake put their device "
                 "under suspicion") {
  auto fail = [&](std::uint64_t id, failure_kind kind) {
    hear(frame_kind::ack, wire::ack_body{id - 1, 1});
    grant(id);
    tell(addresses::link,
         assignment_done{to_build.back(), {kind, "the sandbox can't be set up", true}, nullptr});
  };
  grant(1);
  send_problem();
  finish(to_build.back());
  fail(2, failure_kind::device);
  grant(3);
  finish(to_build.back()); // one that goes well clears it
  fail(4, failure_kind::device);
  fail(5, failure_kind::cancelled); // says nothing
  CHECK(suspected.empty());
  grant(6);
  auto found = std::make_shared<evidence>();
  found->ending = ending::harness_error;
  found->reason = "the baseline did not load";
  tell(addresses::link, assignment_done{to_build.back(), {}, found});
  REQUIRE(suspected.size() == 1);
  CHECK(suspected[0].device == "cpu:0");
  CHECK(suspected[0].reason == "the baseline did not load");
  const auto& sent = wire_out->sent; // the beat that says so goes before the result: no job comes in between
  REQUIRE(sent.size() >= 2);
  auto last_result =
      std::find_if(sent.rbegin(), sent.rend(), [](auto& f) { return f.kind == frame_kind::result; });
  auto told = std::find_if(last_result, sent.rend(), [](auto& f) { return f.kind == frame_kind::beat; });
  REQUIRE(told != sent.rend());
  auto beat = wire::decode<wire::worker_beat>(told->body);
  REQUIRE(beat->devices.size() == 1);
  CHECK(beat->devices[0].state == "quarantined");
  fail(7, failure_kind::device);
  CHECK(suspected.size() == 1); // counted anew
}

TEST_CASE_METHOD(link_fixture, "sources that compile to the same code are measured once") {
  grant(1);
  send_problem();
  build(to_build[0], "the code");
  REQUIRE(to_measure.size() == 1);
  finish(to_build[0]);
  grant(2); // another source
  build(to_build[1], "the code");
  CHECK(to_measure.size() == 1);
  auto results = said<job_result>(frame_kind::result);
  REQUIRE(results.size() == 2);
  CHECK(results[1].id == 2);
  CHECK(results[1].found.cases == 3);
  CHECK(results[0].found.provenance.count(same_object_as) == 0);
  CHECK(results[1].found.provenance.at(same_object_as) == "1/0/1");
  grant(3);
  build(to_build[2], "other code");
  CHECK(to_measure.size() == 2);
}

TEST_CASE_METHOD(link_fixture, "a claim, and what has said nothing of its candidate, is measured again") {
  grant(1);
  send_problem();
  build(to_build[0], "the code");
  auto nothing = std::make_shared<evidence>();
  nothing->ending = ending::harness_error;
  tell(addresses::link, assignment_done{to_build[0], {}, nothing});
  grant(2);
  build(to_build[1], "the code");
  CHECK(to_measure.size() == 2);
  finish(to_build[1]);
  grant(3, 1, "cpu-cpp", true, measure_plan::claim);
  build(to_build[2], "the code");
  CHECK(to_measure.size() == 3);
}

TEST_CASE_METHOD(link_fixture, "content that was on its way when the session ended is asked for again") {
  grant(1);
  CHECK(said<wire::want_body>(frame_kind::want).size() == 1);
  welcome(); // attached again after a silence: what was under way is lost
  REQUIRE(said<wire::want_body>(frame_kind::want).size() == 2);
  CHECK(said<wire::want_body>(frame_kind::want)[1].digest == problem_digest);
  send_problem();
  CHECK(to_build.size() == 1);
}

TEST_CASE_METHOD(link_fixture, "content that does not come is asked for again and again") {
  grant(1);
  for (int n = 0; n < 4; ++n)
    pass(std::chrono::seconds{2});
  CHECK(said<wire::want_body>(frame_kind::want).size() == 2);
  send_problem();
  for (int n = 0; n < 8; ++n)
    pass(std::chrono::seconds{2});
  CHECK(said<wire::want_body>(frame_kind::want).size() == 2);
}

TEST_CASE_METHOD(link_fixture,
                 "a job that does not end within its deadline is given up as the machine's failure") {
  auto with_content = GENERATE(true, false);
  grant(1);
  if (with_content)
    send_problem();
  for (int n = 0; n < 29; ++n)
    pass(std::chrono::seconds{2});
  CHECK(said<job_result>(frame_kind::result).empty());
  pass(std::chrono::seconds{2});
  REQUIRE(said<job_result>(frame_kind::result).size() == 1);
  auto r = said<job_result>(frame_kind::result)[0];
  CHECK(r.why.kind == failure_kind::timeout);
  CHECK(r.why.retryable);
  CHECK(r.warrant == "warrant 1/1");
  CHECK(hello().leases.empty());
  CHECK(build_cancels == std::vector<std::uint64_t>{1});
}

TEST_CASE_METHOD(link_fixture,
                 "assignments of a builder or device that ended are told as failed, the others go on") {
  grant(1);
  send_problem();
  grant(2);
  build(to_build[1], "the code"); // at its device now
  SECTION("the builder") {
    tell(addresses::link, assignments_lost{{}, "the builder ended", false});
    REQUIRE(said<job_result>(frame_kind::result).size() == 1);
    CHECK(said<job_result>(frame_kind::result)[0].id == 1);
    CHECK(said<job_result>(frame_kind::result)[0].why.text == "the builder ended");
  }
  SECTION("its device") {
    tell(addresses::link, assignments_lost{"cpu:0", "it fell over", false});
    REQUIRE(said<job_result>(frame_kind::result).size() == 1);
    CHECK(said<job_result>(frame_kind::result)[0].id == 2);
  }
  SECTION("another device") {
    tell(addresses::link, assignments_lost{"cpu:1", "it fell over", false});
    CHECK(said<job_result>(frame_kind::result).empty());
  }
  SECTION("all devices") {
    tell(addresses::link, assignments_lost{{}, "they fell over", true});
    CHECK(said<job_result>(frame_kind::result).size() == 2);
  }
}

TEST_CASE_METHOD(link_fixture,
                 "a problem that can't be read ends all the jobs that wait for it, and nothing else") {
  problem_bytes = "no problem";
  problem_digest = digest_of(problem_bytes);
  for (std::uint64_t id = 1; id <= 3; ++id)
    grant(id);
  send_problem();
  CHECK(said<job_result>(frame_kind::result).size() == 3);
  CHECK(hello().leases.empty());
}

TEST_CASE_METHOD(link_fixture, "a result is told to the coordinator of its own store, and to no other") {
  grant(1);
  send_problem();
  finish(to_build[0]);
  restart();
  store = "two"; // another coordinator has the port now
  welcome();
  CHECK(said<job_result>(frame_kind::result).empty());
  drain();
  CHECK(left); // it need not wait for the other one
  restart();
  store = "one";
  welcome();
  REQUIRE(said<job_result>(frame_kind::result).size() == 1);
  CHECK(said<job_result>(frame_kind::result)[0].store == "one");
  CHECK(said<job_result>(frame_kind::result)[0].warrant == "warrant 1/1");
}

TEST_CASE_METHOD(
    link_fixture,
    "a node that is measured again is measured, whatever is known of its object; others get the newest") {
  grant(1);
  send_problem();
  build(to_build[0], "the code");
  finish(to_build[0]);
  hear(frame_kind::ack, wire::ack_body{1, 1});
  grant(1, 2);
  build(to_build[1], "the code");
  REQUIRE(to_measure.size() == 2);
  auto better = std::make_shared<evidence>();
  better->cases = 7;
  better->timed = false;
  tell(addresses::link, assignment_done{to_build[1], {}, better});
  grant(2);
  build(to_build[2], "the code");
  CHECK(to_measure.size() == 2);
  CHECK(said<job_result>(frame_kind::result).back().found.cases == 7);
}

TEST_CASE_METHOD(link_fixture, "an object that was measured for one store says nothing to another") {
  grant(1);
  send_problem();
  build(to_build[0], "the code");
  finish(to_build[0]);
  store = "two";
  welcome();
  grant(2);
  build(to_build[1], "the code");
  CHECK(to_measure.size() == 2);
}

TEST_CASE_METHOD(link_fixture,
                 "what is known of an object is told as evidence of the candidate that was asked for") {
  grant(1);
  send_problem();
  build(to_build[0], "the code");
  finish(to_build[0]);
  grant(2);
  build(to_build[1], "the code");
  auto r = said<job_result>(frame_kind::result).at(1);
  CHECK(r.found.provenance.at("candidate") == to_build[1]->what.source_digest);
  CHECK(r.found.provenance.at("measured_candidate") == to_build[0]->what.source_digest);
}

TEST_CASE_METHOD(link_fixture,
                 "a job that is granted again while its result is kept is answered by that result") {
  grant(1);
  send_problem();
  finish(to_build[0]);
  grant(1, 2);
  CHECK(to_build.size() == 1);
  auto results = said<job_result>(frame_kind::result);
  REQUIRE(results.size() == 2);
  CHECK(results[1].attempt == 2);
  CHECK(results[1].warrant == "warrant 1/2");
  CHECK(results[1].found.cases == 3);
  hear(frame_kind::ack, wire::ack_body{1, 1}); // of the first attempt: late
  CHECK(hello().held.size() == 1);
  hear(frame_kind::ack, wire::ack_body{1, 2});
  CHECK(hello().held.empty());
}

TEST_CASE_METHOD(link_fixture, "results go out four at a time, so that beats find their way") {
  for (std::uint64_t id = 1; id <= 6; ++id) {
    grant(id);
    if (id == 1)
      send_problem();
    finish(to_build.back());
  }
  CHECK(said<job_result>(frame_kind::result).size() == 4);
  hear(frame_kind::ack, wire::ack_body{2, 1});
  CHECK(said<job_result>(frame_kind::result).size() == 5);
  restart();
  CHECK(hello().held.size() == 5);
  welcome();
  CHECK(said<job_result>(frame_kind::result).size() == 4);
}

TEST_CASE_METHOD(link_fixture, "a hello says how its devices are now, and a drain is said in each session") {
  tell(addresses::link, device_state_changed{"cpu:0", "quarantined", "fell over"});
  CHECK(hello().devices.at(0).state == "quarantined");
  tell(addresses::link, device_state_changed{"cpu:0", "ok", ""});
  CHECK(hello().devices.at(0).state == "ok");
  grant(1);
  send_problem();
  drain();
  auto readies = said<wire::ready_body>(frame_kind::ready).size();
  welcome();
  CHECK(said<wire::ready_body>(frame_kind::drain).size() == 2);
  CHECK(said<wire::ready_body>(frame_kind::ready).size() == readies);
}

TEST_CASE_METHOD(link_fixture, "a worker that is told to leave waits for no coordinator that is gone") {
  grant(1);
  send_problem();
  drain();
  SECTION("it said bye") {
    finish(to_build[0]);
    CHECK_FALSE(left);
    hear(frame_kind::bye, wire::ready_body{});
  }
  SECTION("it is silent") {
    wire_out->events.on_lost("", {failure_kind::worker_lost, "no sign of life", true});
    settle();
    CHECK_FALSE(left); // the assignment itself is finished first
    finish(to_build[0]);
  }
  CHECK(left);
  restart();
  CHECK(hello().held.size() == 1); // kept for its return
}

TEST_CASE_METHOD(link_fixture,
                 "a worker that is told to leave does not wait for content that nobody will send") {
  grant(1); // its problem has not come
  drain();
  CHECK_FALSE(left);
  hear(frame_kind::bye, wire::ready_body{});
  CHECK(left);
}

TEST_CASE_METHOD(link_fixture, "a worker that is told to leave before its link can hear of it leaves") {
  SECTION("while it starts") {
    restart(true);
    settle();
  }
  SECTION("and what tells the link is lost") {
    leaving->ask();
    CHECK_FALSE(left);
    pass(std::chrono::seconds{2});
  }
  CHECK(left);
}

TEST_CASE_METHOD(link_fixture, "a refusal for good is told to the program with its reason") {
  hear(frame_kind::refuse, wire::refuse_body{"busy", true});
  CHECK(refusals.empty());
  hear(frame_kind::refuse, wire::refuse_body{"version 9 is not spoken here", false});
  CHECK(refusals ==
        std::vector<std::string>{"the coordinator refused this worker: version 9 is not spoken here"});
}
