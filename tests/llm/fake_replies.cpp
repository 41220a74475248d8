// What a fake model's server answers, in the forms of its interfaces.
#include "tests/llm/fake_llm.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace ke::test {
namespace {

using json = nlohmann::json;

std::string event(const json& data, const std::string& name = "") {
  return (name.empty() ? "" : "event: " + name + "\n") + "data: " + data.dump() + "\n\n";
}

/// Pieces as a model streams them: a few tokens each.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.size(), at + 24);
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
      ++end; // not within a character
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

/// What is said of a call's size.
struct size_told {
  std::uint64_t input = 0, output = 0;
};

json openai_usage(size_told size) {
  return {{"prompt_tokens", size.input},
          {"completion_tokens", size.output},
          {"total_tokens", size.input + size.output}};
}

std::string openai_stream(const std::string& text, const std::string& finish, bool usage, bool done,
                          size_told size) {
  std::string out;
  auto chunk = [&](const json& delta, const json& finish_reason) {
    json choice{{"index", 0}, {"delta", delta}, {"finish_reason", finish_reason}};
    out += event({{"id", "fake"}, {"object", "chat.completion.chunk"}, {"choices", json::array({choice})}});
  };
  chunk({{"role", "assistant"}, {"content", ""}}, nullptr);
  for (const auto& piece : pieces_of(text))
    chunk({{"content", piece}}, nullptr);
  if (!finish.empty())
    chunk(json::object(), finish);
  if (usage)
    out += event({{"id", "fake"}, {"choices", json::array()}, {"usage", openai_usage(size)}});
  if (done)
    out += "data: [DONE]\n\n";
  return out;
}

std::string anthropic_stream(const std::string& text, const std::string& stop_reason, size_told size,
                             bool whole = true) {
  std::string out =
      event({{"type", "message_start"},
             {"message", {{"id", "fake"}, {"usage", {{"input_tokens", size.input}, {"output_tokens", 1}}}}}},
            "message_start");
  out += event(
      {{"type", "content_block_start"}, {"index", 0}, {"content_block", {{"type", "text"}, {"text", ""}}}},
      "content_block_start");
  out += event({{"type", "ping"}}, "ping");
  for (const auto& piece : pieces_of(text))
    out += event(
        {{"type", "content_block_delta"}, {"index", 0}, {"delta", {{"type", "text_delta"}, {"text", piece}}}},
        "content_block_delta");
  if (!whole)
    return out;
  out += event({{"type", "content_block_stop"}, {"index", 0}}, "content_block_stop");
  out += event({{"type", "message_delta"},
                {"delta", {{"stop_reason", stop_reason}}},
                {"usage", {{"output_tokens", size.output}}}},
               "message_delta");
  out += event({{"type", "message_stop"}}, "message_stop");
  return out;
}

/// A string, or a list of parts with `text`.
std::string joined(const json& content) {
  if (content.is_string())
    return content.get<std::string>();
  std::string all;
  if (content.is_array())
    for (const auto& part : content)
      all += part.value("text", "");
  return all;
}

} // namespace

std::string text_sent(const std::string& bytes) {
  std::string all;
  auto body = bytes.find("\r\n\r\n");
  if (body == std::string::npos)
    return all;
  auto take = [&](const std::string& text) {
    auto object = json::parse(text, nullptr, false);
    if (!object.is_object())
      return;
    if (object.contains("choices"))
      for (const auto& choice : object["choices"])
        for (auto name : {"delta", "message"})
          if (choice.contains(name) && choice[name].contains("content"))
            all += joined(choice[name]["content"]);
    if (object.contains("delta") && object["delta"].contains("text"))
      all += object["delta"]["text"].get<std::string>();
    if (object.contains("content"))
      all += joined(object["content"]);
  };
  take(bytes.substr(body + 4));
  for (auto at = bytes.find("data: ", body); at != std::string::npos; at = bytes.find("data: ", at + 1))
    if (auto end = bytes.find("\n", at); end != std::string::npos)
      take(bytes.substr(at + 6, end - at - 6));
  return all;
}

std::uint64_t fake_tokens(std::string_view text) {
  std::uint64_t tokens = 0, run = 0, marks = 0;
  for (unsigned char c : text) {
    auto word = std::isalnum(c) || c >= 0x80;
    if (word && run++ % 6 == 0)
      ++tokens;
    if (!word)
      run = 0;
    if (!word && !std::isspace(c) && marks++ % 2 == 0)
      ++tokens;
  }
  return tokens;
}

std::uint64_t fake_request::tokens() const {
  auto parsed = json::parse(body, nullptr, false);
  if (!parsed.is_object())
    return 0;
  std::string all = parsed.contains("system") ? joined(parsed["system"]) : "";
  if (parsed.contains("messages"))
    for (const auto& m : parsed["messages"])
      if (m.contains("content"))
        all += joined(m["content"]);
  return fake_tokens(all) + 4; // and what the template adds
}

std::uint64_t fake_request::most_tokens() const {
  auto parsed = json::parse(body, nullptr, false);
  for (auto name : {"max_tokens", "max_completion_tokens"})
    if (parsed.is_object() && parsed.contains(name))
      return parsed[name].get<std::uint64_t>();
  return ~0ull;
}

fake_reply part_of_answer(const fake_request& request, const std::string& text, bool usage) {
  bool anthropic = request.path.find("/messages") != std::string::npos;
  size_told size{request.tokens(), fake_tokens(text)};
  return {{{sse(anthropic ? anthropic_stream(text, "end_turn", size, usage)
                          : openai_stream(text, "", usage, false, size))}}};
}

bool fake_request::streaming() const {
  auto parsed = json::parse(body, nullptr, false);
  return parsed.is_object() && parsed.value("stream", false);
}

std::string head(int status, const std::string& content_type, const fake_headers& more) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " Fake\r\n";
  if (!content_type.empty())
    out += "Content-Type: " + content_type + "\r\n";
  for (const auto& [name, value] : more)
    out += name + ": " + value + "\r\n";
  return out + "\r\n";
}

fake_reply whole(int status, const std::string& content_type, const std::string& body,
                 const fake_headers& more) {
  auto headers = more;
  headers["Content-Length"] = std::to_string(body.size());
  return {{{head(status, content_type, headers) + body}}, fake_reply::ending::keep, status};
}

std::string sse(const std::string& events) {
  return head(200, "text/event-stream", {{"Connection", "close"}}) + events;
}

std::string openai_events(const std::string& text, const std::string& finish, bool usage, bool done) {
  return openai_stream(text, finish, usage, done, {100, text.size() / 4});
}

std::string anthropic_events(const std::string& text, const std::string& stop_reason) {
  return anthropic_stream(text, stop_reason, {100, text.size() / 4});
}

fake_reply answer(const fake_request& request, const std::string& text, std::chrono::milliseconds latency) {
  bool anthropic = request.path.find("/messages") != std::string::npos;
  size_told size{request.tokens(), fake_tokens(text)};
  fake_reply reply;
  if (request.streaming())
    reply = whole(200, "text/event-stream",
                  anthropic ? anthropic_stream(text, "end_turn", size)
                            : openai_stream(text, "stop", true, true, size));
  else if (anthropic)
    reply = whole(200, "application/json",
                  json{{"type", "message"},
                       {"content", json::array({{{"type", "text"}, {"text", text}}})},
                       {"stop_reason", "end_turn"},
                       {"usage", {{"input_tokens", size.input}, {"output_tokens", size.output}}}}
                      .dump());
  else
    reply = whole(200, "application/json",
                  json{{"choices", json::array({{{"message", {{"role", "assistant"}, {"content", text}}},
                                                 {"finish_reason", "stop"}}})},
                       {"usage", openai_usage(size)}}
                      .dump());
  reply.steps.front().wait = latency;
  return reply;
}

} // namespace ke::test
