#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/token_usage.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;

namespace {

constexpr auto no_idea = "I would rather not.";

campaign_settings paid(std::int64_t candidates, std::int64_t parallel) {
  auto s = search_fixture::settings(candidates, parallel);
  s.models[0].price_input = 3;
  s.models[0].price_output = 15;
  return s;
}

std::string paused_by(const search_fixture& f) {
  auto out = f.outcomes.find(1);
  return out == f.outcomes.end() || out->second.state != "paused" ? "" : out->second.why.text;
}

} // namespace

TEST_CASE_METHOD(search_fixture, "a try that is billed and then fails is charged before it is sent again") {
  launch(paid(2, 1));
  store->hold = true;
  models.fail({failure_kind::connection, "reset", true}, {}, {400, 2000, 0, 0.03}, {1200, 8000, 0, true});
  settle();
  pass(10s);
  CHECK(models.asked.size() == 1); // its cost is not committed
  store->release();
  settle();
  CHECK(models.asked.size() == 2);
  CHECK(models.asked[0] == models.asked[1]);
  auto books = stored()->fold.books();
  CHECK(books.requests() == 2);
  CHECK(books.spend().output_tokens == 2000);
  CHECK(books.money().spent().usd() == Approx(0.03));
  CHECK(books.money().reserved().tokens > 0); // the retry's
  CHECK(books.failures().at("connection") == 1);
  answer();
  CHECK(stored()->fold.books().spend().output_tokens == 2020);
  REQUIRE(drive());
  CHECK(stored()->fold.books().requests() == 3);
  CHECK(stored()->fold.books().estimated() == token_usage{});
}

TEST_CASE_METHOD(search_fixture,
                 "a retry that the budget can't hold beside what the failed try took is not sent") {
  auto s = paid(20, 1);
  s.budget.tokens = 8'000;
  launch(s);
  auto reserved = stored()->fold.books().money().reserved().tokens;
  REQUIRE(reserved < 8'000);
  for (int tries = 0; tries < 6 && !models.open.empty(); ++tries) {
    models.fail({failure_kind::timeout, "stall", true}, {}, {500, 2000, 0, 0.03}, {1200, 8000, 0, true});
    settle();
    pass(2min);
  }
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.tokens");
  auto books = stored()->fold.books();
  CHECK(books.money().spent().tokens <= 8'000 + reserved); // never more than one call in flight over it
  CHECK(books.requests() == models.asked.size());
  CHECK(books.money().reserved().tokens == 0);
}

TEST_CASE_METHOD(search_fixture, "a campaign ends with budget.requests, retries counted") {
  auto s = settings(20, 1);
  s.budget.requests = 5;
  launch(s);
  models.fail({failure_kind::rate_limited, "slow down", true});
  settle();
  pass(1min);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.requests");
  CHECK(models.asked.size() == 5);
  CHECK(stored()->fold.books().requests() == 5);
}

TEST_CASE_METHOD(search_fixture,
                 "a call that was never sent is no request, and one that is cancelled tells its cost") {
  auto s = paid(8, 4);
  s.models[0].max_parallel = 1;
  launch(s);
  REQUIRE(models.open.size() == 1);
  CHECK(stored()->fold.books().requests() == 4);
  CHECK(steer_to("stop").kind == failure_kind::none);
  pass(10s);
  REQUIRE(outcomes.contains(1));
  CHECK(models.cancelled.size() == 1);
  auto books = stored()->fold.books();
  CHECK(books.requests() == 0); // nor is the one that had not left its provider
  CHECK(books.unheard() == 0);
  CHECK(books.money().reserved() == amounts{});
}

TEST_CASE_METHOD(search_fixture,
                 "a model that answers without code eight times in a row pauses the campaign, and "
                 "a resume asks it again") {
  auto s = paid(100, 1);
  s.budget.fruitless = 8;
  launch(s);
  for (int i = 0; i < 7; ++i)
    answer_with(no_idea);
  kill(); // the count is the journal's
  start(1, s);
  CHECK(paused_by(*this).empty());
  answer_with(no_idea);
  CHECK(paused_by(*this).find("model m was paid for 8 answers in a row without a candidate") == 0);
  CHECK(models.open.empty());
  auto row = unpack<campaign_row>(*store->get(table::campaigns, key_of(1)));
  CHECK(row->state == "paused");
  CHECK(row->pause_reason == paused_by(*this));
  kill();
  outcomes.clear();
  start(1, s);
  REQUIRE(models.open.size() == 1);
  for (int i = 0; i < 7; ++i)
    answer_with(no_idea);
  answer(); // a candidate: the count begins anew
  if (!waiting.empty())
    judge();
  for (int i = 0; i < 7; ++i)
    answer_with(no_idea);
  CHECK(outcomes.empty());
  answer_with(no_idea);
  CHECK_FALSE(paused_by(*this).empty());
}

TEST_CASE_METHOD(search_fixture,
                 "of several models the one that gives no candidate is set aside, and the others go "
                 "on") {
  auto s = paid(60, 1);
  s.budget.fruitless = 4;
  s.models.push_back(s.models[0]);
  s.models[1].name = "n";
  launch(s);
  std::size_t of_m = 0;
  for (int i = 0; i < 200 && !outcomes.contains(1); ++i) {
    settle();
    if (!waiting.empty()) {
      judge();
    } else if (models.open.empty()) {
      pass(500ms);
    } else if (models.open.front().model.ends_with("m")) {
      ++of_m;
      answer_with(no_idea);
    } else {
      answer();
    }
  }
  CHECK(of_m == 4);
  REQUIRE(outcomes.contains(1));
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(stored()->fold.books().set_aside() == std::set<std::string>{"m"}); // as its journal tells
}

TEST_CASE_METHOD(search_fixture,
                 "a spooled call of an earlier session is asked by the prompt that is stored") {
  auto s = settings(3, 2);
  s.models[0].provider = provider_kind::spool;
  launch(s);
  REQUIRE(models.open.size() == 2);
  auto first = models.open[0].request;
  models.open.pop_front();
  answer(); // of the other: what a new prompt would show has changed
  judge_as(correct(3));
  kill();
  start(1, s);
  auto again = std::find_if(models.open.begin(), models.open.end(),
                            [&](const auto& a) { return a.request.call == first.call; });
  REQUIRE(again != models.open.end());
  CHECK(text_of(again->request.prompt) == text_of(first.prompt));
  CHECK(again->request.former_call == "c1-t0-n1-a1");
}
