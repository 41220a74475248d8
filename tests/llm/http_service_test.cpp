#include "runtime/core/evidence.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/llm/http_service.hpp"

#include "runtime/llm/provider.hpp"
#include "runtime/llm/resolve_gate.hpp"
#include "tests/llm/fake_llm.hpp"
#include "tests/peak_memory.hpp"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;

namespace {

/// Collects responses and lets a test block until so many are there.
class inbox {
public:
  std::function<void(http_response)> slot() {
    return [this](http_response r) {
      std::lock_guard guard{mutex_};
      got_.push_back(std::move(r));
      more_.notify_all();
    };
  }
  std::vector<http_response> wait(std::size_t count = 1) {
    std::unique_lock lock{mutex_};
    if (!more_.wait_for(lock, 30s, [&] { return got_.size() >= count; }))
      FAIL("only " << got_.size() << " of " << count << " responses came");
    return std::exchange(got_, {});
  }

private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<http_response> got_;
};

http_request post(const std::string& url, const std::string& body = "{}") {
  http_request r;
  r.url = url;
  r.body = body;
  return r;
}

http_response one(const http_request& request) {
  inbox in; // outlives the service, whose end may still call back
  http_service http;
  http.send(request, in.slot());
  return in.wait().front();
}

/// What comes of a request to a server that ends the connection where its answer should begin.
http_response reset_before_an_answer() {
  fake_llm server{[](const fake_request&) { return fake_reply{{{""}}, fake_reply::ending::reset}; }};
  return one(post(server.url("/v1/chat/completions")));
}

std::size_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator{"/proc/self/task"},
                       std::filesystem::directory_iterator{});
}

} // namespace

TEST_CASE("a request and its answer go over whole") {
  std::string big(300'000, 'p');
  fake_llm server{[&](const fake_request& q) {
    return whole(q.body == big && q.headers.at("x-test") == "1" && q.method == "POST" ? 200 : 400,
                 "application/json; charset=utf-8", "{\"a\":1}", {{"X-Mixed-Case", " v "}});
  }};
  auto request = post(server.url("/x"), big);
  request.headers = {"X-Test: 1"};
  auto r = one(request);
  CHECK(r.why.kind == failure_kind::none);
  CHECK(r.status == 200);
  CHECK(r.body == "{\"a\":1}");
  CHECK(r.content_type == "application/json; charset=utf-8");
  CHECK(r.headers.at("x-mixed-case") == "v");
  CHECK(r.seconds > 0);
}

TEST_CASE("connections are used again") {
  fake_llm server{[](const fake_request&) { return whole(200, "text/plain", "ok"); }};
  inbox in;
  http_service http;
  for (int i = 0; i < 5; ++i) {
    http.send(post(server.url()), in.slot());
    CHECK(in.wait().front().body == "ok");
  }
  CHECK(server.requests() == 5);
  CHECK(server.connections() == 1);
}

TEST_CASE("a redirect is an answer, never followed: the key goes nowhere else") {
  fake_llm elsewhere{[](const fake_request&) { return whole(200, "text/plain", "stolen"); }};
  fake_llm server{
      [&](const fake_request&) { return whole(307, "", "", {{"Location", elsewhere.url("/steal")}}); }};
  auto r = one(post(server.url()));
  CHECK(r.status == 307);
  CHECK(r.headers.at("location") == elsewhere.url("/steal"));
  CHECK(elsewhere.requests() == 0);
}

TEST_CASE("a refused, a reset and a cut connection are connection failures that may be retried") {
  std::string dead;
  {
    fake_llm gone{[](const fake_request&) { return whole(200, "", ""); }};
    dead = gone.url();
  }
  fake_llm server{[](const fake_request& q) {
    if (q.path == "/reset")
      return fake_reply{{}, fake_reply::ending::reset};
    return fake_reply{{{head(200, "text/plain", {{"Content-Length", "100"}}) + "only this"}},
                      fake_reply::ending::close};
  }};
  for (const auto& url : {dead, server.url("/reset"), server.url("/cut")}) {
    INFO(url);
    auto r = one(post(url));
    CHECK(r.why.kind == failure_kind::connection);
    CHECK(r.why.retryable);
    CHECK(r.why.text.find("127.0.0.1") != std::string::npos);
  }
  CHECK(one(post(server.url("/cut"))).body == "only this");
}

TEST_CASE(
    "a request whose reused connection breaks is not sent again behind our back: it may have been paid") {
  fake_llm server{[](const fake_request& q) {
    return q.number == 1 ? whole(200, "text/plain", "ok") : fake_reply{{}, fake_reply::ending::reset};
  }};
  inbox in;
  http_service http;
  http.send(post(server.url()), in.slot());
  CHECK(in.wait().front().body == "ok");
  http.send(post(server.url()), in.slot());
  CHECK(in.wait().front().why.kind == failure_kind::connection);
  CHECK(server.requests() == 2);
}

TEST_CASE("a name that does not resolve is a connection failure, for each request that waited for it") {
  inbox in;
  http_service http;
  for (int i = 0; i < 3; ++i)
    http.send(post("http://no-such-host.invalid/"), in.slot());
  for (const auto& r : in.wait(3))
    CHECK(r.why.kind == failure_kind::connection);
}

TEST_CASE("a URL that is none is the caller's fault") {
  for (auto url : {"", "ftp://127.0.0.1/", "http://"}) {
    auto r = one(post(url));
    INFO(url);
    CHECK(r.why.kind == failure_kind::invalid);
    CHECK_FALSE(r.why.retryable);
  }
}

TEST_CASE("each of the four deadlines ends a request in time and is named, the total wins") {
  fake_llm server{[](const fake_request& q) {
    auto start = head(200, "text/plain");
    if (q.path == "/silent")
      return fake_reply{{{"late", 0ms, 1, true}}};
    if (q.path == "/stall")
      return fake_reply{{{start + "some"}, {"late", 0ms, 1, true}}};
    return fake_reply{{{start}, {"x", 20ms, fake_step::forever}}}; // drip
  }};
  struct row {
    const char* path;
    std::chrono::milliseconds first_byte, stall, total;
    const char* name;
  };
  for (const auto& r : {row{"/silent", 150ms, 5s, 10s, "first byte"}, row{"/silent", 5s, 5s, 150ms, "total"},
                        row{"/stall", 5s, 150ms, 10s, "stall"}, row{"/drip", 5s, 5s, 300ms, "total"}}) {
    INFO(r.path << " " << r.name);
    auto request = post(server.url(r.path));
    request.first_byte = r.first_byte;
    request.stall = r.stall;
    request.total = r.total;
    auto got = one(request);
    CHECK(got.why.kind == failure_kind::timeout);
    CHECK(got.why.retryable);
    CHECK(got.why.text.rfind(r.name, 0) == 0);
    CHECK(got.seconds < 1.3);
    if (std::string{r.path} == "/drip")
      CHECK_FALSE(got.body.empty());
  }
}

TEST_CASE("a server that does not take the connection runs into the connect deadline") {
  // A listener with a full queue: the kernel leaves further handshakes unanswered.
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(listen(fd, 0) == 0);
  REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  std::vector<int> fillers;
  for (int i = 0; i < 4; ++i) {
    fillers.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    connect(fillers.back(), reinterpret_cast<sockaddr*>(&address), size);
  }
  auto request = post("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  request.connect = 200ms;
  auto r = one(request);
  CHECK(r.why.kind == failure_kind::timeout);
  CHECK(r.why.text.rfind("connect", 0) == 0);
  CHECK(r.seconds < 1.3);
  for (auto filler : fillers)
    close(filler);
  close(fd);
}

TEST_CASE("nested JSON as large as a body may be costs less than 32 MB from the socket to what it means",
          "[costly]") {
  for (auto piece : {"[", "{\"a\":", "0,", "data:[[[[[[[[\n\n"}) {
    INFO(piece);
    std::string body;
    while (body.size() + 16 < 4u << 20)
      body += piece;
    fake_llm server{[&](const fake_request&) { return whole(200, "application/json", body); }};
    model_settings model;
    model.name = "m";
    auto grown = peak_growth([&, url = server.url()] {
      auto r = one(post(url));
      auto said = decode(model, 100, r, 0);
      if (r.body.size() < 4'000'000 || said.why.kind != failure_kind::malformed)
        ::_exit(1); // it never came
    });
    INFO(grown / 1024 << " KiB");
    CHECK(grown < 32u << 20);
  }
}

TEST_CASE("a huge body and an endless stream are cut at the limit, memory stays small") {
  fake_llm server{[](const fake_request& q) {
    if (q.path == "/declared")
      return fake_reply{{{head(200, "text/plain", {{"Content-Length", "1073741824"}})},
                         {std::string(1 << 16, 'x'), 0ms, 16384}}};
    return fake_reply{
        {{head(200, "text/event-stream")}, {"data: {\"choices\":[]}\n\n", 0ms, fake_step::forever}}};
  }};
  auto before = resident_bytes();
  for (auto path : {"/declared", "/endless"}) {
    INFO(path);
    auto request = post(server.url(path));
    request.limit_bytes = 1 << 20;
    auto r = one(request);
    CHECK(r.why.kind == failure_kind::too_large);
    CHECK_FALSE(r.why.retryable);
    CHECK(r.why.text.find("1048576 bytes") != std::string::npos);
    CHECK(r.body.size() == 1 << 20);
  }
#ifdef KE_MEMORY_IS_PADDED
  (void)before;
#else
  CHECK(resident_bytes() < before + (32u << 20));
#endif
}

TEST_CASE("endless headers are cut, too") {
  fake_llm server{[](const fake_request&) {
    return fake_reply{
        {{"HTTP/1.1 200 OK\r\n"}, {"X-More: " + std::string(1000, 'h') + "\r\n", 0ms, fake_step::forever}}};
  }};
  auto kind = one(post(server.url())).why.kind;
  CHECK((kind == failure_kind::too_large || kind == failure_kind::connection));
}

TEST_CASE("a cancelled request ends at once as cancelled, unknown ids are ignored") {
  fake_llm server{[](const fake_request&) { return fake_reply{{{"never", 0ms, 1, true}}}; }};
  inbox in;
  http_service http;
  auto id = http.send(post(server.url()), in.slot());
  REQUIRE(server.wait_for_requests(1));
  http.cancel(999);
  http.cancel(id);
  auto r = in.wait().front();
  CHECK(r.id == id);
  CHECK(r.why.kind == failure_kind::cancelled);
}

TEST_CASE("what is open when the service ends is called back as cancelled") {
  fake_llm server{[](const fake_request&) { return fake_reply{{{"never", 0ms, 1, true}}}; }};
  inbox in;
  {
    http_service http;
    http.send(post(server.url()), in.slot());
    REQUIRE(server.wait_for_requests(1));
  }
  CHECK(in.wait().front().why.kind == failure_kind::cancelled);
}

TEST_CASE("1,200 requests are in flight at once on one thread, over more than one libcurl handle") {
  fake_llm server{[](const fake_request& q) {
    auto reply = whole(200, "text/plain", q.body);
    reply.steps.front().held = true;
    return reply;
  }};
  inbox in;
  auto before = threads();
  http_service http;
  for (int i = 0; i < 1200; ++i)
    http.send(post(server.url(), std::to_string(i)), in.slot());
  REQUIRE(server.wait_for_requests(1200));
  CHECK(server.peak_in_flight() == 1200);
  CHECK(threads() <= before + 1);
  server.release();
  std::vector<int> seen;
  for (const auto& r : in.wait(1200)) {
    REQUIRE(r.why.kind == failure_kind::none);
    seen.push_back(std::stoi(r.body));
  }
  std::sort(seen.begin(), seen.end());
  for (int i = 0; i < 1200; ++i)
    REQUIRE(seen[i] == i);
}

TEST_CASE("the descriptor limit is raised to what the system allows") {
  http_service http;
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(limit.rlim_cur == limit.rlim_max);
}

TEST_CASE("one request resolves a new name while the others wait") {
  resolve_gate gate{50s};
  resolve_gate::time_point now{};
  using place = resolve_gate::place;
  CHECK(gate.enter("h", 1, now) == place::lead);
  CHECK(gate.enter("h", 2, now) == place::wait);
  CHECK(gate.enter("h", 3, now) == place::wait);
  CHECK(gate.enter("h", 4, now) == place::wait);
  CHECK(gate.enter("other", 5, now) == place::lead);
  CHECK(gate.failed("h") == std::vector<std::uint64_t>{2});
  gate.leave("h", 3);
  CHECK(gate.known("h", now) == std::vector<std::uint64_t>{4});
  CHECK(gate.enter("h", 6, now + 49s) == place::go);
  CHECK(gate.enter("h", 7, now + 50s) == place::lead);
  CHECK(gate.failed("h").empty());
  CHECK(gate.enter("h", 8, now + 51s) == place::lead);
  for (auto host : {"127.0.0.1", "localhost", "[::1]"})
    CHECK_FALSE(resolve_gate::needs_resolver(host));
  CHECK(resolve_gate::needs_resolver("api.example.org"));
}

TEST_CASE("a response tells whether its request had left, for then its prompt may be billed") {
  auto reset = reset_before_an_answer();
  CHECK(reset.why.kind == failure_kind::connection);
  CHECK(reset.sent);
  std::uint16_t nobody = 0;
  {
    fake_llm gone{[](const fake_request& r) { return answer(r, "never"); }};
    nobody = gone.port();
  }
  auto refused = one(post("http://127.0.0.1:" + std::to_string(nobody) + "/v1/chat/completions"));
  CHECK(refused.why.kind == failure_kind::connection);
  CHECK_FALSE(refused.sent);
}
