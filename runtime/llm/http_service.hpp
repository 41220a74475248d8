#pragma once

#include "runtime/llm/http_port.hpp"

#include <memory>

namespace ke {

/// http_port over libcurl's multi handle with epoll: an event costs the same with any number of requests in
/// flight. One thread (and a short-lived resolver thread per new host name). Reuses connections, verifies
/// TLS, respects http_proxy, https_proxy and no_proxy. Never follows redirects: a key goes nowhere else. The
/// constructor raises RLIMIT_NOFILE's soft limit to the hard one. The destructor cancels what is open
/// (callbacks still run, on the http thread) and joins.
class http_service : public http_port {
public:
  http_service();
  ~http_service() override;
  http_service(const http_service&) = delete;
  http_service& operator=(const http_service&) = delete;

  std::uint64_t send(http_request request, std::function<void(http_response)> done) override;
  /// Unknown ids are ignored; `done` still follows, with failure_kind::cancelled.
  void cancel(std::uint64_t id) override;

private:
  class loop;
  std::unique_ptr<loop> loop_;
};

} // namespace ke
