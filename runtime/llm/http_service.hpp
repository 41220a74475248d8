#pragma once

#include "runtime/llm/http_port.hpp"

#include <memory>

namespace ke {

/// http_port over libcurl's multi handle with epoll: the cost of an event does not depend on how many
/// requests are in flight. One thread (and a short-lived resolver thread per new host name). Connections are
/// reused; TLS is verified; redirects are never followed, so that a key goes nowhere else; http_proxy,
/// https_proxy and no_proxy are respected. The constructor raises RLIMIT_NOFILE's soft limit to the hard one.
/// The destructor cancels what is open (callbacks still run, on the http thread) and joins.
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
