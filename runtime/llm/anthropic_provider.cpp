#include "runtime/llm/anthropic_provider.hpp"

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/foreign_json.hpp"
#include "runtime/llm/provider_adapter.hpp"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace ke {
namespace {

using json = nlohmann::json;

std::vector<std::string> headers_with(std::string_view key) {
  std::vector<std::string> headers{"anthropic-version: 2023-06-01"};
  if (!key.empty())
    headers.push_back("x-api-key: " + std::string{key});
  return headers;
}

std::string anthropic_body(const model_settings& model, const prompt& p) {
  std::vector<const prompt_section*> stable, said;
  for (const auto& section : p.sections)
    if (!section.text.empty())
      (section.stable ? stable : said).push_back(&section);
  if (said.empty() && !stable.empty()) { // a message must have content
    said.push_back(stable.back());
    stable.pop_back();
  }
  auto body = opened({{"model", model.model}, {"max_tokens", model.max_tokens}, {"stream", true}}, p);
  for (std::size_t i = 0; i < stable.size(); ++i) {
    body += i == 0 ? R"(,"system":[{"type":"text","text":")" : R"(,{"type":"text","text":")";
    escape_into(body, stable[i]->text.str());
    body += i + 1 < stable.size() ? R"("})" : R"(","cache_control":{"type":"ephemeral"}}])";
  }
  body += R"(,"messages":[{"role":"user","content":")";
  for (const auto* section : said)
    escape_into(body, section->text.str());
  return body += "\"}]}";
}

void take_usage(const json& usage, gathered_answer& all) {
  if (!usage.is_object())
    return;
  all.usage_told();
  auto keep = [&](double& slot, const char* name) {
    if (member(usage, name).is_number())
      slot = count_of_member(usage, name);
  };
  keep(all.input, "input_tokens");
  keep(all.output, "output_tokens");
  keep(all.cache_read, "cache_read_input_tokens");
  keep(all.cache_write, "cache_creation_input_tokens");
}

void take_anthropic(const model_settings& model, const json& object, gathered_answer& all) {
  auto type = text_of_member(object, "type");
  if (type == "error" || (type.empty() && !member(object, "error").is_null()))
    return take_error(model, member(object, "error"), all);
  auto take_stop = [&](const json& holder) {
    if (auto reason = text_of_member(holder, "stop_reason"); !reason.empty())
      take_finish(all, std::move(reason));
  };
  all.any = all.any || !type.empty();
  if (type == "message") { // a plain answer
    all.text += content_text(member(object, "content"));
    take_usage(member(object, "usage"), all);
    take_stop(object);
    all.ended = true;
  } else if (type == "message_start") {
    take_usage(member(member(object, "message"), "usage"), all);
  } else if (type == "content_block_start") {
    all.text += text_of_member(member(object, "content_block"), "text");
  } else if (type == "content_block_delta") {
    const auto& delta = member(object, "delta");
    if (text_of_member(delta, "type") == "text_delta")
      all.text += text_of_member(delta, "text");
    all.thoughts += text_of_member(delta, "thinking").size();
  } else if (type == "message_delta") {
    take_stop(member(object, "delta"));
    take_usage(member(object, "usage"), all);
  } else if (type == "message_stop") {
    all.ended = true;
  }
}

/// `input_tokens` of an answer leave out what the cache took or gave.
input_tokens anthropic_input(const gathered_answer& all) {
  constexpr auto write_factor = traits_of(provider_kind::anthropic).cache_write_factor, read_factor = 0.1;
  return {all.input + (all.cache_write + all.cache_read),
          all.input + write_factor * all.cache_write + read_factor * all.cache_read};
}

} // namespace

constinit const chat_api anthropic_api{
    "https://api.anthropic.com", "/messages", headers_with, anthropic_body, take_anthropic, anthropic_input};
constinit const provider_adapter anthropic_adapter{make_http_provider, &anthropic_api};

} // namespace ke
