#include "runtime/playbook/write/lanes.h"

#include <catch2/catch.hpp>

#include <array>
#include <numeric>
#include <vector>

namespace {

/// Distance in units of the last place of a float.
template <class F, class G>
double worst_ulps(F ours, G exact, double from, double to) {
  using lane = vec<float, 8>;
  double worst = 0;
  constexpr int steps = 20'000;
  for (int i = 0; i < steps; i += 8) {
    std::array<float, 8> x{}, y{};
    for (int k = 0; k < 8; ++k)
      x[static_cast<std::size_t>(k)] = static_cast<float>(from + (to - from) * (i + k) / steps);
    ke_store(y.data(), ours(ke_load<lane>(x.data())));
    for (std::size_t k = 0; k < 8; ++k) {
      auto right = exact(static_cast<double>(x[k]));
      auto near = static_cast<float>(right);
      auto ulp = std::nextafter(std::abs(near), std::numeric_limits<float>::infinity()) - std::abs(near);
      worst = std::max(worst, std::abs(static_cast<double>(y[k]) - right) / static_cast<double>(ulp));
    }
  }
  return worst;
}

} // namespace

TEST_CASE("the lanes' functions are as exact as their comment says") {
  CHECK(worst_ulps([](auto x) { return ke_exp(x); }, [](double x) { return std::exp(x); }, -80, 80) < 2);
  CHECK(worst_ulps([](auto x) { return ke_tanh(x); }, [](double x) { return std::tanh(x); }, -6, 6) < 3);
  CHECK(worst_ulps([](auto x) { return ke_erf(x); }, [](double x) { return std::erf(x); }, -3.5, 3.5) < 3);
  CHECK(worst_ulps([](auto x) { return ke_log(x); }, [](double x) { return std::log(x); }, 1e-3, 1e4) < 3);
}

TEST_CASE("lanes are loaded and stored as they stand, also with a stride, and folded and summed in order") {
  using lane = vec<float, 4>;
  std::vector<float> from(16), to(16);
  std::iota(from.begin(), from.end(), 1.0f);
  ke_scatter(to.data(), 3, ke_gather<lane>(from.data(), 2));
  CHECK(to == std::vector<float>{1, 0, 0, 3, 0, 0, 5, 0, 0, 7, 0, 0, 0, 0, 0, 0});
  auto x = ke_load<lane>(from.data());
  CHECK(ke_fold(10.0f, x, [](float a, float b) { return ke_add(a, b); }) == 20);
  CHECK(ke_fold(0.0f, x, [](float a, float b) { return ke_max(a, b); }) == 4);
  std::array<float, 4> sums{};
  ke_store(sums.data(), ke_prefix(x));
  CHECK(sums == std::array<float, 4>{1, 3, 6, 10});
  ke_store(sums.data(), ke_iota<lane>(5) - ke_splat<lane>(5.0f));
  CHECK(sums == std::array<float, 4>{0, 1, 2, 3});
}

TEST_CASE("half precision rounds to nearest, ties to even, and keeps what is no number") {
  using lane = vec<float, 4>;
  std::array<float, 4> x{1.0f, 1.00390625f, 1.01171875f, std::numeric_limits<float>::quiet_NaN()}, y{};
  ke_store(y.data(), ke_lanes_bf16_to_float(ke_lanes_float_to_bf16(ke_load<lane>(x.data()))));
  CHECK(y[0] == 1.0f);
  CHECK(y[1] == 1.0f);      // a tie, to the even neighbour
  CHECK(y[2] == 1.015625f); // a tie, to the even neighbour above
  CHECK(std::isnan(y[3]));
}
