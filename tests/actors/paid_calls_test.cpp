#include "actors/campaign/paid_calls.hpp"
#include "runtime/core/call_row.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/token_usage.hpp"

#include "tests/actors/parts_fixture.hpp"

using namespace ke;
using namespace ke::test;

namespace {

agent_call summary_for(const node_key& n) {
  agent_call c;
  c.node = n;
  c.agent = "memory";
  c.model = "m";
  c.prompt.sections.push_back({"Sum it up.", false, "task"});
  return c;
}

/// Sub-agents may have half of all tokens.
campaign_settings with_agents() {
  auto s = parts_fixture::settings();
  s.agents.share = 0.5;
  return s;
}

failed_try failure_of(const paid_call& call, failure_kind kind, std::uint64_t tokens = 0) {
  failed_try f;
  f.node = call.node;
  f.attempt = call.attempt;
  f.why = {kind, "no", true};
  f.told.output_tokens = tokens;
  return f;
}

} // namespace

TEST_CASE_METHOD(parts_fixture, "paid calls: a prompt leaves once its intent is committed") {
  start(settings());
  auto n = step(1).at(0);
  store->hold = true;
  calls.want(prompt_of(n));
  calls.pay();
  CHECK(calls.out() == 1);
  CHECK(store->count(1, journal_kind::asked) == 1);
  CHECK(asked.empty());
  store->release();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0]->node == n);
  CHECK(asked[0]->reserved.tokens > 1000);
  auto row = store->row<call_row>(table::calls, key_of(1u, 0u, n.node, 1u));
  REQUIRE(row);
  CHECK(row->open);
  CHECK(row->reserved.tokens == asked[0]->reserved.tokens);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: a prompt that the budget can't hold waits for the next end") {
  auto s = settings();
  s.budget.tokens = 1'500; // one worst case
  start(s);
  auto nodes = step(2);
  for (const auto& n : nodes)
    calls.want(prompt_of(n));
  calls.pay();
  REQUIRE(asked.size() == 1);
  CHECK(calls.waiting() == 1);
  CHECK_FALSE(calls.all_wait()); // one is out, and may give money back
  CHECK(calls.next().tokens > 1000);
  calls.settle({}, *calls.find(nodes[0], 1), {.kind = failure_kind::cancelled, .unsent = true});
  calls.pay();
  REQUIRE(asked.size() == 2);
  CHECK(asked[1]->node == nodes[1]);
  CHECK_FALSE(calls.is_waiting());
}

TEST_CASE_METHOD(parts_fixture, "paid calls: prompts of ended nodes and of calls that are out are dropped") {
  start(settings());
  auto nodes = step(2);
  auto twice = prompt_of(nodes[0]);
  ask(nodes[0]);
  calls.want(twice);
  calls.want(prompt_of(nodes[1]));
  store_batch batch;
  journal.record(batch, journal_kind::ended,
                 journal_ended{0, nodes[1].node, node_state::cancelled, "stopped"});
  calls.pay();
  CHECK(asked.size() == 1);
  CHECK_FALSE(calls.is_waiting());
}

TEST_CASE_METHOD(parts_fixture, "paid calls: a tree that has forgotten its nodes asks anew") {
  auto s = settings();
  s.budget.tokens = 1'500;
  start(s);
  auto nodes = step(2);
  ask(nodes[0]);
  calls.want(prompt_of(nodes[1]));
  calls.forget(7);
  CHECK(calls.waiting() == 1);
  calls.forget(0);
  CHECK(calls.waiting() == 0);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: a sub-agent's call is refused if its share can't hold it") {
  start(settings());
  auto n = step(1).at(0);
  auto c = summary_for(n);
  auto done = calls.ask_for_agent(c);
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == failure_kind::credit);
  CHECK(asked.empty());
  CHECK(calls.out() == 0);
  CHECK(store->count(1, journal_kind::consulted) == 0);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: a sub-agent hears once how its call ended") {
  start(with_agents());
  std::vector<agent_answer> heard;
  auto nodes = step(2);
  ask(nodes[0]); // of what it takes sub-agents have a share
  auto c = summary_for(nodes[1]);
  c.reply = [&](agent_answer a) { heard.push_back(std::move(a)); };
  REQUIRE(calls.ask_for_agent(c));
  auto call = calls.all_out().at(1);
  REQUIRE(call.is_agents());
  auto ended = [](const char* how) { return agent_answer{nullptr, {failure_kind::timeout, how, false}}; };
  calls.answer_agent(call, ended("it took too long"));
  calls.answer_agent(call, ended("told twice"));
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].why.text == "it took too long");
  paid_calls next{journal, rows, paid_calls::port{}}; // another life of the campaign: nobody waits
  next.answer_agent(call, ended("late"));
  CHECK(heard.size() == 1);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: nodes and sub-agents are reserved, found and settled alike") {
  start(with_agents());
  auto nodes = step(2);
  ask(nodes[0]);
  auto c = summary_for(nodes[1]);
  REQUIRE(calls.ask_for_agent(c));
  REQUIRE(calls.out() == 2);
  auto all = calls.all_out();
  CHECK_FALSE(all[0].is_agents());
  CHECK(all[0].node == nodes[0]);
  CHECK(all[1].is_agents());
  CHECK(all[1].node == nodes[1]);
  CHECK(journal.books().money().reserved().tokens == all[0].reserved.tokens + all[1].reserved.tokens);
  token_usage usage;
  usage.output_tokens = 50;
  for (const auto& call : all) {
    auto found = calls.find(call.node, call.attempt);
    REQUIRE(found);
    CHECK(calls.name_of(*found) == calls.name_of(call));
    CHECK(options.calls->find(calls.name_of(call)) == call_book::whereabouts::here);
    calls.settle({}, call, {.kind = failure_kind::refused, .charged = {usage, {}}});
    CHECK(options.calls->find(calls.name_of(call)) == call_book::whereabouts::unknown);
    CHECK_FALSE(calls.find(call.node, call.attempt));
  }
  CHECK(calls.out() == 0);
  CHECK(journal.books().money().reserved().tokens == 0);
  CHECK(journal.books().money().spent().tokens == 100);
  CHECK(bodies<journal_replied>(journal_kind::replied).at(0).kind == failure_kind::refused);
  CHECK(bodies<journal_agent_replied>(journal_kind::advised).at(0).kind == failure_kind::refused);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: a failed send is charged, and may be tried again") {
  start(settings());
  auto call = ask(step(1).at(0));
  store->hold = true;
  CHECK(calls.try_again(failure_of(call, failure_kind::rate_limited, 20), call));
  CHECK(permits.empty()); // its cost is not committed yet
  store->release();
  REQUIRE(permits.size() == 1);
  CHECK(permits[0].go);
  CHECK(permits[0].call == calls.name_of(call));
  CHECK(calls.out() == 1);
  CHECK(journal.books().money().spent().tokens == 20);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: a failed send that took more than the budget settles its call") {
  auto s = settings();
  s.agents.share = 0.5;
  s.budget.tokens = 3'000;
  start(s);
  auto n = step(1).at(0);
  ask(n);
  auto c = summary_for(n);
  REQUIRE(calls.ask_for_agent(c));
  for (const auto& call : calls.all_out()) { // a node's, then a sub-agent's
    CHECK_FALSE(calls.try_again(failure_of(call, failure_kind::rate_limited, 3'000), call));
    CHECK_FALSE(permits.back().go);
    CHECK(permits.back().call == calls.name_of(call));
    CHECK_FALSE(calls.find(call.node, call.attempt));
  }
  CHECK(bodies<journal_failed_request>(journal_kind::failed_request).size() == 2);
  CHECK(bodies<journal_replied>(journal_kind::replied).at(0).kind == failure_kind::cancelled);
  CHECK(bodies<journal_agent_replied>(journal_kind::advised).at(0).kind == failure_kind::cancelled);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: a call that never left is unsent, a refused one is not") {
  start(settings());
  auto call = ask(step(1).at(0));
  auto end = calls.blocked(failure_of(call, failure_kind::none), call);
  CHECK(end.kind == failure_kind::cancelled);
  CHECK(end.unsent);
  end = calls.blocked(failure_of(call, failure_kind::auth), call);
  CHECK(end.kind == failure_kind::auth);
  CHECK_FALSE(end.unsent);
  auto f = failure_of(call, failure_kind::cancelled);
  f.meter.sent_bytes = 10;
  CHECK_FALSE(calls.blocked(f, call).unsent);
}

TEST_CASE_METHOD(parts_fixture, "paid calls: what nobody hears the end of is charged, unless it is free") {
  auto s = with_agents();
  auto free = GENERATE(false, true);
  if (free)
    s.models[0].provider = provider_kind::spool;
  start(s);
  auto nodes = step(2);
  ask(nodes[0]);
  auto c = summary_for(nodes[1]);
  REQUIRE(calls.ask_for_agent(c));
  store_batch batch;
  calls.give_up_all(batch);
  journal.commit(std::move(batch));
  CHECK(calls.out() == 0);
  auto node = bodies<journal_replied>(journal_kind::replied).at(0);
  auto agent = bodies<journal_agent_replied>(journal_kind::advised).at(0);
  CHECK(node.unknown == !free);
  CHECK(agent.unknown == !free);
  CHECK((node.usage.input_tokens > 0) == !free);
  CHECK((agent.usage.input_tokens > 0) == !free);
}

TEST_CASE_METHOD(parts_fixture,
                 "paid calls: a `resume` asks blocked nodes again, and a refusal is told once") {
  start(settings());
  auto nodes = step(2);
  CHECK(calls.is_first_refusal());
  CHECK_FALSE(calls.is_first_refusal());
  calls.ask_later(nodes[0]);
  calls.ask_later(nodes[1]);
  CHECK(calls.resumed() == nodes);
  CHECK(calls.resumed().empty());
  CHECK(calls.is_first_refusal());
}

TEST_CASE_METHOD(parts_fixture,
                 "paid calls: a prompt for a model that was set aside goes to another one, and people hear") {
  auto s = settings();
  s.budget.fruitless = 1;
  s.models.push_back(s.models[0]);
  s.models[1].name = "other";
  start(s);
  auto nodes = step(2);
  auto call = ask(nodes[0]);
  token_usage paid;
  paid.output_tokens = 50;
  calls.settle({}, call, {.kind = failure_kind::no_code, .charged = {paid, {}}});
  CHECK_FALSE(calls.look_at_fruitless({failure_kind::no_code, "no code", false}));
  REQUIRE(events.size() == 1);
  CHECK(events[0].find("model m was paid for 1 answers in a row") != std::string::npos);
  CHECK_FALSE(calls.look_at_fruitless({failure_kind::no_code, "no code", false}));
  CHECK(events.size() == 1); // told once
  auto request = prompt_of(nodes[1]);
  calls.want(request);
  calls.pay();
  REQUIRE(asked.size() == 2);
  CHECK(asked[1]->model == "other");
}

TEST_CASE_METHOD(parts_fixture, "paid calls: with the last model set aside the session must pause") {
  auto s = settings();
  s.budget.fruitless = 1;
  start(s);
  auto call = ask(step(1).at(0));
  token_usage paid;
  paid.output_tokens = 50;
  calls.settle({}, call, {.kind = failure_kind::no_code, .charged = {paid, {}}});
  auto why = calls.look_at_fruitless({failure_kind::no_code, "no code", false});
  REQUIRE(why);
  CHECK(why->kind == failure_kind::no_code);
  CHECK(why->text.find("mend [[model]] m") != std::string::npos);
}
