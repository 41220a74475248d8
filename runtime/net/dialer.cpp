#include "runtime/net/dialer.hpp"

#include "runtime/core/hex.hpp"
#include "runtime/net/net_counters.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/observe/log.hpp"

#include <sys/random.h>

#include <algorithm>

namespace ke {

namespace {

using namespace std::chrono_literals;

std::string random_route() {
  std::string out(16, '\0');
  while (::getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) {
  }
  out[0] = static_cast<char>(out[0] | 1); // libzmq keeps routes that begin with zero for itself
  return out;
}

} // namespace

dialer::dialer(connect_options o, transport_events events)
    : options_{std::move(o)}, events_{std::move(events)}, route_{random_route()}, beat_{options_.beat},
      version_{options_.hello.min_version}, out_{options_.beat * options_.missed} {
  if (options_.hello.boot.empty())
    options_.hello.boot = to_hex(route_);
  hello_ = pack(options_.hello);
}

void dialer::arrange(zmq::socket& s, std::size_t largest) const {
  auto beat = static_cast<int>(options_.beat.count());
  s.set(ZMQ_ROUTING_ID, route_);
  s.set_long(ZMQ_MAXMSGSIZE, static_cast<std::int64_t>(largest));
  // In a session nothing queues up for a coordinator that is away. The price: with the connection, such a
  // socket also loses received frames that nobody has read. So a coordinator waits for its workers' bye. A
  // client without a session must hear the answer of an owner that leaves at once.
  s.set(ZMQ_IMMEDIATE, options_.session);
  s.set(ZMQ_HANDSHAKE_IVL, 5000);
  s.set(ZMQ_HEARTBEAT_IVL, beat * 2);
  s.set(ZMQ_HEARTBEAT_TIMEOUT, beat * static_cast<int>(options_.missed) * 2);
  s.set(ZMQ_RECONNECT_IVL, 50);
  s.set(ZMQ_RECONNECT_IVL_MAX, 1000);
  s.set(ZMQ_LINGER, 500);
  s.set(ZMQ_IPV6, at_.tcp && at_.host.front() == '[');
  if (!options_.server_key.empty()) {
    s.set(ZMQ_CURVE_SERVERKEY, options_.server_key);
    s.set(ZMQ_CURVE_PUBLICKEY, options_.keys->public_key);
    s.set(ZMQ_CURVE_SECRETKEY, options_.keys->secret_key);
  }
}

status dialer::open(zmq::context& c, time_point now) {
  auto at = parse_endpoint(options_.endpoint);
  if (!at)
    return at.error();
  at_ = *at;
  if (!at_.local() && options_.server_key.empty())
    return failure{failure_kind::invalid,
                   "the coordinator " + options_.endpoint +
                       " is not on this machine: give its public key with --server-key"};
  if (!at_.tcp)
    options_.server_key.clear(); // ipc is never encrypted
  if (!options_.server_key.empty() && !options_.keys) {
    char open[41], secret[41];
    if (zmq_curve_keypair(open, secret) != 0)
      return failure{failure_kind::missing, "this libzmq was built without CURVE: install one with it"};
    options_.keys = key_pair{open, secret};
  }
  context_ = &c;
  frames_ = zmq::socket{c, ZMQ_DEALER};
  arrange(frames_, wire::max_part);
  if (auto s = frames_.connect(at_.text()); !s)
    return s;
  last_heard_ = now;
  next_beat_ = options_.session ? now : time_point::max();
  return ok;
}

status dialer::open_blobs(std::uint32_t port) {
  auto to = at_.blobs();
  if (to.tcp)
    to.port = static_cast<std::uint16_t>(port);
  if (to.text() == blob_address_)
    return ok; // libzmq reconnects
  blobs_ = zmq::socket{*context_, ZMQ_DEALER};
  arrange(blobs_, wire::blob_chunk_size + 4096);
  blob_address_ = to.text();
  return blobs_.connect(blob_address_);
}

void dialer::poll_set(std::vector<zmq_pollitem_t>& items) const {
  bool eager = hello_due_ || !waiting_.empty();
  items.push_back({frames_.handle(), 0, static_cast<short>(ZMQ_POLLIN | (eager ? ZMQ_POLLOUT : 0)), 0});
  if (blobs_)
    items.push_back({blobs_.handle(), 0, ZMQ_POLLIN, 0});
}

void dialer::turn(time_point now) {
  for (int n = 0; n < fair_share; ++n) {
    auto m = frames_.receive();
    if (!m)
      break;
    on_message(std::move(*m), now);
  }
  for (int n = 0; blobs_ && n < fair_share; ++n) {
    auto m = blobs_.receive();
    if (!m)
      break;
    on_blob_message(*m, now);
  }
  if (stage_ == stage::attached && last_heard_ + beat_ * options_.missed <= now) {
    detach();
    ++net_counters::lost;
    if (events_.on_lost)
      events_.on_lost({}, {failure_kind::worker_lost,
                           "the coordinator " + options_.endpoint + " gave no sign of life for " +
                               std::to_string(options_.missed) + " beats; attaching again",
                           true});
    next_beat_ = now;
  }
  if (now >= next_beat_) {
    next_beat_ = now + beat_;
    if (stage_ == stage::attached)
      transmit({{}, frame_kind::beat, 0, 0, 0, beat_body_.empty() ? pack(wire::worker_beat{}) : beat_body_});
    else if (stage_ == stage::unattached)
      hello_due_ = true;
  }
  if (hello_due_)
    say_hello(now);
  flush();
  pump_blobs(now);
}

dialer::time_point dialer::next() const {
  if (!options_.session || stage_ == stage::refused)
    return time_point::max();
  auto silence = stage_ == stage::attached ? last_heard_ + beat_ * options_.missed : time_point::max();
  return std::min({next_beat_, silence, out_.next()});
}

void dialer::close(time_point) {
  if (stage_ == stage::attached)
    transmit({{}, frame_kind::bye, 0, 0, 0, {}});
}

void dialer::say_hello(time_point now) {
  frame f{{}, frame_kind::hello, ++sequence_, 0, epoch_, hello_};
  if (frames_.send({wire::encode_header(f, options_.hello.min_version), f.body}) != zmq::sent::yes)
    return; // not connected yet: the poll wakes us when it is
  ++net_counters::frames_out;
  hello_due_ = false;
  next_beat_ = now + beat_;
}

void dialer::on_message(zmq::message m, time_point now) {
  ++net_counters::frames_in;
  if (m.parts.size() != 2 || m.parts[1].size() > wire::max_body) {
    ++net_counters::malformed;
    return;
  }
  auto [fault, head] = wire::decode_header(m.parts[0]);
  if (fault != wire::header_fault::none) {
    ++(fault == wire::header_fault::unknown_kind ? net_counters::unknown_kind : net_counters::malformed);
    return;
  }
  last_heard_ = now;
  frame f{{},
          static_cast<frame_kind>(head.kind),
          head.sequence,
          head.correlation,
          head.epoch,
          std::move(m.parts[1])};
  if (options_.session)
    on_session_frame(std::move(f), now);
  else
    on_client_frame(std::move(f));
}

void dialer::on_client_frame(frame f) {
  if (f.kind == frame_kind::answer || f.kind == frame_kind::event || f.kind == frame_kind::refuse)
    events_.on_frame(std::move(f));
  else
    ++net_counters::malformed;
}

void dialer::on_refuse(frame f) {
  auto why = wire::decode<wire::refuse_body>(f.body);
  bool again = why && why->retry;
  // At once if we believed to be attached, else with the next beat: two who misunderstand each other must
  // not spin.
  bool was = stage_ == stage::attached;
  detach();
  if (again) {
    hello_due_ = was;
    return;
  }
  ++net_counters::refused;
  stage_ = stage::refused;
  events_.on_frame(std::move(f));
}

void dialer::on_session_frame(frame f, time_point now) {
  if (f.kind == frame_kind::welcome) {
    auto w = wire::decode<wire::welcome_body>(f.body);
    if (!w) {
      ++net_counters::malformed;
      return;
    }
    on_welcome(*w, now);
    events_.on_frame(std::move(f));
    return;
  }
  if (f.kind == frame_kind::refuse)
    return on_refuse(std::move(f));
  if (stage_ != stage::attached)
    return; // of a session that is over
  if (f.epoch != epoch_) {
    detach();
    hello_due_ = true;
    return;
  }
  if (f.kind == frame_kind::bye) {
    transmit({{}, frame_kind::bye, 0, 0, 0, {}}); // heard: it need not stay for us
    detach();
    next_beat_ = now + beat_;
  }
  events_.on_frame(std::move(f));
}

void dialer::on_welcome(const wire::welcome_body& w, time_point now) {
  stage_ = stage::attached;
  version_ = w.version;
  epoch_ = w.epoch;
  beat_ = std::clamp(std::chrono::milliseconds{w.beat_ms}, 5ms, 60'000ms);
  hello_due_ = false;
  next_beat_ = now + beat_;
  waiting_.clear();
  out_ = wire::blob_sender{beat_ * options_.missed};
  in_.forget({});
  if (auto s = open_blobs(w.blob_port); !s)
    log::error("net", "the blob socket cannot connect", {{"why", s.error().text}});
}

void dialer::on_blob_message(const zmq::message& m, time_point now) {
  if (m.parts.size() != 2) {
    ++net_counters::malformed;
    return;
  }
  auto [fault, head] = wire::decode_header(m.parts[0]);
  if (fault != wire::header_fault::none || stage_ != stage::attached)
    return;
  last_heard_ = now;
  if (head.kind == static_cast<std::uint32_t>(frame_kind::blob)) {
    auto chunk = wire::decode<wire::blob_chunk>(m.parts[1]);
    if (!chunk) {
      ++net_counters::malformed;
      return;
    }
    auto outcome = in_.chunk({}, *chunk);
    frame ack{{}, frame_kind::ack, 0, head.sequence, epoch_, pack(outcome.ack)};
    blobs_.send({wire::encode_header(ack, version_), ack.body});
    if (outcome.ack.refused)
      ++net_counters::blob_faults;
    if (outcome.complete) {
      net_counters::blob_bytes += static_cast<std::int64_t>(outcome.complete->size());
      if (events_.on_blob)
        events_.on_blob({}, outcome.ack.digest, std::move(*outcome.complete));
    }
  } else if (auto ack = wire::decode<wire::blob_ack>(m.parts[1]);
             ack && head.kind == static_cast<std::uint32_t>(frame_kind::ack)) {
    if (ack->refused)
      ++net_counters::blob_faults;
    out_.acked({}, *ack, now);
  } else {
    ++net_counters::malformed;
  }
}

void dialer::detach() {
  if (stage_ == stage::attached)
    stage_ = stage::unattached;
  net_counters::dropped += static_cast<std::int64_t>(waiting_.size());
  waiting_.clear();
  out_.forget({});
  in_.forget({});
}

void dialer::transmit(frame f) {
  f.sequence = f.sequence ? f.sequence : ++sequence_;
  f.epoch = epoch_;
  auto head = wire::encode_header(f, version_);
  auto fate = waiting_.empty() ? frames_.send({head, f.body}) : zmq::sent::full;
  if (fate == zmq::sent::yes)
    ++net_counters::frames_out;
  else if (waiting_.size() < most_waiting_frames && f.kind != frame_kind::beat)
    waiting_.emplace_back(std::move(head), std::move(f.body));
  else
    ++net_counters::dropped;
}

void dialer::flush() {
  while (!waiting_.empty() &&
         frames_.send({waiting_.front().first, waiting_.front().second}) == zmq::sent::yes) {
    ++net_counters::frames_out;
    waiting_.pop_front();
  }
}

void dialer::send(frame f, time_point) {
  if (f.body.size() > wire::max_body || (options_.session && stage_ != stage::attached)) {
    ++net_counters::dropped;
    if (f.body.size() > wire::max_body)
      log::error("net", "a frame over the wire's limit was not sent",
                 {{"kind", std::string{to_text(f.kind)}}, {"bytes", std::to_string(f.body.size())}});
    return;
  }
  bool last = f.kind == frame_kind::bye;
  transmit(std::move(f));
  if (last && options_.session)
    stage_ = stage::refused; // left on its own will
}

void dialer::send_blob(const std::string&, std::string digest, std::string bytes, time_point now) {
  if (stage_ != stage::attached || !out_.add({}, std::move(digest), std::move(bytes), now))
    ++net_counters::dropped;
}

void dialer::pump_blobs(time_point now) {
  for (auto& o : out_.take(now)) {
    frame f{{}, frame_kind::blob, 0, 0, epoch_, pack(o.chunk)};
    if (!blobs_ || blobs_.send({wire::encode_header(f, version_), f.body}) != zmq::sent::yes)
      out_.stalled({}, now + blob_retry_after);
  }
}

void dialer::set_beat(const std::string&, std::string body) {
  if (body.size() <= wire::max_body)
    beat_body_ = std::move(body);
}

void dialer::set_hello(std::string body) {
  if (body.size() <= wire::max_body)
    hello_ = std::move(body);
}

} // namespace ke
