// The judge's own work by several threads.
#include "backends/device/side_by_side.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace ke;

namespace {

struct threads_for_a_test {
  explicit threads_for_a_test(std::size_t n) { allow_threads(n); }
  ~threads_for_a_test() { allow_threads(1); }
};

} // namespace

TEST_CASE("work side by side covers all of it once, whatever its size, again and again") {
  for (std::size_t threads : {1u, 2u, 5u}) {
    threads_for_a_test some{threads};
    for (std::size_t n : {0u, 1u, 4u, 5u, 6u, 1000u})
      for (int again = 0; again < 50; ++again) {
        std::vector<std::atomic<int>> times(n);
        side_by_side(n, 1, [&](std::size_t from, std::size_t to) {
          for (auto i = from; i < to; ++i)
            ++times[i];
        });
        for (auto& t : times)
          REQUIRE(t == 1);
      }
  }
}

TEST_CASE("the same threads work again, none more than are allowed, and work within work takes none") {
  threads_for_a_test some{4};
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int again = 0; again < 20; ++again)
    side_by_side(4, 1, [&](std::size_t, std::size_t) {
      auto me = std::this_thread::get_id();
      side_by_side(8, 1, [&](std::size_t from, std::size_t to) {
        std::lock_guard lock{mutex};
        REQUIRE(to - from == 8);
        REQUIRE(std::this_thread::get_id() == me);
      });
      std::lock_guard lock{mutex};
      seen.insert(me);
    });
  CHECK(seen.size() == 4);
  CHECK(seen.count(std::this_thread::get_id()) == 1);
}
