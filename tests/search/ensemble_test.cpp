#include "runtime/core/codec.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/search/random_campaign.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ke;

namespace {

std::vector<model_settings> models(std::vector<std::string> names) {
  std::vector<model_settings> all;
  for (auto& n : names) {
    model_settings m;
    m.name = n;
    all.push_back(m);
  }
  return all;
}

ensemble ensemble_of(ensemble_kind kind, std::vector<std::string> names) {
  auto made = ensemble::make(kind, models(std::move(names)));
  REQUIRE(made);
  return *made;
}

/// How often each model was chosen in the last half of `rounds`.
std::map<std::string, int> play(ensemble& e, int rounds, const std::map<std::string, double>& gain,
                                const std::map<std::string, double>& usd) {
  random_source random{7};
  std::map<std::string, int> chosen;
  for (int i = 0; i < rounds; ++i) {
    auto name = e.choose(random);
    e.paid(name, usd.at(name));
    e.completed(name, random.uniform() < 0.3 ? gain.at(name) : 0);
    chosen[name] += i >= rounds / 2;
  }
  return chosen;
}

} // namespace

TEST_CASE("ucb asks every model once before any twice, and then mostly the one whose candidates gain") {
  auto e = ensemble_of(ensemble_kind::ucb, {"a", "b", "c", "d"});
  random_source random{1};
  std::vector<std::string> first;
  for (int i = 0; i < 4; ++i)
    first.push_back(e.choose(random));
  std::sort(first.begin(), first.end());
  CHECK(first == std::vector<std::string>{"a", "b", "c", "d"});
  auto chosen = play(e, 400, {{"a", 0.01}, {"b", 0.01}, {"c", 0.5}, {"d", 0.01}},
                     {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
  CHECK(chosen["c"] > 100);
  for (auto name : {"a", "b", "d"})
    CHECK(chosen[name] > 0); // a fifth is explored for ever
}

TEST_CASE("a model that is set aside is not chosen while another one is there, whatever the kind") {
  for (auto kind : {ensemble_kind::weights, ensemble_kind::ucb, ensemble_kind::cost_ucb}) {
    auto e = ensemble_of(kind, {"a", "b", "c"});
    random_source random{3};
    e.set_aside({"b"});
    for (int i = 0; i < 50; ++i)
      CHECK(e.choose(random) != "b");
    e.set_aside({"a", "b"});
    for (int i = 0; i < 50; ++i)
      CHECK(e.choose(random) == "c");
    e.set_aside({"a", "b", "c"}); // the campaign pauses; until then anybody
    CHECK_FALSE(e.choose(random).empty());
    e.set_aside({});
    std::set<std::string> chosen;
    for (int i = 0; i < 50; ++i)
      chosen.insert(e.choose(random));
    CHECK(chosen.size() == 3);
  }
}

TEST_CASE("cost-ucb prefers the cheaper of two models that gain alike, ucb does not care") {
  std::map<std::string, double> gain{{"dear", 0.3}, {"fair", 0.3}}, usd{{"dear", 1.0}, {"fair", 0.05}};
  auto frugal = ensemble_of(ensemble_kind::cost_ucb, {"dear", "fair"});
  auto rich = ensemble_of(ensemble_kind::ucb, {"dear", "fair"});
  auto with_costs = play(frugal, 400, gain, usd), without = play(rich, 400, gain, usd);
  CHECK(with_costs["fair"] > 140);
  CHECK(without["dear"] > 50);
}

TEST_CASE("what is in flight counts, so a slow model is not flooded") {
  auto e = ensemble_of(ensemble_kind::ucb, {"a", "b"});
  random_source random{2};
  std::map<std::string, int> chosen;
  for (int i = 0; i < 100; ++i) // no answer comes back
    ++chosen[e.choose(random)];
  CHECK(chosen["a"] > 30);
  CHECK(chosen["b"] > 30);
}

TEST_CASE("records are kept by name when models come, go and change places") {
  auto e = ensemble_of(ensemble_kind::ucb, {"a", "b"});
  random_source random{3};
  for (int i = 0; i < 10; ++i) {
    auto name = e.choose(random);
    e.completed(name, name == "b" ? 1 : 0);
  }
  auto b = e.records().at("b");
  REQUIRE(e.configure(ensemble_kind::ucb, models({"b", "new"})));
  CHECK(pack(e.records().at("b")) == pack(b));
  CHECK(e.choose(random) == "new"); // never asked: first
  e.withdrawn("new");
  CHECK(e.records().at("new").submitted == 0);
  e.moved("b", "new");
  CHECK(e.records().at("new").submitted == 1);
  CHECK(e.records().at("b").submitted == b.submitted - 1);
}

TEST_CASE("an ensemble needs a model with a positive weight") {
  auto none = models({"a"});
  none[0].weight = 0;
  CHECK_FALSE(ensemble::make(ensemble_kind::ucb, none));
}

TEST_CASE("a tree's ensemble learns gain and cost from its journal") {
  auto s = simulated_settings(1);
  s.search.ensemble = ensemble_kind::cost_ucb;
  s.search.drafts = 1;
  auto core = search_tree::make(0, "cpu-cpp", s);
  REQUIRE(core);
  auto e = core->step(1).at(0);
  auto model = e.model;
  CHECK(core->models().records().at(model).submitted == 1);
  REQUIRE(core->apply(journal_asked{0, e.node, 1, model, "", {10, 0.1}}));
  journal_replied r{0, e.node, 1};
  r.usage = {10, 20, 0, 0.25};
  REQUIRE(core->apply(r));
  REQUIRE(core->apply(journal_judged{0, e.node, 0, verdict_state::correct, timing_decision::faster, 1.5}));
  const auto& record = core->models().records().at(model);
  CHECK(record.usd == 0.25);
  CHECK(record.completed == 1);
  CHECK(record.gains == Approx(0.5));
  auto next = core->step(1).at(0);
  REQUIRE(core->apply(journal_ended{0, next.node, node_state::cancelled, "stopped"}));
  CHECK(core->models().records().at(next.model).submitted ==
        core->models().records().at(next.model).completed);
}
