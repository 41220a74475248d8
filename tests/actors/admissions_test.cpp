#include "actors/campaign/admissions.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include "tests/actors/parts_fixture.hpp"

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;

namespace {

class reference_fixture : public parts_fixture {
public:
  std::vector<admission_looked_up> looks; ///< the store's answers, not yet heard
  admissions reference = next_session();
  std::size_t acknowledged = 0;

  /// As a new session has them.
  admissions next_session() {
    return admissions{journal,
                      devices,
                      {[this](evaluate_request e) { evaluations.push_back(std::move(e)); },
                       [this](cancel_evaluation c) { cancelled.push_back(c); },
                       [this](admission_looked_up l) { looks.push_back(l); }}};
  }
  /// A device for each of the targets, all of one backend.
  void start_with(const std::vector<std::string>& targets) {
    auto s = settings();
    s.targets.clear();
    for (const auto& device : targets)
      s.targets.push_back({"cpu-cpp", device});
    start(s);
    offer("cpu-cpp", targets, 2);
  }
  void hear(admissions& who, bool may_measure = true) {
    for (const auto& l : std::exchange(looks, {}))
      who.looked_up(l, may_measure);
  }
  /// Whether models may be asked, once the store has answered.
  bool asks(admissions& who, std::uint32_t tree = 0) {
    who.is_admitted(journal.tree(tree));
    hear(who);
    return who.is_admitted(journal.tree(tree));
  }
  judged verdict_on(verdict_state state, std::uint32_t target = 0, std::string reason = {}) {
    const auto& request = evaluations.back();
    verdict v;
    v.state = state;
    v.reason = std::move(reason);
    v.device = target < request.devices.size() ? request.devices[target] : "cpu:nobody";
    judged j;
    j.node = request.node;
    j.target = target;
    j.found = std::make_shared<const verdict>(v);
    j.verdict_digest = "of " + v.device;
    j.plan = request.plan;
    j.device_s = 1.5;
    j.committed = [this] { ++acknowledged; };
    return j;
  }
  bool judge_as(verdict_state state, std::uint32_t target = 0, std::string reason = {}) {
    auto j = verdict_on(state, target, std::move(reason));
    return reference.reference_judged(j);
  }
  std::vector<std::string> states_told() const {
    std::vector<std::string> all;
    for (const auto& e : told("admission"))
      all.push_back(e["state"]);
    return all;
  }
};

using states = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(reference_fixture, "admissions: switched off, every tree is admitted unseen") {
  options.admission = false;
  start_with({"cpu:a"});
  CHECK(reference.is_admitted(journal.tree(0)));
  CHECK(looks.empty());
  CHECK_FALSE(reference.all_refused());
}

TEST_CASE_METHOD(reference_fixture, "admissions: what the store does not know is measured, once") {
  start_with({"cpu:a"});
  CHECK_FALSE(asks(reference));
  REQUIRE(evaluations.size() == 1);
  const auto& e = evaluations[0];
  CHECK(e.node == node_key{1, 0, 0});
  CHECK(*e.source == what.reference);
  CHECK(e.devices == std::vector<std::string>{"cpu:a"});
  CHECK(e.plan == measure_plan::rank);
  CHECK(reference.waits_for(0) == "the reference is measured before any model is asked");
  CHECK_FALSE(asks(reference));
  CHECK(evaluations.size() == 1);
  CHECK(judge_as(verdict_state::correct));
  CHECK(reference.is_admitted(journal.tree(0)));
  CHECK(reference.waits_for(0).empty());
  CHECK(states_told() == states{"measuring", "admitted"});
  auto record = bodies<journal_admitted>(journal_kind::admitted).at(0);
  CHECK(record.state == verdict_state::correct);
  CHECK(record.device_s == 1.5);
  CHECK(record.why.empty());
}

TEST_CASE_METHOD(reference_fixture, "admissions: the worker may forget a verdict once it is committed") {
  start_with({"cpu:a"});
  asks(reference);
  store->hold = true;
  judge_as(verdict_state::correct);
  CHECK(acknowledged == 0);
  store->release();
  CHECK(acknowledged == 1);
}

TEST_CASE_METHOD(reference_fixture, "admissions: a later session looks up what was admitted on any device") {
  start_with({"*"});
  offer("cpu-cpp", {"cpu:a", "cpu:b"}, 2);
  asks(reference);
  REQUIRE(evaluations.size() == 1);
  auto j = verdict_on(verdict_state::noisy); // says nothing against it
  auto v = *j.found;
  v.device = "cpu:b";
  j.found = std::make_shared<const verdict>(v);
  REQUIRE(reference.reference_judged(j));
  auto next = next_session();
  CHECK_FALSE(next.is_admitted(journal.tree(0))); // the store has not answered
  CHECK(looks.size() == 2);
  hear(next);
  CHECK(next.is_admitted(journal.tree(0)));
  CHECK(evaluations.size() == 1);
  offer("cpu-cpp", {"cpu:a"}, 1); // of which nothing is known
  auto elsewhere = next_session();
  CHECK_FALSE(asks(elsewhere));
  CHECK(evaluations.size() == 2);
}

TEST_CASE_METHOD(reference_fixture, "admissions: a session that ended while it measured measures anew") {
  options.epoch = 1;
  start_with({"cpu:a"});
  asks(reference);
  options.epoch = 2;
  auto next = next_session();
  CHECK_FALSE(asks(next));
  REQUIRE(evaluations.size() == 2);
  CHECK(evaluations[1].source_digest == evaluations[0].source_digest);
  CHECK(evaluations[1].normalised_digest != evaluations[0].normalised_digest); // no verdict of before
  CHECK(evaluations[1].seed != evaluations[0].seed);
}

TEST_CASE_METHOD(reference_fixture, "admissions: it is refused after a closer look, with the reason") {
  start_with({"cpu:a"});
  asks(reference);
  auto late = verdict_on(verdict_state::correct);
  judge_as(verdict_state::incorrect, 0, "wrong at [3]");
  REQUIRE(evaluations.size() == 2);
  CHECK(evaluations[1].plan == measure_plan::eval);
  CHECK_FALSE(reference.reference_judged(late)); // of the first look, once more
  CHECK_FALSE(reference.all_refused());
  judge_as(verdict_state::incorrect, 0, "wrong at [3]");
  CHECK(evaluations.size() == 2);
  CHECK_FALSE(asks(reference));
  REQUIRE(reference.all_refused());
  CHECK(*reference.all_refused() == "its reference, measured as a candidate, is incorrect: wrong at [3]");
  CHECK(reference.waits_for(0) == "left out: " + *reference.all_refused());
  CHECK(states_told() == states{"measuring", "refused"});
  auto records = bodies<journal_admitted>(journal_kind::admitted);
  REQUIRE(records.size() == 2);
  CHECK(records[1].why == "wrong at [3]");
  auto next = next_session(); // mended or not, nothing is kept of it
  CHECK_FALSE(asks(next));
  CHECK(evaluations.size() == 3);
}

TEST_CASE_METHOD(reference_fixture, "admissions: the second look may admit it") {
  start_with({"cpu:a"});
  asks(reference);
  judge_as(verdict_state::incorrect, 0, "wrong at [3]");
  judge_as(verdict_state::correct);
  CHECK(reference.is_admitted(journal.tree(0)));
  CHECK_FALSE(reference.all_refused());
}

TEST_CASE_METHOD(reference_fixture, "admissions: a machine that can't judge rests, each time for longer") {
  start_with({"cpu:a"});
  asks(reference);
  judge_as(verdict_state::incorrect, 0, "wrong at [3]");
  judge_as(verdict_state::harness_error, 0, "no sandbox");
  CHECK(evaluations.size() == 2);
  CHECK_FALSE(reference.all_refused());
  CHECK(reference.waits_for(0) == "the reference could not be measured, it is tried again: no sandbox");
  clock += 9s;
  CHECK_FALSE(asks(reference));
  CHECK(evaluations.size() == 2);
  clock += 1s;
  CHECK_FALSE(asks(reference));
  REQUIRE(evaluations.size() == 3);
  CHECK(evaluations[2].plan == measure_plan::rank); // what was before the rest counts for nothing
  judge_as(verdict_state::harness_error, 0, "no sandbox");
  clock += 19s;
  asks(reference);
  CHECK(evaluations.size() == 3);
  clock += 1s;
  asks(reference);
  CHECK(evaluations.size() == 4);
  CHECK(looks.empty()); // the store is not asked again
  CHECK(states_told() == states{"measuring", "resting", "resting"});
}

TEST_CASE_METHOD(reference_fixture, "admissions: of two targets each must admit it, in any order") {
  start_with({"cpu:a", "cpu:z"});
  asks(reference);
  REQUIRE(evaluations.size() == 1);
  CHECK(evaluations[0].devices == std::vector<std::string>{"cpu:a", "cpu:z"});
  CHECK(judge_as(verdict_state::correct, 1));
  CHECK_FALSE(reference.is_admitted(journal.tree(0)));
  CHECK_FALSE(judge_as(verdict_state::incorrect, 1)); // once each
  CHECK_FALSE(judge_as(verdict_state::correct, 2));   // no such target
  CHECK(acknowledged == 1);
  CHECK(judge_as(verdict_state::correct, 0));
  CHECK(reference.is_admitted(journal.tree(0)));
  CHECK(store->count(1, journal_kind::admitted) == 2);
}

TEST_CASE_METHOD(reference_fixture, "admissions: one target that is known does not speak for the other") {
  start_with({"cpu:a", "cpu:z"});
  asks(reference);
  judge_as(verdict_state::correct, 0);
  auto next = next_session();
  CHECK_FALSE(asks(next));
  CHECK(evaluations.size() == 2);
}

TEST_CASE_METHOD(reference_fixture, "admissions: a wrong verdict counts before a machine that can't judge") {
  start_with({"cpu:a", "cpu:z"});
  asks(reference);
  judge_as(verdict_state::harness_error, 0, "no sandbox");
  CHECK(evaluations.size() == 1);
  judge_as(verdict_state::unfit_problem, 1, "zeros pass");
  REQUIRE(evaluations.size() == 2); // a closer look at both
  judge_as(verdict_state::correct, 0);
  judge_as(verdict_state::unfit_problem, 1, "zeros pass");
  REQUIRE(reference.all_refused());
  CHECK(*reference.all_refused() == "zeros pass"); // the problem's own fault, in its own words
}

TEST_CASE_METHOD(reference_fixture, "admissions: a refused tree leaves the other backend's alone") {
  auto s = settings();
  s.targets = {{"cpu-cpp", "*"}, {"other", "*"}};
  start(s);
  offer("cpu-cpp", {"cpu:a"}, 1);
  offer("other", {"cpu:a"}, 1);
  asks(reference, 0);
  judge_as(verdict_state::unfit_problem, 0, "zeros pass");
  asks(reference, 1);
  auto of_other = verdict_on(verdict_state::correct);
  CHECK(of_other.node == node_key{1, 1, 0});
  auto of_first = verdict_on(verdict_state::unfit_problem, 0, "zeros pass");
  of_first.node.tree = 0;
  of_first.plan = measure_plan::eval;
  CHECK(reference.reference_judged(of_first));
  CHECK_FALSE(reference.all_refused()); // the other one is being measured
  CHECK(reference.reference_judged(of_other));
  CHECK(reference.is_admitted(journal.tree(1)));
  CHECK_FALSE(reference.is_admitted(journal.tree(0)));
  CHECK_FALSE(reference.all_refused());
}

TEST_CASE_METHOD(reference_fixture, "admissions: a verdict that nobody waits for is left to the caller") {
  start_with({"cpu:a"});
  judged j;
  j.node = {1, 0, 0};
  j.found = std::make_shared<const verdict>();
  j.batch = std::make_shared<store_batch>();
  j.batch->put(table::verdicts, "row", "bytes");
  CHECK_FALSE(reference.reference_judged(j));
  j.node.tree = 7; // no such tree
  CHECK_FALSE(reference.reference_judged(j));
  CHECK(j.batch->puts.size() == 1);
  CHECK_FALSE(reference.reference_failed({{1, 0, 0}, node_state::poisoned, "lost"}));
  CHECK_FALSE(reference.reference_failed({{1, 7, 0}, node_state::poisoned, "lost"}));
  CHECK(cancelled.empty());
  CHECK(reference.waits_for(0).empty());
  CHECK(reference.waits_for(7).empty());
  CHECK(store->count(1, journal_kind::admitted) == 0);
}

TEST_CASE_METHOD(reference_fixture, "admissions: a reference that costs its workers is tried twice") {
  start_with({"cpu:a"});
  asks(reference);
  CHECK(reference.reference_failed({{1, 0, 0}, node_state::poisoned, "three workers were lost"}));
  REQUIRE(cancelled.size() == 1); // of the other targets
  CHECK_FALSE(reference.all_refused());
  clock += 10s;
  asks(reference);
  CHECK(evaluations.size() == 2);
  CHECK(reference.reference_failed({{1, 0, 0}, node_state::poisoned, "three workers were lost"}));
  REQUIRE(reference.all_refused());
  CHECK(*reference.all_refused() == "its reference can't be measured: three workers were lost");
}

TEST_CASE_METHOD(reference_fixture, "admissions: what is dropped is cancelled, and measured when wanted") {
  start_with({"cpu:a"});
  reference.drop(); // nothing is out
  CHECK(cancelled.empty());
  asks(reference);
  auto late = verdict_on(verdict_state::correct);
  reference.drop();
  REQUIRE(cancelled.size() == 1);
  CHECK(cancelled[0].node == node_key{1, 0, 0});
  CHECK(cancelled[0].plan == measure_plan::rank);
  CHECK_FALSE(reference.reference_judged(late));
  CHECK_FALSE(asks(reference));
  REQUIRE(evaluations.size() == 2);
  CHECK(judge_as(verdict_state::correct));
  CHECK(reference.is_admitted(journal.tree(0)));
  reference.drop();
  CHECK(reference.is_admitted(journal.tree(0))); // what is known stays
  CHECK(cancelled.size() == 1);
}

TEST_CASE_METHOD(reference_fixture, "admissions: a campaign that asks no model any more measures nothing") {
  start_with({"cpu:a"});
  CHECK_FALSE(reference.is_admitted(journal.tree(0)));
  hear(reference, false);
  CHECK(evaluations.empty());
  auto next = next_session(); // what is known is admitted all the same
  asks(next);
  auto j = verdict_on(verdict_state::correct);
  REQUIRE(next.reference_judged(j));
  auto last = next_session();
  CHECK_FALSE(last.is_admitted(journal.tree(0)));
  hear(last, false);
  CHECK(last.is_admitted(journal.tree(0)));
}

TEST_CASE_METHOD(reference_fixture, "admissions: held-out workloads are measured from the first look on") {
  what.workloads.push_back({"odd", {{"N", 77}}, 1.0, true});
  start_with({"cpu:a"});
  asks(reference);
  REQUIRE(evaluations.size() == 1);
  CHECK(evaluations[0].plan == measure_plan::eval);
}

TEST_CASE_METHOD(reference_fixture, "admissions: a problem that is wrong by itself is not even looked up") {
  auto s = settings();
  s.goal.baseline = baseline_kind::file; // the problem carries none
  start(s);
  offer("cpu-cpp", {"cpu:a"}, 1);
  CHECK_FALSE(reference.is_admitted(journal.tree(0)));
  CHECK(looks.empty());
  REQUIRE(reference.all_refused());
  CHECK(reference.all_refused()->find("no baseline") != std::string::npos);
  CHECK(states_told() == states{"refused"});
}
