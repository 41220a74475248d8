#include "interface/cli/trajectories.hpp"
#include "interface/cli/trajectory_groups.hpp"
#include "interface/cli/trajectory_text.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>

using namespace ke;
using json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> all;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    all.push_back(json::parse(line));
  return all;
}

command_result exported(const std::string& dir, std::vector<std::string> more = {}) {
  std::vector<std::string> line{"export", "trajectories", "--store", dir};
  line.insert(line.end(), more.begin(), more.end());
  return run_command(line);
}

struct trajectories_bench {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  small_campaign c{*store};
  trajectories_bench() { typical(c); }
  std::vector<json> lines(std::vector<std::string> more = {}) {
    auto r = exported(dir.path(), std::move(more));
    INFO(r.err);
    REQUIRE(r.code == 0);
    return lines_of(r.out);
  }
};

} // namespace

TEST_CASE("a step tells what the model saw, answered and earned") {
  trajectories_bench f;
  auto all = f.lines();
  REQUIRE(all.size() == 4); // node 5 is asked, node 6 planned: not yet
  const auto& best = all[2];
  CHECK(best["schema"] == "ke-trajectory-step/1");
  CHECK(best["node"] == 3);
  CHECK(best["step"] == f.store->id() + "/1/3");
  CHECK(best["parent"] == "");
  CHECK(best["parents"] == json{0});
  CHECK(best["operation"] == "draft");
  CHECK(best["memory"] == "clean");
  CHECK(best["model"] == "main");
  CHECK(best["provider"] == "openai");
  CHECK(best["family"] == "softmax");
  CHECK(best["operator"] == "softmax");
  auto prompt = best["prompt_sections"][0]["text"].get<std::string>();
  CHECK(prompt == "```ke-task\n{}\n```\nWrite node 3\n");
  CHECK(best["prompt_digest"] == digest_of(prompt));
  CHECK(best["prompt_sections"][0]["digest"] == digest_of(prompt));
  CHECK(best["rationale"] == "My plan for node 3.");
  CHECK(best["source"] == small_source(3));
  CHECK(best["source_digest"] == digest_of(small_source(3)));
  auto diff = best["diff"].get<std::string>();
  CHECK(diff.find("--- node 0\n+++ node 3\n") == 0);
  CHECK(diff.find("\n+  y[0] = x[3];\n") != std::string::npos);
  CHECK(best["state"] == "correct");
  CHECK(best["decision"] == "faster");
  CHECK(best["score"] == Approx(2.95));
  CHECK(best["speedup"] == Approx(3));
  CHECK(best["speedup_low"] == Approx(2.95));
  CHECK(best["speedup_high"] == Approx(3.05));
  CHECK(best["bottleneck"] == "compute");
  CHECK(best["cases"] == 45);
  CHECK(best["log"] == "the log of node 3");
  CHECK(best["input_tokens"] == 1200);
  CHECK(best["model_s"] == 2.5);
  CHECK(best["device_s"] == 0.5);
  CHECK(best["rewarded"] == true);
  CHECK(best["reward"] == Approx(0.05 + 0.95 * std::log2(2.95) / 3));
  CHECK(best["reward_point"] == Approx(0.05 + 0.95 * std::log2(3) / 3));
  CHECK(best["reward_high"] == Approx(0.05 + 0.95 * std::log2(3.05) / 3));
  CHECK(all[1]["state"] == "build_failed");
  CHECK(all[1]["reward"] == 0);
  CHECK(all[3]["state"] == "unanswered");
  CHECK(all[3]["answer"] == "I would rather not.");
  CHECK(all[3]["rewarded"] == true);
  CHECK(all[3]["reward"] == 0);
}

TEST_CASE("the reward in a step is what eval's JSON says of the same verdict") {
  trajectories_bench f;
  for (const auto& step : f.lines()) {
    if (step["state"] == "unanswered")
      continue;
    auto shown = json::parse(
        run_command({"show", std::to_string(step["node"].get<int>()), "--store", f.dir.path(), "--json"})
            .out);
    CHECK(shown["verdict"]["reward"] == step["reward"]);
    CHECK(shown["verdict"]["state"] == step["state"]);
  }
}

TEST_CASE("siblings share a group, whose mean and deviation give the advantage") {
  trajectories_bench f;
  auto all = f.lines();
  double mean = 0, squares = 0;
  for (const auto& s : all)
    mean += s["reward"].get<double>() / 4;
  for (const auto& s : all)
    squares += std::pow(s["reward"].get<double>() - mean, 2) / 4;
  double sum = 0;
  for (const auto& s : all) {
    CHECK(s["group"] == all[0]["group"]);
    CHECK(s["group_size"] == 4);
    CHECK(s["group_mean"] == Approx(mean));
    CHECK(s["group_std"] == Approx(std::sqrt(squares)));
    sum += s["advantage"].get<double>();
  }
  CHECK(sum == Approx(0).margin(1e-9));
}

TEST_CASE("every line has the same columns of the same types, and none is null") {
  trajectories_bench f;
  for (const auto& form : {"steps", "chains"}) {
    auto all = f.lines({"--form", form});
    REQUIRE(all.size() >= 3);
    for (const auto& line : all) {
      REQUIRE(line.size() == all[0].size());
      for (const auto& [key, value] : line.items()) {
        INFO(form << " " << key);
        CHECK(value.type() == all[0][key].type());
        CHECK_FALSE(value.is_null());
        CHECK_FALSE((value.is_array() && value.empty()));
      }
    }
  }
}

TEST_CASE("chains run from the root to each leaf, name their steps and earn their best reward") {
  trajectories_bench f;
  auto more = f.c.plan(1);
  f.c.ask(more.at(0), "Once more\n");
  f.c.answer(more.at(0), small_source(more.at(0)));
  f.c.judge(more.at(0), verdict_state::correct, 1.5);
  auto steps = f.lines();
  auto chains = f.lines({"--form", "chains"});
  std::map<std::string, json> by_name;
  for (const auto& s : steps)
    by_name[s["step"]] = s;
  std::set<std::string> seen;
  for (const auto& chain : chains) {
    CHECK(chain["schema"] == "ke-trajectory-chain/1");
    REQUIRE(chain["length"] == chain["steps"].size());
    std::string before;
    double best = 0;
    for (std::size_t i = 0; i < chain["steps"].size(); ++i) {
      const auto& s = by_name.at(chain["steps"][i]);
      CHECK(s["parent"] == before);
      CHECK(chain["rewards"][i] == s["reward"]);
      best = std::max(best, s["reward"].get<double>());
      before = s["step"];
      seen.insert(before);
    }
    CHECK(chain["chain"] == before);
    CHECK(chain["return"] == best);
    CHECK(by_name.at(chain["best_step"])["reward"] == best);
    CHECK(chain["input_tokens"] == 1200 * chain["steps"].size());
  }
  CHECK(seen.size() == steps.size());
}

TEST_CASE("no operator is in both splits, and both together are all") {
  temp_dir dir;
  auto store = open_store(dir.path());
  std::uint32_t id = 0;
  for (std::string family : {"softmax", "matmul", "conv", "scan", "norm", "stencil", "", "attention"})
    for (std::string name : {"small", "Wide"}) {
      auto what = small_problem(family.empty() ? "own" : name);
      what.family = family;
      ++id;
      small_campaign c{*store, id, "c" + std::to_string(id), {"cpu-cpp"}, what};
      typical(c);
    }
  auto lines = [&](const std::string& split) {
    auto r = exported(dir.path(), {"--all", "--split", split});
    REQUIRE(r.code == 0);
    return lines_of(r.out);
  };
  std::set<std::string> train, test;
  auto of_train = lines("train"), of_test = lines("test");
  for (const auto& l : of_train)
    train.insert(l["operator"].get<std::string>());
  for (const auto& l : of_test)
    test.insert(l["operator"].get<std::string>());
  for (const auto& t : test)
    CHECK_FALSE(train.contains(t));
  CHECK(train.size() + test.size() == 8);
  CHECK_FALSE(train.empty());
  CHECK_FALSE(test.empty());
  CHECK(of_train.size() + of_test.size() == lines("all").size());
  CHECK(of_test[0]["split"] == "test");
}

TEST_CASE("an operator's split is the same in every version") {
  CHECK(cli::split_of("matmul") == cli::split_of("matmul"));
  problem a = small_problem("x"), b = small_problem("y");
  a.family = "MatMul";
  b.family = "matmul";
  CHECK(operator_of(a) == operator_of(b));
  std::string tests;
  for (auto name : {"elementwise", "reduction", "softmax", "norm", "matmul", "conv", "scan", "transpose",
                    "stencil", "attention"})
    if (cli::split_of(name) == "test")
      tests += std::string{name} + " ";
  CHECK(tests == "conv attention ");
}

TEST_CASE("an API key that a model repeated is not exported") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  c.settings.models[0].api_key_env = "KE_TRAJECTORY_KEY";
  c.configure(c.settings);
  ::setenv("KE_TRAJECTORY_KEY", "canary-4711-of-the-test", 1);
  auto n = c.plan(1).at(0);
  c.ask(n, "the key is canary-4711-of-the-test\n");
  c.answer(n, "// canary-4711-of-the-test\n" + small_source(n));
  c.judge(n, verdict_state::correct, 2);
  auto r = exported(dir.path());
  ::unsetenv("KE_TRAJECTORY_KEY");
  REQUIRE(r.code == 0);
  CHECK(r.out.find("canary") == std::string::npos);
  CHECK(lines_of(r.out)[0]["source"].get<std::string>().starts_with("// ***\n"));
}

TEST_CASE("an export goes to its file as a whole, says what is still open, and goes on from there") {
  trajectories_bench f;
  auto file = f.dir / "steps.jsonl";
  auto r = exported(f.dir.path(), {"-o", file});
  REQUIRE(r.code == 0);
  CHECK(r.out == "exported 4 steps of 1 campaign(s); 2 nodes of small are still open: come back with --since "
                 "5\n");
  std::ifstream in{file};
  CHECK(lines_of({std::istreambuf_iterator<char>{in}, {}}).size() == 4);
  CHECK_FALSE(fs::exists(file + ".part"));
  CHECK(f.lines({"--since", "5"}).empty());
  f.c.answer(5, small_source(5));
  f.c.judge(5, verdict_state::incorrect);
  auto later = f.lines({"--since", "5"});
  REQUIRE(later.size() == 1);
  CHECK(later[0]["node"] == 5);
  CHECK(exported(f.dir.path(), {"--split", "half"}).code != 0);
}

TEST_CASE("the model's words are found in every provider's envelope") {
  model_settings m;
  m.provider = provider_kind::openai;
  std::string body =
      R"({"choices":[{"message":{"content":"Hello\n```cpp\nx\n```"},"finish_reason":"stop"}]})";
  CHECK(cli::answer_of(m, body) == "Hello\n```cpp\nx\n```");
  m.provider = provider_kind::replay;
  CHECK(cli::answer_of(m, body) == "Hello\n```cpp\nx\n```");
  CHECK(cli::answer_of(m, "plain text") == "plain text");
  m.provider = provider_kind::spool;
  CHECK(cli::answer_of(m, "plain text") == "plain text");
  CHECK(cli::rationale_of("Hello\n```cpp\nx\n```") == "Hello");
  CHECK(cli::rationale_of("```cpp\nx\n```\nafter").empty());
  CHECK(cli::rationale_of(" only prose \n") == "only prose");
}
