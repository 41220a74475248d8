#include "runtime/observe/counters.hpp"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

using namespace ke;

TEST_CASE("a counter is made at first use and its reference stays good") {
  auto& a = counters::get("test.a");
  a = 5;
  for (int i = 0; i < 1000; ++i)
    counters::get("test.many." + std::to_string(i));
  CHECK(&counters::get("test.a") == &a);
  CHECK(counters::snapshot().at("test.a") == 5);
}

TEST_CASE("threads that count the same new name lose nothing") {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i)
        ++counters::get("test.shared");
    });
  for (auto& t : threads)
    t.join();
  CHECK(counters::snapshot().at("test.shared") == 4000);
}
