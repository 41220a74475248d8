// f8e4m3 and f8e5m2 as numbers: conversions of the judge and of ke.h, and what results in them are held to.
#include "backends/cpu-cpp/ke.h"
#include "backends/judge/edges.hpp"
#include "backends/judge/expectation.hpp"
#include "backends/judge/fake_answers.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/number_format.hpp"
#include "runtime/core/problem.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace ke;

namespace {

const double inf = std::numeric_limits<double>::infinity();

constexpr dtype both[] = {dtype::f8e4m3, dtype::f8e5m2};

float by_helper(dtype d, std::uint8_t bits) {
  return d == dtype::f8e4m3 ? ke_f8e4m3_to_float(bits) : ke_f8e5m2_to_float(bits);
}

std::uint8_t by_helper(dtype d, float value) {
  return d == dtype::f8e4m3 ? ke_float_to_f8e4m3(value) : ke_float_to_f8e5m2(value);
}

/// How many of these results are refused, where the truth is in double precision.
std::size_t refused(dtype d, const std::vector<double>& truth, const std::vector<double>& got,
                    const comparison_rule& rule) {
  std::string bytes(got.size(), '\0');
  for (std::size_t i = 0; i < got.size(); ++i)
    set_element(d, bytes.data(), i, got[i]);
  return check(expect(d, truth.data(), true, truth.size(), rule), bytes.data()).failed;
}

/// The number that many steps from `value`, which is one of the type.
double steps_from(dtype d, double value, int steps) {
  return float8_value(d, static_cast<std::uint8_t>(float8_bits(d, value) + steps));
}

} // namespace

TEST_CASE("every pattern of eight bits is the number that its format says, and comes back from it") {
  for (auto d : both) {
    std::size_t not_numbers = 0;
    for (unsigned bits = 0; bits < 256; ++bits) {
      INFO(to_text(d) << " " << bits);
      auto b = static_cast<std::uint8_t>(bits);
      double value = float8_value(d, b);
      float helped = by_helper(d, b);
      if (std::isnan(value)) {
        ++not_numbers;
        CHECK(std::isnan(helped));
        CHECK(std::isnan(float8_value(d, float8_bits(d, value))));
        CHECK(std::isnan(by_helper(d, by_helper(d, helped))));
        continue;
      }
      CHECK(static_cast<double>(helped) == value);
      CHECK(std::signbit(helped) == (bits > 127));
      if (std::isfinite(value)) {
        CHECK(float8_bits(d, value) == b);
        CHECK(by_helper(d, helped) == b);
      }
    }
    CHECK(not_numbers == (d == dtype::f8e4m3 ? 2 : 6));
  }
  CHECK(float8_value(dtype::f8e4m3, 0x7e) == 448);
  CHECK(float8_value(dtype::f8e4m3, 0x01) == 0x1p-9);
  CHECK(float8_value(dtype::f8e4m3, 0x08) == 0x1p-6);
  CHECK(float8_value(dtype::f8e4m3, 0xb9) == -1.125);
  CHECK(float8_value(dtype::f8e5m2, 0x7b) == 57344);
  CHECK(float8_value(dtype::f8e5m2, 0x7c) == inf);
  CHECK(float8_value(dtype::f8e5m2, 0x01) == 0x1p-16);
  CHECK(float8_value(dtype::f8e5m2, 0xbd) == -1.25);
}

TEST_CASE("the judge rounds to eight bits as the helpers of candidates do, to nearest and ties to even") {
  for (auto d : both) {
    std::size_t apart = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4093) {
      auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      auto judged = float8_bits(d, value), helped = by_helper(d, value);
      apart += judged != helped;
    }
    for (std::uint32_t bits = 0; bits < 65536; ++bits) { // every bf16, where ties are
      auto value = ke_bf16_to_float(static_cast<std::uint16_t>(bits));
      apart += float8_bits(d, value) != by_helper(d, value);
    }
    CHECK(apart == 0);
    // Between each number and the next: nearer to either, and the tie.
    auto last = float8_bits(d, largest_finite(d));
    for (unsigned low = 0; low < last; ++low) {
      double a = float8_value(d, static_cast<std::uint8_t>(low)),
             b = float8_value(d, static_cast<std::uint8_t>(low + 1)), tie = (a + b) / 2;
      CHECK(float8_bits(d, std::nextafter(tie, 0)) == low);
      CHECK(float8_bits(d, std::nextafter(tie, inf)) == low + 1);
      CHECK(float8_bits(d, tie) == low + low % 2);
      CHECK(float8_bits(d, -tie) == (0x80 | (low + low % 2)));
    }
  }
}

TEST_CASE("what is too large saturates in f8e4m3 and is infinite in f8e5m2") {
  CHECK(by_helper(dtype::f8e4m3, 464.0f) == 0x7e);
  CHECK(by_helper(dtype::f8e4m3, 1e30f) == 0x7e);
  CHECK(by_helper(dtype::f8e4m3, -std::numeric_limits<float>::infinity()) == 0xfe);
  CHECK(by_helper(dtype::f8e5m2, 61439.0f) == 0x7b);
  CHECK(by_helper(dtype::f8e5m2, 61440.0f) == 0x7c);
  CHECK(by_helper(dtype::f8e5m2, -1e30f) == 0xfc);
  CHECK(sayable(dtype::f8e4m3, 500.0L) == 448);
  CHECK(sayable(dtype::f8e4m3, -static_cast<long double>(inf)) == -448);
  CHECK(sayable(dtype::f8e5m2, 61439.0L) == 61439);
  CHECK(sayable(dtype::f8e5m2, 61440.0L) == static_cast<long double>(inf));
  CHECK(std::isnan(static_cast<double>(sayable(dtype::f8e4m3, std::nanl("")))));
  // So must a result: neither a NaN nor less.
  problem p;
  auto rule = rule_for(p, dtype::f8e4m3, true);
  CHECK(refused(dtype::f8e4m3, {600, -1e9, 0.3}, {448, -448, 0.3}, rule) == 0);
  CHECK(refused(dtype::f8e4m3, {600, -1e9, 0.3}, {std::nan(""), -384, 0.3}, rule) == 2);
  rule = rule_for(p, dtype::f8e5m2, true);
  CHECK(refused(dtype::f8e5m2, {7e4, -1e9, 0.3}, {inf, -inf, 0.3}, rule) == 0);
  CHECK(refused(dtype::f8e5m2, {7e4, -1e9, 0.3}, {57344, std::nan(""), 0.3}, rule) == 2);
}

TEST_CASE("a result in eight bits is allowed its rounding, and hardly more") {
  problem p;
  CHECK(rule_for(p, dtype::f8e4m3, true).relative == Approx(0x1p-4 * (1 + 0x1p-6)).epsilon(1e-4));
  CHECK(rule_for(p, dtype::f8e5m2, true).relative == Approx(0x1p-3 * (1 + 0x1p-6)).epsilon(1e-4));
  CHECK(rule_for(p, dtype::f8e4m3, true).relative > 30 * rule_for(p, dtype::f16, true).relative);
  for (auto d : both) {
    INFO(to_text(d));
    auto rule = rule_for(p, d, true);
    std::vector<double> truth, nearest, cut, next;
    for (int i = 0; i < 400; ++i) {
      truth.push_back((i % 2 ? -1 : 1) * (1 + i / 397.0));
      nearest.push_back(float8_value(d, float8_bits(d, truth.back())));
      bool away = std::fabs(nearest.back()) > std::fabs(truth.back());
      cut.push_back(away ? steps_from(d, nearest.back(), -1) : nearest.back());
      next.push_back(steps_from(d, nearest.back(), 1));
    }
    CHECK(refused(d, truth, nearest, rule) == 0);
    CHECK(refused(d, truth, cut, rule) > 50);
    CHECK(refused(d, truth, next, rule) > 200);
    // A truth that was rounded itself may have been rounded the other way: a neighbour passes, two steps do not.
    CHECK(is_rounded(d, nearest.data(), true, nearest.size()));
    CHECK_FALSE(is_rounded(d, truth.data(), true, truth.size()));
    auto some = nearest;
    for (std::size_t i = 0; i < some.size(); i += 8)
      some[i] = next[i];
    CHECK(refused(d, nearest, some, rule) == 0);
    CHECK(refused(d, {nearest[0], nearest[1]}, {next[0], next[1]}, rule) == 0);
    CHECK(refused(d, nearest, next, rule) ==
          400); // but not of all: who cuts is at a neighbour of every second one
    CHECK(refused(d, nearest, cut, rule) > 50);
    for (auto& x : next)
      x = steps_from(d, x, 1);
    CHECK(refused(d, nearest, next, rule) > 300);
    // Next to zero steps have one size.
    double step = least_step(d);
    CHECK(refused(d, {2.4 * step, -0.45 * step, 1.51 * step}, {2 * step, 0, 2 * step}, rule) == 0);
    CHECK(refused(d, {2.4 * step, -0.45 * step, 1.51 * step}, {4 * step, step, 0}, rule) == 3);
  }
}

TEST_CASE("bitwise, one bit of one number in eight is seen, and any NaN is a NaN") {
  problem p;
  p.bitwise = true;
  for (auto d : both) {
    const std::string want{"\x7f\x00\x39\x80", 4};
    auto e = expect(d, want.data(), false, 4, rule_for(p, d, false));
    auto failed = [&](std::string got) { return check(e, got.data()).failed; };
    CHECK(failed(want) == 0);
    CHECK(failed({"\xff\x00\x39\x80", 4}) == 0);
    CHECK(failed({"\x7f\x00\x3a\x80", 4}) == 1);
    CHECK(failed({"\x7f\x00\x39\x00", 4}) == 1);
    CHECK(failed({"\x78\x00\x39\x80", 4}) == 1);
  }
}

TEST_CASE("a reference's rounding to eight bits is none of its errors") {
  problem p;
  for (auto d : both) {
    std::vector<double> truth;
    std::string said(300, '\0');
    for (std::size_t i = 0; i < 300; ++i) {
      truth.push_back(0.013 * static_cast<double>(i) - 1.7);
      set_element(d, said.data(), i, truth.back());
    }
    CHECK(reference_error(d, truth.data(), true, said.data(), 300) == 0);
    set_element(d, said.data(), 200, truth[200] + 1);
    CHECK(reference_error(d, truth.data(), true, said.data(), 300) > 0.5);
    // A rounded truth: the step to the neighbour is none either.
    std::vector<double> rounded(truth.size());
    for (std::size_t i = 0; i < 300; ++i) {
      rounded[i] = float8_value(d, float8_bits(d, truth[i]));
      set_element(d, said.data(), i, steps_from(d, rounded[i], i % 3 == 0 ? 1 : 0));
    }
    CHECK(reference_error(d, rounded.data(), true, said.data(), 300) == 0);
  }
}

TEST_CASE("a file of raw bytes initialises a tensor of eight bits, and one of raw words a bf16") {
  auto npy = [](const char* type, const std::string& data, int elements) {
    std::string header = std::string{"{'descr': '"} + type + "', 'fortran_order': False, 'shape': (" +
                         std::to_string(elements) + ",), }";
    header.resize(117, ' ');
    header += '\n';
    return std::string{"\x93NUMPY\x01\x00\x76\x00", 10} + header + data;
  };
  random_source random{3};
  problem p;
  p.files["e.npy"] = npy("|u1", {"\x38\xb9\x7e\x01", 4}, 4);
  p.files["b.npy"] = npy("<u2", {"\x80\x3f\x00\xc0", 4}, 2);
  auto bytes =
      draw_tensor(p, {"e", tensor_role::in, dtype::f8e4m3, {"N"}, "e.npy"}, 4, 4, distribution::init, random);
  REQUIRE(bytes);
  CHECK(*bytes == std::string{"\x38\xb9\x7e\x01", 4});
  bytes =
      draw_tensor(p, {"b", tensor_role::in, dtype::bf16, {"N"}, "b.npy"}, 2, 2, distribution::init, random);
  REQUIRE(bytes);
  CHECK(element(dtype::bf16, bytes->data(), 0) == 1);
  CHECK(element(dtype::bf16, bytes->data(), 1) == -2);
}

TEST_CASE("rounding to eight bits carries no value out of its range") {
  random_source random{4};
  problem p;
  tensor_spec t{"x", tensor_role::in, dtype::f8e5m2, {"N"}, "uniform"};
  t.range = {"0.1", "0.7"}; // 0.7 rounds to 0.75
  value_limits limits{{{"N", 4000}}, {value_reach::full, {}}};
  for (auto d : {distribution::init, distribution::large, distribution::beyond}) {
    auto bytes = draw_tensor(p, t, 4000, 4000, d, random, limits);
    REQUIRE(bytes);
    std::size_t outside = 0;
    for (std::size_t i = 0; i < 4000; ++i) {
      double x = element(t.dtype, bytes->data(), i);
      outside += x < 0.1 || x > 0.7;
    }
    CHECK(outside == 0);
  }
}
