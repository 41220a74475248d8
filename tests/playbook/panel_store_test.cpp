// After the candidates' own includes, as in a candidate.
#include "runtime/playbook/write/includes.h"

#include "runtime/playbook/plan/panel_store.h"

#include <catch2/catch.hpp>

TEST_CASE("room for panels lies on cache lines, with a vector's width behind its last element") {
  for (int64_t count : {0, 1, 63, 1000}) {
    auto floats = ke_panel_room<float>(count);
    auto doubles = ke_panel_room<double>(count);
    CHECK(reinterpret_cast<std::uintptr_t>(floats.get()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(doubles.get()) % 64 == 0);
    std::memset(doubles.get(), 0, static_cast<std::size_t>(count + 64) * sizeof(double));
    CHECK(doubles.get()[count + 63] == 0);
  }
}

TEST_CASE("what a panel's rows do not use is zero, and the rest stays") {
  std::vector<float> panel(12, 7);
  ke_panel_zeros(panel.data(), 3, 4, 1);
  CHECK(panel == std::vector<float>{7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0});
  ke_panel_zeros(panel.data(), 3, 4, 4);
  CHECK(panel[0] == 7);
}
