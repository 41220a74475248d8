#pragma once

#include "runtime/net/keys.hpp"
#include "runtime/net/socket.hpp"

#include <string>

namespace ke {

/// Rights and name as the ZAP handler writes them into a connection's user id: "w:NAME", "c:NAME", "wc:NAME",
/// and a "t" behind the "c" of a trusted client.
std::string user_id(const key_rights& rights);
/// Its inverse; no rights if the text is not one.
key_rights parse_user_id(const std::string& user);

/// Answers libzmq's question who may connect (ZeroMQ RFC 27). Without a bound handler a CURVE server lets in
/// everybody who knows its public key, so it is opened before any listener. It checks the domain itself:
/// libzmq's own enforcement is not in packaged builds.
class zap_handler {
public:
  static constexpr const char* domain = "ke";

  explicit zap_handler(key_ring ring) : ring_{std::move(ring)} {}

  status open(zmq::context& c);
  const zmq::socket& listening() const { return socket_; }
  /// Answers all pending questions.
  void turn();

private:
  key_ring ring_;
  zmq::socket socket_;
};

} // namespace ke
