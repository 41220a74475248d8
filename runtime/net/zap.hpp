#pragma once

#include "runtime/net/keys.hpp"
#include "runtime/net/socket.hpp"

#include <string>

namespace ke {

/// The user id of a connection, set by the ZAP handler from rights and name: "w:NAME", "c:NAME", "wc:NAME";
/// "t" after "c" for a trusted client.
std::string user_id(const key_rights& rights);
/// Its inverse; no rights for any other text.
key_rights parse_user_id(const std::string& user);

/// Answers libzmq's question who may connect (ZeroMQ RFC 27). Without a bound handler a CURVE server admits
/// all who know its public key, so open it before any listener. Checks the domain itself: packaged libzmq
/// does not.
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
