#include "runtime/core/json_line.hpp"
#include "runtime/llm/embeddings_request.hpp"
#include "runtime/llm/provider.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace ke {
namespace {

using json = nlohmann::json;

std::chrono::milliseconds ms(double seconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::max(seconds, 0.001) * 1000)};
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

/// `base_url` may be a server, a versioned root (".../v1") or the endpoint itself.
std::string endpoint(std::string base, std::string_view standard, std::string_view path) {
  if (base.empty())
    base = standard;
  while (!base.empty() && base.back() == '/')
    base.pop_back();
  if (ends_with(base, path))
    return base;
  auto scheme = base.find("://");
  auto slash = base.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  auto last = slash == std::string::npos ? "" : base.substr(base.rfind('/') + 1);
  bool versioned = last.size() >= 2 && last[0] == 'v' && std::isdigit(static_cast<unsigned char>(last[1]));
  return base + (versioned ? "" : "/v1") + std::string{path};
}

/// Bytes of a stream are mostly framing: an answer of max_tokens single-token events must fit.
std::uint64_t body_limit(const model_settings& model) {
  auto framed = std::min<std::int64_t>(std::max<std::int64_t>(model.max_tokens, 0) * 320, 16 << 20);
  return static_cast<std::uint64_t>(std::max(model.max_answer_bytes, framed));
}

std::string dump(const json& body) {
  return json_line(body);
}

bool plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/// Appends `text` as the inside of a JSON string. Prompts are tens of kilobytes of nearly only plain
/// characters, which the library's serializer decodes one by one (a tenth of what a candidate costs): they
/// are copied a run at a time, and the library gets the rest.
void escape_into(std::string& out, std::string_view text) {
  auto at = text.begin();
  while (at != text.end()) {
    auto end = std::find_if_not(at, text.end(), plain);
    out.append(at, end);
    at = end;
    if (at == text.end())
      return;
    if (*at == '\n' || *at == '"' || *at == '\\') {
      out += '\\';
      out += *at == '\n' ? 'n' : *at;
      ++at;
      continue;
    }
    end = std::find_if(at, text.end(), plain);
    auto quoted = dump(json(std::string{at, end}));
    out.append(quoted, 1, quoted.size() - 2);
    at = end;
  }
}

/// The fields without the prompt, open: more can be appended. Room for the prompt is reserved.
std::string opened(const json& fields, const prompt& p) {
  auto text = dump(fields);
  text.pop_back(); // the closing brace
  text.reserve(text.size() + bytes_of(p) + bytes_of(p) / 16 + 256);
  return text;
}

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

/// Where a model's requests go; the path depends on the provider.
http_request addressed(const model_settings& model, std::string_view key) {
  http_request request;
  if (model.provider == provider_kind::anthropic) {
    request.url = endpoint(model.base_url, "https://api.anthropic.com", "/messages");
    request.headers.push_back("anthropic-version: 2023-06-01");
    if (!key.empty())
      request.headers.push_back("x-api-key: " + std::string{key});
  } else {
    request.url = endpoint(model.base_url, "https://api.openai.com", "/chat/completions");
    if (!key.empty())
      request.headers.push_back("Authorization: Bearer " + std::string{key});
  }
  return request;
}

} // namespace

http_request encode_list_of_models(const model_settings& model, std::string_view key) {
  auto request = addressed(model, key);
  std::string_view path = model.provider == provider_kind::anthropic ? "/messages" : "/chat/completions";
  request.url.replace(request.url.size() - path.size(), path.size(), "/models");
  return request;
}

http_request encode_embeddings(const embedding_settings& server, std::string_view key, std::string body,
                               std::chrono::milliseconds within) {
  http_request request;
  request.url = endpoint(server.base_url, "https://api.openai.com", "/embeddings");
  request.headers = {"Content-Type: application/json", "Accept: application/json"};
  if (!key.empty())
    request.headers.push_back("Authorization: Bearer " + std::string{key});
  request.body = std::move(body);
  request.connect = request.first_byte = request.stall = request.total = within;
  request.limit_bytes = 16u << 20;
  return request;
}

http_request encode(const model_settings& model, std::string_view key, const prompt& p) {
  auto request = addressed(model, key);
  request.headers.insert(request.headers.begin(),
                         {"Content-Type: application/json", "Accept: text/event-stream, application/json"});
  request.body =
      model.provider == provider_kind::anthropic ? anthropic_body(model, p) : openai_body(model, p);
  request.total = ms(model.timeout_s);
  request.connect = ms(model.connect_timeout_s);
  request.first_byte = ms(model.first_byte_timeout_s);
  request.stall = ms(model.stall_timeout_s);
  request.limit_bytes = body_limit(model);
  return request;
}

} // namespace ke
