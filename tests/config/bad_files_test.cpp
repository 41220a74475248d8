#include "config/campaign_file.hpp"
#include "config/problem_file.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace ke;

namespace {

const std::filesystem::path folder = std::filesystem::path{ke::test::source_dir()} / "tests/config/bad";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The head of a bad file: one "# expect: LINE:COL KEY substring" for each error, in order; "missing" and
/// "warning" likewise.
struct expectation {
  std::uint32_t line = 0, col = 0;
  std::string key, substring;
};

std::vector<expectation> expected(const std::string& text, const std::string& kind) {
  std::vector<expectation> all;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line) && line.starts_with("# ");) {
    if (!line.starts_with("# " + kind + ": "))
      continue;
    std::istringstream words{line.substr(kind.size() + 4)};
    expectation e;
    char colon = 0;
    words >> e.line >> colon >> e.col >> e.key >> std::ws;
    std::getline(words, e.substring);
    if (e.key == "-")
      e.key.clear();
    all.push_back(e);
  }
  return all;
}

void compare(const std::vector<config_error>& found, const std::vector<expectation>& wanted) {
  std::string all;
  for (const auto& e : found)
    all += to_line(e) + "\n";
  INFO(all);
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].line == wanted[i].line);
    CHECK(found[i].col == wanted[i].col);
    CHECK(found[i].key == wanted[i].key);
    CHECK(found[i].text.find(wanted[i].substring) != std::string::npos);
  }
}

std::vector<std::filesystem::path> files_in(const char* sub) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder / sub})
    if (entry.path().extension() == ".toml")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

TEST_CASE("every bad campaign file gets exactly the errors that its head announces") {
  auto files = files_in("campaign");
  CHECK(files.size() >= 60);
  for (const auto& file : files) {
    INFO(file);
    auto text = text_of(file);
    auto load = parse_campaign(text, {file.string(), folder.string(), "/home/user", {}});
    compare(load.errors, expected(text, "expect"));
    compare(load.missing, expected(text, "missing"));
    compare(load.warnings, expected(text, "warning"));
    CHECK(load.errors.size() + load.missing.size() + load.warnings.size() > 0);
  }
}

TEST_CASE("every bad problem file gets exactly the errors that its head announces") {
  auto files = files_in("problem");
  CHECK(files.size() >= 40);
  for (const auto& file : files) {
    INFO(file);
    auto wanted = expected(text_of(file), "expect");
    CHECK_FALSE(wanted.empty());
    compare(load_problem(file.string()).errors, wanted);
  }
}

TEST_CASE("no error shows the value of a secret") {
  for (const auto& file : files_in("campaign")) {
    if (!file.filename().string().starts_with("secret_"))
      continue;
    INFO(file);
    auto load = parse_campaign(text_of(file), {file.string(), folder.string(), "/home/user", {}});
    for (const auto& e : load.errors)
      for (auto secret : {"\"abc\"", "sk-", "Zq3v", "me:pass"})
        CHECK(to_line(e).find(secret) == std::string::npos);
  }
}
