#include "runtime/observe/log.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace ke;

namespace {

/// A JSON log in a temporary folder and its lines after `log::stop`.
struct log_file {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("ke-log-test-" + std::to_string(getpid()) + ".jsonl");

  log_file() { log::start({.least = log::level::error, .human = true, .json_file = path.string()}); }
  ~log_file() {
    log::stop();
    std::filesystem::remove(path);
  }
  std::vector<std::string> lines() {
    log::stop();
    std::ifstream in{path};
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);)
      all.push_back(line);
    return all;
  }
};

} // namespace

TEST_CASE("every log line is one JSON document whatever its data holds") {
  log_file file;
  log::error("test", "odd data",
             {{"newline", "a\nb"}, {"quote", "\"\\"}, {"bytes", "\xff\xfe\x01"}, {"braces", "{} {0} %s"}});
  auto lines = file.lines();
  REQUIRE(lines.size() == 1);
  auto line = nlohmann::json::parse(lines[0]);
  CHECK(line.at("level") == "error");
  CHECK(line.at("where") == "test");
  CHECK(line.at("text") == "odd data");
  CHECK(line.at("newline") == "a\nb");
  CHECK(line.at("quote") == "\"\\");
  CHECK(line.at("braces") == "{} {0} %s");
  CHECK(line.at("time").get<std::string>().back() == 'Z');
}

TEST_CASE("a registered secret appears in no part of any line") {
  log::mask("canary-secret-4711");
  log::mask("canary-secret-4711-longer");
  log_file file;
  log::error("canary-secret-4711", "text canary-secret-4711 end",
             {{"header", "Bearer canary-secret-4711canary-secret-4711-longer!"}});
  auto lines = file.lines();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("canary") == std::string::npos);
  CHECK(lines[0].find("longer") == std::string::npos);
  CHECK(nlohmann::json::parse(lines[0]).at("header") == "Bearer ******!");
  CHECK(log::masked("x canary-secret-4711 y") == "x *** y");
}

TEST_CASE("an empty secret and the short key of a server that wants none mask nothing") {
  for (auto none : {"", "x", "EMPTY"})
    log::mask(none);
  CHECK(log::masked("an EMPTY box of x") == "an EMPTY box of x");
}

TEST_CASE("the key in an environment variable is masked from its first reading on") {
  ::setenv("KE_TEST_LOG_KEY", "canary-of-the-environment", 1);
  CHECK(log::masked_key("KE_TEST_LOG_KEY") == "canary-of-the-environment");
  CHECK(log::masked("a canary-of-the-environment b") == "a *** b");
  CHECK(log::masked_key("KE_TEST_LOG_KEY_THAT_NOBODY_SETS").empty());
  CHECK(log::masked_key("").empty());
}

TEST_CASE("lines under the least level are dropped") {
  log_file file;
  log::info("test", "quiet");
  log::warn("test", "quiet too");
  CHECK(file.lines().empty());
}
