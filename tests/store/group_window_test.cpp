#include "runtime/store/group_window.hpp"

#include <catch2/catch.hpp>

using ke::group_window;
using namespace std::chrono_literals;

TEST_CASE("a first batch and a lone writer wait for nobody") {
  group_window w;
  CHECK(w.wait_with(1) == 0ns);
  w.served(1, 20ms);
  CHECK(w.wait_with(1) == 0ns);
}

TEST_CASE("after a large group the next one waits for its return, an eighth of a transaction at most") {
  group_window w;
  w.served(100, 16ms);
  CHECK(w.wait_with(1) == 2ms);
  CHECK(w.wait_with(49) == 2ms);
  CHECK(w.wait_with(50) == 0ns);
  CHECK(w.enough() == 100);
}

TEST_CASE("a slow disk does not stretch the wait beyond its ceiling, a fast one hardly waits") {
  group_window w;
  w.served(100, 2s);
  CHECK(w.wait_with(3) == group_window::longest);
  w.served(100, 80us);
  CHECK(w.wait_with(3) == 10us);
}
