#include "actors/messages/addresses.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/observe/counters.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;
using json = nlohmann::json;

// An embeddings server beside a campaign: the documents' vectors, a query's, and what becomes of prompts
// while the server does not help.

namespace {

/// Requests that stay open until the test ends them.
struct scripted_http : http_port {
  struct open_request {
    http_request request;
    std::function<void(http_response)> done;
  };
  std::deque<open_request> open;
  std::size_t sent = 0;

  std::uint64_t send(http_request request, std::function<void(http_response)> done) override {
    open.push_back({std::move(request), std::move(done)});
    return ++sent;
  }
  void cancel(std::uint64_t) override {}

  std::vector<std::string> texts() const {
    return json::parse(open.front().request.body).at("input").get<std::vector<std::string>>();
  }
  void end(http_response r) {
    auto first = std::move(open.front());
    open.pop_front();
    first.done(std::move(r));
  }
};

/// Documents that words can't tell apart: without a server the first four stand in a prompt.
std::shared_ptr<const corpus> pages(std::size_t count) {
  std::vector<document> all;
  for (std::size_t i = 0; i < count; ++i) {
    document d;
    d.id = "guidance/page-" + std::to_string(10 + i);
    d.title = "Advice";
    d.targets = {"*"};
    d.body = "Page number " + std::to_string(10 + i) + ".";
    all.push_back(std::move(d));
  }
  return std::make_shared<const corpus>(std::move(all));
}

struct embedding_fixture : search_fixture {
  scripted_http http;
  std::string near = "Page number 15."; ///< the document that means what every query asks

  embedding_fixture() { shelf = std::make_shared<library>(pages(20)); }
  ~embedding_fixture() { close_library(); } // before `http`

  static embedding_settings server() { return {"http://127.0.0.1:9/v1", "e5", ""}; }
  static campaign_settings with_server(std::int64_t candidates, std::int64_t parallel = 1) {
    auto s = settings(candidates, parallel);
    s.embeddings = server();
    return s;
  }

  /// As the coordinator does when a campaign starts.
  void name_server(embedding_settings which = server()) {
    tell(addresses::knowledge, vector_wanted{std::make_shared<const embedding_settings>(which), {}, {}, 0});
  }

  /// What a server says to the oldest request.
  void serve() {
    json data = json::array();
    for (const auto& text : http.texts()) {
      bool meant = text.find(near) != std::string::npos || text.find("Advice") == std::string::npos;
      data.push_back({{"index", data.size()}, {"embedding", meant ? json{1, 0} : json{0, 1}}});
    }
    reply_with(200, json{{"data", data}}.dump());
  }
  void reply_with(long status, std::string body) {
    http_response r;
    r.status = status;
    r.body = std::move(body);
    http.end(std::move(r));
    settle();
  }
  void break_down() {
    http_response r;
    r.why = {failure_kind::timeout, "total: too slow", true};
    http.end(std::move(r));
    settle();
  }
  void serve_all() {
    while (!http.open.empty())
      serve();
  }
  bool shows_near() const {
    return text_of(models.open.at(0).request.prompt).find(near) != std::string::npos;
  }
};

} // namespace

TEST_CASE_METHOD(embedding_fixture,
                 "documents are embedded in batches, kept in the store, and a restart asks nothing") {
  open_library(&http);
  CHECK(http.open.empty()); // no campaign names a server
  name_server();
  REQUIRE(http.open.size() == 1); // one batch at a time
  CHECK(http.open[0].request.url == "http://127.0.0.1:9/v1/embeddings");
  CHECK(http.texts().size() == 16);
  serve();
  // Half of a library would be preferred to the rest.
  CHECK(shelf->snapshot()->vectors_of(server()) == nullptr);
  REQUIRE(http.open.size() == 1);
  CHECK(http.texts().size() == 4);
  serve();
  CHECK(http.open.empty());
  const auto* vectors = shelf->snapshot()->vectors_of(server());
  REQUIRE(vectors);
  REQUIRE(vectors->size() == 20);
  CHECK(vectors->at(5) == embedding{1, 0});
  CHECK(vectors->at(6) == embedding{0, 1});

  close_library();
  shelf = std::make_shared<library>(pages(21)); // one is new
  open_library(&http);
  name_server();
  REQUIRE(http.open.size() == 1);
  CHECK(http.texts().size() == 1);
  serve();
  CHECK(http.sent == 3);
  REQUIRE(shelf->snapshot()->vectors_of(server()));
  CHECK(shelf->snapshot()->vectors_of(server())->size() == 21);

  auto other = server();
  other.model = "another";
  name_server(other);
  REQUIRE(http.open.size() == 1); // its vectors are others
  CHECK(json::parse(http.open[0].request.body).at("model") == "another");
}

TEST_CASE_METHOD(embedding_fixture, "a prompt waits for its query's vector and shows what is meant") {
  open_library(&http);
  name_server();
  serve_all();
  launch(with_server(3));
  CHECK(models.open.empty());
  REQUIRE(http.open.size() == 1);
  CHECK(http.texts().size() == 1);
  CHECK(http.open[0].request.total == embedding_deadline);
  serve();
  REQUIRE(models.open.size() == 1);
  CHECK(shows_near());
  auto sent = http.sent;
  answer();
  judge();
  REQUIRE(models.open.size() == 1); // the next draft asks the same: the vector is known
  CHECK(shows_near());
  CHECK(http.sent == sent);
}

TEST_CASE_METHOD(embedding_fixture, "drafts that are begun together ask for their one query once") {
  open_library(&http);
  name_server();
  serve_all();
  auto before = http.sent;
  launch(with_server(4, 4));
  CHECK(models.open.empty());
  CHECK(http.sent == before + 1);
  serve();
  CHECK(models.open.size() == 4);
  CHECK(http.sent == before + 1);
}

TEST_CASE_METHOD(embedding_fixture, "a silent server holds one prompt up for its deadline, then none") {
  auto& by_words = counters::get("knowledge.prompts_by_words");
  auto& failures = counters::get("knowledge.embedding_failures");
  open_library(&http);
  name_server();
  serve_all();
  auto words_before = by_words.load();
  auto failures_before = failures.load();
  launch(with_server(6));
  CHECK(models.open.empty());
  pass(embedding_deadline - 1ms);
  CHECK(models.open.empty());
  pass(1ms);
  REQUIRE(models.open.size() == 1);
  CHECK_FALSE(shows_near());
  CHECK(by_words == words_before + 1);
  break_down(); // the request's own deadline
  CHECK(failures == failures_before + 1);
  auto sent = http.sent;
  // Answers, verdicts and at most half a second of waiting a step: nobody waits for the server.
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(crashes.empty());
  CHECK(http.sent == sent);
}

TEST_CASE_METHOD(embedding_fixture, "a server that comes back is asked again") {
  open_library(&http);
  name_server();
  serve_all();
  launch(with_server(6));
  break_down();
  REQUIRE(models.open.size() == 1); // at once, not at the deadline
  CHECK_FALSE(shows_near());
  pass(16s);
  answer();
  judge();
  REQUIRE(http.open.size() == 1);
  serve();
  REQUIRE(models.open.size() == 1);
  CHECK(shows_near());
}

TEST_CASE_METHOD(embedding_fixture,
                 "a server that gives no vectors for the documents costs no prompt anything") {
  open_library(&http);
  launch(with_server(3));
  REQUIRE(models.open.size() == 1); // while the documents' request is out
  REQUIRE(http.open.size() == 2);   // and that of the first query, which nobody waits for
  reply_with(200, R"({"data": "none"})");
  reply_with(500, "oops");
  CHECK(http.open.empty());
  pass(14s);
  CHECK(http.open.empty());
  pass(1s);
  REQUIRE(http.open.size() == 1); // again, by itself
  reply_with(401, R"({"error": {"message": "no such key"}})");
  pass(29s);
  CHECK(http.open.empty());
  pass(1s);
  REQUIRE(http.open.size() == 1);
  serve_all();
  REQUIRE(shelf->snapshot()->vectors_of(server()));
  REQUIRE(drive());
}

TEST_CASE_METHOD(embedding_fixture, "without the knowledge actor a prompt leaves at its deadline") {
  open_library(&http);
  name_server();
  serve_all();
  close_library(); // as while it is being restarted
  launch(with_server(1));
  CHECK(models.open.empty());
  pass(embedding_deadline);
  REQUIRE(models.open.size() == 1);
  REQUIRE(drive());
}

TEST_CASE_METHOD(embedding_fixture, "a key that is not set means words alone, and no request") {
  auto keyed = server();
  keyed.api_key_env = "KE_TEST_KEY_THAT_NOBODY_SETS";
  open_library(&http);
  name_server(keyed);
  auto s = with_server(1);
  s.embeddings = keyed;
  launch(s);
  CHECK(models.open.size() == 1);
  CHECK(http.sent == 0);
}
