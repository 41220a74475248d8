#include "config/endpoint_host.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ke {
namespace {

bool port(std::string_view text, bool star) {
  if (text == "*")
    return star;
  unsigned value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value <= 65535;
}

/// Splits "[::1]:80" and "host:80"; the port is empty if there is none.
std::optional<std::pair<std::string, std::string_view>> host_and_port(std::string_view text) {
  std::string_view host, rest;
  if (text.starts_with('[')) {
    auto close = text.find(']');
    if (close == text.npos)
      return std::nullopt;
    host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
  } else {
    auto colon = text.find(':');
    host = text.substr(0, colon);
    rest = colon == text.npos ? std::string_view{} : text.substr(colon);
  }
  auto allowed = [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '*' || c == '%';
  };
  if (host.empty() || !std::all_of(host.begin(), host.end(), allowed) ||
      (!rest.empty() && (rest[0] != ':' || rest.size() < 2)))
    return std::nullopt;
  return std::pair{std::string{host}, rest.empty() ? rest : rest.substr(1)};
}

} // namespace

std::optional<std::string> host_of_url(std::string_view url) {
  for (std::string_view scheme : {"http://", "https://"})
    if (url.starts_with(scheme)) {
      auto rest = url.substr(scheme.size());
      if (std::any_of(url.begin(), url.end(), [](unsigned char c) { return c <= 0x20 || c == 0x7f; }))
        return std::nullopt;
      auto split = host_and_port(rest.substr(0, rest.find_first_of("/?#")));
      if (!split || (!split->second.empty() && !port(split->second, false)))
        return std::nullopt;
      return split->first;
    }
  return std::nullopt;
}

std::optional<std::string> host_of_listen(std::string_view endpoint) {
  auto split = host_and_port(endpoint);
  if (!split || !port(split->second, true))
    return std::nullopt;
  return split->first;
}

} // namespace ke
