#include "actors/llm/synthesizer.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/core/node_key.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/virtual_time.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace std::chrono_literals;

namespace {

struct models_fixture : test::virtual_time {
  std::shared_ptr<directory> names = std::make_shared<directory>();
  test::scripted_models models;
  model_settings model;
  std::vector<synthesis> answers;
  std::vector<failed_try> failures;
  bool permits = true; ///< what a campaign says when a try's cost is committed
  std::shared_ptr<call_book> calls = std::make_shared<call_book>();
  std::function<void()> start; ///< as its supervisor does
  std::vector<caf::actor> trees;
  caf::actor synthesizer_actor;

  models_fixture() {
    model.name.assign(1, 'm'); // g++ 12 sees an overlap in assigning a literal here (-Wrestrict)
    model.provider = provider_kind::openai;
  }
  ~models_fixture() {
    caf::anon_send_exit(synthesizer_actor, caf::exit_reason::user_shutdown);
    for (auto& t : trees)
      caf::anon_send_exit(t, caf::exit_reason::user_shutdown);
    settle();
  }

  void launch(std::int64_t max_parallel, provider_kind provider = provider_kind::command) {
    model.max_parallel = max_parallel;
    model.provider = provider;
    synthesizer_options o;
    o.names = names;
    o.find = [this](std::uint32_t, const std::string& name) {
      auto found = model;
      found.name = name;
      return name == "m" || name == "n" ? std::optional{found} : std::nullopt;
    };
    o.calls = calls;
    o.providers = std::make_shared<provider_pool>(
        [this](const model_settings& m) -> result<std::unique_ptr<provider_port>> {
          return models.connect(m.name);
        });
    o.retries = {.transport_tries = 8, .floor = 500ms};
    o.circuits = {.failures = 3, .open_for = 10s};
    start = [this, o] {
      synthesizer_actor = system.spawn(synthesizer, o);
      names->set(addresses::synthesizer, synthesizer_actor);
    };
    start();
    for (std::uint32_t campaign : {1, 2}) {
      trees.push_back(system.spawn([this](caf::event_based_actor*) -> caf::behavior {
        return {
            [this](const synthesis& s) { answers.push_back(s); },
            [this](const failed_try& f) {
              failures.push_back(f);
              if (!f.blocked && permits)
                names->send(addresses::synthesizer, send_permit{place_of(f)});
            },
        };
      }));
      names->set(addresses::node_supervisor(campaign, 0), trees.back());
    }
    settle();
  }
  void ask(std::uint32_t node, std::uint32_t campaign = 1, std::string model_name = "m") {
    auto r = std::make_shared<synthesis_request>();
    r->node = {campaign, 0, node};
    r->attempt = 1;
    r->model = std::move(model_name);
    r->prompt.sections = {{"Write it.", false}};
    caf::anon_send(synthesizer_actor, synthesize{std::move(r)});
    settle();
  }
  static std::string place_of(const failed_try& f) {
    synthesis_request r;
    r.node = f.node;
    r.attempt = f.attempt;
    return r.call();
  }
  template <class Message>
  void tell(Message m) {
    caf::anon_send(synthesizer_actor, std::move(m));
    settle();
  }
  void answer(std::string text = "fine") { models.answer(std::move(text)), settle(); }
  void fail(failure_kind kind, bool retryable, std::optional<std::chrono::milliseconds> hint = {}) {
    models.fail({kind, "because", retryable}, hint);
    settle();
  }
};

} // namespace

TEST_CASE_METHOD(models_fixture,
                 "no more calls are out than max_parallel, and the next leaves when one ends") {
  launch(2);
  for (std::uint32_t n = 1; n <= 5; ++n)
    ask(n);
  CHECK(models.asked == std::vector<std::string>{"c1-t0-n1-a1", "c1-t0-n2-a1"});
  answer();
  CHECK(models.asked.size() == 3);
  CHECK(models.open.size() == 2);
  while (!models.open.empty())
    answer();
  REQUIRE(answers.size() == 5);
  CHECK(answers[4].node.node == 5);
  CHECK(answers[4].reply->text == "fine");
}

TEST_CASE_METHOD(models_fixture, "the same request twice is one call") {
  launch(4);
  ask(1);
  ask(1);
  CHECK(models.asked.size() == 1);
  answer();
  CHECK(answers.size() == 1);
}

TEST_CASE_METHOD(models_fixture, "a 429 is sent again no sooner than Retry-After, is told as a failed try, "
                                 "and holds back the whole provider") {
  launch(4);
  ask(1);
  fail(failure_kind::rate_limited, true, 30s);
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].why.kind == failure_kind::rate_limited);
  CHECK_FALSE(failures[0].blocked);
  ask(2);
  pass(29'999ms);
  CHECK(models.asked.size() == 1);
  pass(1s);
  CHECK(models.asked.size() == 3);
  answer();
  answer();
  CHECK(answers.size() == 2);
}

TEST_CASE_METHOD(models_fixture, "a request that keeps failing is given up with its last failure") {
  launch(1);
  ask(1);
  fail(failure_kind::malformed, true);
  CHECK(failures.size() == 1);
  pass(2s);
  REQUIRE(models.open.size() == 1);
  fail(failure_kind::malformed, true);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].reply->why.kind == failure_kind::malformed);
  pass(10min);
  CHECK(models.asked.size() == 2);
}

TEST_CASE_METHOD(models_fixture,
                 "a provider that is down is left alone, then tried with a single call, then used again") {
  launch(4);
  for (std::uint32_t n = 1; n <= 4; ++n)
    ask(n);
  for (int n = 0; n < 3; ++n)
    fail(failure_kind::server_error, true);
  fail(failure_kind::server_error, true); // it left before the circuit opened
  CHECK(models.asked.size() == 4);
  pass(9'900ms);
  CHECK(models.asked.size() == 4); // open: their retries wait, too
  pass(200ms);
  CHECK(models.open.size() == 1); // half-open: the probe
  fail(failure_kind::server_error, true);
  pass(19'900ms);
  CHECK(models.open.empty()); // open for twice as long
  pass(200ms);
  REQUIRE(models.open.size() == 1);
  answer();
  CHECK(models.open.size() == 3); // closed
}

TEST_CASE_METHOD(
    models_fixture,
    "a wrong key costs at most three calls, tells all who wait, and is tried again when a person says so") {
  auto kind = GENERATE(failure_kind::auth, failure_kind::credit);
  launch(8, provider_kind::openai);
  for (std::uint32_t n = 1; n <= 8; ++n)
    ask(n);
  CHECK(models.asked.size() == 3);
  while (!models.open.empty())
    fail(kind, false);
  CHECK(models.asked.size() == 3);
  pass(1h);
  CHECK(models.asked.size() == 3);
  CHECK(answers.empty());
  REQUIRE(failures.size() == 8);
  for (const auto& f : failures)
    CHECK(f.blocked);
  CHECK(failures[0].why.kind == kind);
  ask(9); // comes while it is blocked
  CHECK(models.asked.size() == 3);
  tell(unblock_models{});
  CHECK(models.asked.size() == 4);
  answer();
  CHECK(answers.size() == 1);
}

TEST_CASE_METHOD(models_fixture,
                 "a model that is not there (404) costs at most three calls and no candidate") {
  launch(8, provider_kind::openai);
  for (std::uint32_t n = 1; n <= 8; ++n)
    ask(n);
  while (!models.open.empty())
    fail(failure_kind::server_error, false);
  CHECK(models.asked.size() == 3);
  CHECK(answers.empty());
  REQUIRE(failures.size() == 8);
  for (const auto& f : failures)
    CHECK(f.blocked);
}

TEST_CASE_METHOD(models_fixture,
                 "of a provider that has answered, a refusal for good is that prompt's, until "
                 "three come in a row") {
  launch(8, provider_kind::openai);
  ask(1);
  answer();
  for (std::uint32_t n = 2; n <= 6; ++n)
    ask(n);
  fail(failure_kind::server_error, false);
  fail(failure_kind::server_error, false);
  CHECK(answers.size() == 3); // told to their nodes
  CHECK(failures.empty());
  answer();
  fail(failure_kind::server_error, false);
  CHECK(failures.empty());
  ask(7);
  ask(8);
  fail(failure_kind::server_error, false);
  fail(failure_kind::server_error, false);
  CHECK_FALSE(failures.empty());
  CHECK(failures[0].blocked);
}

TEST_CASE_METHOD(models_fixture, "once a provider has answered, as many calls leave as allowed") {
  launch(8, provider_kind::openai);
  for (std::uint32_t n = 1; n <= 12; ++n)
    ask(n);
  CHECK(models.open.size() == 3);
  answer();
  CHECK(models.open.size() == 8);
}

TEST_CASE_METHOD(models_fixture, "a call whose actor crashes fails as internal and touches no other") {
  launch(3);
  ask(1);
  models.crash_next = true;
  ask(2);
  ask(3);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].node.node == 2);
  CHECK(answers[0].reply->why.kind == failure_kind::internal);
  CHECK(answers[0].reply->why.text.find("the request fell over") != std::string::npos);
  answer();
  answer();
  REQUIRE(answers.size() == 3);
  CHECK(answers[1].reply->why.kind == failure_kind::none);
  ask(4); // its place is free again
  CHECK(models.open.size() == 1);
}

TEST_CASE_METHOD(models_fixture,
                 "two campaigns with a model of the same name have queues and circuits of their own") {
  launch(1);
  ask(1, 1);
  ask(1, 2);
  CHECK(models.asked == std::vector<std::string>{"c1-t0-n1-a1", "c2-t0-n1-a1"});
  fail(failure_kind::auth, false); // of campaign 1
  ask(2, 1);
  ask(2, 2);
  answer();
  CHECK(models.asked.back() == "c2-t0-n2-a1");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].node.campaign == 2);
}

TEST_CASE_METHOD(models_fixture, "requests of a campaign that pauses are dropped unless they have left; of "
                                 "one that stops, those are cancelled too") {
  launch(1);
  ask(1, 1);
  ask(2, 1);
  ask(1, 2);
  ask(2, 2);
  tell(drop_requests{1, false});
  CHECK(models.cancelled.empty());
  REQUIRE(failures.size() == 1); // so that its reservation returns
  CHECK(failures[0].node == node_key{1, 0, 2});
  CHECK(failures[0].blocked);
  tell(drop_requests{1, true});
  CHECK(models.cancelled == std::vector<std::string>{"c1-t0-n1-a1"});
  while (!models.open.empty())
    answer();
  CHECK(models.asked == std::vector<std::string>{"c1-t0-n1-a1", "c2-t0-n1-a1", "c2-t0-n2-a1"});
  CHECK(answers.size() == 2);
}

TEST_CASE_METHOD(models_fixture, "a synthesizer that crashes leaves its calls out: the next one takes them "
                                 "over, and no answer is lost or asked for twice") {
  launch(2);
  for (std::uint32_t n = 1; n <= 3; ++n)
    ask(n);
  caf::anon_send_exit(synthesizer_actor, caf::exit_reason::unhandled_exception);
  settle();
  CHECK(models.cancelled.empty());
  REQUIRE(models.open.size() == 2);
  start();
  settle();
  ask(1); // its campaign restarted, too
  ask(3); // had not left
  CHECK(models.asked == std::vector<std::string>{"c1-t0-n1-a1", "c1-t0-n2-a1"}); // and max_parallel holds
  answer();
  CHECK(models.asked.size() == 3);
  answer();
  answer();
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].node.node == 1);
  CHECK(answers[1].node.node == 2);
  CHECK(answers[2].node.node == 3);
  CHECK(calls->all_out().empty());
}

TEST_CASE_METHOD(models_fixture,
                 "a call of a synthesizer that crashed can be cancelled, and one that fails is "
                 "sent again") {
  launch(2);
  ask(1, 1);
  ask(1, 2);
  caf::anon_send_exit(synthesizer_actor, caf::exit_reason::unhandled_exception);
  settle();
  start();
  settle();
  tell(drop_requests{1, true});
  CHECK(models.cancelled == std::vector<std::string>{"c1-t0-n1-a1"});
  fail(failure_kind::server_error, true);
  pass(2s);
  CHECK(models.asked == std::vector<std::string>{"c1-t0-n1-a1", "c2-t0-n1-a1", "c2-t0-n1-a1"});
  answer();
  CHECK(answers.size() == 1);
}

TEST_CASE_METHOD(models_fixture, "an answer that comes while no synthesizer lives is not out any more") {
  launch(2);
  ask(1);
  caf::anon_send_exit(synthesizer_actor, caf::exit_reason::unhandled_exception);
  settle();
  answer();
  CHECK(calls->find("c1-t0-n1-a1") == call_book::whereabouts::here);
  start();
  settle();
  CHECK(calls->all_out().empty());
  ask(2); // its place is free
  ask(3);
  CHECK(models.open.size() == 2);
}

TEST_CASE_METHOD(models_fixture, "an account that runs dry after it worked costs no call more once a refusal "
                                 "is seen, whichever of its models was refused") {
  launch(4, provider_kind::openai);
  for (std::uint32_t n = 1; n <= 8; ++n)
    ask(n);
  answer();
  ask(11, 1, "n");
  ask(12, 1, "n");
  ask(13, 1, "n");
  ask(14, 1, "n");
  auto sent = models.asked.size();
  while (!models.open.empty())
    fail(failure_kind::credit, false);
  CHECK(models.asked.size() == sent);
  pass(1h);
  ask(20);
  ask(21, 1, "n");
  CHECK(models.asked.size() == sent);
  CHECK(answers.size() == 1);
  CHECK(failures.size() == 11);
}

TEST_CASE_METHOD(models_fixture,
                 "a campaign that is submitted again with another key is not blocked by the old one") {
  launch(4, provider_kind::openai);
  ask(1);
  fail(failure_kind::auth, false);
  ask(2);
  CHECK(models.asked.size() == 1);
  model.api_key_env = "ANOTHER_KEY";
  ask(3);
  CHECK(models.asked.size() == 3);
  answer();
  answer();
  CHECK(answers.size() == 2);
}

TEST_CASE_METHOD(models_fixture,
                 "a model that can't be opened spends no candidate: its request is blocked, and says why") {
  launch(1);
  ask(1, 1, "gone");
  CHECK(answers.empty());
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].blocked);
  CHECK(failures[0].why.text == "no [[model]] is named gone");
}

TEST_CASE_METHOD(models_fixture,
                 "a request that failed is sent again only once its campaign has booked what the "
                 "try has cost, and not at all if it says so") {
  launch(4);
  permits = false;
  ask(1);
  ask(2);
  models.fail({failure_kind::timeout, "stall", true}, {}, {400, 70, 0, 0.01}, {1200, 300, 0, true});
  settle();
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].told.output_tokens == 70);
  CHECK(failures[0].meter.sent_bytes == 1200);
  fail(failure_kind::timeout, true);
  pass(1h);
  CHECK(models.asked.size() == 2); // nobody has booked it
  ask(1);                          // its campaign was started again: it hears of the try once more
  CHECK(failures.size() == 3);
  CHECK(failures[2].told == failures[0].told);
  tell(send_permit{place_of(failures[0])});
  CHECK(models.asked.size() == 3);
  tell(send_permit{place_of(failures[1]), false});
  pass(1h);
  CHECK(models.asked.size() == 3);
  ask(2); // as a new request
  CHECK(models.asked.size() == 4);
}

TEST_CASE_METHOD(models_fixture, "a request that is cancelled tells what it has cost") {
  launch(4);
  ask(1);
  tell(drop_requests{1, true});
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].why.kind == failure_kind::cancelled);
  CHECK(failures[0].blocked);
}

TEST_CASE("a call's name tells its store, its place and its prompt") {
  synthesis_request r;
  r.node = {3, 1, 7};
  r.attempt = 2;
  r.store = "0123456789abcdef0123456789abcdef";
  r.prompt_digest = digest_of("a prompt");
  auto name = r.call();
  CHECK(name == "01234567-c3-t1-n7-a2-" + r.prompt_digest.substr(0, 8));
  r.store[0] = 'f';
  CHECK(r.call() != name);
  r.store[0] = '0';
  r.prompt_digest = digest_of("another");
  CHECK(r.call() != name);
}
