#include "runtime/llm/retry.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace std::chrono_literals;

namespace {
const failure limited{failure_kind::rate_limited, "", true};
const failure broken{failure_kind::server_error, "", true};
const failure malformed{failure_kind::malformed, "", true};
} // namespace

TEST_CASE("transport failures are retried with a doubling, jittered wait and then given up") {
  retry_history low{{4, 2, 1000ms, 3000ms, 3600s}}, high{{4, 2, 1000ms, 3000ms, 3600s}};
  for (auto full : {1000ms, 2000ms, 3000ms}) {
    CHECK(low.fail(broken, {}, 0.0) == full / 2);
    CHECK(high.fail(broken, {}, 1.0) == full);
  }
  CHECK_FALSE(low.fail(broken, {}, 0.0));
  CHECK(low.failures() == 4);
}

TEST_CASE("a Retry-After is never undercut, and not all come at once") {
  retry_history a, b;
  CHECK(a.fail(limited, 7s, 0.0) == 7s);
  auto spread = b.fail(limited, 7s, 0.9);
  REQUIRE(spread);
  CHECK(*spread > 7s);
  CHECK(*spread < 8s);
  CHECK_FALSE(retry_history{}.fail(limited, 7200s, 0.0));
}

TEST_CASE("a malformed or empty answer is retried once, what the model or the account refuses never") {
  retry_history h;
  CHECK(h.fail(malformed, {}, 0.5));
  CHECK_FALSE(h.fail(malformed, {}, 0.5));
  for (auto kind : {failure_kind::auth, failure_kind::credit, failure_kind::refused, failure_kind::too_large,
                    failure_kind::no_code, failure_kind::cancelled}) {
    CHECK_FALSE(retry_history{}.fail({kind, "", false}, {}, 0.5));
    CHECK_FALSE(retry_history{}.fail({kind, "", true}, {}, 0.5));
  }
  CHECK_FALSE(retry_history{}.fail({failure_kind::server_error, "404", false}, {}, 0.5));
}
