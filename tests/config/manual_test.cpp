#include "config/campaign_file.hpp"
#include "config/problem_file.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace {

/// The TOML between the key markers of a page of the manual.
std::string keys_in(const std::string& page) {
  std::ifstream file{std::string{ke::test::source_dir()} + "/docs/manual/" + page};
  std::stringstream all;
  all << file.rdbuf();
  const auto text = all.str();
  const std::string begin = "<!-- keys: begin -->\n```toml\n", end = "\n```\n<!-- keys: end -->";
  const auto from = text.find(begin), to = text.find(end);
  REQUIRE(from != text.npos);
  REQUIRE(to != text.npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

} // namespace

TEST_CASE("the manual lists every key of campaign.toml as the schema has it") {
  INFO("scripts/manual.sh writes the page");
  CHECK(keys_in("campaign.md") == trimmed(ke::reference_text()));
}

TEST_CASE("the manual lists every key of problem.toml as the schema has it") {
  INFO("scripts/manual.sh writes the page");
  CHECK(keys_in("problems.md") == trimmed(ke::problem_reference_text()));
}
