#include "runtime/llm/provider_errors.hpp"

#include "runtime/llm/foreign_json.hpp"
#include "runtime/llm/provider.hpp"
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

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Of an error's status, and its code and message in lower case.

bool out_of_credit(long status, std::string_view code, std::string_view said) {
  return status == 402 || has(code, "insufficient_quota") || has(code, "billing") ||
         has(said, "credit balance") || has(said, "insufficient credit") || has(said, "out of credit") ||
         has(said, "exceeded your current quota") || has(said, "insufficient balance");
}

bool key_refused(long status, std::string_view code) {
  return status == 401 || status == 403 || has(code, "authentication") || has(code, "permission") ||
         has(code, "invalid_api_key");
}

bool prompt_too_long(long status, std::string_view code, std::string_view said) {
  return status == 413 || has(code, "context_length") || has(code, "request_too_large") ||
         has(said, "prompt is too long") || has(said, "maximum context length");
}

} // namespace

std::string lower_case(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string one_line(std::string_view text, std::size_t limit) {
  std::string out;
  for (unsigned char c : text.substr(0, limit))
    out += c < 0x20 || c == 0x7f ? ' ' : static_cast<char>(c);
  while (!out.empty() && !valid_utf8(out))
    out.pop_back();
  auto begin = out.find_first_not_of(' ');
  return begin == std::string::npos ? "" : out.substr(begin, out.find_last_not_of(' ') - begin + 1);
}

failure malformed(const std::string& model_name, const std::string& what) {
  return {failure_kind::malformed, "model " + model_name + ": " + what, true};
}

failure classify_error(const std::string& model_name, long status, std::string_view code_text,
                       std::string_view message) {
  auto code = lower_case(code_text);
  auto said = lower_case(message);
  std::string name = "model " + model_name;
  std::string what = status ? "HTTP " + std::to_string(status) : std::string{"an error in the stream"};
  if (auto line = one_line(message); !line.empty())
    what += ": " + line;
  if (out_of_credit(status, code, said))
    return {failure_kind::credit, name + " is out of credit (" + what + "): top up the account, then resume",
            false};
  if (key_refused(status, code))
    return {failure_kind::auth,
            name + " refuses the key (" + what + "): check the variable named by api_key_env", false};
  if (status == 429 || has(code, "rate_limit"))
    return {failure_kind::rate_limited, name + " limits the rate (" + what + ")", true};
  if (has(code, "content_filter") || has(code, "content_policy"))
    return {failure_kind::refused, name + " refused the prompt (" + what + ")", false};
  if (prompt_too_long(status, code, said))
    return {failure_kind::too_large, name + " takes no prompt of this length (" + what + ")", false};
  if (status == 408 || status == 504 || has(code, "timeout"))
    return {failure_kind::timeout, name + " timed out on the server's side (" + what + ")", true};
  bool passing = status == 0 || status == 409 || status == 425 || status >= 500;
  if (has(code, "invalid_request") || has(code, "not_found") || !passing)
    return {failure_kind::server_error,
            name + " does not accept the request (" + what + "): check model and base_url", false};
  return {failure_kind::server_error, name + ": the server failed (" + what + ")", true};
}

failure status_failure(const std::string& model_name, const http_response& response) {
  if (response.status >= 300 && response.status < 400) {
    auto to = response.headers.find("location");
    return {failure_kind::server_error,
            "model " + model_name + ": the server redirects" +
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
  if (message.empty() && !looks_like_stream(response.body) && !response.body.starts_with('<'))
    message = one_line(response.body);
  return classify_error(model_name, response.status, code, message);
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

} // namespace ke
