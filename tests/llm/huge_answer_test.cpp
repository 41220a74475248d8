#include "runtime/core/model_settings.hpp"
#include "runtime/llm/provider.hpp"
#include "tests/peak_memory.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <string>

using namespace ke;

namespace {

#ifdef KE_MEMORY_IS_PADDED
// Nothing is measured, and each byte costs a hundred times as much.
constexpr std::size_t body_bytes = 1u << 18;
#else
constexpr std::size_t body_bytes = 4u << 20;
#endif
constexpr std::size_t allowed = 32u << 20;

std::string repeated(const std::string& what, std::size_t bytes = body_bytes) {
  std::string out;
  out.reserve(bytes + what.size());
  while (out.size() < bytes)
    out += what;
  return out;
}

std::string numbered(const std::string& before, const std::string& after) {
  std::string out{"{"};
  for (int i = 0; out.size() < body_bytes; ++i)
    out += (i ? "," : "") + before + std::to_string(i) + after;
  return out + "}";
}

/// Bodies as large as a server may send, each dear to somebody: brackets, tiny values, tiny events, one long
/// text.
const std::map<std::string, std::function<std::string()>> shapes{
    {"nested lists", [] { return repeated("["); }},
    {"nested lists in an answer", [] { return "{\"choices\":" + repeated("[") + repeated("]") + "}"; }},
    {"nested objects", [] { return repeated("{\"a\":"); }},
    {"zeros", [] { return "{\"choices\":[" + repeated("0,") + "0]}"; }},
    {"empty lists", [] { return "{\"choices\":[" + repeated("[],") + "0]}"; }},
    {"empty objects", [] { return "{\"choices\":[" + repeated("{},") + "0]}"; }},
    {"empty texts", [] { return "{\"choices\":[" + repeated("\"\",") + "0]}"; }},
    {"members", [] { return numbered("\"", "\":0"); }},
    {"objects in members", [] { return numbered("\"a", "\":{}"); }},
    {"a text", [] { return "{\"error\":\"" + repeated("a") + "\"}"; }},
    {"a text without an end", [] { return "{\"error\":\"" + repeated("a"); }},
    {"escapes", [] { return "{\"error\":\"" + repeated("\\u00ff") + "\"}"; }},
    {"a number", [] { return "{\"error\":" + repeated("1") + "}"; }},
    {"empty events", [] { return repeated("data:\n\n"); }},
    {"events of objects", [] { return repeated("data:{}\n\n"); }},
    {"events of lists", [] { return repeated("data:[[[[[[[[[[[[\n\n"); }},
    {"one event of lists", [] { return "data:" + repeated("["); }},
    {"one event of many lines", [] { return repeated("data:[\n"); }},
    {"one line", [] { return "data:" + repeated("x"); }},
    {"names of events", [] { return repeated("event:\n"); }},
    {"a text in small events",
     [] { return repeated("data: {\"choices\":[{\"delta\":{\"content\":\"abcdefgh\"}}]}\n\n"); }},
};

} // namespace

TEST_CASE("a body of four megabytes of nested JSON costs less than 32 MB to read, in whatever shape",
          "[costly]") {
  for (auto provider : provider_kinds)
    for (auto status : {200, 500})
      for (const auto& [name, make] : shapes) {
        if (traits_of(provider).body != body_form::message)
          continue;
        INFO(name << ", " << to_text(provider) << ", status " << status);
        model_settings model;
        model.name = "m";
        model.provider = provider;
        http_response response;
        response.status = status;
        response.content_type = "application/json";
        response.body = make();
        auto grown = peak_growth([&] { decode(model, 100, response, 0); });
        INFO(grown / 1024 << " KiB");
        CHECK(grown < allowed);
      }
}

#ifndef KE_MEMORY_IS_PADDED
TEST_CASE("the measure of memory sees what a document of brackets costs") {
  // Without it the test above could not fail: the same body under a parser that makes a document of it.
  auto grown = peak_growth([] {
    std::vector<std::string> kept(400'000);
    for (auto& k : kept)
      k.assign(100, 'x');
  });
  CHECK(grown > allowed);
}
#endif

TEST_CASE("an answer that is too deep or of too many values is told as that, and asked for again") {
  model_settings model;
  model.name = "m";
  http_response response;
  response.status = 200;
  response.content_type = "application/json";
  response.body = std::string(100, '[');
  auto deep = decode(model, 0, response, 0);
  CHECK(deep.why.kind == failure_kind::malformed);
  CHECK(deep.why.retryable);
  CHECK(deep.why.text.find("nests deeper than 64 levels") != std::string::npos);
  response.body = "{\"choices\":[" + repeated("0,", 1u << 18) + "0]}";
  auto many = decode(model, 0, response, 0);
  CHECK(many.why.kind == failure_kind::malformed);
  CHECK(many.why.text.find("holds more than 65536 values") != std::string::npos);
  response.body = "{\"choices\":[{\"message\":{\"content\":\"hi";
  CHECK(decode(model, 0, response, 0).why.text.find("is not JSON") != std::string::npos);
}
