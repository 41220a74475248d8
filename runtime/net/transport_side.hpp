#pragma once

#include "runtime/net/socket.hpp"
#include "runtime/net/transport_port.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace ke {

// Limits of both ends. For this room's sources only, as all of this header.
constexpr std::size_t most_waiting_frames = 8192; ///< of one peer that reads too slowly
constexpr int fair_share = 256;                   ///< messages of one socket per turn
constexpr std::chrono::milliseconds blob_retry_after{20};

/// One end of the wire, driven by the transport thread: a listener (coordinator) or a dialer (worker,
/// client). All functions on that thread. For this room's sources only.
class transport_side {
public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~transport_side() = default;

  /// Makes and binds or connects the sockets.
  virtual status open(zmq::context& c, time_point now) = 0;
  /// Appends what to wait for; called before every wait.
  virtual void poll_set(std::vector<zmq_pollitem_t>& items) const = 0;
  /// Reads what has arrived and does what is due.
  virtual void turn(time_point now) = 0;
  /// When `turn` must run again even if nothing arrives.
  virtual time_point next() const = 0;
  /// Says bye to all attached peers.
  virtual void close(time_point now) = 0;

  virtual void send(frame f, time_point now) = 0;
  virtual void send_blob(const std::string& peer, std::string digest, std::string bytes, time_point now) = 0;
  virtual void set_beat(const std::string& peer, std::string body) = 0;
  virtual void set_hello(std::string body) = 0;

  /// As bound, ports resolved. Written by `open` only.
  std::vector<std::string> endpoints;
};

} // namespace ke
