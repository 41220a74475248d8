#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>

namespace ke {

/// A parsed address: tcp://HOST:PORT or ipc://PATH.
struct endpoint {
  bool tcp = false;
  std::string host;       ///< of TCP, brackets of IPv6 kept
  std::uint16_t port = 0; ///< 0: any
  std::string path;       ///< of ipc

  std::string text() const; ///< as libzmq wants it
  /// Whether only this machine can reach it.
  bool local() const;
  /// The address for blobs: the next port (any, if any was asked for), or the path with ".blobs".
  endpoint blobs() const;
};

/// `invalid` with a text that names what is expected.
result<endpoint> parse_endpoint(const std::string& text);

} // namespace ke
