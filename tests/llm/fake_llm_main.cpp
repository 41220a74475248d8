// ke-fake-llm: a server that plays an LLM provider for benches and scenario tests. Prints its port, serves
// until SIGTERM or SIGINT.
#include "runtime/core/evidence.hpp"
#include "tests/llm/fake_llm.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <vector>

namespace {

using json = nlohmann::json;

std::string contents(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A vector per text that depends on its words alone: texts that share words are near each other.
std::string embeddings_of(const std::string& body) {
  constexpr std::size_t size = 64;
  json data = json::array();
  auto asked = json::parse(body);
  for (const auto& text : asked.at("input")) {
    std::vector<double> vector(size, 0.01);
    std::istringstream words{text.get<std::string>()};
    for (std::string word; words >> word;)
      vector[std::hash<std::string>{}(word) % size] += 1;
    data.push_back({{"index", data.size()}, {"embedding", vector}});
  }
  return json{{"object", "list"}, {"data", data}}.dump();
}

/// One entry of a script. {"answer": TEXT} is a well-formed answer in the form that was asked for; {"status",
/// "headers", "type", "body"} a whole response; {"raw": BYTES} anything; {"answer", "part": SHARE} a stream
/// that ends so far, after its usage if "usage" is true. "latency_ms", "cut" (close behind it), "reset",
/// "stall" (says nothing more), "said" (the text that is billed) and "times" go with each.
ke::test::fake_reply play(const json& entry, const ke::test::fake_request& request,
                          const std::string& usual) {
  ke::test::fake_reply reply;
  std::chrono::milliseconds latency{entry.value("latency_ms", 0)};
  if (entry.contains("raw")) {
    reply.steps.push_back({entry["raw"].get<std::string>()});
  } else if (entry.contains("status") || entry.contains("body")) {
    auto body = entry.value("body", json(""));
    reply = ke::test::whole(entry.value("status", 200), entry.value("type", std::string{"application/json"}),
                            body.is_string() ? body.get<std::string>() : body.dump(),
                            entry.value("headers", ke::test::fake_headers{}));
  } else if (entry.contains("part")) {
    auto text = entry.value("answer", usual);
    auto share = static_cast<std::size_t>(entry["part"].get<double>() * static_cast<double>(text.size()));
    reply = ke::test::part_of_answer(request, text.substr(0, share), entry.value("usage", false));
  } else {
    reply = ke::test::answer(request, entry.value("answer", usual));
  }
  reply.steps.front().wait = latency;
  if (entry.value("cut", false))
    reply.end = ke::test::fake_reply::ending::close;
  if (entry.contains("said"))
    reply.said = entry["said"].get<std::string>();
  if (entry.value("stall", false))
    reply.steps.push_back({"", std::chrono::hours{1}});
  if (entry.value("reset", false))
    reply.end = ke::test::fake_reply::ending::reset;
  return reply;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Plays an LLM provider: /v1/chat/completions and /v1/messages, streaming or not, and "
               "/v1/embeddings; counts at /stats.\n"
               "Example: ke-fake-llm --port 0 --latency-ms 2000 --answer kernel.md"};
  std::uint16_t port = 0;
  int latency_ms = 0;
  std::string script_file, answer_file;
  app.add_option("--port", port, "0: any free port, printed on stdout");
  app.add_option("--latency-ms", latency_ms, "wait before each usual answer");
  app.add_option("--script", script_file,
                 "JSON array: one entry per request, in order; usual answers afterwards")
      ->check(CLI::ExistingFile);
  app.add_option("--answer", answer_file, "text of the usual answer")->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);

  std::string usual =
      "A kernel that copies.\n\n```cpp\nextern \"C\" void kernel(const float* x, float* y, long n) {\n"
      "  for (long i = 0; i < n; ++i)\n    y[i] = x[i];\n}\n```\n";
  if (!answer_file.empty())
    usual = contents(answer_file);
  std::deque<json> script;
  if (!script_file.empty()) {
    auto parsed = json::parse(contents(script_file), nullptr, false);
    if (!parsed.is_array()) {
      std::cerr << script_file << ": a JSON array of entries is expected\n";
      return 2;
    }
    for (const auto& entry : parsed)
      for (int i = 0; i < entry.value("times", 1); ++i)
        script.push_back(entry);
  }

  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  std::atomic<const ke::test::fake_llm*> self{nullptr};
  ke::test::fake_llm server{
      [&](const ke::test::fake_request& request) {
        if (request.path == "/bill")
          return ke::test::whole(200, "application/json", self ? self.load()->bill_json() : "{}");
        if (request.path == "/stats")
          return ke::test::whole(200, "application/json", self ? self.load()->stats_json() : "{}");
        if (request.path.find("/chat/completions") == std::string::npos &&
            request.path.find("/messages") == std::string::npos &&
            request.path.find("/embeddings") == std::string::npos)
          return ke::test::whole(404, "application/json", R"({"error":{"message":"no such path"}})");
        if (!script.empty()) {
          auto entry = std::move(script.front());
          script.pop_front();
          return play(entry, request, usual);
        }
        if (request.path.find("/embeddings") != std::string::npos) {
          auto reply = ke::test::whole(200, "application/json", embeddings_of(request.body));
          reply.steps.front().wait = std::chrono::milliseconds{latency_ms};
          return reply;
        }
        return ke::test::answer(request, usual, std::chrono::milliseconds{latency_ms});
      },
      port};
  self = &server;
  std::printf("%u\n", server.port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}
