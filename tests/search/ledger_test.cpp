#include "runtime/core/settings.hpp"
#include "runtime/search/campaign/ledger.hpp"
#include "runtime/search/policy/counter_random.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace ke;

namespace {

budget_settings small_budget() {
  budget_settings b;
  b.candidates = 20;
  b.tokens = 5000;
  b.usd = 0.5;
  b.device_hours = 0.01;
  return b;
}

bool within(const ledger& l) {
  auto s = l.spent(), r = l.reserved(), c = l.cap();
  return s.candidates + r.candidates <= c.candidates && s.tokens + r.tokens <= c.tokens &&
         s.nano_usd + r.nano_usd <= c.nano_usd && s.device_us + r.device_us <= c.device_us;
}

} // namespace

TEST_CASE("whatever is in flight, spent and reserved never exceed a cap") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ledger l{small_budget()};
    random_source random{seed};
    std::vector<amounts> held;
    amounts expected;
    for (int i = 0; i < 400; ++i) {
      if (random.uniform() < 0.6) {
        amounts a{random.below(3), random.below(900), random.below(90'000'000), random.below(6'000'000)};
        auto lacking = l.lacking(a);
        CHECK(l.reserve(a) == !lacking);
        if (!lacking)
          held.push_back(a);
      } else if (!held.empty()) {
        auto at = random.below(held.size());
        auto a = held[at];
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
        if (random.uniform() < 0.3) {
          l.release(a);
        } else {
          amounts spent{a.candidates, a.tokens ? random.below(a.tokens) : 0, a.nano_usd / 2, a.device_us};
          l.settle(a, spent);
          expected.tokens += spent.tokens;
          expected.candidates += spent.candidates;
        }
      }
      REQUIRE(within(l));
    }
    for (const auto& a : held)
      l.release(a);
    CHECK(l.reserved() == amounts{});
    CHECK(l.spent().tokens == expected.tokens);
    CHECK(l.spent().candidates == expected.candidates);
  }
}

TEST_CASE("a refused reservation names the resource that is lacking") {
  ledger l{small_budget()};
  CHECK(l.lacking({.candidates = 21}) == resource::candidates);
  CHECK(l.lacking({.tokens = 5001}) == resource::tokens);
  CHECK(l.lacking({.nano_usd = amounts::nano(0.51)}) == resource::usd);
  CHECK(l.lacking({.device_us = amounts::micro(36.1)}) == resource::device);
  CHECK_FALSE(l.lacking({20, 5000, amounts::nano(0.5), amounts::micro(36)}));
  l.settle({}, {.tokens = 6000});
  CHECK(l.exhausted() == resource::tokens);
  CHECK_FALSE(l.reserve({.tokens = 1}));
}

TEST_CASE("a cap of zero means none, and the wall clock never runs backwards") {
  budget_settings b;
  b.wall_hours = 1;
  ledger l{b};
  CHECK(l.reserve({.tokens = 1'000'000'000'000}));
  l.wall(3'600'000);
  l.wall(5);
  CHECK(l.wall_ms() == 3'600'000);
  CHECK(l.exhausted() == resource::wall);
  CHECK(l.lacking({.candidates = 1}) == resource::wall);
}
