#include "runtime/net/endpoint.hpp"

#include "runtime/core/loopback.hpp"

#include <charconv>

namespace ke {

namespace {

constexpr std::size_t longest_ipc_path = 100; // sun_path holds 107; ".blobs" must fit too

} // namespace

std::string endpoint::text() const {
  if (!tcp)
    return "ipc://" + path;
  return "tcp://" + host + ":" + (port == 0 ? std::string{"*"} : std::to_string(port));
}

bool endpoint::local() const {
  return !tcp || is_loopback(host);
}

endpoint endpoint::blobs() const {
  auto out = *this;
  if (!tcp)
    out.path += ".blobs";
  else if (port != 0)
    out.port = static_cast<std::uint16_t>(port + 1);
  return out;
}

result<endpoint> parse_endpoint(const std::string& text) {
  auto bad = [&](const std::string& why) {
    return failure{failure_kind::invalid,
                   "address \"" + text + "\" " + why + ": expected tcp://HOST:PORT or ipc:///PATH"};
  };
  endpoint out;
  if (text.starts_with("ipc://")) {
    out.path = text.substr(6);
    if (out.path.empty() || out.path.front() != '/')
      return bad("has no absolute path");
    if (out.path.size() > longest_ipc_path)
      return bad("has a path over " + std::to_string(longest_ipc_path) + " bytes");
    return out;
  }
  if (!text.starts_with("tcp://"))
    return bad("has another scheme");
  auto rest = text.substr(6);
  auto colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return bad("has no host and port");
  out.tcp = true;
  out.host = rest.substr(0, colon);
  auto port = rest.substr(colon + 1);
  if (port != "*") {
    auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc{} || end != port.data() + port.size() || port.empty() || out.port == 65535)
      return bad("has no port from 0 to 65534");
  }
  return out;
}

} // namespace ke
