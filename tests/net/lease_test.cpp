#include "runtime/net/lease.hpp"

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
  CHECK(t.next_expiry() == t0 + 10s);
  CHECK(t.renew("w", {{1, 1, 5, wire::lease_stage::building}}, t0 + 9s).empty());
  CHECK(t.expire(t0 + 18s).empty());
  CHECK(t.find(1)->stage == wire::lease_stage::building);
  auto ended = t.expire(t0 + 19s);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].worker == "w");
  CHECK(t.live() == 0);
  CHECK(t.losses({1, 0, 1}) == 1);
  CHECK(t.next_expiry() == lease_table::time_point::max());
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
  CHECK(t.release(1, 1));
  CHECK_FALSE(t.release(1, 1));
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

TEST_CASE("after a coordinator's restart open leases are adopted with their old epoch and others revoked") {
  lease_table t{10s};
  auto open_job = a_job(1, 3, 5);
  auto newer = a_job(2, 4, 5);
  auto open = [&](std::uint64_t id) -> const job* {
    return id == 1 ? &open_job : id == 2 ? &newer : nullptr;
  };
  auto others = t.adopt("w", {{1, 3, 5, wire::lease_stage::measuring}, {2, 3, 5}, {7, 1, 5}}, open, t0);
  REQUIRE(others.size() == 2);
  CHECK(others[0].job == 2);
  CHECK(others[1].job == 7);
  CHECK(t.renew("w", {{1, 3, 5}}, t0 + 5s).empty());
  CHECK(t.find(1)->stage == wire::lease_stage::queued); // as the beat said
  // A second worker that claims the same attempt does not take it away.
  CHECK(t.adopt("thief", {{1, 3, 5}}, open, t0 + 5s).size() == 1);
  CHECK(t.result(1, 3, 5) == result_fate::accept);
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
