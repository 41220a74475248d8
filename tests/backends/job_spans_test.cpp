#include "backends/evidence/job_spans.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/measure_plan.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

using namespace ke;
using namespace std::chrono_literals;

TEST_CASE("hops that lie in one another share a row, those that cross get one of their own") {
  std::vector<job_span> spans{
      {"wait", 0, 10},         {"build candidate", 10, 40}, {"build reference", 10, 60},
      {"build truth", 12, 30}, {"build", 10, 60},           {"measure", 70, 5}};
  auto rows = rows_of(spans);
  CHECK(rows == std::vector<std::size_t>{0, 0, 0, 0, 0, 0}); // each inside of another
  spans[3].us = 50;                                          // now the truth outlives the candidate
  CHECK(rows_of(spans) == std::vector<std::size_t>{0, 0, 0, 1, 0, 0});
  CHECK(rows_of({}).empty());
}

TEST_CASE(
    "a campaign's trace has the jobs of a node by kind and the call of its candidate on a lane of its own") {
  auto file =
      std::filesystem::temp_directory_path() / ("ke-job-trace-test-" + std::to_string(getpid()) + ".json");
  job what;
  what.node = {1, 2, 33};
  what.plan = measure_plan::claim;
  job_result result;
  result.spans = {
      {"measure measure", 0, 900}, {"measure", 0, 900}, {"trace loops", 1000, 500}, {"profile", 900, 700}};
  for (int i = 0; i < 20; ++i)
    result.found.findings["trace"] +=
        "line:" + std::to_string(6 + i % 2) + " " + std::to_string(i * 1000) + " 1000\n";
  trace::start(file.string());
  auto granted = trace::time_point::clock::now();
  auto told = trace_job(what, "here", granted - 5ms, granted, granted + 2ms, result, 12);
  CHECK(told == 12);
  CHECK(trace_job(what, "here", granted, granted, granted + 2ms, {}, 12) == 0);
  trace::stop();
  std::ifstream in{file};
  auto events = nlohmann::json::parse(in);
  std::filesystem::remove(file);
  std::map<std::string, int> lanes;
  for (const auto& e : events)
    if (e.at("name") == "thread_name")
      lanes[e.at("args").at("name")] = e.at("tid");
  REQUIRE(lanes.contains("call of node 2.33"));
  REQUIRE(lanes.contains("job of node 2.33"));
  double loops_begin = -1, first = -1, end = -1;
  int spans = 0;
  for (const auto& e : events) {
    if (e.at("ph") != "X")
      continue;
    if (e.at("name") == "trace loops") {
      loops_begin = e.at("ts");
      CHECK(e.at("tid") == lanes["job of node 2.33"]);
    }
    if (e.at("tid") != lanes["call of node 2.33"])
      continue;
    CHECK(e.at("name") == (spans % 2 ? "line:7" : "line:6"));
    CHECK(e.at("args").at("node") == "2.33");
    CHECK(e.at("args").at("plan") == "claim");
    CHECK(e.at("dur").get<double>() == Approx(1).margin(0.002));
    CHECK(e.at("ts").get<double>() >= end - 0.002);
    end = e.at("ts").get<double>() + e.at("dur").get<double>();
    if (spans++ == 0)
      first = e.at("ts");
  }
  CHECK(spans == 12);
  CHECK(first == Approx(loops_begin).margin(0.002)); // laid where the job that saw it ran
}

TEST_CASE("a call that the judge itself saw is laid at the end of the measurement") {
  auto file =
      std::filesystem::temp_directory_path() / ("ke-judge-trace-test-" + std::to_string(getpid()) + ".json");
  job_result result;
  result.spans = {{"build candidate", 0, 100}, {"measure measure", 100, 900}};
  result.found.findings["trace"] = "aten::linear 0 300000\naten::mm 1000 200000\n";
  trace::start(file.string());
  auto granted = trace::time_point::clock::now();
  CHECK(trace_job({}, "here", granted, granted, granted + 2ms, result, 9) == 2);
  trace::stop();
  std::ifstream in{file};
  auto events = nlohmann::json::parse(in);
  std::filesystem::remove(file);
  double measured = 0, called = 0;
  for (const auto& e : events)
    if (e.at("name") == "measure measure" || e.at("name") == "aten::linear")
      (e.at("name") == "aten::linear" ? called : measured) =
          e.at("ts").get<double>() + e.at("dur").get<double>();
  CHECK(called > 0);
  CHECK(called == Approx(measured).margin(1));
}

TEST_CASE("without a file a job leaves no trace") {
  job_result result;
  result.found.findings["trace"] = "line:6 0 1000\n";
  CHECK(trace_job({}, "here", {}, {}, {}, result, 10) == 0);
}
