#include "runtime/llm/provider.hpp"

#include "runtime/llm/foreign_json.hpp"
#include "runtime/llm/openai_provider.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/llm/provider_adapter.hpp"
#include "runtime/llm/provider_errors.hpp"
#include "runtime/llm/sse.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ke {
namespace {

using json = nlohmann::json;

/// A kind without an API of its own is read as most servers speak.
const chat_api& api_of(const model_settings& model) {
  const auto* api = adapter_of(model.provider).api;
  return api ? *api : openai_api;
}

std::chrono::milliseconds ms(double seconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::max(seconds, 0.001) * 1000)};
}

/// Bytes of a stream are mostly framing: an answer of max_tokens single-token events must fit.
std::uint64_t body_limit(const model_settings& model) {
  auto framed = std::min<std::int64_t>(std::max<std::int64_t>(model.max_tokens, 0) * 320, 16 << 20);
  return static_cast<std::uint64_t>(std::max(model.max_answer_bytes, framed));
}

/// Where a model's requests go, with its key.
http_request addressed(const model_settings& model, std::string_view key) {
  const auto& api = api_of(model);
  http_request request;
  request.url = endpoint(model.base_url, api.server, api.path);
  request.headers = api.headers(key);
  return request;
}

/// Bytes of an answer in a body that is no whole JSON: those of the last text, or the whole body without a
/// text. None in a page of markup, which no model wrote.
std::size_t unread_bytes(std::string_view body) {
  auto begin = body.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || body[begin] == '<')
    return 0;
  auto at = std::string_view::npos;
  for (std::string_view name : {"\"content\"", "\"text\""})
    if (auto found = body.rfind(name); found != std::string_view::npos)
      if (auto quote = body.find('"', found + name.size()); quote != std::string_view::npos)
        at = at == std::string_view::npos ? quote + 1 : std::max(at, quote + 1);
  if (at == std::string_view::npos)
    return body[begin] == '{' ? 0 : body.size();
  std::size_t bytes = 0;
  for (; at < body.size() && body[at] != '"'; ++at, ++bytes)
    at += body[at] == '\\';
  return bytes;
}

failure not_an_object(const std::string& model_name, const std::string& what, std::string_view text) {
  if (!valid_utf8(text))
    return malformed(model_name, what + " is not UTF-8");
  switch (json_fault_of(text, foreign_limits)) {
  case json_fault::too_deep:
    return malformed(model_name, what + " nests deeper than " + std::to_string(foreign_limits.depth) +
                                     " levels: " + one_line(text, 80));
  case json_fault::too_many_values:
    return malformed(model_name, what + " holds more than " + std::to_string(foreign_limits.values) +
                                     " values: " + one_line(text, 80));
  default:
    break;
  }
  return malformed(model_name, what + " is not JSON: " + one_line(text, 80));
}

/// Objects of a body, stream or plain. Returns what is wrong with its form, if anything.
failure gather(const model_settings& model, std::string_view body, bool cut, gathered_answer& all) {
  auto take = [&, &api = api_of(model)](const json& object) { api.take(model, object, all); };
  if (!looks_like_stream(body)) {
    auto object = document_of(body);
    if (object.is_object()) {
      take(object);
      return {};
    }
    all.unread = unread_bytes(body);
    return cut ? failure{} : not_an_object(model.name, "the answer", body);
  }
  sse_parser parser;
  failure why;
  auto take_all = [&](const std::vector<sse_event>& events) {
    for (const auto& event : events) {
      if (event.data == "[DONE]") {
        all.ended = true;
        continue;
      }
      auto object = document_of(event.data);
      if (object.is_object())
        take(object);
      else if (why.kind == failure_kind::none)
        why = not_an_object(model.name, "an event of the stream", event.data);
    }
  };
  // Piece by piece: the shortest events are ten times larger as objects than on the wire.
  constexpr std::size_t piece = 64u << 10;
  for (; !body.empty(); body.remove_prefix(std::min(piece, body.size())))
    take_all(parser.feed(body.substr(0, piece)));
  if (!cut)
    take_all(parser.finish());
  return why;
}

/// What a whole, well-formed answer means.
failure judge(const model_settings& model, const gathered_answer& all) {
  auto name = "model " + model.name;
  if (all.error.kind != failure_kind::none)
    return all.error;
  if (!all.any)
    return malformed(model.name, "the answer is JSON of an unknown shape (is base_url right for provider " +
                                     std::string{to_text(model.provider)} + "?)");
  if (all.refused || (!all.refusal.empty() && all.text.empty()))
    return {failure_kind::refused,
            name + " refused: " + (all.refusal.empty() ? "finish " + all.finish : one_line(all.refusal)),
            false};
  if (all.cut_off)
    return {failure_kind::truncated,
            name + " was cut off at max_tokens = " + std::to_string(model.max_tokens) +
                ": ask for a shorter answer or raise the limit",
            false};
  if (!all.ended)
    return {failure_kind::truncated, name + ": the stream ended before its end mark", true};
  if (all.text.find_first_not_of(" \t\r\n") == std::string::npos)
    return {failure_kind::empty, name + " gave an empty answer", true};
  return {};
}

bool forbidden_type(const std::string& content_type) {
  auto type = lower_case(content_type);
  for (auto prefix :
       {"text/html", "text/xml", "application/xml", "application/pdf", "image/", "audio/", "video/"})
    if (type.starts_with(prefix))
      return true;
  return false;
}

/// What is told, what is not, and `usage` of both.
void settle_usage(const model_settings& model, std::size_t prompt_bytes, const gathered_answer& all,
                  completion& out) {
  auto [input, priced] = api_of(model).input(all);
  if (all.told_usage) {
    out.told = {static_cast<std::uint64_t>(input), static_cast<std::uint64_t>(all.output),
                static_cast<std::uint64_t>(all.cache_read), usd_of(model, priced, all.output)};
  }
  out.meter = {prompt_bytes, all.received(), all.received() - all.told_up_to, all.told_usage && input > 0};
  out.estimated = !out.meter.told_input || out.meter.untold_bytes > 0;
  auto rest_in = out.meter.told_input ? 0.0 : static_cast<double>(likely_tokens(prompt_bytes));
  // More than was asked for is not billed, however long a broken server goes on.
  auto rest_out = std::min(
      static_cast<double>(likely_tokens(out.meter.untold_bytes)),
      std::max(0.0, static_cast<double>(model.max_tokens) - static_cast<double>(out.told.output_tokens)));
  out.usage = out.told;
  out.usage += {static_cast<std::uint64_t>(rest_in), static_cast<std::uint64_t>(rest_out), 0,
                usd_of(model, rest_in, rest_out)};
}

/// The wait that the provider asks for.
std::optional<std::chrono::milliseconds> wished_wait(const http_response& response, std::int64_t unix_now) {
  const auto& headers = response.headers;
  if (auto ms = headers.find("retry-after-ms"); ms != headers.end()) {
    auto wait = parse_retry_after(ms->second, unix_now);
    return wait ? std::optional{*wait / 1000} : std::nullopt;
  }
  auto wait = headers.find("retry-after");
  return wait == headers.end() ? std::nullopt : parse_retry_after(wait->second, unix_now);
}

/// The error in an answer that came whole. `form`: what is wrong with the form of its body.
failure fault_of(const model_settings& model, const http_response& response, const failure& form,
                 const gathered_answer& all) {
  if (response.body.find_first_not_of(" \t\r\n") == std::string::npos)
    return {failure_kind::empty, "model " + model.name + " gave an empty body", true};
  if (forbidden_type(response.content_type))
    return malformed(model.name, "the answer is " + one_line(response.content_type, 60) +
                                     ", not JSON or a stream: is base_url right?");
  if (form.kind != failure_kind::none)
    return form;
  if (auto why = judge(model, all); why.kind != failure_kind::none)
    return why;
  if (static_cast<std::int64_t>(all.text.size()) > model.max_answer_bytes)
    return {failure_kind::too_large,
            "the answer of model " + model.name + " has " + std::to_string(all.text.size()) +
                " bytes, over max_answer_bytes = " + std::to_string(model.max_answer_bytes),
            false};
  return {};
}

} // namespace

http_request encode_list_of_models(const model_settings& model, std::string_view key) {
  auto request = addressed(model, key);
  auto path = api_of(model).path;
  request.url.replace(request.url.size() - path.size(), path.size(), "/models");
  return request;
}

http_request encode(const model_settings& model, std::string_view key, const prompt& p) {
  auto request = addressed(model, key);
  request.headers.insert(request.headers.begin(),
                         {"Content-Type: application/json", "Accept: text/event-stream, application/json"});
  request.body = api_of(model).body(model, p);
  request.total = ms(model.timeout_s);
  request.connect = ms(model.connect_timeout_s);
  request.first_byte = ms(model.first_byte_timeout_s);
  request.stall = ms(model.stall_timeout_s);
  request.limit_bytes = body_limit(model);
  return request;
}

completion decode(const model_settings& model, std::size_t prompt_bytes, const http_response& response,
                  std::int64_t unix_now) {
  completion out;
  out.retry_after = wished_wait(response, unix_now);
  bool transport_failed = response.why.kind != failure_kind::none;
  bool accepted = response.status >= 200 && response.status < 300;
  if (!transport_failed && !accepted) {
    out.why = status_failure(model.name, response);
    return out; // errors by status are not charged
  }
  if (transport_failed) {
    out.why = response.why;
    out.why.text = "model " + model.name + ": " + out.why.text;
    if (response.body.empty() || (response.status != 0 && !accepted)) {
      if (accepted || (response.status == 0 && response.sent)) // its prompt may have been read, and billed
        settle_usage(model, prompt_bytes, {}, out);
      return out;
    }
  }
  gathered_answer all;
  auto form = gather(model, response.body, transport_failed, all);
  settle_usage(model, prompt_bytes, all, out);
  if (!transport_failed)
    out.why = fault_of(model, response, form, all);
  out.finish = all.finish;
  out.text = std::move(all.text);
  return out;
}

completion plain_completion(const model_settings& model, std::size_t prompt_bytes, std::string text) {
  completion out;
  gathered_answer all;
  all.text = std::move(text);
  settle_usage(model, prompt_bytes, all, out);
  if (!valid_utf8(all.text))
    out.why = malformed(model.name, "the answer is not UTF-8");
  else if (all.text.find_first_not_of(" \t\r\n") == std::string::npos)
    out.why = {failure_kind::empty, "model " + model.name + " gave an empty answer", true};
  else if (static_cast<std::int64_t>(all.text.size()) > model.max_answer_bytes)
    out.why = {failure_kind::too_large,
               "the answer of model " + model.name +
                   " is over max_answer_bytes = " + std::to_string(model.max_answer_bytes),
               false};
  out.finish = "stop";
  out.text = std::move(all.text);
  return out;
}

bool valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto lead = static_cast<unsigned char>(text[i]);
    std::size_t length = lead < 0x80                   ? 1
                         : lead >= 0xc2 && lead < 0xe0 ? 2
                         : lead >= 0xe0 && lead < 0xf0 ? 3
                         : lead >= 0xf0 && lead < 0xf5 ? 4
                                                       : 0;
    if (length == 0 || i + length > text.size())
      return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80)
        return false;
    auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0x80;
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f))
      return false;
    i += length;
  }
  return true;
}

} // namespace ke
