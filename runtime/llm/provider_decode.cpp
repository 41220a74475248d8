#include "runtime/llm/embeddings_request.hpp"
#include "runtime/llm/provider.hpp"

#include "runtime/core/json_limits.hpp"
#include "runtime/llm/price.hpp"
#include "runtime/llm/sse.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace ke {
namespace {

using json = nlohmann::json;

/// Of one object of a server: a plain answer, an event of a stream, an error. Real ones nest six deep and
/// hold a hundred values; a document of as many as are allowed takes some 10 MB, and none is made of more.
constexpr json_limits bounds{64, 1u << 16};

/// Discarded where the text is no JSON.
json document_of(std::string_view text) {
  return json_fault_of(text, bounds) == json_fault::none ? json::parse(text, nullptr, false)
                                                         : json(json::value_t::discarded);
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// One line of untrusted text, bounded: it goes to logs and status.
std::string one_line(std::string_view text, std::size_t limit = 200) {
  std::string out;
  for (unsigned char c : text.substr(0, limit))
    out += c < 0x20 || c == 0x7f ? ' ' : static_cast<char>(c);
  while (!out.empty() && !valid_utf8(out))
    out.pop_back();
  auto begin = out.find_first_not_of(' ');
  return begin == std::string::npos ? "" : out.substr(begin, out.find_last_not_of(' ') - begin + 1);
}

std::string text_of_member(const json& object, const char* name) {
  if (!object.is_object())
    return "";
  auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const json& member(const json& object, const char* name) {
  static const json nothing;
  if (!object.is_object())
    return nothing;
  auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

double count(const json& object, const char* name) {
  const auto& x = member(object, name);
  return x.is_number() ? std::clamp(x.get<double>(), 0.0, 1e12) : 0;
}

/// What the events of a stream, or the one object of a plain answer, add up to.
struct gathered {
  std::string text;
  std::string finish;
  std::string refusal;
  failure error;
  bool told_usage = false;
  bool ended = false; ///< the provider said that this was all
  bool any = false;   ///< at least one object of a known shape
  double input = 0, output = 0, cache_read = 0, cache_write = 0;
  std::size_t thoughts = 0;   ///< bytes of them that were shown: billed as output
  std::size_t told_up_to = 0; ///< received() when usage was told last
  std::size_t unread = 0;     ///< bytes of an answer that can't be parsed

  std::size_t received() const { return text.size() + refusal.size() + thoughts + unread; }
  void told() {
    told_usage = true;
    told_up_to = received();
  }
};

/// A string, or (some servers) a list of parts with `text`.
std::string content_text(const json& content) {
  if (content.is_string())
    return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const auto& part : content)
      text += text_of_member(part, "text");
  return text;
}

void take_error(const model_settings& model, const json& error, gathered& all) {
  std::string code = text_of_member(error, "code");
  if (auto type = text_of_member(error, "type"); !type.empty())
    code += (code.empty() ? "" : " ") + type;
  auto message = error.is_string() ? error.get<std::string>() : text_of_member(error, "message");
  const auto& number = member(error, "code");
  long status = number.is_number_integer() ? number.get<long>() : 0;
  if (all.error.kind == failure_kind::none)
    all.error = classify_error(model.name, status, code, message);
}

void take_openai(const model_settings& model, const json& object, gathered& all) {
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
      all.finish = finish;
      all.ended = true;
    }
  }
  if (const auto& usage = member(object, "usage"); usage.is_object()) { // of all up to here
    all.any = true;
    all.input = count(usage, "prompt_tokens");
    all.output = count(usage, "completion_tokens");
    all.cache_read = count(member(usage, "prompt_tokens_details"), "cached_tokens");
    all.told();
  }
}

void take_anthropic_usage(const json& usage, gathered& all) {
  if (!usage.is_object())
    return;
  all.told();
  auto keep = [&](double& slot, const char* name) {
    if (member(usage, name).is_number())
      slot = count(usage, name);
  };
  keep(all.input, "input_tokens");
  keep(all.output, "output_tokens");
  keep(all.cache_read, "cache_read_input_tokens");
  keep(all.cache_write, "cache_creation_input_tokens");
}

void take_anthropic(const model_settings& model, const json& object, gathered& all) {
  auto type = text_of_member(object, "type");
  if (type == "error" || (type.empty() && !member(object, "error").is_null()))
    return take_error(model, member(object, "error"), all);
  auto take_stop = [&](const json& holder) {
    if (auto reason = text_of_member(holder, "stop_reason"); !reason.empty())
      all.finish = reason;
  };
  all.any = all.any || !type.empty();
  if (type == "message") { // a plain answer
    all.text += content_text(member(object, "content"));
    take_anthropic_usage(member(object, "usage"), all);
    take_stop(object);
    all.ended = true;
  } else if (type == "message_start") {
    take_anthropic_usage(member(member(object, "message"), "usage"), all);
  } else if (type == "content_block_start") {
    all.text += text_of_member(member(object, "content_block"), "text");
  } else if (type == "content_block_delta") {
    const auto& delta = member(object, "delta");
    if (text_of_member(delta, "type") == "text_delta")
      all.text += text_of_member(delta, "text");
    all.thoughts += text_of_member(delta, "thinking").size();
  } else if (type == "message_delta") {
    take_stop(member(object, "delta"));
    take_anthropic_usage(member(object, "usage"), all);
  } else if (type == "message_stop") {
    all.ended = true;
  }
}

bool looks_like_stream(std::string_view body) {
  auto begin = body.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos)
    return false;
  body.remove_prefix(begin);
  return body.rfind("data:", 0) == 0 || body.rfind("event:", 0) == 0 || body.rfind(":", 0) == 0 ||
         body.rfind("id:", 0) == 0 || body.rfind("retry:", 0) == 0;
}

failure malformed(const model_settings& model, const std::string& what) {
  return {failure_kind::malformed, "model " + model.name + ": " + what, true};
}

/// How much of an answer stands in a body that is no whole JSON: what its last text holds, or all of it if it
/// has none; nothing of a page of markup, which is no model's.
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

failure not_an_object(const model_settings& model, const std::string& what, std::string_view text) {
  if (!valid_utf8(text))
    return malformed(model, what + " is not UTF-8");
  switch (json_fault_of(text, bounds)) {
  case json_fault::too_deep:
    return malformed(model, what + " nests deeper than " + std::to_string(bounds.depth) +
                                " levels: " + one_line(text, 80));
  case json_fault::too_many_values:
    return malformed(model, what + " holds more than " + std::to_string(bounds.values) +
                                " values: " + one_line(text, 80));
  default:
    break;
  }
  return malformed(model, what + " is not JSON: " + one_line(text, 80));
}

/// Objects of a body, stream or plain. Returns what is wrong with its form, if anything.
failure gather(const model_settings& model, std::string_view body, bool cut, gathered& all) {
  auto take = [&](const json& object) {
    if (model.provider == provider_kind::anthropic)
      take_anthropic(model, object, all);
    else
      take_openai(model, object, all);
  };
  if (!looks_like_stream(body)) {
    auto object = document_of(body);
    if (object.is_object()) {
      take(object);
      return {};
    }
    all.unread = unread_bytes(body);
    return cut ? failure{} : not_an_object(model, "the answer", body);
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
        why = not_an_object(model, "an event of the stream", event.data);
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
failure judge(const model_settings& model, const gathered& all) {
  auto name = "model " + model.name;
  if (all.error.kind != failure_kind::none)
    return all.error;
  if (!all.any)
    return malformed(model, "the answer is JSON of an unknown shape (is base_url right for provider " +
                                std::string{to_text(model.provider)} + "?)");
  if (all.finish == "content_filter" || all.finish == "refusal" || (!all.refusal.empty() && all.text.empty()))
    return {failure_kind::refused,
            name + " refused: " + (all.refusal.empty() ? "finish " + all.finish : one_line(all.refusal)),
            false};
  if (all.finish == "length" || all.finish == "max_tokens" || all.finish == "model_context_window_exceeded")
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
  auto type = lower(content_type);
  for (auto prefix :
       {"text/html", "text/xml", "application/xml", "application/pdf", "image/", "audio/", "video/"})
    if (type.rfind(prefix, 0) == 0)
      return true;
  return false;
}

/// What is told, what is not, and `usage` of both.
void settle_usage(const model_settings& model, std::size_t prompt_bytes, const gathered& all,
                  completion& out) {
  auto input = all.input, priced = input;
  if (model.provider == provider_kind::anthropic) { // its input_tokens leave out what the cache took or gave
    priced = input + 1.25 * all.cache_write + 0.1 * all.cache_read;
    input += all.cache_write + all.cache_read;
  }
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

failure error_status(const model_settings& model, const http_response& response) {
  if (response.status >= 300 && response.status < 400) {
    auto to = response.headers.find("location");
    return {failure_kind::server_error,
            "model " + model.name + ": the server redirects" +
                (to == response.headers.end() ? "" : " to " + one_line(to->second)) +
                "; redirects are not followed (the key would go along): correct base_url",
            false};
  }
  auto object = document_of(response.body);
  const auto& error = member(object, "error");
  std::string code = text_of_member(error, "code") + " " + text_of_member(error, "type");
  auto message = error.is_string() ? error.get<std::string>() : text_of_member(error, "message");
  if (message.empty())
    message = text_of_member(object, "message");
  if (message.empty() && !looks_like_stream(response.body) && response.body.find('<') != 0)
    message = one_line(response.body);
  return classify_error(model.name, response.status, code, message);
}

} // namespace

completion decode(const model_settings& model, std::size_t prompt_bytes, const http_response& response,
                  std::int64_t unix_now) {
  completion out;
  if (auto ms = response.headers.find("retry-after-ms"); ms != response.headers.end()) {
    if (auto wait = parse_retry_after(ms->second, unix_now))
      out.retry_after = *wait / 1000;
  } else if (auto wait = response.headers.find("retry-after"); wait != response.headers.end()) {
    out.retry_after = parse_retry_after(wait->second, unix_now);
  }
  bool transport_failed = response.why.kind != failure_kind::none;
  bool accepted = response.status >= 200 && response.status < 300;
  if (!transport_failed && !accepted) {
    out.why = error_status(model, response);
    return out; // errors by status are not charged
  }
  if (transport_failed && (response.body.empty() || (response.status != 0 && !accepted))) {
    out.why = response.why;
    out.why.text = "model " + model.name + ": " + out.why.text;
    if (accepted || (response.status == 0 && response.sent)) // its prompt may have been read, and billed
      settle_usage(model, prompt_bytes, {}, out);
    return out;
  }
  gathered all;
  auto form = gather(model, response.body, transport_failed, all);
  settle_usage(model, prompt_bytes, all, out);
  out.finish = all.finish;
  if (transport_failed) {
    out.why = response.why;
    out.why.text = "model " + model.name + ": " + out.why.text;
  } else if (response.body.find_first_not_of(" \t\r\n") == std::string::npos) {
    out.why = {failure_kind::empty, "model " + model.name + " gave an empty body", true};
  } else if (forbidden_type(response.content_type)) {
    out.why = malformed(model, "the answer is " + one_line(response.content_type, 60) +
                                   ", not JSON or a stream: is base_url right?");
  } else if (form.kind != failure_kind::none) {
    out.why = form;
  } else {
    out.why = judge(model, all);
  }
  out.text = std::move(all.text);
  if (out.why.kind == failure_kind::none &&
      static_cast<std::int64_t>(out.text.size()) > model.max_answer_bytes)
    out.why = {failure_kind::too_large,
               "the answer of model " + model.name + " has " + std::to_string(out.text.size()) +
                   " bytes, over max_answer_bytes = " + std::to_string(model.max_answer_bytes),
               false};
  return out;
}

completion plain_completion(const model_settings& model, std::size_t prompt_bytes, std::string text) {
  completion out;
  gathered all;
  all.text = std::move(text);
  settle_usage(model, prompt_bytes, all, out);
  if (!valid_utf8(all.text))
    out.why = malformed(model, "the answer is not UTF-8");
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

failure embeddings_failure(const embedding_settings& server, const http_response& response) {
  if (response.why.kind != failure_kind::none || (response.status >= 200 && response.status < 300))
    return response.why;
  model_settings named;
  named.name = server.model;
  return error_status(named, response);
}

failure classify_error(const std::string& model_name, long status, std::string_view code_text,
                       std::string_view message) {
  auto code = lower(code_text);
  auto said = lower(message);
  std::string name = "model " + model_name;
  std::string what = status ? "HTTP " + std::to_string(status) : std::string{"an error in the stream"};
  if (auto line = one_line(message); !line.empty())
    what += ": " + line;
  bool no_money = has(code, "insufficient_quota") || has(code, "billing") || has(said, "credit balance") ||
                  has(said, "insufficient credit") || has(said, "out of credit") ||
                  has(said, "exceeded your current quota") || has(said, "insufficient balance");
  if (status == 402 || no_money)
    return {failure_kind::credit, name + " is out of credit (" + what + "): top up the account, then resume",
            false};
  if (status == 401 || status == 403 || has(code, "authentication") || has(code, "permission") ||
      has(code, "invalid_api_key"))
    return {failure_kind::auth,
            name + " refuses the key (" + what + "): check the variable named by api_key_env", false};
  if (status == 429 || has(code, "rate_limit"))
    return {failure_kind::rate_limited, name + " limits the rate (" + what + ")", true};
  if (has(code, "content_filter") || has(code, "content_policy"))
    return {failure_kind::refused, name + " refused the prompt (" + what + ")", false};
  if (status == 413 || has(code, "context_length") || has(code, "request_too_large") ||
      has(said, "prompt is too long") || has(said, "maximum context length"))
    return {failure_kind::too_large, name + " takes no prompt of this length (" + what + ")", false};
  if (status == 408 || status == 504 || has(code, "timeout"))
    return {failure_kind::timeout, name + " timed out on the server's side (" + what + ")", true};
  if (has(code, "invalid_request") || has(code, "not_found"))
    return {failure_kind::server_error,
            name + " does not accept the request (" + what + "): check model and base_url", false};
  bool passing = status == 0 || status == 409 || status == 425 || status >= 500;
  return {failure_kind::server_error,
          passing ? name + ": the server failed (" + what + ")"
                  : name + " does not accept the request (" + what + "): check model and base_url",
          passing};
}

std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::int64_t unix_now) {
  std::string text{value};
  char* end = nullptr;
  double seconds = std::strtod(text.c_str(), &end);
  if (end != text.c_str() &&
      text.find_first_not_of(" \t", static_cast<std::size_t>(end - text.c_str())) == std::string::npos) {
    if (!std::isfinite(seconds))
      return std::nullopt;
    return std::chrono::milliseconds{static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) * 1000)};
  }
  char month[4] = {};
  std::tm t{};
  auto comma = text.find(',');
  if (comma == std::string::npos || std::sscanf(text.c_str() + comma + 1, " %d %3s %d %d:%d:%d", &t.tm_mday,
                                                month, &t.tm_year, &t.tm_hour, &t.tm_min, &t.tm_sec) != 6)
    return std::nullopt;
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  auto index = months.find(month);
  if (index == std::string_view::npos || index % 3 != 0)
    return std::nullopt;
  t.tm_mon = static_cast<int>(index / 3);
  t.tm_year -= 1900;
  auto wait = static_cast<std::int64_t>(timegm(&t)) - unix_now;
  return std::chrono::seconds{std::clamp<std::int64_t>(wait, 0, 1'000'000'000)};
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
