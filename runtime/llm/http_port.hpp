#pragma once

#include "runtime/core/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ke {

struct http_request {
  std::string url;
  std::vector<std::string> headers; ///< "Name: value"; may hold a key: never logged
  std::string body;                 ///< POST if not empty
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds first_byte{120'000};
  std::chrono::milliseconds stall{60'000}; ///< longest gap between two pieces
  std::chrono::milliseconds total{600'000};
  std::uint64_t limit_bytes = 4u << 20; ///< of the body; over it the call is cut: too_large
};

struct http_response {
  std::uint64_t id = 0;
  /// Connection, timeout (text says which of the four), too_large; none: a status came and the body is whole.
  failure why;
  long status = 0;
  std::string content_type;
  std::map<std::string, std::string> headers; ///< lower-case names
  std::string body;
  double seconds = 0;
  bool sent = false; ///< all of the request's body was handed to the connection
};

/// The thread that owns libcurl's multi handle: thousands of requests in flight. Functions do not block; any
/// thread.
class http_port {
public:
  virtual ~http_port() = default;
  /// `done` exactly once, on the http thread.
  virtual std::uint64_t send(http_request request, std::function<void(http_response)> done) = 0;
  virtual void cancel(std::uint64_t id) = 0;
};

} // namespace ke
