#include "runtime/net/peer_name.hpp"

#include "runtime/core/hex.hpp"

namespace ke {

std::string peer_name(std::size_t lane, const std::string& route) {
  return std::to_string(lane) + ":" + to_hex(route);
}

bool parse_peer(const std::string& peer, std::size_t& lane, std::string& route) {
  auto colon = peer.find(':');
  if (colon == std::string::npos || colon == 0 || colon > 6)
    return false;
  lane = 0;
  for (std::size_t i = 0; i < colon; ++i) {
    if (peer[i] < '0' || peer[i] > '9')
      return false;
    lane = lane * 10 + static_cast<std::size_t>(peer[i] - '0');
  }
  auto bytes = from_hex(std::string_view{peer}.substr(colon + 1));
  route = bytes.value_or("");
  return !route.empty();
}

} // namespace ke
