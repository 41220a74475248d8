#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;

// An answer that repeats a judged candidate is no candidate: its model is asked again.

namespace {

campaign_settings resampled(std::int64_t candidates, std::int64_t times) {
  auto s = search_fixture::settings(candidates, 1);
  s.search.drafts = 1;
  s.search.resample = times;
  return s;
}

/// As search_fixture::reply, with another name of the variable and other blanks.
std::string renamed(int number) {
  return "Name it well.\n```cpp\nextern \"C\" void kernel() {\n  int lanes = " + std::to_string(number) +
         "; // of a register\n}\n```\n";
}

std::vector<journal_replied> replied_in(const memory_store& store) {
  std::vector<journal_replied> all;
  for (const auto& r : store.journal_of(1))
    if (r.kind == journal_kind::replied)
      all.push_back(*unpack<journal_replied>(r.body));
  return all;
}

std::string last_prompt(const scripted_models& models) {
  return text_of(models.open.at(0).request.prompt);
}

} // namespace

TEST_CASE_METHOD(search_fixture, "an answer that repeats a judged candidate is asked for again, not judged") {
  launch(resampled(3, 2));
  answer_with(reply(4));
  judge_as(correct(1.5));
  answer_with(renamed(4));
  CHECK(waiting.empty());
  REQUIRE(models.open.size() == 1);
  CHECK(models.open[0].request.call.find("-n2-a2-") != std::string::npos);
  CHECK(last_prompt(models).find("the same program as the candidate that it was to change, node 1,") !=
        std::string::npos);
  CHECK(last_prompt(models).find("correct, score 1.50") != std::string::npos);
  auto records = replied_in(*store);
  REQUIRE(records.size() == 2);
  CHECK(records[1].kind == failure_kind::duplicate);
  CHECK(records[1].repeats == 1);
  CHECK(records[1].usage.output_tokens == 20); // paid for
  CHECK(count_events(events, "duplicate") == 1);
  CHECK(stored()->fold.books().failures().at("duplicate") == 1);
  answer_with(renamed(5)); // a constant is another candidate
  REQUIRE(waiting.size() == 1);
  judge_as(correct(1.2));
  CHECK(nodes_in(node_state::correct) == 2);
  REQUIRE(drive());
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture,
                 "a model that repeats itself too often has its last answer taken as a duplicate") {
  launch(resampled(2, 2));
  answer_with(reply(4));
  auto first = waiting.at(0).normalised_digest;
  judge_as(correct(1.5));
  answer_with(renamed(4));
  answer_with(reply(4));
  CHECK(waiting.empty());
  answer_with(renamed(4));
  REQUIRE(waiting.size() == 1);
  CHECK(models.open.empty());
  CHECK(waiting[0].normalised_digest == first); // so the evaluator answers it without a device
  judge_as(correct(1.5), true);
  auto row = store->row<node_row>(table::nodes, key_of(1, 0, 2));
  REQUIRE(row);
  CHECK(row->duplicate_of == 1);
  CHECK(row->attempts == 3);
  REQUIRE(drive());
  CHECK(stored()->fold.books().failures().at("duplicate") == 2);
}

TEST_CASE_METHOD(search_fixture, "what was noisy, is not judged yet, or has parameters, is no repetition") {
  launch(resampled(4, 3));
  answer_with(reply(4));
  auto loud = correct(1.5);
  loud.state = verdict_state::noisy;
  judge_as(loud);
  answer_with(renamed(4));
  CHECK(waiting.size() == 1);
  judge_as(correct(1.5));
  answer_with(
      "Tune it.\n```cpp\n// ke-param: LANES = 4 | 8\n#define LANES 4\nextern \"C\" void kernel() { int x "
      "= LANES; }\n```\n");
  REQUIRE(waiting.size() == 1);
  judge_as(correct(1.6));
  REQUIRE(drive());
  CHECK(stored()->fold.books().failures().count("duplicate") == 0);
}

TEST_CASE_METHOD(search_fixture, "a repetition is asked for again with the same prompt after a kill") {
  auto s = resampled(3, 3);
  launch(s);
  answer_with(reply(4));
  judge_as(correct(1.5));
  answer_with(renamed(4));
  REQUIRE(models.open.size() == 1);
  auto before = last_prompt(models);
  kill();
  start(1, s);
  REQUIRE(models.open.size() == 1);
  CHECK(last_prompt(models) == before);
  answer_with(renamed(4)); // the third attempt: the killed one counts
  REQUIRE(models.open.size() == 1);
  CHECK(models.open[0].request.call.find("-n2-a4-") != std::string::npos);
  answer_with(reply(6));
  CHECK(waiting.size() == 1);
  REQUIRE(drive());
  CHECK(crashes.empty());
}

TEST_CASE_METHOD(search_fixture,
                 "first versions are told the state of what they repeat, and no measurement") {
  auto s = resampled(2, 1);
  s.search.drafts = 2;
  launch(s);
  answer_with(reply(4));
  judge_as(correct(1.5));
  answer_with(renamed(4));
  REQUIRE(models.open.size() == 1);
  CHECK(last_prompt(models).find("that one is known: correct. Write") != std::string::npos);
  REQUIRE(drive());
}
