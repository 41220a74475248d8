#include "runtime/core/stable_order.hpp"

#include <catch2/catch.hpp>

#include <memory>

TEST_CASE("a stable order keeps equal elements as they were, and moves what cannot be copied") {
  std::vector<std::pair<int, int>> all{{2, 0}, {1, 1}, {2, 2}, {0, 3}, {1, 4}};
  ke::order_stably(all, [](const auto& a, const auto& b) { return a.first < b.first; });
  CHECK(all == std::vector<std::pair<int, int>>{{0, 3}, {1, 1}, {1, 4}, {2, 0}, {2, 2}});
  std::vector<std::unique_ptr<int>> owned;
  for (int x : {3, 1, 2})
    owned.push_back(std::make_unique<int>(x));
  ke::order_stably(owned, [](const auto& a, const auto& b) { return *a < *b; });
  CHECK(*owned[0] + 10 * *owned[1] + 100 * *owned[2] == 321);
}
