#include "backends/judge/edges.hpp"
#include "backends/judge/inputs.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/problems.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ke;

namespace {

constexpr distribution all[] = {distribution::init,  distribution::uniform,     distribution::large,
                                distribution::small, distribution::mostly_zero, distribution::beyond};

tensor_spec input(dtype d, const std::string& init, std::vector<std::string> range = {}) {
  tensor_spec t{"t", tensor_role::in, d, {"R", "N"}, init};
  t.range = std::move(range);
  return t;
}

std::vector<double> values(const tensor_spec& t, distribution d, random_source& random,
                           const value_limits& limits = {{{"N", 50}, {"V", 30}}, {}}) {
  problem p;
  auto bytes = draw_tensor(p, t, 200, 50, d, random, limits);
  REQUIRE(bytes);
  std::vector<double> out;
  for (std::size_t i = 0; i < 200; ++i)
    out.push_back(element(t.dtype, bytes->data(), i));
  return out;
}

} // namespace

TEST_CASE("what is sorted has a zero where other inputs are mostly zero, so that both sides of a tie are "
          "asked for") {
  // A search from above passed for one from below: no value that was looked for was ever among the sorted
  // ones.
  random_source random{22};
  for (auto again = 0; again < 8; ++again) {
    auto v = values(input(dtype::f32, "sorted"), distribution::mostly_zero, random);
    CHECK(std::count(v.begin(), v.end(), 0.0) > 0);
    auto above = values(input(dtype::f32, "sorted", {"1", "2"}), distribution::mostly_zero, random);
    CHECK(std::count(above.begin(), above.end(), 0.0) == 0);
  }
}

TEST_CASE("every distribution of a tensor with a form keeps the form") {
  random_source random{21};
  for (auto d : all)
    for (int again = 0; again < 8; ++again) {
      INFO(to_text(d));
      auto index = values(input(dtype::i32, "indices", {"0", "V"}), d, random);
      CHECK(std::all_of(index.begin(), index.end(), [](double x) { return x >= 0 && x < 30; }));
      auto mask = values(input(dtype::boolean, "mask"), d, random);
      CHECK(std::all_of(mask.begin(), mask.end(), [](double x) { return x == 0 || x == 1; }));
      auto sorted = values(input(dtype::f32, "sorted"), d, random);
      auto order = values(input(dtype::i64, "permutation"), d, random);
      auto offsets = values(input(dtype::i32, "offsets", {"0", "V"}), d, random);
      auto simplex = values(input(dtype::f32, "simplex"), d, random);
      for (std::size_t row = 0; row < 200; row += 50) {
        auto of = [&](std::vector<double>& v) {
          auto from = v.begin() + static_cast<std::ptrdiff_t>(row);
          return std::pair{from, from + 50};
        };
        CHECK(std::is_sorted(of(sorted).first, of(sorted).second));
        CHECK(std::is_sorted(of(offsets).first, of(offsets).second));
        CHECK(offsets[row] == 0);
        CHECK(offsets[row + 49] == 30);
        CHECK(std::set<double>(of(order).first, of(order).second).size() == 50);
        double sum = 0;
        for (std::size_t i = row; i < row + 50; ++i) {
          CHECK(simplex[i] >= 0);
          CHECK((order[i] >= 0 && order[i] < 50));
          sum += simplex[i];
        }
        CHECK(sum == Approx(1).epsilon(1e-5));
      }
    }
}

TEST_CASE(
    "forms are met in their extremes: nothing masked and all, an empty segment, all weight in one place") {
  random_source random{22};
  auto count = [](const std::vector<double>& v, double x) { return std::count(v.begin(), v.end(), x); };
  CHECK(count(values(input(dtype::u8, "mask"), distribution::large, random), 1) == 200);
  CHECK(count(values(input(dtype::u8, "mask"), distribution::small, random), 0) == 200);
  CHECK(count(values(input(dtype::f32, "simplex"), distribution::large, random), 1) == 4);
  auto offsets = values(input(dtype::i32, "offsets", {"0", "V"}), distribution::large, random);
  CHECK(count(offsets, 0) == 4 * 49);
}

TEST_CASE("values never leave the range that the problem gives") {
  random_source random{23};
  for (auto d : all)
    for (const auto& t :
         {input(dtype::f32, "normal", {"0", "0.5"}), input(dtype::i32, "ints", {"-3", "2*V"}),
          input(dtype::f64, "uniform", {"2", "V"}), input(dtype::i64, "sorted", {"5", "9"})}) {
      value_limits limits{{{"N", 50}, {"V", 30}}, {value_reach::full, {}}};
      auto bounds = *bounds_of(t, limits.dims);
      for (double x : values(t, d, random, limits))
        CHECK((x >= bounds.low && x <= bounds.high));
      CHECK_FALSE(bends(t));
    }
}

TEST_CASE("integers that nothing bounds have all magnitudes of their type, and their sum fits into it") {
  random_source random{24};
  for (auto [d, least, most] : {std::tuple{dtype::i32, 0x1p28, 0x1p30}, {dtype::i64, 0x1p60, 0x1p62}}) {
    auto v = values(input(d, "ints"), distribution::beyond, random, {{}, {value_reach::full, {}}});
    double largest = 0, sum = 0;
    for (double x : v) {
      largest = std::max(largest, std::fabs(x));
      sum += std::fabs(x);
    }
    CHECK(largest >= least);
    CHECK(sum <= most);
    CHECK(*std::min_element(v.begin(), v.end()) < 0);
  }
}

TEST_CASE("what init draws describes the timed data alone, unless init is promised") {
  random_source random{25};
  value_limits full{{}, {value_reach::full, {}}};
  auto negative = [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()) < 0; };
  CHECK_FALSE(negative(values(input(dtype::f32, "uniform"), distribution::init, random)));
  CHECK(negative(values(input(dtype::f32, "uniform"), distribution::beyond, random, full)));
  CHECK(negative(values(input(dtype::f16, "zeros"), distribution::beyond, random, full)));
  CHECK(negative(values(input(dtype::bf16, "onehot"), distribution::beyond, random, full)));
  auto promised = input(dtype::f32, "uniform");
  promised.promised = true;
  CHECK(reaches_of(promised, {}).empty());
  for (auto d : all)
    for (double x : values(promised, d, random))
      CHECK((x >= 0 && x < 1));
}

TEST_CASE("a scalar with a range varies within it, and one without is a constant") {
  random_source random{26};
  scalar_spec constant{"s", false, 1.5}, real{"s", false, 1, {0.5, 2}}, whole{"s", true, 3, {-2, 4}};
  std::set<double> reals, wholes;
  for (int i = 0; i < 500; ++i) {
    CHECK(draw_scalar(constant, random) == 1.5);
    reals.insert(draw_scalar(real, random));
    wholes.insert(draw_scalar(whole, random));
  }
  CHECK(reals.size() > 100);
  CHECK(*reals.begin() == 0.5);
  CHECK(*reals.rbegin() == 2);
  CHECK(wholes == std::set<double>{-2, -1, 0, 1, 2, 3, 4});
}

TEST_CASE("values beyond init are a few among usual ones, too, so that a look at a sample tells nothing") {
  // A kernel that looked at one element of 64 and then took all of an accumulator for zero was right.
  random_source random{27};
  value_limits few{{{"N", 50}, {"V", 30}}, {value_reach::full, {}, true}};
  auto other = [](const std::vector<double>& v, auto usual) {
    return std::count_if(v.begin(), v.end(), [&](double x) { return !usual(x); });
  };
  for (int again = 0; again < 20; ++again) {
    auto zeros = other(values(input(dtype::f32, "zeros"), distribution::beyond, random, few),
                       [](double x) { return x == 0; });
    CHECK((zeros >= 1 && zeros <= 3));
    auto hot = other(values(input(dtype::f32, "onehot"), distribution::beyond, random, few),
                     [](double x) { return x == 0 || x == 1; });
    CHECK(hot <= 3);
    CHECK(other(values(input(dtype::i32, "ints"), distribution::beyond, random, few),
                [](double x) { return x >= 0 && x < 8; }) <= 3);
  }
}

TEST_CASE("truth values that are drawn lack whole rows, and are never anything but 0 and 1") {
  random_source random{28};
  auto t = input(dtype::boolean, "uniform");
  REQUIRE(reaches_of(t, {}).size() == 1);
  int empty = 0, full = 0, mixed = 0;
  for (int again = 0; again < 40; ++again) {
    auto v = values(t, distribution::beyond, random, {{}, {value_reach::full, {}}});
    for (std::size_t row = 0; row < v.size(); row += 50) {
      auto ones = std::count(v.begin() + static_cast<std::ptrdiff_t>(row),
                             v.begin() + static_cast<std::ptrdiff_t>(row) + 50, 1.0);
      CHECK(std::all_of(v.begin(), v.end(), [](double x) { return x == 0 || x == 1; }));
      empty += ones == 0;
      full += ones == 50;
      mixed += ones > 0 && ones < 50;
    }
  }
  CHECK(empty > 5);
  CHECK(full > 5);
  CHECK(mixed > 20);
}

TEST_CASE("the widest reach of integers is every value of the type, and sums of them leave it") {
  random_source random{29};
  for (auto d : {dtype::i32, dtype::i8, dtype::u8}) {
    auto reach = reaches_of(input(d, "normal"), {});
    REQUIRE(reach.front().kind == value_reach::whole);
    double sum = 0, least = 0, most = 0;
    for (int again = 0; again < 10; ++again)
      for (double x : values(input(d, "normal"), distribution::beyond, random, {{}, reach.front()})) {
        sum += std::fabs(x);
        least = std::min(least, x);
        most = std::max(most, x);
      }
    if (d == dtype::u8) {
      CHECK(most == 255);
      continue;
    }
    CHECK(least == (d == dtype::i32 ? -0x1p31 : -128.0));
    CHECK(most == (d == dtype::i32 ? 0x1p31 - 1 : 127.0));
    CHECK(sum > (d == dtype::i32 ? 0x1p32 : 1e4));
  }
}
