// What the device's comparison lets pass, the host's check lets pass as well.
#include "backends/device/judge_device.hpp"
#include "backends/judge/expectation.hpp"
#include "backends/judge/inputs.hpp"
#include "tests/device/fake_judge_device.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

using namespace ke;
using ke_test::fake_judge_device;

namespace {

/// Results of all sizes, and others that are about as far from them as a rule allows, or not finite.
struct results {
  results(dtype d, const comparison_rule& rule, std::size_t n, random_source& random)
      : usual(n * bytes_of(d), '\0'), own(usual) {
    const double odd[] = {0.0, -0.0, 1e-320, 1e-40, 6e-8, 65504, 1e30, infinite, -infinite, std::nan("")};
    for (std::size_t i = 0; i < n; ++i) {
      double r = random.below(8) == 0
                     ? odd[random.below(std::size(odd))]
                     : random.normal() * std::exp2(static_cast<double>(random.below(24)) - 12);
      set_element(d, usual.data(), i, r);
      r = element(d, usual.data(), i);
      double bound = rule.larger ? std::max(rule.relative * std::fabs(r), rule.absolute)
                                 : rule.relative * std::fabs(r) + rule.absolute;
      double by = bound * (random.below(2) ? 1 + 0.01 * random.normal() : 2 * random.uniform());
      double y = random.below(16) == 0 ? odd[random.below(std::size(odd))]
                 : random.below(2)     ? r + by
                                       : r - by;
      set_element(d, own.data(), i, y);
    }
  }
  std::string usual, own;
};

void compare(dtype d, device_number form, const comparison_rule& rule, random_source& random) {
  constexpr std::size_t n = 4000;
  const results some{d, rule, n, random};
  auto a = fake_judge_device().take(std::string_view{some.usual}),
       b = fake_judge_device().take(std::string_view{some.own});
  REQUIRE(a);
  REQUIRE(b);
  std::vector<device_compared> parts;
  auto size = bytes_of(d);
  for (std::uint32_t i = 0; i < n; ++i)
    parts.push_back({(*a)->at() + i * size, (*b)->at() + i * size, 1, i, form, rule.larger ? 1u : 0u,
                     rule.relative, rule.absolute});
  auto near = fake_judge_device().agree(parts, n);
  REQUIRE(near);
  std::size_t passed = 0, allowed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    auto host = check(expect(d, some.usual.data() + i * size, false, 1, rule), some.own.data() + i * size);
    INFO(to_text(d) << ": " << element(d, some.usual.data(), i) << " and " << element(d, some.own.data(), i));
    REQUIRE(((*near)[i] ? host.failed == 0 : true));
    passed += (*near)[i];
    allowed += host.failed == 0;
  }
  CHECK(passed > n / 4);
  CHECK(passed + n / 4 > allowed); // few are looked at twice
}

} // namespace

TEST_CASE("what the device finds near, the host's check allows: every type, rules of all kinds, numbers of "
          "all sizes") {
  random_source random{5};
  for (auto [d, form] : {std::pair{dtype::f32, device_number::f32},
                         {dtype::f16, device_number::f16},
                         {dtype::bf16, device_number::bf16},
                         {dtype::f64, device_number::f64}})
    for (bool larger : {false, true})
      for (double relative : {0.0, 1e-6, 1e-3, 0.05})
        for (double absolute : {0.0, 1e-5, 0.5})
          compare(d, form, {.larger = larger, .relative = relative, .absolute = absolute}, random);
}
