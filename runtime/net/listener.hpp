#pragma once

#include "runtime/net/blob_flow.hpp"
#include "runtime/net/endpoint.hpp"
#include "runtime/net/liveness.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/net/transport_side.hpp"
#include "runtime/net/zap.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// The coordinator's side: a lane (ROUTER for frames, ROUTER for blobs) per address, a session per attached
/// worker. For this room's sources only.
class listener final : public transport_side {
public:
  listener(listen_options o, transport_events events);

  status open(zmq::context& c, time_point now) override;
  void poll_set(std::vector<zmq_pollitem_t>& items) const override;
  void turn(time_point now) override;
  time_point next() const override;
  void close(time_point now) override;
  void send(frame f, time_point now) override;
  void send_blob(const std::string& peer, std::string digest, std::string bytes, time_point now) override;
  void set_beat(const std::string& peer, std::string body) override;
  void set_hello(std::string) override {}

private:
  struct lane {
    listen_endpoint spec;
    bool tcp = false;
    bool secured = false;
    std::uint32_t blob_port = 0;
    zmq::socket frames, blobs;
  };
  /// Frames of a session that the application has not handled yet.
  struct unread {
    std::atomic<std::size_t> frames = 0, bytes = 0;
  };
  struct session {
    std::size_t lane = 0;
    std::string route;
    std::string user; ///< of its connection; the route stays bound to it
    std::string name;
    std::uint32_t version = 0;
    std::uint64_t sequence = 0;
    std::string beat;
    /// (header, body) that the socket would not take yet.
    std::deque<std::pair<std::string, std::string>> waiting;
    std::shared_ptr<unread> passing = std::make_shared<unread>();
  };

  status open_lane(zmq::context& c, const listen_endpoint& spec);
  void arrange(zmq::socket& s, bool secured, std::size_t largest) const;
  key_rights rights_of(const lane& l, const std::string& user) const;
  void on_message(std::size_t lane, zmq::message m, time_point now);
  void on_worker_frame(std::size_t lane, session& s, frame f, time_point now);
  void on_hello(std::size_t lane, const zmq::message& m, const wire::header& head, time_point now);
  std::optional<wire::refuse_body> no_room_for(const lane& l, const std::string& peer,
                                               const std::string& user) const;
  void welcome(const std::string& peer, session& s, const wire::hello_body& hello, const wire::header& head);
  session& begin_session(std::size_t lane, const zmq::message& m, const std::string& peer, time_point now);
  void on_command(std::size_t lane, const zmq::message& m, frame f);
  void on_blob_message(std::size_t lane, const zmq::message& m, time_point now);
  void refuse(std::size_t lane, const std::string& route, std::uint64_t correlation,
              const wire::refuse_body& why);
  void transmit(const std::string& peer, session& s, frame f);
  void flush(time_point now);
  void pump_blobs(time_point now);
  void forget(const std::string& peer);
  void lose(const std::string& peer, const std::string& why);
  bool let_pass(session& s, frame& f);
  session* session_of(std::size_t lane, const zmq::message& m, std::string& peer);

  listen_options options_;
  transport_events events_;
  std::optional<zap_handler> zap_;
  std::vector<lane> lanes_;
  /// Peers of all sessions, of which some may end while they are walked over.
  std::vector<std::string> attached() const;
  std::map<std::string, session> sessions_;
  std::set<std::string> waiting_;
  liveness alive_;
  wire::blob_sender out_;
  wire::blob_receiver in_;
  time_point next_beat_{};
  time_point due_ = time_point::max(); ///< of the next turn, as the last one left it
  time_point now_{};                   ///< of this turn
  time_point reattach_until_{};        ///< we stood still: a connection that is gone may come back
  time_point retry_at_ = time_point::max();
};

} // namespace ke
