#include "runtime/core/journal.hpp"
#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/skill.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;

// What an answer may hold beside one whole source, and what becomes of one that can't be used.

namespace {

/// The text of the prompt of the n-th open call.
std::string prompt_of(const scripted_models& models, std::size_t n = 0) {
  return text_of(models.open.at(n).request.prompt);
}

std::vector<journal_replied> replies(const memory_store& store) {
  std::vector<journal_replied> all;
  for (const auto& r : store.journal_of(1))
    if (r.kind == journal_kind::replied)
      all.push_back(*unpack<journal_replied>(r.body));
  return all;
}

campaign_settings one_by_one(std::int64_t candidates) {
  auto s = search_fixture::settings(candidates, 1);
  s.search.drafts = 1;
  return s;
}

} // namespace

TEST_CASE_METHOD(search_fixture,
                 "a broken answer gets one repair round with the parser's message, a second none") {
  launch(one_by_one(2));
  auto first = prompt_of(models);
  answer_with("I would rather talk about the weather.");
  REQUIRE(models.open.size() == 1);
  CHECK(models.open[0].request.call.find("-n1-a2-") != std::string::npos);
  CHECK(prompt_of(models).starts_with(first));
  CHECK(prompt_of(models).find("## Your last answer could not be used") != std::string::npos);
  CHECK(prompt_of(models).find("the answer holds no c++ code block") != std::string::npos);
  answer_with(reply(1));
  REQUIRE(waiting.size() == 1);
  judge_as(correct(1.5));
  answer_with("Nothing again.");
  answer_with("And again.");
  CHECK(nodes_in(node_state::unanswered) == 1);
  CHECK(models.asked.size() == 4);
  CHECK(stored()->fold.books().failures().at("no_code") == 3); // each is counted
  REQUIRE(drive());
}

TEST_CASE_METHOD(search_fixture, "a repair that a kill interrupts is asked with the same prompt after it") {
  auto s = one_by_one(1);
  launch(s);
  answer_with("no code");
  REQUIRE(models.open.size() == 1);
  auto before = prompt_of(models);
  kill();
  start(1, s);
  REQUIRE(models.open.size() == 1);
  CHECK(prompt_of(models) == before);
}

TEST_CASE_METHOD(search_fixture,
                 "an answer of edits is applied to its parent, also after the node has rested") {
  tree_options.awake = 0;
  launch(one_by_one(2));
  answer_with(reply(4));
  judge_as(correct(1.5));
  REQUIRE(models.open.size() == 1);
  pass(5min); // nobody answers for long
  answer_with("More.\n<<<<<<< SEARCH\nextern \"C\" void kernel() { int unroll = 4; }\n=======\n"
              "extern \"C\" void kernel() { int unroll = 5; }\n>>>>>>> REPLACE\n");
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting[0].source == source(5));
  REQUIRE(drive());
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture, "further candidates of an answer are judged without asking for them") {
  launch(one_by_one(4));
  answer_with("Two.\n### Candidate: first\n```cpp\n" + source(1) + "```\n### Candidate: second\n```cpp\n" +
              source(2) + "```\n### Candidate: third\n```cpp\n" + source(3) + "```\n");
  judge_as(correct(1.5));
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting[0].source == source(2));
  judge_as(correct(1.6));
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting[0].source == source(3));
  CHECK(models.asked.size() == 1);
  kill(); // they are in the journal, as everything is
  start(1, one_by_one(4));
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting[0].source == source(3));
  judge_as(correct(1.7));
  REQUIRE(drive());
  CHECK(models.asked.size() == 2); // of four candidates
  auto now = stored();
  const auto& tree = now->fold.trees().at(0).tree();
  CHECK(tree[2].operation == operation_kind::variant);
  CHECK(tree[2].parent == 0);
  CHECK(replies(*store).at(1).attempt == 0);
  CHECK(stored()->fold.books().money().reserved().tokens == 0);
}

TEST_CASE_METHOD(
    search_fixture,
    "a part of an answer that can't be used is a node that says why, and the next prompt shows it") {
  auto settings = one_by_one(12);
  settings.search.memory = memory_kind::siblings;
  launch(settings);
  answer_with(reply(9));
  judge_as(correct(1.5));
  answer_with("### Candidate: first\n```cpp\n" + source(1) + "```\n### Candidate: second\nno code\n");
  judge_as(correct(1.1));
  REQUIRE(models.open.size() == 1); // the second was not judged, nor asked for again
  auto row = store->row<node_row>(table::nodes, key_of(1, 0, 3));
  REQUIRE(row);
  CHECK(row->state == node_state::unanswered);
  CHECK(row->note.starts_with("no_code: the answer holds no"));
  CHECK(row->note.ends_with("(second)"));
  auto shown = false;
  while (!models.open.empty()) {
    shown |= prompt_of(models).find("(second)") != std::string::npos;
    answer();
    judge_as(correct(1.1));
  }
  CHECK(shown);
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture, "a template in a further candidate of an answer is tuned as well") {
  launch(one_by_one(2)); // its points are counted apart
  answer_with("### Candidate: plain\n```cpp\n" + source(1) +
              "```\n### Candidate: tile\n```cpp\n// ke-param: TILE = 4 | 8 | 16\nextern \"C\" void kernel() "
              "{ int t = "
              "TILE; }\n```\n");
  judge_as(correct(1.2));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].source->find("#define TILE 4\n") != std::string::npos);
  judge_as(correct(1.5));
  for (int i = 0; i < 2; ++i) {
    REQUIRE(waiting.size() == 1);
    CHECK(waiting[0].source->find("ke-point") != std::string::npos);
    judge_as(correct(1.6));
  }
  CHECK(models.asked.size() == 1);
  auto now = stored();
  const auto& tree = now->fold.trees().at(0).tree();
  for (std::uint32_t n : {3u, 4u}) {
    CHECK(tree[n].operation == operation_kind::tune);
    CHECK(tree[n].parent == 2);
  }
}

TEST_CASE_METHOD(search_fixture,
                 "a template is tuned without a model, each point a candidate and a child of it") {
  launch(one_by_one(8));
  answer_with(
      "Tile.\n```cpp\n// ke-param: TILE = 4 | 8 | 16\nextern \"C\" void kernel() { int t = TILE; }\n```\n");
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].source->find("#define TILE 4\n") != std::string::npos);
  judge_as(correct(1.5));
  std::set<std::string> points;
  for (int i = 0; i < 2; ++i) {
    REQUIRE(waiting.size() == 1);
    points.insert(waiting[0].source->substr(waiting[0].source->find("ke-point")));
    judge_as(correct(1.5 + i));
  }
  CHECK(points.size() == 2);
  CHECK(models.asked.size() == 2); // the space is used up: the next one is asked for
  auto now = stored();
  const auto& tree = now->fold.trees().at(0).tree();
  for (std::uint32_t n : {2u, 3u}) {
    CHECK(tree[n].operation == operation_kind::tune);
    CHECK(tree[n].parent == 1);
  }
  REQUIRE(drive());
  auto hash = tree_hash_of();
  CHECK(stored()->fold.trees().at(0).hash() == hash);
}

namespace {

const std::string template_of_four =
    "Tile.\n```cpp\n// ke-param: TILE = 4 | 8 | 16 | 32\nextern \"C\" void kernel() { int t = TILE; }\n```\n";

} // namespace

TEST_CASE_METHOD(search_fixture,
                 "points of templates have a budget of their own: the one candidate is tuned to its end") {
  launch(one_by_one(1));
  answer_with(template_of_four);
  judge_as(correct(1.5));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(waiting.size() == 1);
    CHECK(waiting[0].source->find("ke-point") != std::string::npos);
    CHECK(outcomes.empty());
    judge_as(correct(1.5));
  }
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(models.asked.size() == 1);
  auto end = stored();
  CHECK(end->fold.books().money().spent().candidates == 1);
  CHECK(end->row.tuned == 3);
}

TEST_CASE_METHOD(search_fixture, "when the points of templates are used up the campaign goes on without") {
  auto s = one_by_one(3);
  s.budget.tune_candidates = 1;
  launch(s);
  answer_with(template_of_four);
  judge_as(correct(1.5));
  REQUIRE(waiting.size() == 1);
  CHECK(told_status()["budget"]["tune_candidates"] == 1);
  judge_as(correct(1.5));
  CHECK(told_status()["tuned"] == 1);
  CHECK(waiting.empty());
  CHECK(models.asked.size() == 2); // the next candidate, not the next point
  CHECK(steer_to("set", "budget.tune_candidates", "2").kind == failure_kind::none);
  answer_with(reply(1));
  judge_as(correct(1.1));
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].source->find("ke-point") != std::string::npos);
  REQUIRE(drive());
  auto end = stored();
  CHECK(end->row.tuned == 2);
  CHECK(end->fold.books().money().spent().candidates == 3);
  CHECK(outcomes[1].reason == "budget.candidates");
}

TEST_CASE_METHOD(search_fixture, "points of templates that gain nothing are no stall") {
  auto s = one_by_one(50);
  s.budget.stall_candidates = 2;
  launch(s);
  answer_with(template_of_four);
  judge_as(correct(1.5));
  for (int i = 0; i < 3; ++i)
    judge_as(correct(1.0));
  CHECK(outcomes.empty());
  CHECK(models.asked.size() == 2);
}

TEST_CASE_METHOD(search_fixture, "a template that does not build is not tuned") {
  launch(one_by_one(2));
  answer_with("```cpp\n// ke-param: TILE = 4 | 8\nextern \"C\" void kernel() { int t = TILE; }\n```\n");
  verdict v;
  v.state = verdict_state::build_failed;
  judge_as(v);
  CHECK(models.asked.size() == 2);
  CHECK(waiting.empty());
}

TEST_CASE_METHOD(search_fixture, "a parent whose summary was read without its source is shown with it") {
  // So that summaries are read from the store, most of them as a sibling's: without source.
  tree_options.summaries = 1;
  launch(settings(30, 1));
  for (int i = 0; i < 25; ++i) {
    REQUIRE(models.open.size() == 1);
    auto prompt = prompt_of(models);
    if (auto at = prompt.find("## Parent (node "); at != std::string::npos)
      CHECK(prompt.find("extern \"C\" void kernel() { int unroll", at) != std::string::npos);
    answer();
    judge();
  }
}

TEST_CASE_METHOD(search_fixture,
                 "what led to a claim becomes a skill before the campaign ends, and is counted") {
  claims = true;
  auto s = one_by_one(2);
  s.goal.target_speedup = 100;
  create(1, s);
  start(1, s);
  shelf = std::make_shared<library>(std::make_shared<const corpus>(std::vector<document>{}));
  open_library();
  auto bound = [](double speedup) {
    auto v = timed(speedup);
    v.diagnosis = diagnosis{"memory", 0.9, {}, {}};
    return v;
  };
  answer_with(reply(1));
  judge_as(bound(1.5));
  answer_with(reply(2));
  judge_as(bound(3));
  confirm(bound(2.6)); // less than the search has seen
  REQUIRE(outcomes.contains(1));
  auto documents = shelf->now()->documents();
  REQUIRE(documents.size() == 2); // the draft against the reference, the improvement against the draft
  auto learnt = std::find_if(documents.begin(), documents.end(),
                             [](const auto& d) { return !d.signals.bottleneck.empty(); });
  REQUIRE(learnt != documents.end());
  CHECK(learnt->kind == document_kind::skill);
  CHECK(learnt->signals.bottleneck == std::vector<std::string>{"memory"});
  auto row = store->get(table::skills, learnt->id);
  REQUIRE(row);
  auto kept = unpack<skill>(*row);
  REQUIRE(kept);
  REQUIRE(kept->evidence.size() == 1);
  CHECK(kept->evidence[0].node == 2);
  CHECK(kept->evidence[0].before == 1.5);
  CHECK(kept->evidence[0].claimed);
  CHECK(kept->evidence[0].after == 3);
  REQUIRE(kept->evidence[0].claims.size() == 1);
  CHECK(kept->evidence[0].claims[0].speedup == 2.6);
  CHECK(kept->evidence[0].claims[0].compared_with == "reference");
  for (int i = 0; i < 20; ++i) { // shown, and it did not help, while others gained without it
    caf::anon_send(knowledge_actor, skills_used{{learnt->id}, false});
    caf::anon_send(knowledge_actor, skills_used{{}, true});
  }
  settle();
  CHECK(shelf->now()->documents().size() == 1); // quarantined
  CHECK(unpack<skill>(*store->get(table::skills, learnt->id))->records.at(0).losses == 20);
}

TEST_CASE_METHOD(
    search_fixture,
    "an answer that breaks its parent's regions is asked for again, also after the node has rested") {
  tree_options.awake = 0;
  launch(one_by_one(2));
  answer_with(
      "First.\n```cpp\nextern \"C\" void kernel() {\n// ke-mutable: begin\nint a = 1;\n// ke-mutable: "
      "end\n}\n```\n");
  judge_as(correct(1.5));
  REQUIRE(models.open.size() == 1);
  pass(5min); // nobody answers for long
  answer_with("Simpler.\n```cpp\nextern \"C\" void kernel() { int a = 2; }\n```\n");
  REQUIRE(models.open.size() == 1);
  CHECK(prompt_of(models).find("the parent has 1 marked region(s), the answer has 0") != std::string::npos);
  CHECK(stored()->fold.books().failures().at("markers") == 1);
  answer_with(
      "Only within.\n```cpp\nextern \"C\" void kernel() {\n// ke-mutable: begin\nint a = 2;\n// ke-mutable: "
      "end\n}\n```\n");
  REQUIRE(waiting.size() == 1);
  REQUIRE(drive());
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture,
                 "changes are asked for as edits or as whole sources in the shares of the settings") {
  auto s = one_by_one(12);
  s.search.edits = 0.5;
  s.search.rewrites = 0.5;
  launch(s);
  std::size_t edits = 0, whole = 0;
  for (int rounds = 0; rounds < 2000 && !outcomes.contains(1); ++rounds) {
    if (!models.open.empty()) {
      edits += prompt_of(models).find("Answer with edits of the parent") != std::string::npos;
      whole += prompt_of(models).find("Answer with a whole new source") != std::string::npos;
      answer();
    } else if (!waiting.empty()) {
      judge_as(correct(1.5));
    } else {
      pass(500ms);
    }
  }
  CHECK(edits + whole == 11); // all but the first version
  CHECK(edits > 1);
  CHECK(whole > 1);
}

TEST_CASE_METHOD(search_fixture,
                 "a repair on the way to a claim becomes a skill that only repairs are counted for") {
  claims = true;
  auto s = one_by_one(2);
  s.search.policy = policy_kind::greedy; // repairs while nothing works
  create(1, s);
  start(1, s);
  shelf = std::make_shared<library>(std::make_shared<const corpus>(std::vector<document>{}));
  open_library();
  answer_with(reply(1));
  verdict broken;
  broken.state = verdict_state::build_failed;
  broken.reason = "it does not build";
  broken.log = "k.cpp:1: error: no such name\n";
  judge_as(broken);
  answer_with(reply(2));
  REQUIRE(waiting.size() == 1);
  judge_as(timed(3));
  confirm(timed(2.6));
  REQUIRE(outcomes.contains(1));
  auto documents = shelf->now()->documents();
  REQUIRE(documents.size() == 1);
  const auto id = documents[0].id;
  CHECK(documents[0].signals.failure == std::vector<std::string>{"build_failed"});
  CHECK(documents[0].body.find("When you see build_failed: `k.cpp:1: error: no such name`") !=
        std::string::npos);
  caf::anon_send(knowledge_actor, skills_used{{id}, false}); // of an improvement: says nothing of a repair
  caf::anon_send(knowledge_actor, skills_used{{id}, true, true});
  settle();
  auto kept = unpack<skill>(*store->get(table::skills, id));
  REQUIRE(kept);
  CHECK(kept->failure == "build_failed");
  REQUIRE(kept->records.size() == 1);
  CHECK(kept->records[0].wins == 1);
  CHECK(kept->records[0].losses == 0);
}
