#include "runtime/fleet/warrant.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"

namespace ke {

namespace {

constexpr std::size_t seal_bytes = 32;
constexpr decode_limits limits{longest_warrant, 64, 4};

} // namespace

std::string seal_warrant(const warrant& w, std::string_view key) {
  auto body = pack(w);
  return keyed_digest(key, body) + body;
}

std::optional<warrant> open_warrant(std::string_view sealed, std::string_view key) {
  if (sealed.size() <= seal_bytes || sealed.size() > longest_warrant)
    return std::nullopt;
  auto body = sealed.substr(seal_bytes);
  if (!same_secret(sealed.substr(0, seal_bytes), keyed_digest(key, body)))
    return std::nullopt;
  auto w = unpack<warrant>(body, limits);
  return w ? std::optional{std::move(*w)} : std::nullopt;
}

} // namespace ke
