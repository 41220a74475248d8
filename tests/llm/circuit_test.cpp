#include "runtime/llm/circuit.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace std::chrono_literals;

namespace {
const failure down{failure_kind::connection, "down", true};
const circuit::time_point zero{};
} // namespace

TEST_CASE(
    "a circuit opens after so many failures in a row, lets one probe through, and closes when it succeeds") {
  circuit c{{3, 10s, 60s}};
  for (int i = 0; i < 2; ++i) {
    REQUIRE(c.admit(zero));
    c.fail(down, {}, zero);
  }
  CHECK(c.state() == circuit_state::closed);
  c.fail(down, {}, zero);
  CHECK(c.state() == circuit_state::open);
  CHECK(c.why().text == "down");
  CHECK_FALSE(c.admit(zero + 9s));
  CHECK(c.next(zero) == zero + 10s);
  CHECK(c.admit(zero + 10s));
  CHECK(c.state() == circuit_state::half_open);
  CHECK_FALSE(c.admit(zero + 10s));
  CHECK_FALSE(c.next(zero + 10s));
  c.success();
  CHECK(c.state() == circuit_state::closed);
  CHECK(c.admit(zero + 10s));
}

TEST_CASE("each failed probe doubles the pause up to the ceiling") {
  circuit c{{1, 10s, 35s}};
  auto now = zero;
  c.fail(down, {}, now);
  for (auto pause : {10s, 20s, 35s, 35s}) {
    CHECK_FALSE(c.admit(now + pause - 1ms));
    now += pause;
    REQUIRE(c.admit(now));
    c.fail(down, {}, now);
  }
}

TEST_CASE("a success between failures keeps it closed, and answer faults are successes of the provider") {
  circuit c{{2, 10s, 60s}};
  for (int i = 0; i < 5; ++i) {
    c.fail(down, {}, zero);
    c.fail({failure_kind::malformed, "", true}, {}, zero);
  }
  CHECK(c.state() == circuit_state::closed);
}

TEST_CASE("a Retry-After holds the provider without opening its circuit") {
  circuit c;
  c.fail({failure_kind::rate_limited, "", true}, 7s, zero);
  CHECK(c.state() == circuit_state::closed);
  CHECK_FALSE(c.admit(zero + 6s));
  CHECK(c.next(zero) == zero + 7s);
  CHECK(c.admit(zero + 7s));
}

TEST_CASE("a refused key, an empty account or a missing program blocks until a person says go on") {
  for (auto kind : {failure_kind::auth, failure_kind::credit, failure_kind::missing}) {
    circuit c;
    c.fail({kind, "pay", false}, {}, zero);
    CHECK(c.state() == circuit_state::blocked);
    CHECK_FALSE(c.admit(zero + 1000h));
    CHECK_FALSE(c.next(zero));
    c.success(); // a late answer of before
    CHECK(c.state() == circuit_state::blocked);
    c.reset();
    CHECK(c.admit(zero));
  }
}

TEST_CASE("late failures of requests that left before it opened do not lengthen the pause, and a cancelled "
          "probe gives way to another") {
  circuit c{{1, 10s, 60s}};
  c.fail(down, {}, zero);
  c.fail(down, {}, zero + 1s);
  CHECK(c.next(zero + 1s) == zero + 10s);
  REQUIRE(c.admit(zero + 10s));
  c.fail({failure_kind::cancelled, "", false}, {}, zero + 11s);
  CHECK(c.admit(zero + 11s));
}

TEST_CASE("a provider that takes no request as configured is blocked until a person says go on") {
  circuit c;
  c.block({failure_kind::server_error, "no such model", false});
  CHECK(c.state() == circuit_state::blocked);
  CHECK_FALSE(c.admit(zero + 24h));
  CHECK(c.why().text == "no such model");
  c.reset();
  CHECK(c.admit(zero));
}
