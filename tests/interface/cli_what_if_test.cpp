#include "runtime/core/verdict_state.hpp"
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

using namespace ke;
using json = nlohmann::json;

namespace {

struct what_if_bench {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  small_campaign c{*store};
  command_result run(std::vector<std::string> more) {
    std::vector<std::string> line{"what-if", "--store", dir.path()};
    line.insert(line.end(), more.begin(), more.end());
    return run_command(line);
  }
  /// One candidate after another: four drafts, then what the policy wants.
  void search(int candidates) {
    for (int i = 0; i < candidates; ++i) {
      auto n = c.plan(1).at(0);
      c.ask(n, "prompt " + std::to_string(n));
      c.answer(n, small_source(n));
      i % 3 == 1 ? c.judge(n, verdict_state::build_failed)
                 : c.judge(n, verdict_state::correct, 1.2 + 0.1 * i);
    }
  }
};

} // namespace

TEST_CASE("what-if with the recorded policy, one at a time, covers the whole record in its order") {
  what_if_bench f;
  f.search(12);
  auto r = f.run({"--policy", "mcts", "--parallel", "1", "--json"});
  INFO(r.err);
  REQUIRE(r.code == 0);
  auto j = json::parse(r.out);
  CHECK(j["campaign"] == "small");
  CHECK(j["what_if"]["policy"] == "mcts");
  const auto& t = j["trees"].at(0);
  CHECK(t["coverage"]["share"] == 1);
  CHECK(t["coverage"]["closed"] == 0);
  CHECK(t["recorded"] == t["what_if"]);
  CHECK(t["recorded"]["evaluations"] == 12);
  CHECK(t["recorded"]["best"]["score"] == Approx(2.25));
  REQUIRE(t["levels"].size() > 2);
  for (const auto& level : t["levels"])
    CHECK(level["recorded_evaluations"] == level["what_if_evaluations"]);
}

TEST_CASE("what-if with another policy tells its coverage and the evaluations to each level") {
  what_if_bench f;
  f.search(12);
  auto j = json::parse(f.run({"--policy", "best-of-n", "--json"}).out);
  const auto& t = j["trees"].at(0);
  CHECK(j["recorded"]["policy"] == "mcts");
  CHECK(t["what_if"]["evaluations"] == 4); // the drafts
  CHECK(t["coverage"]["share"].get<double>() < 1);
  CHECK(t["levels"].back()["what_if_evaluations"].is_null());
  auto text = f.run({"--policy", "best-of-n"});
  CHECK(text.code == 0);
  CHECK(text.out.find("selections are covered by the record") != std::string::npos);
  CHECK(text.out.find("never") != std::string::npos);
}

TEST_CASE("what-if refuses words that it does not know and names those that it does") {
  what_if_bench f;
  f.search(4);
  auto r = f.run({"--policy", "magic"});
  CHECK(r.code == 2);
  CHECK(r.err.find("--policy magic is unknown; there are: mcts, evolution, beam, greedy, best-of-n") !=
        std::string::npos);
  CHECK(f.run({"--policy", "mcts", "--memory", "long"}).code == 2);
  CHECK(f.run({}).code != 0);
}

TEST_CASE("what-if of a running campaign uses what has ended") {
  what_if_bench f;
  typical(f.c);
  auto r = f.run({"--policy", "greedy", "--json"});
  INFO(r.err);
  REQUIRE(r.code == 0);
  CHECK(json::parse(r.out)["trees"].at(0)["recorded"]["evaluations"] == 4);
}

TEST_CASE("bug: what-if takes numbers that campaign.toml would refuse") {
  what_if_bench f;
  f.search(4);
  struct wrong {
    std::string option, value, expected;
  };
  for (const auto& w : std::vector<wrong>{
           {"--exploration", "-1", "a number from 0 to 1000"},
           {"--exploration", "nan", "a number from 0 to 1000"},
           {"--exploration", "inf", "a number from 0 to 1000"},
           {"--drafts", "99999999999999999999", "a whole number from 1 to 1000000"},
           {"--drafts", "0", "a whole number from 1 to 1000000"},
           {"--drafts", "010", "a whole number from 1 to 1000000"},
           {"--parallel", "99999999999", "a whole number from 1 to 1000000"},
           {"--parallel", "1.5", "a whole number from 1 to 1000000"},
           {"--seed", "-1", "a whole number from 0 to 9223372036854775807"},
           {"--evaluations", "-1", "a whole number from 1 to 100000000"},
           {"--evaluations", "0", "a whole number from 1 to 100000000"},
       }) {
    INFO(w.option << " " << w.value);
    auto r = f.run({"--policy", "mcts", w.option, w.value});
    CHECK(r.code != 0);
    CHECK(r.out.empty());
    CHECK(r.err.find(w.option + ": expected " + w.expected + ", not " + w.value + "\n") == 0);
  }
  auto r = f.run({"--policy", "mcts", "--exploration", "0.25", "--drafts", "2", "--parallel", "3", "--seed",
                  "0", "--evaluations", "1"});
  INFO(r.err);
  CHECK(r.code == 0);
}
