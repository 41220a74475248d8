#include "actors/campaign/claims_round.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include "tests/actors/parts_fixture.hpp"

using namespace ke;
using namespace ke::test;

namespace {

class finalist_fixture : public parts_fixture {
public:
  solutions_left solutions{journal};
  std::vector<finalist_read> read;
  claims_round claims{journal,
                      devices,
                      solutions,
                      {[this](evaluate_request e) { evaluations.push_back(std::move(e)); },
                       [this](cancel_evaluation c) { cancelled.push_back(c); },
                       [this](finalist_read f) { read.push_back(std::move(f)); }}};
  std::size_t acknowledged = 0;

  /// A candidate whose claim is being measured.
  node_key claimed() {
    auto n = candidate(2, "near");
    claims.begin({n.tree, n.node});
    claims.measure(read.at(0));
    return n;
  }
  judged verdict_on(const node_key& n, verdict_state state, const std::string& worker = "a") {
    verdict v;
    v.provenance = {{"worker", worker}, {"unit", "cpu:test"}};
    v.state = state;
    v.score = 1.8;
    v.decision = timing_decision::faster;
    judged j;
    j.node = n;
    j.found = std::make_shared<const verdict>(v);
    j.verdict_digest = "claim";
    j.plan = measure_plan::claim;
    j.committed = [this] { ++acknowledged; };
    return j;
  }
};

/// Two workers with one device each.
class second_device_fixture : public finalist_fixture {
public:
  void offer_from(const std::set<std::string>& workers) {
    capacity c{"cpu-cpp", 1, {}, {}};
    for (const auto& worker : workers) {
      c.devices.push_back({"cpu:test", "cpu-cpp", "ok", {}});
      c.offered_by[class_of(c.devices.back())].insert(worker);
    }
    devices.offered(c);
  }
  /// A claim that worker `a` has confirmed, and `b` is asked about.
  node_key validating() {
    start(settings());
    offer_from({"a", "b"});
    auto n = claimed();
    auto j = verdict_on(n, verdict_state::correct);
    claims.claim_judged(j);
    REQUIRE(claims.validate());
    claims.measure(read.at(1));
    return n;
  }
  const claim_book::entry& entry(const node_key& n) const {
    return *journal.books().claims().find({n.tree, n.node});
  }
};

} // namespace

TEST_CASE_METHOD(finalist_fixture,
                 "claims: a finalist is measured from its stored source, by somebody else") {
  start(settings());
  auto n = candidate(2, "near");
  claims.begin({n.tree, n.node});
  CHECK(claims.is_out(n));
  REQUIRE(read.size() == 1);
  REQUIRE(read[0].source);
  claims.measure(read[0]);
  REQUIRE(evaluations.size() == 1);
  CHECK(evaluations[0].plan == measure_plan::claim);
  CHECK(evaluations[0].node == n);
  CHECK(*evaluations[0].source == *read[0].source);
  CHECK(evaluations[0].devices == std::vector<std::string>{"*"});
  CHECK(evaluations[0].avoid == std::set<std::string>{"near"});
}

TEST_CASE_METHOD(finalist_fixture, "claims: a verdict is journalled, and the next claim may begin") {
  start(settings());
  auto n = claimed();
  auto j = verdict_on(n, verdict_state::correct);
  claims.claim_judged(j);
  CHECK_FALSE(claims.is_out());
  CHECK(acknowledged == 1);
  auto records = bodies<journal_claimed>(journal_kind::claimed);
  REQUIRE(records.size() == 1);
  CHECK(records[0].node == n.node);
  CHECK(records[0].score == 1.8);
  CHECK(journal.books().claims().measured({n.tree, n.node}));
  CHECK(events.back().find("\"confirmed\"") != std::string::npos);
}

TEST_CASE_METHOD(finalist_fixture, "claims: a noisy verdict is asked for three times, then it counts") {
  start(settings());
  auto n = claimed();
  for (std::size_t tries = 2; tries <= 3; ++tries) {
    auto j = verdict_on(n, verdict_state::noisy);
    claims.claim_judged(j);
    CHECK(evaluations.size() == tries);
    CHECK(claims.is_out(n));
    CHECK(acknowledged == tries - 1); // the worker may forget it
  }
  auto j = verdict_on(n, verdict_state::noisy);
  claims.claim_judged(j);
  CHECK(evaluations.size() == 3);
  CHECK_FALSE(claims.is_out());
  CHECK(store->count(1, journal_kind::claimed) == 1);
}

TEST_CASE_METHOD(finalist_fixture,
                 "claims: one that was dropped is cancelled, and its verdict changes nothing") {
  start(settings());
  auto n = claimed();
  claims.drop();
  REQUIRE(cancelled.size() == 1);
  CHECK(cancelled[0].node == n);
  CHECK(cancelled[0].plan == measure_plan::claim);
  auto j = verdict_on(n, verdict_state::correct);
  claims.claim_judged(j);
  CHECK(acknowledged == 1);
  CHECK(store->count(1, journal_kind::claimed) == 0);
  claims.measure(read[0]); // a late read
  CHECK(evaluations.size() == 1);
  claims.drop();
  CHECK(cancelled.size() == 1);
}

TEST_CASE_METHOD(finalist_fixture, "claims: a finalist that can't be read has failed its claim") {
  start(settings());
  auto n = candidate(2);
  claims.begin({n.tree, n.node});
  claims.measure({n, nullptr, {failure_kind::not_found, "no such blob", false}, {}, {}});
  CHECK_FALSE(claims.is_out());
  CHECK(evaluations.empty());
  CHECK(bodies<journal_claimed>(journal_kind::claimed).at(0).state == verdict_state::harness_error);
}

TEST_CASE_METHOD(finalist_fixture, "claims: nodes are looked at for the goal only after there is news") {
  auto s = settings();
  s.goal.target_speedup = 3;
  start(s);
  candidate(2);
  CHECK_FALSE(claims.goal_candidate());
  auto n = candidate(3.5);
  auto who = claims.goal_candidate();
  REQUIRE(who);
  CHECK(who->second == n.node);
  CHECK(claims.goal_candidate() == who); // until its claim is made
}

TEST_CASE_METHOD(second_device_fixture,
                 "claims: a second device looks at the champion once, as another job") {
  auto n = validating();
  CHECK(claims.is_out(n));
  REQUIRE(evaluations.size() == 2);
  CHECK(evaluations[1].second);
  CHECK(evaluations[1].avoid == std::set<std::string>{"a"});
  CHECK(evaluations[1].devices == std::vector<std::string>{"cpu:test"});
  CHECK(evaluations[1].seed != evaluations[0].seed);
  auto j = verdict_on(n, verdict_state::correct, "b");
  claims.claim_judged(j);
  CHECK_FALSE(claims.is_out());
  CHECK(acknowledged == 2);
  auto records = bodies<journal_validated>(journal_kind::validated);
  REQUIRE(records.size() == 1);
  CHECK(records[0].there.worker == "b");
  CHECK(entry(n).on_second(true) == second_look::holds);
  CHECK(store->count(1, journal_kind::claimed) == 1);
  CHECK(told("claim").back().at("second_device") == "holds");
  CHECK_FALSE(claims.validate()); // it has been there
}

TEST_CASE_METHOD(second_device_fixture, "claims: nobody validates his own word") {
  auto n = validating();
  auto j =
      verdict_on(n, verdict_state::correct, "a"); // the other one has gone, and it came back to the first
  claims.claim_judged(j);
  CHECK(entry(n).on_second(true) == second_look::not_measured);
  CHECK(entry(n).confirmed(true));
}

TEST_CASE_METHOD(second_device_fixture, "claims: a second device that has gone is waited for a minute") {
  auto n = validating();
  offer_from({"a"});
  claims.look();
  clock += std::chrono::seconds{59};
  claims.look();
  CHECK(claims.is_out(n));
  offer_from({"a", "b"});
  claims.look();
  offer_from({"a"});
  clock += std::chrono::seconds{59};
  claims.look();
  clock += std::chrono::seconds{60};
  claims.look();
  CHECK_FALSE(claims.is_out());
  CHECK(cancelled.size() == 1);
  CHECK(entry(n).on_second(true) == second_look::not_measured);
  CHECK_FALSE(claims.validate());
}

TEST_CASE_METHOD(second_device_fixture, "claims: one device alone validates nothing") {
  start(settings());
  offer_from({"a"});
  auto n = claimed();
  auto j = verdict_on(n, verdict_state::correct);
  claims.claim_judged(j);
  CHECK_FALSE(claims.validate());
  CHECK_FALSE(claims.is_out());
  CHECK(read.size() == 1);
}

TEST_CASE_METHOD(second_device_fixture,
                 "claims: a session that ended meanwhile asks the second device anew") {
  auto n = validating();
  claims.drop();
  CHECK_FALSE(entry(n).validated());
  CHECK(claims.validate());
}
