#include "runtime/core/geometric_mean.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace ke;

namespace {

std::optional<double> mean_of(const std::vector<std::optional<double>>& scores) {
  return geometric_mean(scores, [](const auto& s) { return s; });
}

} // namespace

TEST_CASE("the mean over targets is geometric, zero beside a zero, and none beside a missing one") {
  CHECK(*mean_of({2.0, 8.0}) == Approx(4));
  CHECK(*mean_of({0.5, 2.0, 3.0}) == Approx(std::cbrt(3)));
  CHECK(*mean_of({1.7}) == Approx(1.7));
  CHECK(*mean_of({0.0, 2.0}) == 0);
  CHECK_FALSE(mean_of({}));
  for (auto missing : {std::optional<double>{}, std::optional{-1.0}, std::optional{std::nan("")}}) {
    CHECK_FALSE(mean_of({missing}));
    CHECK_FALSE(mean_of({0.0, missing}));
    CHECK_FALSE(mean_of({missing, 0.0}));
  }
}
