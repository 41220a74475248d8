#include "runtime/observe/trace.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>

using namespace ke;
using namespace std::chrono_literals;

namespace {

struct trace_file {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("ke-trace-test-" + std::to_string(getpid()) + ".json");
  ~trace_file() { std::filesystem::remove(path); }
  nlohmann::json read() const {
    std::ifstream in{path};
    return nlohmann::json::parse(in);
  }
};

} // namespace

TEST_CASE("without a file a trace call does nothing") {
  CHECK_FALSE(trace::on());
  trace::span("lane", "nothing", {}, {});
  trace::counter("nothing", 1);
}

TEST_CASE("spans carry lane, time and arguments") {
  trace_file file;
  trace::start(file.path.string());
  REQUIRE(trace::on());
  auto begin = std::chrono::steady_clock::now();
  trace::span("worker \"local\"", "build", begin, begin + 1500us, R"({"node":12})");
  trace::span("llm", "ask\n", begin, begin + 2ms);
  trace::span("llm", "answered", begin + 2ms, begin + 3ms);
  trace::counter("in flight", 3.5);
  trace::counter("odd", std::numeric_limits<double>::infinity());
  trace::stop();
  auto events = file.read();
  auto named = [&](const std::string& name) {
    for (const auto& e : events)
      if (e.at("name") == name)
        return e;
    return nlohmann::json{};
  };
  CHECK(named("build").at("ph") == "X");
  CHECK(named("build").at("dur").get<double>() == Approx(1500).margin(0.002));
  CHECK(named("build").at("args").at("node") == 12);
  CHECK(named("build").at("tid") != named("ask\n").at("tid"));
  CHECK(named("ask\n").at("tid") == named("answered").at("tid"));
  CHECK(named("in flight").at("args").at("value") == 3.5);
  CHECK_FALSE(trace::on());
}

TEST_CASE("a killed process leaves a trace that is valid JSON") {
  trace_file file;
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  auto child = fork();
  if (child == 0) {
    trace::start(file.path.string());
    auto t = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i)
      trace::span("lane " + std::to_string(i % 3), "work", t, t + 1ms);
    if (write(pipe_ends[1], "x", 1) == 1)
      for (;;)
        pause();
    _exit(1);
  }
  close(pipe_ends[1]);
  char ready = 0;
  auto got = read(pipe_ends[0], &ready, 1); // blocks until the child wrote its spans or died
  kill(child, SIGKILL);
  int how = 0;
  waitpid(child, &how, 0);
  close(pipe_ends[0]);
  REQUIRE(got == 1);
  REQUIRE(WIFSIGNALED(how));
  CHECK(file.read().size() == 1 + 3 + 100); // the process's name, three lanes, the spans
}
