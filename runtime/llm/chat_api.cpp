#include "runtime/llm/chat_api.hpp"

#include "runtime/llm/foreign_json.hpp"
#include "runtime/llm/provider_errors.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace ke {
namespace {

using json = nlohmann::json;

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

bool plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

} // namespace

std::string endpoint(std::string base, std::string_view server, std::string_view path) {
  if (base.empty())
    base = server;
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

std::vector<std::string> bearer(std::string_view key) {
  if (key.empty())
    return {};
  return {"Authorization: Bearer " + std::string{key}};
}

std::string opened(const json& fields, const prompt& p) {
  auto text = json_line(fields);
  text.pop_back(); // the closing brace
  text.reserve(text.size() + bytes_of(p) + bytes_of(p) / 16 + 256);
  return text;
}

/// Prompts are tens of kilobytes, nearly all plain characters. The library's serializer decodes these one by
/// one, which took a tenth of a candidate's cost. So runs of plain characters are copied here, and the
/// library gets the rest.
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
    auto quoted = json_line(json(std::string{at, end}));
    out.append(quoted, 1, quoted.size() - 2);
    at = end;
  }
}

std::string content_text(const json& content) {
  if (content.is_string())
    return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const auto& part : content)
      text += text_of_member(part, "text");
  return text;
}

void take_finish(gathered_answer& all, std::string word) {
  all.refused = word == "content_filter" || word == "refusal";
  all.cut_off = word == "length" || word == "max_tokens" || word == "model_context_window_exceeded";
  all.finish = std::move(word);
}

void take_error(const model_settings& model, const json& error, gathered_answer& all) {
  std::string code = text_of_member(error, "code");
  if (auto type = text_of_member(error, "type"); !type.empty())
    code += (code.empty() ? "" : " ") + type;
  auto message = error.is_string() ? error.get<std::string>() : text_of_member(error, "message");
  const auto& number = member(error, "code");
  long status = number.is_number_integer() ? number.get<long>() : 0;
  if (all.error.kind == failure_kind::none)
    all.error = classify_error(model.name, status, code, message);
}

} // namespace ke
