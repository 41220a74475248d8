#include "knowledge/prompt/shortened_diff.hpp"
#include "runtime/text/text_diff.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace ke;

namespace {

/// Forty lines; those from `first` on, `count` of them, say something else.
std::string lines(int first, int count, const std::string& last = "the end") {
  std::string text;
  for (int i = 1; i <= 40; ++i)
    text += (i >= first && i < first + count ? "changed line " : "line ") + std::to_string(i) + "\n";
  return text + last + "\n";
}

} // namespace

TEST_CASE("Bug: a diff was cut before the change that mattered") {
  auto diff = unified_diff(lines(0, 0), lines(5, 20, "the new end"), "a", "b", 1);
  REQUIRE(diff.size() > 400);
  CHECK(shortened_diff(diff, diff.size()) == diff);
  auto shown = shortened_diff(diff, 300);
  CHECK(shown.find("[left out, at line 4: 20 lines for 20]\n") != std::string::npos);
  CHECK(shown.find("changed line") == std::string::npos);
  CHECK(shown.find("-the end\n+the new end\n") != std::string::npos);
  CHECK(shown.starts_with("--- a\n+++ b\n"));
  CHECK(shown.size() < 360);
}

TEST_CASE("a diff of one long change is cut at the end of a line") {
  auto diff = unified_diff(lines(0, 0), lines(5, 30), "a", "b", 1);
  auto shown = shortened_diff(diff, 120);
  CHECK(shown.size() < 130);
  CHECK(shown.ends_with("\n[cut]\n"));
  CHECK(diff.starts_with(shown.substr(0, shown.size() - 6)));
}
