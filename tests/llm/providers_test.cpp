#include "runtime/core/evidence.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/llm/providers.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/llm/answer.hpp"
#include "runtime/llm/http_service.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/languages.hpp"
#include "tests/llm/fake_llm.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

class inbox {
public:
  std::function<void(raw_answer)> slot() {
    return [this](raw_answer a) {
      std::lock_guard guard{mutex_};
      got_.push_back(std::move(a));
      more_.notify_all();
    };
  }
  raw_answer wait() {
    std::unique_lock lock{mutex_};
    if (!more_.wait_for(lock, 30s, [&] { return !got_.empty(); }))
      FAIL("no answer came");
    auto a = std::move(got_.front());
    got_.erase(got_.begin());
    return a;
  }

private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<raw_answer> got_;
};

struct temporary_folder {
  fs::path path;
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "ke-llm-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~temporary_folder() { fs::remove_all(path); }
  void write(const std::string& name,
             const std::string& text) const { // as users are told: aside, then rename
    std::ofstream{path / (name + ".part"), std::ios::binary} << text;
    fs::rename(path / (name + ".part"), path / name);
  }
};

model_settings model_of(provider_kind kind, const std::string& url = "") {
  model_settings m;
  m.name = "main";
  m.provider = kind;
  m.model = "m1";
  m.base_url = url;
  return m;
}

ask_request ask(const std::string& call = "c1-n1-a0", const std::string& text = "make it fast") {
  ask_request q;
  q.call = call;
  q.prompt = {{{text, false}}};
  return q;
}

std::unique_ptr<provider_port> make(const model_settings& m, provider_services s) {
  auto made = make_provider(m, std::move(s));
  if (!made)
    FAIL(made.error().text);
  return std::move(*made);
}

} // namespace

TEST_CASE("a provider's raw body is recorded before it is parsed and before the asker hears of it") {
  for (auto kind : {provider_kind::openai, provider_kind::anthropic}) {
    fake_llm server{[](const fake_request& q) { return answer(q, "the answer"); }};
    http_service http;
    inbox in;
    std::vector<raw_answer> recorded;
    std::vector<std::string> order;
    provider_services services;
    services.http = &http;
    services.record = [&](const raw_answer& a) {
      recorded.push_back(a);
      order.push_back("recorded");
    };
    auto provider = make(model_of(kind, server.url()), services);
    auto slot = in.slot();
    auto id = provider->ask(ask(), [&order, slot](raw_answer a) {
      order.push_back("done");
      slot(std::move(a));
    });
    auto a = in.wait();
    CHECK(order == std::vector<std::string>{"recorded", "done"});
    REQUIRE(recorded.size() == 1);
    CHECK(recorded[0].reply.text.empty());
    CHECK(recorded[0].body == a.body);
    CHECK(recorded[0].call == "c1-n1-a0");
    CHECK(a.id == id);
    CHECK(a.why.kind == failure_kind::none);
    CHECK(a.reply.text == "the answer");
    CHECK(a.status == 200);
    CHECK_FALSE(a.reply.estimated);
  }
}

TEST_CASE("every fault of the provider table ends as its kind, through the wire") {
  struct row {
    const char* name;
    fake_reply reply;
    failure_kind kind;
  };
  using k = failure_kind;
  auto json = "application/json";
  std::vector<row> rows{
      {"429", whole(429, json, "{}", {{"Retry-After", "3"}}), k::rate_limited},
      {"500", whole(500, json, "{}"), k::server_error},
      {"502", whole(502, "text/html", "<html>"), k::server_error},
      {"503", whole(503, json, "{}"), k::server_error},
      {"reset", {{}, fake_reply::ending::reset}, k::connection},
      {"cut body",
       {{{head(200, json, {{"Content-Length", "999"}}) + "{\"choices\""}}, fake_reply::ending::close},
       k::connection},
      {"truncated stream",
       {{{sse(openai_events("half", "", false, false))}}, fake_reply::ending::close},
       k::truncated},
      {"length", {{{sse(openai_events("half", "length"))}}, fake_reply::ending::close}, k::truncated},
      {"invalid JSON", whole(200, json, "{\"choices\": ["), k::malformed},
      {"HTML page", whole(200, "text/html", "<html>login</html>"), k::malformed},
      {"wrong content type", whole(200, "image/png", "\x89PNG"), k::malformed},
      {"bad UTF-8", whole(200, json, "{\"choices\":[{\"message\":{\"content\":\"\xff\xfe\"}}]}"),
       k::malformed},
      {"empty body", whole(200, json, ""), k::empty},
      {"empty answer", {{{sse(openai_events("", "stop"))}}, fake_reply::ending::close}, k::empty},
      {"refusal", {{{sse(openai_events("", "content_filter"))}}, fake_reply::ending::close}, k::refused},
      {"401", whole(401, json, R"({"error":{"message":"bad key"}})"), k::auth},
      {"403", whole(403, json, "{}"), k::auth},
      {"402", whole(402, json, "{}"), k::credit},
      {"endless stream",
       {{{head(200, "text/event-stream")}, {": ping\n", 0ms, fake_step::forever}}},
       k::too_large},
      {"silence", {{{"late", 0ms, 1, true}}}, k::timeout},
      {"slow drip", {{{head(200, "text/event-stream")}, {":\n", 20ms, fake_step::forever}}}, k::timeout},
  };
  std::atomic<std::size_t> now{0};
  fake_llm server{[&](const fake_request&) { return rows[now].reply; }};
  inbox in;
  http_service http;
  auto m = model_of(provider_kind::openai, server.url("/v1"));
  m.timeout_s = 0.3;
  m.max_tokens = 100;
  m.max_answer_bytes = 30000;
  provider_services services;
  services.http = &http;
  auto provider = make(m, services);
  for (const auto& r : rows) {
    INFO(r.name);
    auto request = ask();
    if (r.kind != k::timeout)
      request.deadline = 20s;
    provider->ask(request, in.slot());
    auto a = in.wait();
    CHECK(to_text(a.why.kind) == to_text(r.kind));
    CHECK(a.why.text.find("model main") == 0);
    CHECK(a.seconds < 20);
    ++now;
    if (r.kind == k::rate_limited)
      CHECK(a.reply.retry_after == 3s);
  }
  CHECK(server.requests() == rows.size());
}

TEST_CASE("an answer without code and one with many blocks are told apart behind the wire") {
  std::vector<std::string> says{"I can't.",
                                "```cpp\nint a;\n```\n```cpp\nvoid kernel() {}\n```\n```bash\nmake\n```\n"};
  fake_llm server{[&](const fake_request& q) { return answer(q, says[q.number - 1]); }};
  inbox in;
  http_service http;
  provider_services services;
  services.http = &http;
  auto provider = make(model_of(provider_kind::openai, server.url()), services);
  provider->ask(ask(), in.slot());
  CHECK(read_answer(in.wait().reply, {ke::test::cpp_language(), "kernel"}).why.kind == failure_kind::no_code);
  provider->ask(ask(), in.slot());
  CHECK(read_answer(in.wait().reply, {ke::test::cpp_language(), "kernel"}).source == "void kernel() {}\n");
}

TEST_CASE("a server that ignores streaming and answers plain JSON is understood") {
  fake_llm server{[](const fake_request& q) {
    auto plain = q;
    plain.body = "{}";
    return answer(plain, "plain");
  }};
  inbox in;
  http_service http;
  provider_services services;
  services.http = &http;
  auto provider = make(model_of(provider_kind::openai, server.url()), services);
  provider->ask(ask(), in.slot());
  auto a = in.wait();
  CHECK(a.why.kind == failure_kind::none);
  CHECK(a.reply.text == "plain");
}

TEST_CASE("the key comes from its variable, goes into its header and nowhere else") {
  std::string sent;
  fake_llm server{[&](const fake_request& q) {
    sent = q.headers.count("authorization") ? q.headers.at("authorization") : "";
    return whole(401, "application/json", R"({"error":{"message":"no"}})");
  }};
  inbox in;
  http_service http;
  provider_services services;
  services.http = &http;
  auto m = model_of(provider_kind::openai, server.url());
  m.api_key_env = "KE_TEST_LLM_KEY";
  unsetenv("KE_TEST_LLM_KEY");
  auto none = make_provider(m, services);
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == failure_kind::missing);
  CHECK(none.error().text.find("KE_TEST_LLM_KEY") != std::string::npos);
  setenv("KE_TEST_LLM_KEY", "sk-canary", 1);
  auto provider = make(m, services);
  provider->ask(ask(), in.slot());
  auto a = in.wait();
  CHECK(sent == "Bearer sk-canary");
  CHECK(a.why.kind == failure_kind::auth);
  CHECK((a.why.text + a.body).find("canary") == std::string::npos);
  unsetenv("KE_TEST_LLM_KEY");
}

TEST_CASE("settings that lack what their provider needs are named") {
  http_service http;
  process_service processes;
  provider_services services;
  services.http = &http;
  services.process = &processes;
  for (auto [kind, key] : {std::pair{provider_kind::openai, "`model`"},
                           {provider_kind::command, "`command`"},
                           {provider_kind::spool, "`dir`"},
                           {provider_kind::replay, "`dir`"}}) {
    auto m = model_of(kind);
    m.model.clear();
    auto made = make_provider(m, services);
    REQUIRE_FALSE(made);
    CHECK(made.error().kind == failure_kind::invalid);
    CHECK(made.error().text.find(key) != std::string::npos);
  }
}

TEST_CASE("destroying a provider cancels what it has out, and nothing is heard afterwards") {
  fake_llm server{[](const fake_request&) { return fake_reply{{{"never", 0ms, 1, true}}}; }};
  inbox in;
  http_service http;
  provider_services services;
  services.http = &http;
  auto provider = make(model_of(provider_kind::openai, server.url()), services);
  provider->ask(ask(), in.slot());
  REQUIRE(server.wait_for_requests(1));
  provider.reset();
  CHECK(in.wait().why.kind == failure_kind::cancelled);
}

TEST_CASE("a command answers on its stdout what it is asked on its stdin") {
  inbox in;
  process_service processes;
  provider_services services;
  services.process = &processes;
  auto run = [&](const std::string& script, std::chrono::milliseconds deadline = 20s) {
    auto m = model_of(provider_kind::command);
    m.command = {"/bin/sh", "-c", script};
    m.max_answer_bytes = 1000;
    auto provider = make(m, services);
    auto request = ask();
    request.deadline = deadline;
    provider->ask(request, in.slot());
    return in.wait();
  };
  auto good = run("printf 'you said: '; cat");
  CHECK(good.why.kind == failure_kind::none);
  CHECK(good.reply.text == "you said: make it fast");
  CHECK(good.reply.estimated);
  auto bad = run("echo half; echo 'no credentials' >&2; echo more >&2; exit 3");
  CHECK(bad.why.kind == failure_kind::server_error);
  CHECK(bad.why.text == "command of model main exited with 3: no credentials");
  CHECK(bad.body == "half\n");
  CHECK(run("kill -9 $$").why.kind == failure_kind::server_error);
  CHECK(run("exec tail -f /dev/null", 150ms).why.kind == failure_kind::timeout);
  CHECK(run("head -c 5000 /dev/zero | tr '\\0' x").why.kind == failure_kind::too_large);
  auto endless = run("yes");
  CHECK(endless.why.kind == failure_kind::too_large); // not only when its deadline has passed
  CHECK(endless.seconds < 15);
  CHECK(run("true").why.kind == failure_kind::empty);
}

TEST_CASE("a missing command is told as missing") {
  inbox in;
  process_service processes;
  provider_services services;
  services.process = &processes;
  auto m = model_of(provider_kind::command);
  m.command = {"ke-no-such-program"};
  auto provider = make(m, services);
  provider->ask(ask(), in.slot());
  auto a = in.wait();
  CHECK(a.why.kind == failure_kind::missing);
  CHECK(a.why.text.find("ke-no-such-program") != std::string::npos);
}

TEST_CASE("a spooled prompt waits for its answer, also over a restart") {
  temporary_folder dir;
  auto m = model_of(provider_kind::spool);
  m.dir = dir.path / "deeper";
  m.timeout_s = 0.01; // not for people
  inbox in, second;
  {
    auto provider = make(m, {});
    provider->ask(ask(), in.slot());
  }
  CHECK(in.wait().why.kind == failure_kind::cancelled);
  auto prompt = fs::path{m.dir} / "c1-n1-a0.prompt.md";
  REQUIRE(fs::exists(prompt));
  std::ofstream{prompt, std::ios::app} << "\nnotes of the person who answers";

  auto provider = make(m, {});
  provider->ask(ask(), in.slot());
  provider->ask(ask("c1-n2-a0"), second.slot());
  std::ofstream{fs::path{m.dir} / "x.part"} << "```cpp\nvoid kernel() {}\n```\n";
  fs::rename(fs::path{m.dir} / "x.part", fs::path{m.dir} / "c1-n1-a0.answer.md");
  auto a = in.wait();
  CHECK(a.why.kind == failure_kind::none);
  CHECK(a.reply.text == "```cpp\nvoid kernel() {}\n```\n");
  std::ostringstream kept;
  kept << std::ifstream{prompt}.rdbuf();
  CHECK(kept.str() == "make it fast\nnotes of the person who answers");

  std::ofstream{fs::path{m.dir} / "c1-n2-a0.answer.md"} << "written in place";
  CHECK(second.wait().reply.text == "written in place");

  provider->ask(ask(), in.slot()); // an existing answer is taken at once
  CHECK(in.wait().reply.text == "```cpp\nvoid kernel() {}\n```\n");
}

TEST_CASE("a spool's answer to another prompt is not taken, and both files stay until they are moved away") {
  temporary_folder dir;
  auto m = model_of(provider_kind::spool);
  m.dir = dir.path;
  dir.write("c1-n1-a0.prompt.md", "make it small"); // of another campaign
  dir.write("c1-n1-a0.answer.md", "an old answer");
  inbox in;
  auto provider = make(m, {});
  auto asked = ask();
  asked.deadline = 200ms;
  provider->ask(asked, in.slot());
  CHECK(in.wait().why.kind == failure_kind::timeout);
  std::ostringstream kept;
  kept << std::ifstream{dir.path / "c1-n1-a0.prompt.md"}.rdbuf();
  CHECK(kept.str() == "make it small");
  CHECK(fs::exists(dir.path / "c1-n1-a0.answer.md"));

  provider->ask(ask(), in.slot()); // waits, and is asked once the place is free
  fs::remove(dir.path / "c1-n1-a0.prompt.md");
  fs::remove(dir.path / "c1-n1-a0.answer.md");
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!fs::exists(dir.path / "c1-n1-a0.prompt.md") && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  dir.write("c1-n1-a0.answer.md", "a new answer");
  CHECK(in.wait().reply.text == "a new answer");
}

TEST_CASE("a spooled call that an earlier version asked under another name is answered under that one") {
  temporary_folder dir;
  auto m = model_of(provider_kind::spool);
  m.dir = dir.path;
  dir.write("c1-t0-n1-a1.prompt.md", "make it fast"); // as it was asked
  dir.write("c1-t0-n1-a1.answer.md", "given while nobody ran");
  inbox in;
  auto provider = make(m, {});
  auto again = ask("0123abcd-c1-t0-n1-a1-4567cdef");
  again.former_call = "c1-t0-n1-a1";
  provider->ask(again, in.slot());
  CHECK(in.wait().reply.text == "given while nobody ran");
  CHECK_FALSE(fs::exists(dir.path / "0123abcd-c1-t0-n1-a1-4567cdef.prompt.md"));

  dir.write("c1-t0-n2-a1.prompt.md", "make it small"); // another campaign's, in the same place
  dir.write("c1-t0-n2-a1.answer.md", "not for us");
  again = ask("0123abcd-c1-t0-n2-a1-4567cdef");
  again.former_call = "c1-t0-n2-a1";
  again.deadline = 200ms;
  provider->ask(again, in.slot());
  CHECK(in.wait().why.kind == failure_kind::timeout);
  CHECK(fs::exists(dir.path / "0123abcd-c1-t0-n2-a1-4567cdef.prompt.md"));
}

TEST_CASE("an empty file that is renamed to a spool's answer is an empty answer, not one still to come") {
  temporary_folder dir;
  auto m = model_of(provider_kind::spool);
  m.dir = dir.path;
  inbox in;
  auto provider = make(m, {});
  provider->ask(ask(), in.slot());
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!fs::exists(dir.path / "c1-n1-a0.prompt.md") && std::chrono::steady_clock::now() < until)
    std::this_thread::yield(); // nobody answers what was not asked yet
  std::ofstream{dir.path / "x.part"};
  fs::rename(dir.path / "x.part", dir.path / "c1-n1-a0.answer.md");
  CHECK(in.wait().why.kind == failure_kind::empty);
}

TEST_CASE("a spool call can be cancelled, has a deadline only if it asks for one, and refuses names that are "
          "paths") {
  temporary_folder dir;
  auto m = model_of(provider_kind::spool);
  m.dir = dir.path;
  m.max_answer_bytes = 10;
  inbox in;
  auto provider = make(m, {});
  auto id = provider->ask(ask("a"), in.slot());
  provider->cancel(id);
  CHECK(in.wait().why.kind == failure_kind::cancelled);
  CHECK_FALSE(fs::exists(dir.path / "a.prompt.md"));
  auto timed = ask("b");
  timed.deadline = 100ms;
  provider->ask(timed, in.slot());
  CHECK(in.wait().why.kind == failure_kind::timeout);
  for (auto name : {"../evil", "", ".hidden", "a/b"}) {
    provider->ask(ask(name), in.slot());
    CHECK(in.wait().why.kind == failure_kind::invalid);
  }
  dir.write("c.answer.md", "more than ten bytes");
  provider->ask(ask("c"), in.slot());
  CHECK(in.wait().why.kind == failure_kind::too_large);
}

TEST_CASE("replay gives the recorded answers in their order and names the prompt that it misses") {
  inbox in;
  provider_services services;
  services.replay = [](const std::string& digest,
                       std::uint32_t occurrence) -> std::optional<recorded_answer> {
    if (digest != "d1")
      return std::nullopt;
    if (occurrence == 0)
      return recorded_answer{provider_kind::openai, openai_events("first", "stop")};
    return recorded_answer{provider_kind::spool, "second"};
  };
  auto provider = make(model_of(provider_kind::replay), services);
  auto request = ask();
  request.prompt_digest = "d1";
  provider->ask(request, in.slot());
  CHECK(in.wait().reply.text == "first");
  request.occurrence = 1;
  provider->ask(request, in.slot());
  CHECK(in.wait().reply.text == "second");
  request.prompt_digest = "d2";
  provider->ask(request, in.slot());
  auto miss = in.wait();
  CHECK(miss.why.kind == failure_kind::not_found);
  CHECK(miss.why.text.find("prompt d2, occurrence 1") != std::string::npos);
}

TEST_CASE("replay reads a folder of answers by prompt digest and occurrence") {
  temporary_folder dir;
  dir.write(digest_of("make it fast") + ".0.answer.md", "from the folder");
  auto m = model_of(provider_kind::replay);
  m.dir = dir.path;
  inbox in;
  auto provider = make(m, {});
  provider->ask(ask(), in.slot());
  CHECK(in.wait().reply.text == "from the folder");
}

TEST_CASE("the playbook answers on a thread of its own and costs nothing") {
  inbox in;
  auto provider = make(model_of(provider_kind::playbook), {});
  std::thread::id thread;
  auto slot = in.slot();
  provider->ask(ask("x", "no task block here"), [&](raw_answer a) {
    thread = std::this_thread::get_id();
    slot(std::move(a));
  });
  auto a = in.wait();
  CHECK(thread != std::this_thread::get_id());
  CHECK(a.body == a.reply.text);
  CHECK(a.reply.usage.input_tokens == 0);
  CHECK(a.reply.usage.usd == 0);
}
