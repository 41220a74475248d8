#include "runtime/net/peer_name.hpp"

namespace ke {

std::string peer_name(std::size_t lane, const std::string& route) {
  static constexpr char digits[] = "0123456789abcdef";
  auto out = std::to_string(lane) + ":";
  for (unsigned char c : route) {
    out += digits[c >> 4];
    out += digits[c & 15];
  }
  return out;
}

bool parse_peer(const std::string& peer, std::size_t& lane, std::string& route) {
  auto colon = peer.find(':');
  if (colon == std::string::npos || colon == 0 || colon > 6 || (peer.size() - colon) % 2 == 0)
    return false;
  auto digit = [](char c) {
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= '0' && c <= '9' ? c - '0' : -1;
  };
  lane = 0;
  for (std::size_t i = 0; i < colon; ++i) {
    if (peer[i] < '0' || peer[i] > '9')
      return false;
    lane = lane * 10 + static_cast<std::size_t>(peer[i] - '0');
  }
  route.clear();
  for (auto i = colon + 1; i < peer.size(); i += 2) {
    if (digit(peer[i]) < 0 || digit(peer[i + 1]) < 0)
      return false;
    route += static_cast<char>(digit(peer[i]) * 16 + digit(peer[i + 1]));
  }
  return !route.empty();
}

} // namespace ke
