#include "runtime/core/model_settings.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/llm/provider.hpp"

#include "runtime/llm/embeddings_request.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/llm/provider_errors.hpp"
#include "tests/llm/fake_llm.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace ke;
using json = nlohmann::json;
using namespace std::chrono_literals;

namespace {

model_settings kind_model(provider_kind kind) {
  model_settings m;
  m.name = "main";
  m.provider = kind;
  m.model = "m1";
  m.base_url = "http://host:8000";
  m.price_input = 3;
  m.price_output = 15;
  m.max_tokens = 1000;
  return m;
}

const model_settings openai = kind_model(provider_kind::openai);
const model_settings anthropic = kind_model(provider_kind::anthropic);
const prompt two_parts{{{"```ke-task\n{}\n```\n", false}, {"RULES", true}, {"go", false}}};

http_response response(long status, std::string body, std::string type = "application/json") {
  http_response r;
  r.status = status;
  r.body = std::move(body);
  r.content_type = std::move(type);
  return r;
}

completion read(const model_settings& m, long status, std::string body,
                std::string type = "application/json") {
  return decode(m, 350, response(status, std::move(body), std::move(type)), 0);
}

} // namespace

TEST_CASE("base_url may be a server, a versioned root or the endpoint") {
  auto url = [](provider_kind kind, std::string base) {
    auto m = kind_model(kind);
    m.base_url = std::move(base);
    return encode(m, "", two_parts).url;
  };
  for (auto base :
       {"http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/chat/completions"})
    CHECK(url(provider_kind::openai, base) == "http://h:1/v1/chat/completions");
  CHECK(url(provider_kind::openai, "https://h/api/v1") == "https://h/api/v1/chat/completions");
  CHECK(url(provider_kind::openai, "https://h/paas/v4") == "https://h/paas/v4/chat/completions");
  CHECK(url(provider_kind::openai, "http://v100:8000") == "http://v100:8000/v1/chat/completions");
  CHECK(url(provider_kind::openai, "") == "https://api.openai.com/v1/chat/completions");
  CHECK(url(provider_kind::anthropic, "http://h:1") == "http://h:1/v1/messages");
  CHECK(url(provider_kind::anthropic, "http://h:1/v1") == "http://h:1/v1/messages");
}

TEST_CASE("an openai request streams one user message in the prompt's order and asks for usage") {
  auto request = encode(openai, "sk-secret", two_parts);
  auto body = json::parse(request.body);
  CHECK(body["model"] == "m1");
  CHECK(body["messages"].size() == 1);
  CHECK(body["messages"][0]["content"] == "```ke-task\n{}\n```\nRULESgo");
  CHECK(body["stream"] == true);
  CHECK(body["stream_options"]["include_usage"] == true);
  CHECK(body["max_tokens"] == 1000);
  CHECK(std::count(request.headers.begin(), request.headers.end(), "Authorization: Bearer sk-secret") == 1);
  CHECK(request.body.find("sk-secret") == std::string::npos);
  CHECK(encode(openai, "", two_parts).headers.size() == request.headers.size() - 1);
}

TEST_CASE("an anthropic request puts stable sections into a cached system block and begins its message with "
          "the task") {
  auto request = encode(anthropic, "key", two_parts);
  auto body = json::parse(request.body);
  REQUIRE(body["system"].size() == 1);
  CHECK(body["system"][0]["text"] == "RULES");
  CHECK(body["system"][0]["cache_control"]["type"] == "ephemeral");
  CHECK(body["messages"][0]["content"] == "```ke-task\n{}\n```\ngo");
  CHECK(std::count(request.headers.begin(), request.headers.end(), "x-api-key: key") == 1);
  auto only_stable = json::parse(encode(anthropic, "", prompt{{{"RULES", true}}}).body);
  CHECK(only_stable["messages"][0]["content"] == "RULES");
  CHECK_FALSE(only_stable.contains("system"));
}

TEST_CASE("requests are the same, byte for byte, as they have always been: servers cache their beginnings") {
  prompt p{{{"task \"q\"\n", false}, {"RULES\t", true}, {"MORE", true}, {"go \xce\xbc", false}}};
  CHECK(encode(openai, "", p).body ==
        R"({"max_tokens":1000,"model":"m1","stream":true,"stream_options":{"include_usage":true},)"
        R"("messages":[{"role":"user","content":"task \"q\"\nRULES\tMOREgo )"
        "\xce\xbc"
        R"("}]})");
  auto hosted = openai;
  hosted.base_url = "";
  CHECK(encode(hosted, "", prompt{{{"go", false}}}).body ==
        R"({"max_completion_tokens":1000,"model":"m1","stream":true,)"
        R"("stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}]})");
  CHECK(encode(anthropic, "", p).body ==
        R"({"max_tokens":1000,"model":"m1","stream":true,"system":[{"type":"text","text":"RULES\t"},)"
        R"({"type":"text","text":"MORE","cache_control":{"type":"ephemeral"}}],)"
        R"("messages":[{"role":"user","content":"task \"q\"\ngo )"
        "\xce\xbc"
        R"("}]})");
  using lines = std::vector<std::string>;
  CHECK(encode(openai, "k", p).headers == lines{"Content-Type: application/json",
                                                "Accept: text/event-stream, application/json",
                                                "Authorization: Bearer k"});
  CHECK(encode(anthropic, "k", p).headers == lines{"Content-Type: application/json",
                                                   "Accept: text/event-stream, application/json",
                                                   "anthropic-version: 2023-06-01", "x-api-key: k"});
  CHECK(encode_list_of_models(openai, "k").url == "http://host:8000/v1/models");
  CHECK(encode_list_of_models(openai, "k").headers == lines{"Authorization: Bearer k"});
  CHECK(encode_list_of_models(anthropic, "k").url == "http://host:8000/v1/models");
  CHECK(encode_list_of_models(anthropic, "k").headers ==
        lines{"anthropic-version: 2023-06-01", "x-api-key: k"});
}

TEST_CASE("every character of a prompt comes through, whatever it is") {
  std::string all;
  for (int c = 1; c < 128; ++c)
    all += static_cast<char>(c);
  prompt p{{{"```ke-task\n{}\n```\n" + all, false},
            {"\n\"\\ \xce\xbcs \xe2\x89\xa4 2\t", true},
            {"\xc3\xa9", true}}};
  CHECK(json::parse(encode(openai, "", p).body)["messages"][0]["content"] == text_of(p));
  auto body = json::parse(encode(anthropic, "", p).body);
  CHECK(body["messages"][0]["content"] == p.sections[0].text);
  REQUIRE(body["system"].size() == 2);
  CHECK(body["system"][0]["text"] == p.sections[1].text);
  CHECK_FALSE(body["system"][0].contains("cache_control"));
  CHECK(body["system"][1]["text"] == p.sections[2].text);
}

TEST_CASE("a prompt that is not UTF-8 still makes a valid request") {
  CHECK(json::parse(encode(openai, "",
                           prompt{{{"a\xff"
                                    "b",
                                    false}}})
                        .body)["messages"][0]["content"] == "a\xef\xbf\xbd"
                                                            "b");
}

TEST_CASE("the four deadlines and the size limit of a request are the model's") {
  auto m = openai;
  m.timeout_s = 9;
  m.connect_timeout_s = 1.5;
  m.first_byte_timeout_s = 2;
  m.stall_timeout_s = 3;
  m.max_answer_bytes = 1000;
  m.max_tokens = 10;
  auto request = encode(m, "", two_parts);
  CHECK(request.total == 9s);
  CHECK(request.connect == 1500ms);
  CHECK(request.first_byte == 2s);
  CHECK(request.stall == 3s);
  CHECK(request.limit_bytes == 3200);
}

TEST_CASE("streams and plain answers of both kinds give text, finish and priced usage") {
  std::string said = "grüße\n```cpp\nint x;\n```\n";
  auto stream = read(openai, 200, test::openai_events(said, "stop"), "text/event-stream");
  CHECK(stream.why.kind == failure_kind::none);
  CHECK(stream.text == said);
  CHECK(stream.finish == "stop");
  CHECK(stream.usage.input_tokens == 100);
  CHECK(stream.usage.output_tokens == said.size() / 4);
  CHECK(stream.usage.usd == Approx((100 * 3.0 + said.size() / 4 * 15.0) / 1e6));
  CHECK_FALSE(stream.estimated);

  auto plain =
      read(openai, 200,
           R"({"choices":[{"message":{"content":[{"type":"text","text":"hi"}]},"finish_reason":"stop"}],
    "usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":5}}})");
  CHECK(plain.why.kind == failure_kind::none);
  CHECK(plain.text == "hi");
  CHECK(plain.usage.input_tokens == 7);
  CHECK(plain.usage.cached_tokens == 5);

  auto events =
      read(anthropic, 200, test::anthropic_events(said, "end_turn"), "text/event-stream; charset=utf-8");
  CHECK(events.why.kind == failure_kind::none);
  CHECK(events.text == said);
  CHECK(events.finish == "end_turn");
  CHECK(events.usage.input_tokens == 100);
  CHECK(events.usage.output_tokens == said.size() / 4);

  auto message = read(
      anthropic, 200,
      R"({"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"hi"}],"stop_reason":"end_turn",
    "usage":{"input_tokens":10,"output_tokens":4,"cache_read_input_tokens":1000,"cache_creation_input_tokens":100}})");
  CHECK(message.why.kind == failure_kind::none);
  CHECK(message.text == "hi");
  CHECK(message.usage.input_tokens == 1110);
  CHECK(message.usage.cached_tokens == 1000);
  CHECK(message.usage.usd == Approx(((10 + 125 + 100) * 3.0 + 4 * 15.0) / 1e6));
}

TEST_CASE("usage that was not told is estimated and marked") {
  auto c = read(openai, 200, test::openai_events("1234567", "stop", false), "text/event-stream");
  CHECK(c.estimated);
  CHECK(c.usage.input_tokens == 100);
  CHECK(c.usage.output_tokens == 2);
}

TEST_CASE("an endless answer without usage is charged at most max_tokens: a budget holds for it, too") {
  auto m = openai;
  m.max_tokens = 100;
  auto c = read(m, 200, test::openai_events(std::string(100'000, 'x'), "stop", false), "text/event-stream");
  CHECK(c.usage.output_tokens == 100);
  CHECK(c.usage.usd <= worst_case(m, 350).usd);
}

TEST_CASE("every way an answer can be wrong has its kind, and says whether the prompt may be sent again") {
  struct row {
    const char* name;
    const model_settings& model;
    long status;
    std::string body;
    const char* type;
    failure_kind kind;
    bool retryable;
  };
  using k = failure_kind;
  auto json_type = "application/json";
  auto stream = "text/event-stream";
  std::vector<row> rows{
      {"429", openai, 429, R"({"error":{"message":"slow down","code":"rate_limit_exceeded"}})", json_type,
       k::rate_limited, true},
      {"429 without money", openai, 429,
       R"({"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}})", json_type,
       k::credit, false},
      {"402", openai, 402, "", "", k::credit, false},
      {"400 for a low balance", anthropic, 400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}})",
       json_type, k::credit, false},
      {"401", openai, 401, R"({"error":{"message":"bad key"}})", json_type, k::auth, false},
      {"403", anthropic, 403, R"({"type":"error","error":{"type":"permission_error","message":"no"}})",
       json_type, k::auth, false},
      {"404", openai, 404, R"({"error":"model not found"})", json_type, k::server_error, false},
      {"408", openai, 408, "", "", k::timeout, true},
      {"413", openai, 413, "", "", k::too_large, false},
      {"context length", openai, 400, R"({"error":{"code":"context_length_exceeded","message":"too long"}})",
       json_type, k::too_large, false},
      {"500", openai, 500, "oops", "text/plain", k::server_error, true},
      {"502 as a page", openai, 502, "<html>bad gateway</html>", "text/html", k::server_error, true},
      {"503", openai, 503, "", "", k::server_error, true},
      {"529", anthropic, 529,
       R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})", json_type,
       k::server_error, true},
      {"redirect", openai, 307, "", "", k::server_error, false},
      {"invalid JSON", openai, 200, R"({"choices": [)", json_type, k::malformed, true},
      {"no choice at all", openai, 200, R"({"choices": []})", json_type, k::malformed, true},
      {"not JSON at all", openai, 200, "Hello", json_type, k::malformed, true},
      {"another shape", openai, 200, R"({"hello": 1})", json_type, k::malformed, true},
      {"HTML page", openai, 200, "<!doctype html><html></html>", "text/html", k::malformed, true},
      {"wrong content type", openai, 200,
       R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]})", "image/png", k::malformed,
       true},
      {"bad UTF-8", openai, 200,
       "{\"choices\":[{\"message\":{\"content\":\"a\xff\"},\"finish_reason\":\"stop\"}]}", json_type,
       k::malformed, true},
      {"bad UTF-8 in a stream", openai, 200,
       "data: {\"choices\":[{\"delta\":{\"content\":\"\xc3\x28\"}}]}\n\ndata: [DONE]\n\n", stream,
       k::malformed, true},
      {"damaged event", openai, 200, "data: {\"choices\":[{\"de\n\ndata: [DONE]\n\n", stream, k::malformed,
       true},
      {"empty body", openai, 200, "", json_type, k::empty, true},
      {"empty text", openai, 200, test::openai_events("", "stop"), stream, k::empty, true},
      {"blank text", anthropic, 200, test::anthropic_events(" \n", "end_turn"), stream, k::empty, true},
      {"content filter", openai, 200, test::openai_events("I", "content_filter"), stream, k::refused, false},
      {"refusal field", openai, 200,
       R"({"choices":[{"message":{"content":null,"refusal":"I can't"},"finish_reason":"stop"}]})", json_type,
       k::refused, false},
      {"refusal", anthropic, 200, test::anthropic_events("no", "refusal"), stream, k::refused, false},
      {"length", openai, 200, test::openai_events("half", "length"), stream, k::truncated, false},
      {"max_tokens", anthropic, 200, test::anthropic_events("half", "max_tokens"), stream, k::truncated,
       false},
      {"stream without its end", openai, 200, test::openai_events("half", "", false, false), stream,
       k::truncated, true},
      {"error in the stream", openai, 200,
       "data: {\"error\":{\"code\":502,\"message\":\"provider down\"}}\n\n", stream, k::server_error, true},
      {"rate limit in the stream", openai, 200, "data: {\"error\":{\"code\":429,\"message\":\"x\"}}\n\n",
       stream, k::rate_limited, true},
      {"overloaded in the stream", anthropic, 200,
       "event: error\ndata: "
       "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
       stream, k::server_error, true},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    auto c = read(r.model, r.status, r.body, r.type);
    CHECK(to_text(c.why.kind) == to_text(r.kind));
    CHECK(c.why.retryable == r.retryable);
    CHECK(c.why.text.find("main") != std::string::npos);
    CHECK(valid_utf8(c.why.text));
  }
}

TEST_CASE("an answer over max_answer_bytes names the limit and keeps its text") {
  auto m = openai;
  m.max_answer_bytes = 10;
  auto c = read(m, 200, test::openai_events("12345678901", "stop"), "text/event-stream");
  CHECK(c.why.kind == failure_kind::too_large);
  CHECK(c.why.text.find("max_answer_bytes = 10") != std::string::npos);
  CHECK(c.text == "12345678901");
}

TEST_CASE("what came before a broken connection is kept and charged") {
  auto r = response(200, test::openai_events("half an answer", "", false, false), "text/event-stream");
  r.why = {failure_kind::connection, "reset", true};
  auto c = decode(openai, 350, r, 0);
  CHECK(c.why.kind == failure_kind::connection);
  CHECK(c.text == "half an answer");
  CHECK(c.estimated);
  CHECK(c.usage.output_tokens == 4);
}

TEST_CASE("Retry-After is read as seconds, as a date and as milliseconds") {
  CHECK(parse_retry_after("7", 0) == 7s);
  CHECK(parse_retry_after("0.5", 0) == 500ms);
  CHECK(parse_retry_after("Sat, 21 Nov 2026 12:00:30 GMT", 1795262400) == 30s);
  CHECK(parse_retry_after("Sat, 21 Nov 2026 11:00:00 GMT", 1795262400) == 0s);
  CHECK(parse_retry_after("-3", 0) == 0s);
  CHECK_FALSE(parse_retry_after("soon", 0));
  CHECK_FALSE(parse_retry_after("nan", 0));
  CHECK_FALSE(parse_retry_after("", 0));
  auto r = response(429, "");
  r.headers["retry-after"] = "7";
  CHECK(decode(openai, 1, r, 0).retry_after == 7s);
  r.headers["retry-after-ms"] = "250";
  CHECK(decode(openai, 1, r, 0).retry_after == 250ms);
}

TEST_CASE("plain texts are completions too") {
  CHECK(plain_completion(openai, 70, "hello").why.kind == failure_kind::none);
  CHECK(plain_completion(openai, 70, "hello").usage.input_tokens == 20);
  CHECK(plain_completion(openai, 70, " \n").why.kind == failure_kind::empty);
  CHECK(plain_completion(openai, 70, "a\xff").why.kind == failure_kind::malformed);
}

TEST_CASE("UTF-8 is checked to the letter") {
  for (auto good : {"", "abc", "ü", "€", "\xf0\x9f\x98\x80", "\xed\x9f\xbf"})
    CHECK(valid_utf8(good));
  for (auto bad :
       {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff"})
    CHECK_FALSE(valid_utf8(bad));
}

TEST_CASE("a reservation bounds what a call may cost") {
  auto r = worst_case(openai, 936);
  CHECK(r.tokens == 2000);
  CHECK(r.usd == Approx((1000 * 3.0 + 1000 * 15.0) / 1e6));
  CHECK(worst_case(anthropic, 936).usd == Approx((1250 * 3.0 + 1000 * 15.0) / 1e6));
}

TEST_CASE("what is told is charged as told, and the rest by what the model's other answers have taught") {
  token_scale scale;
  scale.learn({200, 50, 0, 0}, {}, {1000, 100, 0, true}); // 5 bytes a token of input, 2 of output
  auto whole = charge_of(openai, scale, {70, 30, 0, 0.5}, {400, 90, 0, true});
  CHECK(whole.usage == token_usage{70, 30, 0, 0.5});
  CHECK(whole.estimated == token_usage{});
  auto cut = charge_of(openai, scale, {}, {1000, 100, 100, false});
  CHECK(cut.usage.input_tokens == 221); // 10 % above, rounded up: one answer only has been told
  CHECK(cut.usage.output_tokens == 53);
  CHECK(cut.usage.usd == Approx((221 * 3.0 + 53 * 15.0) / 1e6));
  CHECK(cut.estimated == cut.usage);
  auto half = charge_of(openai, scale, {190, 1, 0, 0}, {1000, 100, 100, true}); // as anthropic begins
  CHECK(half.usage.input_tokens == 190);
  CHECK(half.usage.output_tokens == 54);
  CHECK(half.estimated.input_tokens == 0);
  CHECK(charge_of(openai, scale, {}, {}).usage == token_usage{}); // never left, or refused
  CHECK(charge_of(openai, scale, {}, {0, 1 << 20, 1 << 20, false}).usage.output_tokens == 1000); // max_tokens
}

TEST_CASE("Bug: a prompt denser than the first was charged below its bill when nobody heard its answer") {
  token_scale
      scale; // tokens, and the ratio of bytes, of a campaign that was killed while its second prompt was out
  scale.learn({5098, 59, 0, 0}, {}, {17835, 200, 0, true});
  CHECK(scale.input(20630) >= 6235);
  scale.learn({6235, 59, 0, 0}, {}, {20630, 200, 0, true});
  scale.learn({5098, 59, 0, 0}, {}, {17835, 200, 0, true});
  CHECK(scale.input(20630) >= 6235 * 1.05); // by the densest, not by the mean
  CHECK(scale.input(20630) <= 6235 * 1.06);
}

TEST_CASE("a call that nobody heard is charged its prompt and the longest answer so far, at most its "
          "reservation") {
  auto reserved = worst_case(openai, 936);
  token_scale scale;
  CHECK(charge_unheard(openai, scale, 936, reserved).usage.output_tokens == 1000); // too few were told
  for (std::uint64_t said : {10, 200, 100})
    scale.learn({234, said, 0, 0}, {}, {936, 3 * said, 0, true});
  auto c = charge_unheard(openai, scale, 936, reserved);
  CHECK(c.usage.input_tokens == 246);
  CHECK(c.usage.output_tokens == 210);
  CHECK(c.estimated == c.usage);
  CHECK(charge_unheard(openai, scale, 936, {300, 0.001}).usage.output_tokens == 54);
  CHECK(charge_unheard(openai, scale, 936, {300, 0.001}).usage.usd == 0.001);
  CHECK(charge_unheard(openai, scale, 0, reserved).usage.usd == reserved.usd); // of an earlier version
}

TEST_CASE("a request that was not sent or was refused by a status is not billed, one that was sent is") {
  auto broken = [](long status, std::string body, bool sent) {
    auto r = response(status, std::move(body), "text/event-stream");
    r.why = {failure_kind::connection, "reset", true};
    r.sent = sent;
    return decode(openai, 350, r, 0);
  };
  CHECK(broken(0, "", false).meter == call_meter{});
  CHECK(broken(503, "half a page", true).meter == call_meter{});
  CHECK(read(openai, 429, "{}").meter == call_meter{});
  CHECK(broken(0, "", true).meter == call_meter{350, 0, 0, false});
  CHECK(broken(200, "", true).meter == call_meter{350, 0, 0, false});
  auto cut = broken(200, test::openai_events("half an answer", "", false, false), true);
  CHECK(cut.meter == call_meter{350, 14, 14, false});
  auto told = broken(200, test::openai_events("half an answer", "", true, false), true);
  CHECK(told.meter == call_meter{350, 14, 0, true});
  CHECK(told.told.input_tokens == 100);
}

TEST_CASE("an answer in broken JSON is measured by its text, a page by nothing") {
  auto cut = read(openai, 200, R"({"choices":[{"message":{"role":"assistant","content":"a\nb\"cd)");
  CHECK(cut.why.kind == failure_kind::malformed);
  CHECK(cut.meter.untold_bytes == 6);
  CHECK(read(openai, 200, "<!doctype html><html></html>", "text/html").meter.received_bytes == 0);
  CHECK(read(openai, 200, "Hello").meter.untold_bytes == 5);
}

TEST_CASE("a request for embeddings goes to /v1/embeddings, with its key and one deadline") {
  embedding_settings server{"http://h:1", "e5", "ANY"};
  auto r = encode_embeddings(server, "secret", "{}", 2s);
  CHECK(r.url == "http://h:1/v1/embeddings");
  CHECK(r.body == "{}");
  CHECK(std::count(r.headers.begin(), r.headers.end(), "Authorization: Bearer secret") == 1);
  for (auto limit : {r.connect, r.first_byte, r.stall, r.total})
    CHECK(limit == 2s);
  server.base_url = "https://h/api/v1/embeddings";
  CHECK(encode_embeddings(server, "", "{}", 2s).url == "https://h/api/v1/embeddings");
  CHECK(encode_embeddings(server, "", "{}", 2s).headers.size() == 2);
}

TEST_CASE("why an embeddings server gave nothing is told with its model and message") {
  embedding_settings server{"http://h:1", "e5", ""};
  CHECK(embeddings_failure(server, response(200, "{}")).kind == failure_kind::none);
  auto refused = embeddings_failure(server, response(401, R"({"error":{"message":"no such key"}})"));
  CHECK(refused.kind == failure_kind::auth);
  CHECK(refused.text.find("e5") != std::string::npos);
  CHECK(refused.text.find("no such key") != std::string::npos);
  http_response lost;
  lost.why = {failure_kind::connection, "the connection to h failed", true};
  CHECK(embeddings_failure(server, lost).kind == failure_kind::connection);
}
