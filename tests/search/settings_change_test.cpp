#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/campaign/settings_change.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace ke;

namespace {

campaign_settings begun() {
  campaign_settings s;
  s.models = {model_settings{}};
  s.targets = {target_settings{}};
  return s;
}

using change = std::function<void(campaign_settings&)>;

bool takes(const change& c, change_time when) {
  auto then = begun();
  c(then);
  auto done = can_change(begun(), then, when);
  if (!done)
    CHECK(done.error().kind == failure_kind::invalid);
  return static_cast<bool>(done);
}

} // namespace

TEST_CASE("what the verdicts and the tree rest on never changes") {
  for (const auto& c : std::vector<change>{
           [](auto& s) { s.search.policy = policy_kind::greedy; },
           [](auto& s) { s.search.rule = tree_rule_kind::uct; },
           [](auto& s) { s.seed = 7; },
           [](auto& s) { s.goal.timed = false; },
           [](auto& s) { s.goal.floor = 0; },
           [](auto& s) { s.goal.baseline = baseline_kind::eager; },
       }) {
    auto then = begun();
    c(then);
    for (auto when : {change_time::running, change_time::resumed}) {
      auto done = can_change(begun(), then, when);
      REQUIRE_FALSE(done);
      CHECK(done.error().text.find("it runs with ") != std::string::npos);
      CHECK(done.error().text.find("--fresh") != std::string::npos);
    }
  }
}

TEST_CASE("a running campaign refuses a setting that it would not notice, a resumed one takes it") {
  for (const auto& c : std::vector<change>{
           [](auto& s) { s.models[0].base_url = "http://127.0.0.1:1/v1"; },
           [](auto& s) { s.models[0].price_input = 3; },
           [](auto& s) { s.models.push_back(model_settings{"second"}); },
           [](auto& s) { s.targets[0].device = "cpu:other"; },
           [](auto& s) { s.name = "another"; },
           [](auto& s) { s.store = "/elsewhere"; },
           [](auto& s) { s.problem_path = "other.toml"; },
           [](auto& s) { s.search.warm_start = 0; },
           [](auto& s) { s.cluster.listen = "tcp://127.0.0.1:5"; },
           [](auto& s) { s.ui.listen = "127.0.0.1:7"; },
           [](auto& s) { s.embeddings.model = "e"; },
           [](auto& s) { s.agents.share = 0.5; },
       }) {
    CHECK_FALSE(takes(c, change_time::running));
    CHECK(takes(c, change_time::resumed));
  }
}

TEST_CASE("budgets, the goal, the search's numbers and the models' shares change at any time") {
  for (const auto& c : std::vector<change>{
           [](auto& s) { s.budget.candidates = 900; },
           [](auto& s) { s.goal.target_speedup = 3; },
           [](auto& s) { s.search.parallel = 64; },
           [](auto& s) { s.search.memory = memory_kind::clean; },
           [](auto& s) { s.search.ensemble = ensemble_kind::ucb; },
           [](auto& s) { s.models[0].weight = 2; },
       })
    for (auto when : {change_time::running, change_time::resumed})
      CHECK(takes(c, when));
}

TEST_CASE("a campaign that was begun with a baseline that nothing ever read goes on with the reference") {
  auto then = begun(), now = then;
  now.goal.baseline = baseline_kind::compile;
  CHECK(can_change(now, then, change_time::resumed));
  CHECK_FALSE(can_change(then, now, change_time::resumed));
}
