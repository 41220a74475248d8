#include "knowledge/prompt/directions.hpp"
#include "knowledge/prompt/prompt_budget.hpp"
#include "runtime/search/policy/counter_random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace ke;

namespace {

weighed_section section(const std::string& name, double value, std::size_t bytes, bool required = false) {
  return {{std::string(bytes, 'x'), false, name}, value, required};
}

std::uint64_t tokens_of(const prompt& p) {
  std::uint64_t sum = 0;
  for (const auto& s : p.sections)
    sum += token_estimate(s.text.size());
  return sum;
}

} // namespace

TEST_CASE("the least valuable sections go first, and the rest keeps its order") {
  auto p = fit_prompt(
      {section("a", 5, 300), section("b", 1, 300), section("c", 9, 300), section("d", 3, 300)}, 200);
  REQUIRE(p.sections.size() == 2);
  CHECK(p.sections[0].name == "a");
  CHECK(p.sections[1].name == "c");
  CHECK(std::set<std::string>(p.dropped.begin(), p.dropped.end()) == std::set<std::string>{"b", "d"});
  CHECK(fit_prompt({section("a", 1, 3000)}, 0).dropped.empty()); // no limit
}

TEST_CASE("among sections of one value the longest goes first, required ones never") {
  auto p =
      fit_prompt({section("short", 1, 30), section("long", 1, 3000), section("must", 0, 3000, true)}, 1100);
  REQUIRE(p.dropped.size() == 1);
  CHECK(p.dropped[0] == "long");
  CHECK(fit_prompt({section("must", 0, 3000, true)}, 10).sections.size() == 1);
}

TEST_CASE("a prompt keeps within its budget whatever its sections are, and drops no more than it must") {
  random_source random{3, 3};
  for (int round = 0; round < 300; ++round) {
    std::vector<weighed_section> all;
    for (auto i = 0u; i < 1 + random.below(20); ++i)
      all.push_back(section(std::to_string(i), static_cast<double>(random.below(6)), random.below(5000)));
    auto budget = 1 + random.below(8000);
    auto p = fit_prompt(all, budget);
    CHECK(tokens_of(p) <= budget);
    CHECK(p.sections.size() + p.dropped.size() == all.size());
    if (p.dropped.empty())
      continue;
    double worst_kept = 1e9, best_dropped = -1;
    std::size_t last = 0; // the smallest of the most valuable that were dropped: with it there was no room
    for (const auto& s : all)
      if (std::find(p.dropped.begin(), p.dropped.end(), s.what.name) == p.dropped.end())
        worst_kept = std::min(worst_kept, s.value);
      else if (s.value > best_dropped || (s.value == best_dropped && s.what.text.size() < last)) {
        best_dropped = s.value;
        last = s.what.text.size();
      }
    CHECK(best_dropped <= worst_kept);
    CHECK(tokens_of(p) + token_estimate(last) > budget);
  }
}

TEST_CASE("attempts that are asked at the same time get different directions") {
  for (auto operation : {operation_kind::draft, operation_kind::improve})
    for (auto style : {direction_style::native, direction_style::python, direction_style::device})
      for (auto bottleneck :
           {"memory", "compute", "latency", "occupancy", "frontend", "overhead", "", "odd"}) {
        for (auto family : {"norm", "matmul", "conv", "attention", "search"}) {
          std::set<std::string_view> seen;
          for (std::uint32_t n = 0; n < 3; ++n)
            seen.insert(direction_of(operation, style, family, bottleneck, n));
          CHECK(seen.size() == 3);
          CHECK_FALSE(seen.contains(""));
        }
      }
  CHECK(direction_of(operation_kind::fix, direction_style::native, "norm", "memory", 0).empty());
  CHECK(direction_of(operation_kind::improve, direction_style::native, "norm", "memory", 0) !=
        direction_of(operation_kind::improve, direction_style::native, "norm", "compute", 0));
}

TEST_CASE("directions speak of the machine that the kernel is for") {
  const std::vector<std::string> of_devices{"SM", "warp", "launch", "tensor core", "coalesced"},
      of_hosts{"cache line", "vectorise", "thread start", "vectors of this target", "prefetch"};
  for (auto operation : {operation_kind::draft, operation_kind::improve})
    for (auto bottleneck : {"memory", "compute", "latency", "occupancy", "frontend", "overhead", ""})
      for (std::uint32_t n = 0; n < 8; ++n) {
        for (auto family : {"norm", "matmul", "conv", "attention", "search"})
          for (const auto& word : of_hosts)
            CHECK(direction_of(operation, direction_style::device, family, bottleneck, n).find(word) ==
                  std::string_view::npos);
        for (const auto& word : of_devices)
          if (word != "launch" ||
              operation == operation_kind::draft) // PyTorch's operators are launched on a CPU as well
            CHECK(direction_of(operation, direction_style::native, "norm", bottleneck, n).find(word) ==
                  std::string_view::npos);
      }
}

TEST_CASE("drafts of a product on a device are told nothing of rows") {
  std::set<std::string_view> of_rows, of_products;
  for (std::uint32_t n = 0; n < 5; ++n) {
    of_rows.insert(direction_of(operation_kind::draft, direction_style::device, "norm", "", n));
    of_products.insert(direction_of(operation_kind::draft, direction_style::device, "matmul", "", n));
  }
  for (auto d : of_products)
    CHECK_FALSE(of_rows.contains(d));
}
