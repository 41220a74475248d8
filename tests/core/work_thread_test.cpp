#include "runtime/core/work_thread.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <vector>

using namespace ke;

TEST_CASE("work is done in the order in which it was posted, on one other thread") {
  std::vector<int> done;
  std::thread::id where;
  {
    work_thread work;
    for (int i = 0; i < 100; ++i)
      work.post([&, i] {
        done.push_back(i);
        where = std::this_thread::get_id();
      });
    work.wait();
    CHECK(done.size() == 100);
    CHECK(where != std::this_thread::get_id());
  }
  for (int i = 0; i < 100; ++i)
    CHECK(done[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a work thread that ends does what is queued, also what its work posts") {
  std::atomic<int> done{0};
  {
    work_thread work;
    work.post([&] {
      work.post([&] { ++done; });
      ++done;
    });
  }
  CHECK(done == 2);
}
