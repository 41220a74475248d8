#include "actors/messages/addresses.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;

// The two sub-agents beside a campaign: when they are asked, who pays, what is kept, and that prompts go on
// without.

namespace {

struct agent_fixture : search_fixture {
  agent_fixture() {
    std::vector<document> all;
    for (std::string id : {"guidance/blocking", "guidance/fma", "guidance/threads", "guidance/pages",
                           "guidance/tails", "guidance/zero"}) {
      document d;
      d.id = id;
      d.title = "Advice";
      d.targets = {"*"};
      d.body = "Text of " + id + ".";
      all.push_back(std::move(d));
    }
    shelf = std::make_shared<library>(std::make_shared<const corpus>(std::move(all)));
  }

  static campaign_settings with_agents(double share = 1, std::int64_t candidates = 12) {
    auto s = settings(candidates, 1);
    s.search.drafts = 1;
    s.agents = {"", "helper", share};
    auto helper = s.models[0];
    helper.name = "helper";
    helper.weight = 0;
    helper.max_tokens = 100;
    s.models.push_back(helper);
    return s;
  }
  static campaign_settings priced() {
    auto s = with_agents();
    for (auto& m : s.models)
      m.price_input = m.price_output = 1000;
    return s;
  }
  static verdict memory_bound(double score) {
    auto v = correct(score);
    v.diagnosis = diagnosis{};
    v.diagnosis->bottleneck = "memory";
    return v;
  }
  bool asks_helper() const {
    return !models.open.empty() && text_of(models.open[0].request.prompt).find("You look up documents") == 0;
  }
  std::string shown() const { return text_of(models.open.at(0).request.prompt); }
  /// The draft is answered and right; its child's prompt is next.
  void first_candidate() {
    REQUIRE(models.open.size() == 1);
    REQUIRE_FALSE(asks_helper()); // a draft has no diagnosis
    answer();
    judge_as(memory_bound(1.5));
  }
  /// The child's prompt waits for the helper's first call.
  void ask_helper(const campaign_settings& s) {
    launch(s);
    first_candidate();
    REQUIRE(asks_helper());
  }
  const campaign_state& books() {
    kept_ = stored();
    return kept_->fold.books();
  }

private:
  std::shared_ptr<stored_campaign> kept_;
};

} // namespace

TEST_CASE_METHOD(agent_fixture, "a sub-agent looks documents up in a talk that the campaign pays for") {
  open_library();
  ask_helper(with_agents());
  REQUIRE(books().agent_calls_out().size() == 1);
  CHECK(books().agent_calls_out()[0].agent == "research");
  auto held = books().money().reserved().tokens;
  CHECK(held >= 100);
  answer_with("READ guidance/zero\n");
  REQUIRE(asks_helper());
  CHECK(shown().find("Text of guidance/zero.") != std::string::npos);
  answer_with("CHOOSE guidance/zero guidance/tails");
  REQUIRE(models.open.size() == 1);
  REQUIRE_FALSE(asks_helper());
  CHECK(shown().find("Text of guidance/zero.") < shown().find("Text of guidance/tails."));
  CHECK(books().agent_calls_out().empty());
  CHECK(books().agent_calls() == 2);
  CHECK(books().agent_spend().output_tokens > 0);
  CHECK(stored()->fold.row(1).agent_calls == 2);
  CHECK(stored()->fold.row(1).agent_spend.input_tokens < stored()->fold.row(1).spend.input_tokens);

  answer(); // the same question again: what was found is known
  judge_as(memory_bound(1.6));
  REQUIRE(models.open.size() == 1);
  CHECK_FALSE(asks_helper());
  CHECK(shown().find("Text of guidance/zero.") != std::string::npos);
  CHECK(books().agent_calls() == 2);
}

TEST_CASE_METHOD(agent_fixture, "what a study found is kept in the store for later campaigns") {
  open_library();
  launch(with_agents());
  first_candidate();
  answer_with("CHOOSE guidance/zero");
  REQUIRE_FALSE(asks_helper());
  close_library();
  open_library();
  answer();
  judge_as(memory_bound(1.6));
  REQUIRE(models.open.size() == 1);
  CHECK_FALSE(asks_helper());
  CHECK(shown().find("Text of guidance/zero.") != std::string::npos);
}

TEST_CASE_METHOD(agent_fixture, "a share that can't hold the call leaves the prompt to the rules") {
  open_library();
  launch(with_agents(0.01));
  first_candidate();
  REQUIRE(models.open.size() == 1);
  CHECK_FALSE(asks_helper());
  CHECK(shown().find("Text of guidance/") != std::string::npos);
  CHECK(books().agent_calls() == 0);
  CHECK(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
}

TEST_CASE_METHOD(agent_fixture, "a sub-agent that knows nothing, or fails, leaves the prompt to the rules") {
  open_library();
  launch(with_agents());
  first_candidate();
  for (std::size_t round = 0; round < document_search::most_rounds; ++round) {
    REQUIRE(asks_helper());
    answer_with("I would rather not say.");
  }
  REQUIRE(models.open.size() == 1);
  REQUIRE_FALSE(asks_helper());
  CHECK(shown().find("Text of guidance/") != std::string::npos);
  answer();
  judge_as(memory_bound(1.6));
  CHECK_FALSE(asks_helper()); // what it did not find it is not asked for again
}

TEST_CASE_METHOD(agent_fixture,
                 "a sub-agent whose provider is not there leaves every prompt to the rules at once") {
  open_library();
  ask_helper(with_agents());
  models.fail({failure_kind::missing, "no such program", false});
  settle();
  while (!outcomes.contains(1)) { // no time passes
    REQUIRE(models.open.size() == 1);
    REQUIRE_FALSE(asks_helper());
    CHECK(books().agent_calls_out().empty());
    answer();
    judge_as(memory_bound(1.6));
  }
  CHECK(outcomes[1].state == "finished");
}

TEST_CASE_METHOD(agent_fixture, "a sub-agent that the candidates' own provider refuses pauses the campaign") {
  open_library();
  auto s = with_agents();
  s.agents.research = s.models[0].name;
  ask_helper(s);
  models.fail({failure_kind::auth, "no such key", false});
  settle();
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(outcomes[1].why.kind == failure_kind::auth);
}

TEST_CASE_METHOD(agent_fixture, "the knowledge actor's end frees prompts that wait for a sub-agent") {
  open_library();
  ask_helper(with_agents());
  close_library();
  REQUIRE(models.open.size() == 2);
  models.open.pop_front(); // nobody answers the helper's call
  CHECK_FALSE(asks_helper());
  CHECK(drive());
}

TEST_CASE_METHOD(agent_fixture, "a study ends with its limit, and the prompt goes on") {
  open_library();
  ask_helper(with_agents());
  pass(std::chrono::duration_cast<std::chrono::milliseconds>(study_limit));
  CHECK(models.open.size() == 2);
}

TEST_CASE_METHOD(agent_fixture,
                 "a sub-agent's call that a killed process had out is charged at an estimate, once") {
  open_library();
  auto s = priced();
  ask_helper(s);
  auto reserved = books().agent_calls_out().at(0).reserved;
  auto before = books().money().spent();
  kill();
  close_library();
  open_library();
  start(1, s);
  REQUIRE(books().agent_calls_out().size() == 1); // its prompt wants to know it still
  CHECK(books().agent_calls_out()[0].number == 2);
  CHECK(books().money().spent().tokens > before.tokens);
  CHECK(books().money().spent().tokens <= before.tokens + reserved.tokens);
  CHECK(books().money().spent().usd() <= before.usd() + reserved.usd);
  auto spent = books().money().spent().usd(); // `books` reads anew: what it gave before is gone
  CHECK(books().estimated().usd == Approx(spent - before.usd()));
  auto hash = stored()->fold.hash();
  kill();
  CHECK(stored()->fold.hash() == hash);
}

TEST_CASE_METHOD(agent_fixture,
                 "a sub-agent's answer that comes while its campaign is started again is paid for") {
  open_library();
  auto s = priced();
  ask_helper(s);
  auto reserved = books().agent_calls_out().at(0).reserved;
  auto before = books().money().spent();
  crash(addresses::campaign(1));
  answer_with("CHOOSE guidance/zero"); // nobody hears it
  pass(1min);
  CHECK_FALSE(books().agent_call(1));
  CHECK(books().money().spent().tokens > before.tokens);
  CHECK(books().money().spent().tokens <= before.tokens + reserved.tokens);
  CHECK(drive());
}

TEST_CASE_METHOD(agent_fixture,
                 "a campaign that is interrupted waits for a sub-agent's call and begins none") {
  open_library();
  ask_helper(with_agents());
  tell(addresses::campaign(1), interrupt{});
  CHECK_FALSE(outcomes.contains(1));
  answer_with("READ guidance/zero\n"); // its next call is refused
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].state == "paused");
  CHECK(books().agent_calls() == 1);
  CHECK(books().agent_calls_out().empty());
}

TEST_CASE_METHOD(agent_fixture, "a long way is summed up, and the prompt shows the summary") {
  open_library();
  auto s = with_agents(1, 40);
  s.agents = {"helper", "", 1};
  s.search.memory = memory_kind::parent_siblings;
  s.search.policy = policy_kind::greedy;
  launch(s);
  auto is_summary = [&] { return !models.open.empty() && shown().find("You keep the memory") == 0; };
  double score = 1;
  for (int i = 0; i < 30 && !is_summary(); ++i) {
    if (!waiting.empty())
      judge_as(correct(score += 0.1));
    else if (!models.open.empty())
      answer();
    else
      pass(500ms);
  }
  REQUIRE(is_summary());
  CHECK(shown().find("How the parent came about") != std::string::npos);
  answer_with("Unrolling paid twice (nodes 2 and 3).\n");
  REQUIRE(models.open.size() == 1);
  CHECK(shown().find("Unrolling paid twice (nodes 2 and 3).") != std::string::npos);
  CHECK(books().agent_calls() == 1);
}
