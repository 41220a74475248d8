#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ke {

/// Frame kinds of wire.md, by their numbers there.
enum class frame_kind : std::uint8_t {
  hello,
  welcome,
  refuse,
  ready,
  grant,
  decline = 6, ///< 5 was `accept`, in version 1
  beat,
  result,
  ack,
  revoke,
  want,
  blob,
  command,
  answer,
  event,
  drain,
  bye,
};
KE_NAMES(frame_kind, 18, "hello", "welcome", "refuse", "ready", "grant", "", "decline", "beat", "result",
         "ack", "revoke", "want", "blob", "command", "answer", "event", "drain", "bye")

/// One application message. `peer` is the routing id on the coordinator's side; empty on a worker's or
/// client's.
struct frame {
  std::string peer;
  frame_kind kind = frame_kind::beat;
  std::uint64_t sequence = 0;
  std::uint64_t correlation = 0;
  std::uint64_t epoch = 0;
  std::string body;     ///< pack() of the kind's struct (runtime/net/wire.hpp)
  bool trusted = false; ///< of a command: its client may name programs, folders and keys here
  /// Of a received frame: it counts as not yet handled while this lives. Keep it as long as anything made of
  /// the frame, so that a peer can't fill our mailboxes.
  std::shared_ptr<const void> passage = nullptr;
};

/// The thread that owns ZeroMQ. Functions do not block; any thread. Callbacks run on the transport thread.
class transport_port {
public:
  virtual ~transport_port() = default;
  /// Queues a frame. An unroutable peer is reported as `on_lost`.
  virtual void send(frame f) = 0;
  /// Sends content by digest on the bulk socket, chunked with a window: never delays a beat.
  virtual void send_blob(std::string peer, std::string digest, std::string bytes) = 0;
  /// The body of all further beats (pack() of worker_beat or coordinator_beat); `peer` empty on a worker.
  virtual void set_beat(std::string peer, std::string body) { (void)peer, (void)body; }
  /// Worker: the hello (pack() of hello_body) for the next attachment.
  virtual void set_hello(std::string body) { (void)body; }
};

/// Called on the transport thread; must neither block nor throw. A session's begin (hello, welcome) may come
/// twice: handle it idempotently.
struct transport_events {
  std::function<void(frame)> on_frame;
  /// Complete and matching its digest.
  std::function<void(std::string peer, std::string digest, std::string bytes)> on_blob;
  /// Three beats missed, unroutable, or a peer that broke the protocol.
  std::function<void(std::string peer, failure why)> on_lost;
};

} // namespace ke
