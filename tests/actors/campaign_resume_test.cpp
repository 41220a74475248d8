#include "actors/campaign/campaign_resume.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/settings.hpp"

#include "tests/actors/parts_fixture.hpp"

using namespace ke;
using namespace ke::test;

namespace {

/// A campaign whose process was killed while one node's call was out.
class resumed_fixture : public parts_fixture {
public:
  node_key node;
  std::unique_ptr<campaign_journal> journal_after;
  std::unique_ptr<node_rows> rows_after;
  std::unique_ptr<paid_calls> calls_after;
  std::unique_ptr<campaign_resume> resume;

  paid_call begin(const campaign_settings& s) {
    start(s);
    node = step(1).at(0);
    return ask(node);
  }
  /// Another life of the campaign; `process`: of its process, too.
  void begin_again(bool process) {
    if (process)
      options.calls = std::make_shared<call_book>();
    journal_after = std::make_unique<campaign_journal>(options, [this] { return clock; });
    rows_after = std::make_unique<node_rows>(*journal_after);
    calls_after = std::make_unique<paid_calls>(*journal_after, *rows_after, paid_calls::port{});
    resume = std::make_unique<campaign_resume>(*journal_after, *calls_after);
    auto stored = read_stored_campaign(*store, 1);
    REQUIRE(stored);
    journal_after->load(*stored);
    store_batch batch;
    resume->take_up(batch);
    journal_after->commit(std::move(batch));
  }
  /// The provider's thread stores what came, as it does before any actor hears of it.
  void store_answer(const paid_call& call, failure_kind outcome, const std::string& body) {
    raw_answer a;
    a.call = calls.name_of(call);
    a.provider = provider_kind::openai;
    a.status = 200;
    a.sent = true;
    a.body = body;
    a.why.kind = outcome;
    options.calls->record(*store, a);
  }
};

const std::string whole_answer =
    R"({"choices":[{"message":{"content":"done"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":9}})";

} // namespace

TEST_CASE_METHOD(resumed_fixture, "resume: open nodes sleep until a device of their tree is there") {
  begin(settings());
  begin_again(true);
  CHECK(resume->sleeps(node));
  CHECK(resume->wake(1).nodes.empty()); // another tree
  CHECK(resume->wake(0).nodes == std::vector<node_key>{node});
  CHECK_FALSE(resume->sleeps(node));
  CHECK(resume->is_over());
}

TEST_CASE_METHOD(resumed_fixture, "resume: an answer that was stored before the kill is delivered") {
  auto call = begin(settings());
  store_answer(call, failure_kind::none, whole_answer);
  begin_again(true);
  CHECK(calls_after->out() == 1); // it is folded when its node has read it
  auto awake = resume->wake(0);
  REQUIRE(awake.answers.size() == 1);
  CHECK(awake.answers[0].node == node);
  CHECK(awake.answers[0].attempt == 1);
  CHECK(awake.answers[0].reply->text == "done");
  CHECK(awake.answers[0].reply->told.output_tokens == 9);
  CHECK(awake.requests.empty());
  CHECK(resume->is_over());
}

TEST_CASE_METHOD(resumed_fixture, "resume: a paid call of a killed process is charged at an estimate") {
  begin(settings());
  begin_again(true);
  CHECK(calls_after->out() == 0);
  auto r = bodies<journal_replied>(journal_kind::replied).at(0);
  CHECK(r.kind == failure_kind::cancelled);
  CHECK(r.unknown);
  CHECK(r.usage.input_tokens > 0);
  CHECK(resume->wake(0).requests.empty());
}

TEST_CASE_METHOD(resumed_fixture, "resume: what came until its session's end is what a call is charged") {
  auto call = begin(settings());
  store_answer(call, failure_kind::cancelled, "");
  begin_again(true);
  CHECK(calls_after->out() == 0);
  auto r = bodies<journal_replied>(journal_kind::replied).at(0);
  CHECK_FALSE(r.unknown);
  CHECK_FALSE(r.unsent);
  CHECK(r.usage.input_tokens > 0);
}

TEST_CASE_METHOD(resumed_fixture, "resume: a free call is made again under its name, with its prompt") {
  auto s = settings();
  s.models[0].provider = provider_kind::spool;
  auto call = begin(s);
  begin_again(true);
  CHECK(calls_after->out() == 1);
  auto awake = resume->wake(0);
  REQUIRE(awake.requests.size() == 1);
  CHECK(awake.requests[0]->call() == calls.name_of(call));
  CHECK(awake.requests[0]->again);
  CHECK(text_of(awake.requests[0]->prompt) == "Write a kernel.");
}

TEST_CASE_METHOD(resumed_fixture, "resume: a call that never left this process is made again, unpaid") {
  begin(settings());
  begin_again(false); // only the actor was started again
  CHECK(calls_after->out() == 1);
  CHECK(resume->wake(0).requests.size() == 1);
  CHECK(store->count(1, journal_kind::replied) == 0);
}

TEST_CASE_METHOD(resumed_fixture, "resume: a sub-agent's call of a killed process is settled") {
  auto s = settings();
  s.agents.share = 0.5;
  begin(s);
  agent_call c;
  c.node = node;
  c.agent = "memory";
  c.model = "m";
  c.prompt.sections.push_back({"Sum it up.", false, "task"});
  REQUIRE(calls.ask_for_agent(c));
  auto same_process = GENERATE(false, true);
  begin_again(!same_process);
  CHECK(journal_after->books().agent_calls_out().empty());
  auto r = bodies<journal_agent_replied>(journal_kind::advised).at(0);
  CHECK(r.kind == failure_kind::cancelled);
  CHECK(r.unknown == !same_process); // it never left: free
}
