#include "runtime/llm/openai_provider.hpp"

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/foreign_json.hpp"
#include "runtime/llm/provider_adapter.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace ke {
namespace {

using json = nlohmann::json;

std::string openai_body(const model_settings& model, const prompt& p) {
  // The hosted service renamed the field for its newer models; every other server knows the old name.
  bool hosted = model.base_url.empty() || model.base_url.find("api.openai.com") != std::string::npos;
  json fields{{"model", model.model}, {"stream", true}, {"stream_options", {{"include_usage", true}}}};
  fields[hosted ? "max_completion_tokens" : "max_tokens"] = model.max_tokens;
  auto body = opened(fields, p);
  body += R"(,"messages":[{"role":"user","content":")";
  for (const auto& section : p.sections)
    escape_into(body, section.text.str());
  return body += "\"}]}";
}

void take_openai(const model_settings& model, const json& object, gathered_answer& all) {
  if (const auto& error = member(object, "error"); !error.is_null())
    return take_error(model, error, all);
  if (const auto& choices = member(object, "choices"); choices.is_array() && !choices.empty()) {
    all.any = true;
    const auto& choice = choices.front();
    for (auto name : {"delta", "message"}) {
      const auto& said = member(choice, name);
      all.text += content_text(member(said, "content"));
      all.refusal += text_of_member(said, "refusal");
      for (auto thought : {"reasoning_content", "reasoning"})
        all.thoughts += text_of_member(said, thought).size();
    }
    if (auto text = text_of_member(choice, "text"); !text.empty())
      all.text += text;
    if (auto finish = text_of_member(choice, "finish_reason"); !finish.empty()) {
      take_finish(all, std::move(finish));
      all.ended = true;
    }
  }
  if (const auto& usage = member(object, "usage"); usage.is_object()) { // of all up to here
    all.any = true;
    all.input = count_of_member(usage, "prompt_tokens");
    all.output = count_of_member(usage, "completion_tokens");
    all.cache_read = count_of_member(member(usage, "prompt_tokens_details"), "cached_tokens");
    all.usage_told();
  }
}

input_tokens openai_input(const gathered_answer& all) {
  return {all.input, all.input};
}

} // namespace

constinit const chat_api openai_api{
    "https://api.openai.com", "/chat/completions", bearer, openai_body, take_openai, openai_input};
constinit const provider_adapter openai_adapter{make_http_provider, &openai_api};

} // namespace ke
