#include "interface/cli/number_check.hpp"

#include "config/campaign_file.hpp"
#include "runtime/core/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>

namespace ke::cli {
namespace {

/// The whole text as a number. No leading zero: CLI11 would read 010 as 8.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number n = 0;
  auto end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, n);
  auto octal = text.size() > 1 && text[0] == '0' && text.find_first_not_of("0123456789") == text.npos;
  return error == std::errc{} && at == end && !octal ? std::optional{n} : std::nullopt;
}

std::string wrong(const std::string& expected, const std::string& text) {
  return "expected " + expected + ", not " + (text.empty() ? "an empty text" : text);
}

std::string bound(double x) {
  if (x == std::floor(x))
    return std::to_string(static_cast<std::int64_t>(x));
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

} // namespace

option_check node_id_check() {
  return [](const std::string& text) {
    return number_in<std::uint64_t>(text) ? std::string{} : wrong("a node id, 0 or more", text);
  };
}

option_check key_check(const std::string& key) {
  campaign_settings any;
  auto all = campaign_schema(any);
  const auto* spec = find_key(all, key);
  if (!spec)
    throw std::logic_error{"campaign.toml has no key " + key};
  auto least = spec->least, most = spec->most;
  auto slot = spec->at(0);
  if (std::holds_alternative<double*>(slot))
    return [=](const std::string& text) {
      auto n = number_in<double>(text);
      return n && std::isfinite(*n) && *n >= least && *n <= most
                 ? std::string{}
                 : wrong("a number from " + bound(least) + " to " + bound(most), text);
    };
  // A file's whole numbers have 63 bits; those without a sign (a seed) have no other bound.
  auto first = static_cast<std::int64_t>(least), last = std::holds_alternative<std::uint64_t*>(slot)
                                                            ? std::numeric_limits<std::int64_t>::max()
                                                            : static_cast<std::int64_t>(most);
  return [=](const std::string& text) {
    auto n = number_in<std::int64_t>(text);
    return n && *n >= first && *n <= last
               ? std::string{}
               : wrong("a whole number from " + std::to_string(first) + " to " + std::to_string(last), text);
  };
}

} // namespace ke::cli
