#pragma once

#include "runtime/net/blob_flow.hpp"
#include "runtime/net/endpoint.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/net/transport_side.hpp"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// The worker's or client's side: one DEALER for frames and, in a session, one for blobs. For this room's
/// sources only.
///
///   unattached --hello sent, then welcome--> attached
///        \--refuse for good--> refused
///   attached --silence, refuse{retry}, bye, or another epoch--> unattached
class dialer final : public transport_side {
public:
  dialer(connect_options o, transport_events events);

  status open(zmq::context& c, time_point now) override;
  void poll_set(std::vector<zmq_pollitem_t>& items) const override;
  void turn(time_point now) override;
  time_point next() const override;
  void close(time_point now) override;
  void send(frame f, time_point now) override;
  void send_blob(const std::string& peer, std::string digest, std::string bytes, time_point now) override;
  void set_beat(const std::string& peer, std::string body) override;
  void set_hello(std::string body) override;

private:
  enum class stage { unattached, attached, refused };

  void arrange(zmq::socket& s, std::size_t largest) const;
  status open_blobs(std::uint32_t port);
  void say_hello(time_point now);
  void on_message(zmq::message m, time_point now);
  void on_client_frame(frame f);
  void on_session_frame(frame f, time_point now);
  void on_refuse(frame f);
  void on_welcome(const wire::welcome_body& w, time_point now);
  void on_blob_message(const zmq::message& m, time_point now);
  void detach();
  void transmit(frame f);
  void flush();
  void pump_blobs(time_point now);

  connect_options options_;
  transport_events events_;
  endpoint at_;
  std::string route_; ///< random per process: nobody else can guess it
  zmq::context* context_ = nullptr;
  zmq::socket frames_, blobs_;
  std::string blob_address_;
  stage stage_ = stage::unattached;
  std::chrono::nanoseconds beat_;
  std::uint32_t version_;
  std::uint64_t epoch_ = 0, sequence_ = 0;
  std::string hello_, beat_body_;
  bool hello_due_ = false; ///< waits for the connection
  time_point next_beat_{}, last_heard_{};
  /// (header, body) that the socket would not take yet.
  std::deque<std::pair<std::string, std::string>> waiting_;
  wire::blob_sender out_;
  wire::blob_receiver in_;
};

} // namespace ke
