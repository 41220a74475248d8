#include "interface/cli/suite_run.hpp"
#include "interface/cli/suite_table.hpp"
#include "tests/interface/command_line.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ke;

namespace {

const std::string fixtures = std::string{ke::test::source_dir()} + "/tests/fixtures/kernelbench";

suite_cell cell(const char* problem, const char* baseline, double score) {
  suite_cell c;
  c.problem = problem;
  c.backend = "torch-cpu";
  c.baseline = baseline;
  c.standing = suite_standing::judged;
  c.state = "correct";
  c.score = score;
  c.speedup = score + 0.1;
  c.low = score;
  c.high = score + 0.2;
  c.decision = score > 1 ? timing_decision::faster : timing_decision::slower;
  return c;
}

} // namespace

TEST_CASE("suite list names the kinds, or a suite's problems") {
  auto kinds = run_command({"suite", "list"});
  CHECK(kinds.code == 0);
  CHECK(kinds.out.find("kb-small:PATH") != std::string::npos);
  auto some = run_command({"suite", "list", "kernelbench:" + fixtures, "--filter", "level1 softmax"});
  CHECK(some.code == 0);
  CHECK(some.out == "level1/3_Softmax\nlevel1/9_Softmax_of_one_column\n");
  auto json = nlohmann::json::parse(run_command({"suite", "list", "kb-small:" + fixtures, "--json"}).out);
  CHECK(json["problems"].size() == 40);
  CHECK(json["problems"][9]["problem"] == "level1/10_ReLU_of_a_negative");
  CHECK(run_command({"suite", "list", "kernelbench:/no/such/folder"}).code == 2);
}

TEST_CASE("against two baselines a suite has metrics of each, and never of both") {
  std::vector<suite_cell> cells{cell("a", "eager", 3), cell("b", "eager", 0.5), cell("a", "compile", 1.5)};
  auto document = nlohmann::json::parse(cli::suite_json("kernelbench:x", cells));
  CHECK(document["suite"] == "kernelbench:x");
  REQUIRE(document["cells"].size() == 3);
  for (auto key : {"problem", "backend", "state", "decision", "score"})
    CHECK(document["cells"][0].contains(key));
  CHECK(document["metrics"]["fast_1"] == 0.5);
  CHECK(document["metrics"]["fast_2"] == 0.5);
  CHECK(document["totals"]["problems"] == 2);
  REQUIRE(document["columns"].size() == 2);
  CHECK(document["columns"][1]["baseline"] == "compile");
  CHECK(document["columns"][1]["metrics"]["fast_1"] == 1.0);
  CHECK(document["columns"][1]["metrics"]["geomean"].get<double>() == Approx(1.5));
  auto text = cli::suite_text("kernelbench:x", cells);
  CHECK(text.find("fast_1 50% (1 of 2)") != std::string::npos);
  CHECK(text.find("fast_1 100% (1 of 1)") != std::string::npos);
}

TEST_CASE("each problem, size and baseline has a campaign of its own, with a name that a store takes") {
  CHECK(cli::suite_campaign_name("kb", "", "level1/3_Softmax", "") == "kb.level1.3_Softmax");
  CHECK(cli::suite_campaign_name("kb", "small", "level1/3_Softmax", "compile") ==
        "kb.small.level1.3_Softmax.compile");
  const std::string longest(120, 'x');
  auto one = cli::suite_campaign_name("kb", "", longest, ""),
       other = cli::suite_campaign_name("kb", "", longest, "eager");
  CHECK(one.size() == 100);
  CHECK(other.size() == 100);
  CHECK(one != other);
}
