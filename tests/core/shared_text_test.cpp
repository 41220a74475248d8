#include "runtime/core/shared_text.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("equal texts from one pool are one text") {
  text_pool pool;
  auto a = pool.one_of("rules"), b = pool.one_of("rules"), c = pool.one_of("task");
  CHECK(a.is(b));
  CHECK_FALSE(a.is(c));
  CHECK(a.str() == "rules");
  CHECK(c.size() == 4);
  CHECK(shared_text{}.empty());
}

TEST_CASE("a full pool forgets what nobody else holds, and shares no more than it may") {
  text_pool pool{2};
  auto held = pool.one_of("held");
  pool.one_of("gone");
  auto third = pool.one_of("third"); // takes the place of "gone"
  CHECK(pool.one_of("held").is(held));
  CHECK(pool.one_of("third").is(third));
  auto fourth = pool.one_of("fourth");
  CHECK(fourth.str() == "fourth");
  CHECK_FALSE(pool.one_of("fourth").is(fourth));
}
