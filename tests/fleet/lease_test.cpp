#include "runtime/core/job.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/fleet/lease.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace ke;
using namespace std::chrono_literals;

namespace {

job a_job(std::uint64_t id, std::uint32_t attempt = 1, std::uint64_t epoch = 5, std::uint32_t node = 1) {
  job j;
  j.id = id;
  j.attempt = attempt;
  j.epoch = epoch;
  j.node = {1, 0, node};
  return j;
}

const lease_table::time_point t0{};

} // namespace

TEST_CASE("a lease lives as long as it is renewed") {
  lease_table t{10s};
  REQUIRE(t.grant(a_job(1), "w", "d", t0));
  CHECK(t.expire(t0 + 10s - 1ns).empty());
  CHECK(t.renew("w", {{1, 1, 5, wire::lease_stage::building}}, t0 + 9s).empty());
  CHECK(t.expire(t0 + 18s).empty());
  CHECK(t.find(1)->stage == wire::lease_stage::building);
  auto ended = t.expire(t0 + 19s);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].worker == "w");
  CHECK(t.live() == 0);
  CHECK(t.losses({1, 0, 1}) == 1);
  CHECK(t.expire(t0 + 1h).empty());
}

TEST_CASE("a beat that names strange leases gets them back for revocation") {
  lease_table t{10s};
  t.grant(a_job(1), "w", "d", t0);
  t.grant(a_job(2), "v", "d", t0);
  auto strange = t.renew("w", {{1, 1, 5}, {2, 1, 5}, {1, 2, 5}, {1, 1, 4}, {9, 1, 5}}, t0 + 1s);
  REQUIRE(strange.size() == 4);
  CHECK(strange[0].job == 2);
  CHECK(strange[1].attempt == 2);
  CHECK(strange[2].epoch == 4);
  CHECK(strange[3].job == 9);
}

TEST_CASE("a late result counts while nobody else has the job, and never twice") {
  lease_table t{10s};
  t.grant(a_job(1), "w", "d", t0);
  t.expire(t0 + 10s);
  CHECK(t.result(1, 1, 5) == result_fate::accept);
  CHECK(t.result(1, 1, 5) == result_fate::unknown);

  t.grant(a_job(2), "w", "d", t0);
  t.expire(t0 + 10s);
  REQUIRE(t.grant(a_job(2, 2), "v", "d", t0 + 11s));
  CHECK(t.result(2, 1, 5) == result_fate::stale);
  CHECK(t.result(2, 2, 4) == result_fate::stale);
  CHECK(t.find(2)->worker == "v");
  CHECK(t.result(2, 2, 5) == result_fate::accept);
}

TEST_CASE("an attempt is granted once and only forwards") {
  lease_table t{10s};
  REQUIRE(t.grant(a_job(1, 2), "w", "d", t0));
  CHECK_FALSE(t.grant(a_job(1, 2), "v", "d", t0));
  CHECK_FALSE(t.grant(a_job(1, 1), "v", "d", t0));
  CHECK(t.grant(a_job(1, 3), "v", "d", t0));
  CHECK(t.held_by("w").empty());
  CHECK(t.held_by("v").size() == 1);
  CHECK(t.last_attempt(1) == 3);
}

TEST_CASE("a node that costs three workers is poisoned; declines and goodbyes cost nothing") {
  lease_table t{10s};
  node_key n{1, 0, 1};
  t.grant(a_job(1, 1), "a", "d", t0);
  CHECK(t.release("a", 1, 1));
  CHECK_FALSE(t.release("a", 1, 1));
  t.grant(a_job(1, 2), "a", "d", t0);
  CHECK(t.worker_left("a").size() == 1);
  CHECK(t.losses(n) == 0);
  for (std::uint32_t i = 3; i < 6; ++i) {
    CHECK_FALSE(t.poisoned(n));
    t.grant(a_job(1, i), "a", "d", t0);
    CHECK(t.worker_lost("a").size() == 1);
  }
  CHECK(t.poisoned(n));
  CHECK_FALSE(t.poisoned({1, 0, 2}));
}

TEST_CASE(
    "a candidate is not poisoned by a network that loses its workers: who comes back was not its victim") {
  lease_table t{10s};
  node_key n{1, 0, 1};
  auto now = t0;
  t.attached("a", "a/boot");
  for (std::uint32_t i = 1; i < 9; ++i) { // out of reach again and again, the process alive
    REQUIRE(t.grant(a_job(1, i), "a", "d", now));
    if (i % 2)
      REQUIRE(t.worker_lost("a").size() == 1);
    else
      REQUIRE(t.expire(now += 11s).size() == 1);
    CHECK(t.losses(n) == 1);
    t.attached("a", "a/boot");
    CHECK(t.losses(n) == 0);
  }
  for (std::uint32_t i = 9; i < 12; ++i) { // another process each time: these ended
    CHECK_FALSE(t.poisoned(n));
    t.attached("a", "a/boot " + std::to_string(i));
    REQUIRE(t.grant(a_job(1, i), "a", "d", now));
    t.worker_lost("a");
  }
  CHECK(t.poisoned(n));
}

TEST_CASE("a job that lets its deadlines pass counts against its node, whoever is well afterwards") {
  lease_table t{10s};
  node_key n{1, 0, 1};
  auto now = t0;
  for (std::uint32_t i = 1; i < 4; ++i) {
    t.attached("a", "a/boot");
    REQUIRE(t.grant(a_job(1, i), "a", "d", now, now + 5s));
    REQUIRE(t.expire(now += 6s).size() == 1);
  }
  t.attached("a", "a/boot");
  CHECK(t.losses(n) == 3);
}

TEST_CASE("after a coordinator's restart a lease is adopted with its old epoch, and by one worker only") {
  lease_table t{10s};
  lease mine;
  mine.job = 1, mine.attempt = 3, mine.epoch = 5, mine.worker = "w", mine.node = {1, 0, 1};
  REQUIRE(t.adopt(mine, t0));
  CHECK(t.renew("w", {{1, 3, 5, wire::lease_stage::measuring}}, t0 + 5s).empty());
  CHECK(t.find(1)->stage == wire::lease_stage::measuring);
  auto thief = mine;
  thief.worker = "thief";
  CHECK_FALSE(t.adopt(thief, t0 + 5s));
  auto older = mine;
  older.attempt = 2;
  CHECK_FALSE(t.adopt(older, t0 + 5s));
  CHECK(t.adopt(mine, t0 + 6s)); // said again
  CHECK(t.result(1, 3, 5) == result_fate::accept);
}

TEST_CASE("beats renew a lease up to its deadline and no further") {
  lease_table t{10s};
  REQUIRE(t.grant(a_job(1), "w", "d", t0, t0 + 30s));
  for (auto at = 5s; at < 30s; at += 5s) {
    CHECK(t.expire(t0 + at).empty());
    CHECK(t.renew("w", {{1, 1, 5}}, t0 + at).empty());
  }
  CHECK(t.expire(t0 + 30s - 1ns).empty());
  auto ended = t.expire(t0 + 30s);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].until > t0 + 30s);
}

TEST_CASE("a hello moves no deadline that is known already") {
  lease_table t{10s};
  REQUIRE(t.grant(a_job(1), "w", "d", t0, t0 + 30s));
  auto again = *t.find(1);
  again.deadline = t0 + 90s;
  REQUIRE(t.adopt(again, t0 + 25s));
  CHECK(t.find(1)->deadline == t0 + 30s);
  REQUIRE(t.expire(t0 + 30s).size() == 1);
  CHECK_FALSE(t.adopt(again, t0 + 31s)); // or it would be lost, and counted against its node, once more
  CHECK(t.losses({1, 0, 1}) == 1);
}

TEST_CASE("nobody's lease ends for the time in which its keeper stood still") {
  lease_table t{10s};
  t.grant(a_job(1), "w", "d", t0, t0 + 60s);
  t.stood_still(14s, t0 + 14s);
  CHECK(t.expire(t0 + 34s - 1ns).empty()); // two terms, in which its worker attaches again
  CHECK(t.renew("w", {{1, 1, 5}}, t0 + 33s).empty());
  CHECK(t.expire(t0 + 42s).empty());
  CHECK(t.expire(t0 + 43s).size() == 1);
  t.grant(a_job(2), "w", "d", t0, t0 + 20s);
  t.stood_still(14s, t0 + 14s);
  CHECK(t.expire(t0 + 34s - 1ns).empty()); // its deadline, moved by as much
  CHECK(t.expire(t0 + 34s).size() == 1);
}

TEST_CASE("a worker declines its own leases only") {
  lease_table t{10s};
  t.grant(a_job(1), "w", "d", t0);
  CHECK_FALSE(t.release("v", 1, 1));
  CHECK(t.release("w", 1, 1));
}

TEST_CASE("cancelled jobs give up their lease") {
  lease_table t{10s};
  t.grant(a_job(1), "w", "d", t0);
  auto held = t.close(1);
  REQUIRE(held);
  CHECK(held->worker == "w");
  CHECK_FALSE(t.close(1));
  CHECK(t.renew("w", {{1, 1, 5}}, t0).size() == 1);
}

TEST_CASE("whatever happens, a job has at most one holder and at most one accepted result") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random{seed};
    lease_table t{5s};
    auto now = t0;
    struct sent {
      std::uint64_t job;
      std::uint32_t attempt;
      std::uint64_t epoch;
      std::string worker;
    };
    std::vector<sent> granted;
    std::map<std::uint64_t, std::uint32_t> attempts;
    std::map<std::uint64_t, int> accepted;
    std::set<std::uint64_t> done;
    auto worker = [&] { return "w" + std::to_string(random() % 4); };
    for (int step = 0; step < 300; ++step) {
      now += std::chrono::milliseconds{random() % 1500};
      switch (random() % 6) {
      case 0:
      case 1: {
        std::uint64_t id = 1 + random() % 10;
        if (!done.count(id) && !t.find(id)) {
          auto j = a_job(id, ++attempts[id]);
          auto w = worker();
          REQUIRE(t.grant(j, w, "d", now));
          granted.push_back({id, j.attempt, j.epoch, w});
        }
        break;
      }
      case 2: {
        auto w = worker();
        std::vector<wire::lease_ref> refs;
        for (auto& g : granted)
          if (g.worker == w && random() % 2)
            refs.push_back({g.job, g.attempt, g.epoch});
        for (auto& strange : t.renew(w, refs, now)) {
          auto l = t.find(strange.job);
          CHECK((!l || l->worker != w || l->attempt != strange.attempt));
        }
        break;
      }
      case 3:
        for (auto& l : t.expire(now))
          CHECK(l.until <= now);
        break;
      case 4:
        t.worker_lost(worker());
        break;
      default:
        if (!granted.empty()) {
          auto& g = granted[random() % granted.size()];
          auto fate = t.result(g.job, g.attempt, g.epoch);
          if (fate == result_fate::accept) {
            CHECK(++accepted[g.job] == 1);
            CHECK(g.attempt == attempts[g.job]);
            done.insert(g.job);
          } else {
            CHECK((fate == result_fate::unknown) == (done.count(g.job) == 1));
          }
        }
      }
      std::size_t held = 0;
      for (int w = 0; w < 4; ++w)
        held += t.held_by("w" + std::to_string(w)).size();
      CHECK(held == t.live());
    }
  }
}
