#include "runtime/net/listener.hpp"

#include "runtime/net/control_socket.hpp"
#include "runtime/net/handshake.hpp"
#include "runtime/net/net_counters.hpp"
#include "runtime/net/peer_name.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/observe/log.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ke {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_sessions = 4096;
constexpr auto retry_after = 2ms; ///< a full pipe announces no room on a ROUTER
constexpr auto farewell = 1s;     ///< for workers to answer a bye
constexpr std::size_t max_route = 64;
constexpr std::size_t max_unread_frames = 1024, max_unread_bytes = 8u << 20; ///< of one session
constexpr std::size_t max_sessions_of_a_key = 64;

/// Largest body of a frame from a worker: more than any honest one has, before anything is decoded.
std::size_t largest(frame_kind k) {
  switch (k) {
  case frame_kind::hello:
  case frame_kind::result:
    return wire::max_body;
  case frame_kind::beat:
    return 128u << 10;
  default:
    return 8u << 10;
  }
}

bool from_worker(frame_kind k) {
  switch (k) {
  case frame_kind::ready:
  case frame_kind::decline:
  case frame_kind::beat:
  case frame_kind::result:
  case frame_kind::want:
  case frame_kind::bye:
    return true;
  default:
    return false;
  }
}

} // namespace

listener::listener(listen_options o, transport_events events)
    : options_{std::move(o)}, events_{std::move(events)}, alive_{options_.beat * options_.missed},
      out_{options_.beat * options_.missed} {}

void listener::arrange(zmq::socket& s, bool secured, std::size_t largest) const {
  auto beat = static_cast<int>(options_.beat.count());
  s.set(ZMQ_ROUTER_MANDATORY, 1);
  s.set(ZMQ_ROUTER_HANDOVER, 1);
  s.set_long(ZMQ_MAXMSGSIZE, static_cast<std::int64_t>(largest));
  s.set(ZMQ_HANDSHAKE_IVL, 2000);
  s.set(ZMQ_HEARTBEAT_IVL, beat * 2);
  s.set(ZMQ_HEARTBEAT_TIMEOUT, beat * static_cast<int>(options_.missed) * 2);
  s.set(ZMQ_LINGER, 500);
  s.set(ZMQ_BACKLOG, 512);
  if (secured) {
    s.set(ZMQ_CURVE_SERVER, 1);
    s.set(ZMQ_CURVE_SECRETKEY, options_.keys->secret_key);
    s.set(ZMQ_ZAP_DOMAIN, zap_handler::domain);
  }
}

status listener::open(zmq::context& c, time_point now) {
  if (options_.keys) {
    zap_.emplace(key_ring{options_.authorized_keys, options_.client_keys, options_.admit_any_key});
    if (auto s = zap_->open(c); !s)
      return s;
  }
  for (auto& spec : options_.endpoints)
    if (auto s = open_lane(c, spec); !s)
      return s;
  next_beat_ = now + options_.beat;
  return ok;
}

status listener::open_lane(zmq::context& c, const listen_endpoint& spec) {
  auto at = parse_endpoint(spec.address);
  if (!at)
    return at.error();
  lane l;
  l.spec = spec;
  l.tcp = at->tcp;
  l.secured = at->tcp && options_.keys.has_value();
  if (!at->local() && !l.secured)
    return failure{failure_kind::invalid,
                   "[cluster] listen = \"" + spec.address +
                       "\" is open to the network without keys: set `key` and `authorized_keys` "
                       "(make them with `ke-runtime keygen`), or listen on 127.0.0.1"};
  l.frames = zmq::socket{c, ZMQ_ROUTER};
  l.blobs = zmq::socket{c, ZMQ_ROUTER};
  arrange(l.frames, l.secured, wire::max_part);
  arrange(l.blobs, l.secured, wire::blob_chunk_size + 4096);
  bool v6 = at->tcp && at->host.front() == '[';
  l.frames.set(ZMQ_IPV6, v6);
  l.blobs.set(ZMQ_IPV6, v6);
  // Until a Unix socket's mode is set, its folder keeps others out. A umask would not do: it belongs to the
  // process, and a program started meanwhile would keep it.
  if (auto s = l.frames.bind(at->text()); !s)
    return s;
  endpoints.push_back(l.frames.last_endpoint());
  if (spec.workers) {
    if (auto s = l.blobs.bind(at->blobs().text()); !s)
      return s;
    if (at->tcp)
      if (auto bound = parse_endpoint(l.blobs.last_endpoint()))
        l.blob_port = bound->port;
  }
  if (!at->tcp)
    for (auto& path : {at->path, spec.workers ? at->blobs().path : at->path})
      if (::chmod(path.c_str(), 0600) != 0)
        return failure{failure_kind::invalid, "cannot set the mode of " + path + ": " + std::strerror(errno)};
  lanes_.push_back(std::move(l));
  return ok;
}

void listener::poll_set(std::vector<zmq_pollitem_t>& items) const {
  if (zap_)
    items.push_back({zap_->listening().handle(), 0, ZMQ_POLLIN, 0});
  for (auto& l : lanes_) {
    items.push_back({l.frames.handle(), 0, ZMQ_POLLIN, 0});
    if (l.spec.workers)
      items.push_back({l.blobs.handle(), 0, ZMQ_POLLIN, 0});
  }
}

std::vector<std::string> listener::attached() const {
  std::vector<std::string> peers;
  peers.reserve(sessions_.size());
  for (const auto& [peer, s] : sessions_)
    peers.push_back(peer);
  return peers;
}

void listener::turn(time_point now) {
  now_ = now;
  if (due_ != time_point::max() && now > due_ + options_.beat) {
    alive_.stood_still(now);
    reattach_until_ = now + 2 * options_.beat * options_.missed;
  }
  if (zap_)
    zap_->turn();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    for (int n = 0; n < fair_share; ++n) {
      auto m = lanes_[i].frames.receive();
      if (!m)
        break;
      on_message(i, std::move(*m), now);
    }
    for (int n = 0; lanes_[i].spec.workers && n < fair_share; ++n) {
      auto m = lanes_[i].blobs.receive();
      if (!m)
        break;
      on_blob_message(i, *m, now);
    }
  }
  for (auto& peer : alive_.expire(now))
    lose(peer, "no sign of life for " + std::to_string(options_.missed) + " beats");
  if (now >= next_beat_) {
    next_beat_ = now + options_.beat;
    for (auto& peer : attached())
      if (auto at = sessions_.find(peer); at != sessions_.end()) {
        auto body =
            at->second.beat.empty() ? pack(wire::coordinator_beat{options_.epoch, {}}) : at->second.beat;
        transmit(peer, at->second, {peer, frame_kind::beat, 0, 0, 0, std::move(body)});
      }
  }
  flush(now);
  pump_blobs(now);
  due_ = next();
}

/// False: the session has more under way than anybody honest would, and is over.
bool listener::let_pass(session& s, frame& f) {
  auto bytes = f.body.size();
  if (s.passing->frames >= max_unread_frames || s.passing->bytes + bytes > max_unread_bytes)
    return false;
  ++s.passing->frames;
  s.passing->bytes += bytes;
  f.passage = std::shared_ptr<const void>{&f, [passing = s.passing, bytes](const void*) {
                                            --passing->frames;
                                            passing->bytes -= bytes;
                                          }};
  return true;
}

listener::time_point listener::next() const {
  return std::min({next_beat_, alive_.next(), out_.next(), retry_at_});
}

/// Stays until everybody has answered the bye, for a moment: a dialer's socket forgets what it has not read
/// yet when its connection ends.
void listener::close(time_point now) {
  for (auto& peer : attached())
    if (auto at = sessions_.find(peer); at != sessions_.end())
      transmit(peer, at->second, {peer, frame_kind::bye, 0, 0, 0, {}});
  const auto until = now + farewell;
  std::vector<zmq_pollitem_t> items;
  while (!sessions_.empty() && now < until) {
    items.clear();
    poll_set(items);
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
    zmq_poll(items.data(), static_cast<int>(items.size()), std::min<long>(left.count(), 20));
    now = time_point::clock::now();
    flush(now);
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      while (auto m = lanes_[i].frames.receive())
        if (m->parts.size() == 3 && m->parts[0].size() <= max_route) {
          auto [fault, head] = wire::decode_header(m->parts[1]);
          std::string peer;
          if (fault == wire::header_fault::none && head.kind == static_cast<std::uint32_t>(frame_kind::bye) &&
              session_of(i, *m, peer))
            forget(peer);
        }
  }
}

key_rights listener::rights_of(const lane& l, const std::string& user) const {
  // Keyless: whoever can open the Unix socket is our own user; loopback TCP is open to every user of the
  // machine, who may lend it a worker and no more.
  key_rights out{true, !l.tcp, !l.tcp, {}};
  if (l.secured)
    out = parse_user_id(user);
  out.worker = out.worker && l.spec.workers;
  out.client = out.client && l.spec.clients;
  out.trusted = out.trusted && out.client;
  return out;
}

listener::session* listener::session_of(std::size_t lane, const zmq::message& m, std::string& peer) {
  peer = peer_name(lane, m.parts[0]);
  auto at = sessions_.find(peer);
  if (at == sessions_.end())
    return nullptr;
  if (at->second.user != m.user) {
    ++net_counters::impostors;
    return nullptr;
  }
  return &at->second;
}

void listener::on_message(std::size_t lane, zmq::message m, time_point now) {
  ++net_counters::frames_in;
  if (m.parts.size() != 3 || m.parts[0].size() > max_route || m.parts[2].size() > wire::max_body) {
    ++net_counters::malformed;
    return;
  }
  auto [fault, head] = wire::decode_header(m.parts[1]);
  if (fault == wire::header_fault::unknown_kind || fault == wire::header_fault::malformed) {
    ++(fault == wire::header_fault::unknown_kind ? net_counters::unknown_kind : net_counters::malformed);
    return;
  }
  auto kind = static_cast<frame_kind>(head.kind);
  if (kind == frame_kind::hello) // negotiates by its body, whatever its header's version
    return on_hello(lane, m, head, now);
  if (fault == wire::header_fault::other_version) {
    ++net_counters::refused;
    return refuse(lane, m.parts[0], head.sequence,
                  wire::unspoken({options_.min_version, options_.max_version}, head.version));
  }
  std::string peer;
  auto s = session_of(lane, m, peer);
  frame f{peer, kind, head.sequence, head.correlation, head.epoch, std::move(m.parts[2])};
  if (kind == frame_kind::command)
    return on_command(lane, m, std::move(f));
  if (!from_worker(kind)) {
    ++net_counters::malformed;
    return;
  }
  if (s)
    return on_worker_frame(lane, *s, std::move(f), now);
  if (kind != frame_kind::bye)
    refuse(lane, m.parts[0], head.sequence, {"no session: say hello", true});
}

void listener::on_worker_frame(std::size_t lane, session& s, frame f, time_point now) {
  auto peer = f.peer;
  alive_.heard(peer, now);
  if (f.body.size() > largest(f.kind) || !let_pass(s, f)) {
    ++net_counters::malformed;
    refuse(lane, s.route, f.sequence,
           {"this worker sends more than an honest one would: its session is over", true});
    return lose(peer, "it sends more than it may");
  }
  if (f.kind == frame_kind::bye)
    forget(peer);
  events_.on_frame(std::move(f));
}

/// Why no further session fits. None: one does, or the peer has its own.
std::optional<wire::refuse_body> listener::no_room_for(const lane& l, const std::string& peer,
                                                       const std::string& user) const {
  if (sessions_.count(peer))
    return std::nullopt;
  if (sessions_.size() >= max_sessions)
    return wire::refuse_body{"this coordinator has as many workers as it can hold", true};
  if (!l.secured)
    return std::nullopt;
  auto with_this_key =
      std::count_if(sessions_.begin(), sessions_.end(), [&](const auto& s) { return s.second.user == user; });
  if (with_this_key >= static_cast<std::ptrdiff_t>(max_sessions_of_a_key))
    return wire::refuse_body{"as many workers as one key may have are attached with this one", true};
  return std::nullopt;
}

/// The peer's session, perhaps another life of it: nothing is on its way.
listener::session& listener::begin_session(std::size_t lane, const zmq::message& m, const std::string& peer,
                                           time_point now) {
  auto& s = sessions_[peer];
  s.lane = lane;
  s.route = m.parts[0];
  s.user = m.user;
  s.waiting.clear();
  out_.forget(peer);
  in_.forget(peer);
  alive_.heard(peer, now);
  return s;
}

/// Tells both sides of the session.
void listener::welcome(const std::string& peer, session& s, const wire::hello_body& hello,
                       const wire::header& head) {
  wire::welcome_body body{s.version,
                          static_cast<std::uint64_t>(options_.beat.count()),
                          static_cast<std::uint64_t>(options_.lease.count()),
                          options_.epoch,
                          lanes_[s.lane].blob_port,
                          s.name,
                          options_.store};
  transmit(peer, s, wire::make_frame(peer, frame_kind::welcome, body, head.sequence));
  auto at = sessions_.find(peer);
  if (at == sessions_.end())
    return;
  frame f{peer, frame_kind::hello, head.sequence, 0, head.epoch, pack(hello)};
  if (!let_pass(at->second, f))
    return lose(peer, "it says hello more often than it is heard");
  events_.on_frame(std::move(f));
}

void listener::on_hello(std::size_t lane, const zmq::message& m, const wire::header& head, time_point now) {
  auto& l = lanes_[lane];
  auto& route = m.parts[0];
  auto peer = peer_name(lane, route);
  auto rights = rights_of(l, m.user);
  auto heard = wire::read_hello({options_.min_version, options_.max_version}, m.parts[2]);
  auto deny = [&](const wire::refuse_body& why) {
    ++net_counters::refused;
    refuse(lane, route, head.sequence, why);
  };
  if (auto no = std::get_if<wire::bad_hello>(&heard)) {
    net_counters::malformed += no->malformed;
    return deny(no->why);
  }
  auto& [hello, agreed] = std::get<wire::heard_hello>(heard);
  if (!rights.worker)
    return deny(
        {"this key or address is not for workers: put the worker's .pub file into `authorized_keys`", false});
  if (auto at = sessions_.find(peer); at != sessions_.end() && at->second.user != m.user) {
    ++net_counters::impostors;
    return;
  }
  if (auto no = no_room_for(l, peer, m.user))
    return deny(*no);
  if (!rights.name.empty())
    hello.name = rights.name;
  if (auto no = wire::fault_in(hello))
    return deny(*no);
  if (options_.admit)
    if (auto no = options_.admit(hello))
      return deny(*no);
  auto& s = begin_session(lane, m, peer, now);
  s.name = hello.name;
  s.version = agreed;
  welcome(peer, s, hello, head);
}

void listener::on_command(std::size_t lane, const zmq::message& m, frame f) {
  auto say = [&](const std::string& json, int code) {
    for (auto& answer : wire::answer_frames(f.peer, f.sequence, json, code))
      send(std::move(answer), {});
  };
  auto body = wire::decode<wire::command_body>(f.body);
  if (!body) {
    ++net_counters::malformed;
    return say(R"({"error":"this command cannot be read: install the same ke-runtime on both"})", 2);
  }
  auto rights = rights_of(lanes_[lane], m.user);
  if (!rights.client) {
    ++net_counters::refused;
    return say(
        lanes_[lane].secured
            ? R"({"error":"this key may not steer: put its .pub file into `client_keys`"})"
            : R"({"error":"this address has no keys, so it admits workers and no clients: set [cluster] `key` )"
              R"(and `client_keys` there, or give the command --store or --config on the store's machine"})",
        2);
  }
  f.trusted = rights.trusted;
  if (body->json == ping_command) // answered here: it asks whether the process lives
    return say(R"({"ok":true})", 0);
  events_.on_frame(std::move(f));
}

void listener::on_blob_message(std::size_t lane, const zmq::message& m, time_point now) {
  if (m.parts.size() != 3 || m.parts[0].size() > max_route) {
    ++net_counters::malformed;
    return;
  }
  std::string peer;
  auto s = session_of(lane, m, peer);
  auto [fault, head] = wire::decode_header(m.parts[1]);
  if (!s)
    return; // its beat will be refused, and it says hello
  auto kind = static_cast<frame_kind>(head.kind);
  auto chunk = fault == wire::header_fault::none && kind == frame_kind::blob
                   ? wire::decode<wire::blob_chunk>(m.parts[2])
                   : failure{};
  if (chunk) {
    alive_.heard(peer, now);
    auto outcome = in_.chunk(peer, *chunk);
    frame ack{peer, frame_kind::ack, 0, head.sequence, options_.epoch, pack(outcome.ack)};
    lanes_[lane].blobs.send({m.parts[0], wire::encode_header(ack, s->version), ack.body});
    if (outcome.ack.refused)
      ++net_counters::blob_faults;
    if (outcome.complete) {
      net_counters::blob_bytes += static_cast<std::int64_t>(outcome.complete->size());
      if (events_.on_blob)
        events_.on_blob(peer, outcome.ack.digest, std::move(*outcome.complete));
    }
    return;
  }
  auto ack = fault == wire::header_fault::none && kind == frame_kind::ack
                 ? wire::decode<wire::blob_ack>(m.parts[2])
                 : failure{};
  if (!ack) {
    ++net_counters::malformed;
    return;
  }
  alive_.heard(peer, now);
  if (ack->refused)
    ++net_counters::blob_faults;
  out_.acked(peer, *ack, now);
}

void listener::refuse(std::size_t lane, const std::string& route, std::uint64_t correlation,
                      const wire::refuse_body& why) {
  auto f = wire::make_frame({}, frame_kind::refuse, why, correlation);
  f.epoch = options_.epoch;
  // The lowest version, so that an older peer can read the reason.
  lanes_[lane].frames.send({route, wire::encode_header(f, wire::min_version), f.body});
}

void listener::transmit(const std::string& peer, session& s, frame f) {
  f.sequence = ++s.sequence;
  f.epoch = options_.epoch;
  auto head = wire::encode_header(f, s.version);
  auto fate = s.waiting.empty() ? lanes_[s.lane].frames.send({s.route, head, f.body}) : zmq::sent::full;
  if (fate == zmq::sent::yes) {
    ++net_counters::frames_out;
  } else if (fate == zmq::sent::unroutable && now_ >= reattach_until_) {
    lose(peer, "its connection is gone");
  } else if (s.waiting.size() >= most_waiting_frames) {
    lose(peer, "it does not read what it is sent");
  } else {
    s.waiting.emplace_back(std::move(head), std::move(f.body));
    waiting_.insert(peer);
  }
}

void listener::send(frame f, time_point) {
  if (f.body.size() > wire::max_body) {
    ++net_counters::dropped;
    log::error("net", "a frame over the wire's limit was not sent",
               {{"kind", std::string{to_text(f.kind)}}, {"bytes", std::to_string(f.body.size())}});
    return;
  }
  auto peer = f.peer;
  if (auto at = sessions_.find(peer); at != sessions_.end()) {
    bool last = f.kind == frame_kind::refuse || f.kind == frame_kind::bye;
    transmit(peer, at->second, std::move(f));
    if (last)
      forget(peer);
    return;
  }
  std::size_t lane = 0;
  std::string route;
  bool to_client = f.kind == frame_kind::answer || f.kind == frame_kind::event;
  if (to_client && parse_peer(peer, lane, route) && lane < lanes_.size()) {
    f.epoch = options_.epoch;
    auto fate = lanes_[lane].frames.send({route, wire::encode_header(f), f.body});
    if (fate == zmq::sent::yes) {
      ++net_counters::frames_out;
      return;
    }
  }
  ++net_counters::lost;
  if (events_.on_lost)
    events_.on_lost(peer, {failure_kind::worker_lost, "the peer is not attached, or does not read", true});
}

void listener::send_blob(const std::string& peer, std::string digest, std::string bytes, time_point now) {
  if (!sessions_.count(peer) || !out_.add(peer, std::move(digest), std::move(bytes), now))
    ++net_counters::dropped;
}

void listener::set_beat(const std::string& peer, std::string body) {
  if (auto at = sessions_.find(peer); at != sessions_.end() && body.size() <= wire::max_body)
    at->second.beat = std::move(body);
}

void listener::flush(time_point now) {
  auto peers = waiting_;
  for (auto& peer : peers) {
    auto at = sessions_.find(peer);
    if (at == sessions_.end()) {
      waiting_.erase(peer);
      continue;
    }
    auto& s = at->second;
    auto fate = zmq::sent::yes;
    while (!s.waiting.empty() && fate == zmq::sent::yes) {
      fate = lanes_[s.lane].frames.send({s.route, s.waiting.front().first, s.waiting.front().second});
      if (fate == zmq::sent::yes) {
        ++net_counters::frames_out;
        s.waiting.pop_front();
      }
    }
    if (s.waiting.empty())
      waiting_.erase(peer);
    if (fate == zmq::sent::unroutable && now >= reattach_until_)
      lose(peer, "its connection is gone");
  }
  retry_at_ = waiting_.empty() ? time_point::max() : now + (now < reattach_until_ ? 20ms : retry_after);
}

void listener::pump_blobs(time_point now) {
  for (auto& o : out_.take(now)) {
    auto at = sessions_.find(o.peer);
    if (at == sessions_.end())
      continue;
    frame f{o.peer, frame_kind::blob, 0, 0, options_.epoch, pack(o.chunk)};
    auto fate = lanes_[at->second.lane].blobs.send(
        {at->second.route, wire::encode_header(f, at->second.version), f.body});
    if (fate != zmq::sent::yes) // the peer's blob socket may still be connecting
      out_.stalled(o.peer, now + blob_retry_after);
  }
}

void listener::forget(const std::string& peer) {
  sessions_.erase(peer);
  waiting_.erase(peer);
  alive_.forget(peer);
  out_.forget(peer);
  in_.forget(peer);
}

void listener::lose(const std::string& peer, const std::string& why) {
  auto at = sessions_.find(peer);
  auto name = at == sessions_.end() ? peer : at->second.name;
  forget(peer);
  ++net_counters::lost;
  if (events_.on_lost)
    events_.on_lost(peer, {failure_kind::worker_lost, "worker " + name + " is lost: " + why, true});
}

} // namespace ke
