#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/net/wire_body.hpp"
#include "tests/net/peers.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/net/hello_rule.hpp"
#include "runtime/net/socket.hpp"
#include "runtime/observe/counters.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <future>
#include <random>
#include <set>

using namespace ke;
using namespace ke::test;

namespace {

/// A coordinator and one attached worker.
struct pair_of_peers {
  explicit pair_of_peers(listen_options l, std::function<void(connect_options&)> change = {}) {
    coordinator = must(transport::listen(std::move(l), c.events()));
    auto o = connecting(coordinator->endpoints()[0]);
    if (change)
      change(o);
    worker = must(transport::connect(std::move(o), w.events()));
    auto hello = c.take(frame_kind::hello);
    REQUIRE(hello);
    peer = hello->peer;
    REQUIRE(w.take(frame_kind::welcome));
  }
  inbox c, w; // outlive the transports, whose threads write into them
  std::unique_ptr<transport> coordinator, worker;
  std::string peer;
};

int raw_connection(std::uint16_t port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

} // namespace

TEST_CASE("a worker attaches over tcp and is welcomed with the coordinator's terms") {
  inbox c, w;
  auto coordinator = must(transport::listen(listening("tcp://127.0.0.1:*"), c.events()));
  auto worker = must(transport::connect(connecting(coordinator->endpoints()[0], "rack-1"), w.events()));
  auto hello = c.take(frame_kind::hello);
  REQUIRE(hello);
  auto said = *wire::decode<wire::hello_body>(hello->body);
  CHECK(said.name == "rack-1");
  CHECK(said.boot.size() == 32);
  auto welcome = w.take(frame_kind::welcome);
  REQUIRE(welcome);
  auto terms = *wire::decode<wire::welcome_body>(welcome->body);
  CHECK(terms.epoch == 7);
  CHECK(terms.version == wire::version);
  CHECK(terms.beat_ms == 1000);
  CHECK(terms.name == "rack-1");
  worker.reset();
  CHECK(c.take(frame_kind::bye));
}

TEST_CASE("two thousand jobs and results pass, each once and to its asker") {
  temp_folder folder;
  pair_of_peers p{listening("ipc://" + folder.path + "/c")};
  p.w.react([&](const frame& f) {
    if (f.kind != frame_kind::grant)
      return;
    auto g = *wire::decode<wire::grant_body>(f.body);
    job_result r;
    r.id = g.job.id;
    p.worker->send(wire::make_frame({}, frame_kind::result, r, f.sequence));
  });
  for (std::uint64_t i = 1; i <= 2000; ++i) {
    wire::grant_body g;
    g.job.id = i;
    g.job.inline_blobs["source"].assign(500, 'x');
    p.coordinator->send(wire::make_frame(p.peer, frame_kind::grant, g));
  }
  std::set<std::uint64_t> ids, correlations;
  for (int i = 0; i < 2000; ++i) {
    auto f = p.c.take(frame_kind::result);
    REQUIRE(f);
    CHECK(f->epoch == 7);
    ids.insert(wire::decode<job_result>(f->body)->id);
    correlations.insert(f->correlation);
  }
  CHECK(ids.size() == 2000);
  CHECK(correlations.size() == 2000);
}

TEST_CASE("five megabytes cross both ways while beats flow") {
  auto o = listening("tcp://127.0.0.1:*");
  o.beat = 50ms;
  o.missed = 100;
  pair_of_peers p{o};
  std::mt19937 random{1};
  std::string content(5'000'000, '\0');
  for (auto& b : content)
    b = static_cast<char>(random());
  auto digest = digest_of(content);
  p.coordinator->send_blob(p.peer, digest, content);
  p.worker->send_blob({}, digest, content);
  auto at_worker = p.w.take_blob();
  auto at_coordinator = p.c.take_blob();
  REQUIRE(at_worker);
  REQUIRE(at_coordinator);
  CHECK(std::get<2>(*at_worker) == content);
  CHECK(std::get<0>(*at_coordinator) == p.peer);
  CHECK(std::get<1>(*at_coordinator) == digest);
  CHECK(std::get<2>(*at_coordinator) == content);
  CHECK(p.c.take(frame_kind::beat));
  CHECK(p.w.take(frame_kind::beat));
}

TEST_CASE("beats carry what was set last, in both directions") {
  auto o = listening("tcp://127.0.0.1:*");
  o.beat = 20ms;
  o.missed = 500;
  pair_of_peers p{o};
  p.worker->set_beat({}, pack(wire::worker_beat{{{11, 2, 7, wire::lease_stage::building}}, {}, 1, 2}));
  p.coordinator->set_beat(p.peer, pack(wire::coordinator_beat{7, {{12, 1, 7}}}));
  for (;;) {
    auto f = p.c.take(frame_kind::beat);
    REQUIRE(f);
    auto b = *wire::decode<wire::worker_beat>(f->body);
    if (b.leases.empty())
      continue; // of before
    CHECK(b.leases[0].job == 11);
    CHECK(b.device_slots == 2);
    break;
  }
  for (;;) {
    auto f = p.w.take(frame_kind::beat);
    REQUIRE(f);
    auto b = *wire::decode<wire::coordinator_beat>(f->body);
    if (b.revoked.empty())
      continue;
    CHECK(b.revoked[0].job == 12);
    break;
  }
}

TEST_CASE("no common version is refused for good with a reason") {
  inbox c, w;
  auto o = listening("tcp://127.0.0.1:*");
  o.min_version = wire::version + 1;
  o.max_version = wire::version + 2;
  auto coordinator = must(transport::listen(o, c.events()));
  auto worker = must(transport::connect(connecting(coordinator->endpoints()[0]), w.events()));
  auto no = w.take(frame_kind::refuse);
  REQUIRE(no);
  auto why = *wire::decode<wire::refuse_body>(no->body);
  CHECK(why.reason.find(std::to_string(wire::version + 1) + " to " + std::to_string(wire::version + 2)) !=
        std::string::npos);
  CHECK_FALSE(why.retry);
  CHECK(c.count(frame_kind::hello) == 0);
}

TEST_CASE("a worker of simulated devices is refused for good unless the cluster's settings allow it") {
  auto allowed = GENERATE(false, true);
  auto simulates = GENERATE(false, true);
  CAPTURE(allowed, simulates);
  cluster_settings cluster;
  cluster.allow_simulated = allowed;
  auto o = listening("tcp://127.0.0.1:*");
  o.admit = hello_rule(cluster); // as the coordinator says it
  inbox c, w;
  auto coordinator = must(transport::listen(o, c.events()));
  auto asks = connecting(coordinator->endpoints()[0]);
  asks.hello.simulated = simulates;
  auto worker = must(transport::connect(asks, w.events()));
  if (simulates && !allowed) {
    auto refused = w.take(frame_kind::refuse);
    REQUIRE(refused);
    auto why = *wire::decode<wire::refuse_body>(refused->body);
    CHECK(why.reason.find("allow_simulated = true") != std::string::npos);
    CHECK_FALSE(why.retry);
    CHECK(c.count(frame_kind::hello) == 0);
  } else {
    auto hello = c.take(frame_kind::hello);
    REQUIRE(hello);
    CHECK(wire::decode<wire::hello_body>(hello->body)->simulated == simulates);
    CHECK(w.count(frame_kind::refuse) == 0);
  }
}

TEST_CASE("a silent worker is lost, and a frame to somebody absent is told") {
  auto o = listening("tcp://127.0.0.1:*");
  o.beat = 30ms;
  o.missed = 3;
  inbox c;
  auto coordinator = must(transport::listen(o, c.events()));
  zmq::context context;
  zmq::socket mute{context, ZMQ_DEALER};
  mute.set(ZMQ_LINGER, 0);
  mute.set(ZMQ_ROUTING_ID, "mute");
  REQUIRE(mute.connect(coordinator->endpoints()[0]));
  frame hello{{}, frame_kind::hello, 1, 0, 0, pack(wire::hello_body{})};
  REQUIRE(mute.send({wire::encode_header(hello), hello.body}) == zmq::sent::yes);
  auto said = c.take(frame_kind::hello);
  REQUIRE(said);
  auto lost = c.take_loss();
  REQUIRE(lost);
  CHECK(lost->first == said->peer);
  CHECK(lost->second.kind == failure_kind::worker_lost);

  coordinator->send(wire::make_frame("0:616263", frame_kind::grant, wire::grant_body{}));
  auto absent = c.take_loss();
  REQUIRE(absent);
  CHECK(absent->first == "0:616263");
}

TEST_CASE("a worker finds its restarted coordinator by itself and says hello again under the new epoch") {
  temp_folder folder;
  auto address = "ipc://" + folder.path + "/c";
  auto o = listening(address);
  o.beat = 50ms;
  o.missed = 6;
  inbox c1, c2, w;
  auto first = must(transport::listen(o, c1.events()));
  auto dial = connecting(address);
  dial.beat = 50ms;
  auto worker = must(transport::connect(dial, w.events()));
  REQUIRE(c1.take(frame_kind::hello));
  REQUIRE(w.take(frame_kind::welcome));
  wire::hello_body later;
  later.name = "w1";
  later.leases.push_back({4, 1, 7, wire::lease_stage::measuring});
  worker->set_hello(pack(later));
  first.reset();
  CHECK(w.take(frame_kind::bye));
  o.epoch = 8;
  auto second = must(transport::listen(o, c2.events()));
  auto hello = c2.take(frame_kind::hello);
  REQUIRE(hello);
  auto said = *wire::decode<wire::hello_body>(hello->body);
  REQUIRE(said.leases.size() == 1);
  CHECK(said.leases[0].job == 4);
  auto welcome = w.take(frame_kind::welcome);
  REQUIRE(welcome);
  CHECK(welcome->epoch == 8);
}

TEST_CASE("a coordinator's bye reaches a worker that reads late: it is not lost with the connection") {
  temp_folder folder;
  auto address = "ipc://" + folder.path + "/c";
  auto o = listening(address);
  o.beat = 20ms;
  o.missed = 1000;
  inbox c, w;
  std::promise<void> busy, go_on;
  auto released = go_on.get_future().share();
  auto coordinator = must(transport::listen(o, c.events()));
  std::atomic<bool> once{false};
  w.react([&, released](const frame& f) {
    if (f.kind == frame_kind::beat && !once.exchange(true)) {
      busy.set_value();
      released.wait(); // the worker's thread reads nothing meanwhile
    }
  });
  auto worker = must(transport::connect(connecting(address), w.events()));
  busy.get_future().wait();
  auto closed = std::async(std::launch::async, [&] { coordinator.reset(); });
  closed.wait_for(100ms); // long enough for a coordinator that does not wait to be gone
  go_on.set_value();
  CHECK(w.take(frame_kind::bye));
  closed.get();
}

TEST_CASE("a peer without session is asked to say hello, and nothing of it reaches the application") {
  inbox c;
  auto coordinator = must(transport::listen(listening("tcp://127.0.0.1:*"), c.events()));
  zmq::context context;
  zmq::socket stray{context, ZMQ_DEALER};
  stray.set(ZMQ_LINGER, 0);
  REQUIRE(stray.connect(coordinator->endpoints()[0]));
  frame beat{{}, frame_kind::beat, 1, 0, 0, pack(wire::worker_beat{})};
  REQUIRE(stray.send({wire::encode_header(beat), beat.body}) == zmq::sent::yes);
  zmq_pollitem_t item{stray.handle(), 0, ZMQ_POLLIN, 0};
  REQUIRE(zmq_poll(&item, 1, 20'000) == 1);
  auto answer = stray.receive();
  REQUIRE(answer);
  CHECK(wire::decode_header(answer->parts[0]).head.kind == static_cast<std::uint32_t>(frame_kind::refuse));
  CHECK(wire::decode<wire::refuse_body>(answer->parts[1])->retry);
  CHECK(c.count(frame_kind::beat) == 0);
}

TEST_CASE("garbage connections and garbage frames do not trouble a good peer") {
  pair_of_peers p{listening("tcp://127.0.0.1:*")};
  auto port = port_of(p.coordinator->endpoints()[0]);
  std::mt19937 random{2};
  std::vector<int> open;
  for (int i = 0; i < 200; ++i) {
    int fd = raw_connection(port);
    REQUIRE(fd >= 0);
    std::string noise(64 + random() % 200, '\0');
    for (auto& b : noise)
      b = static_cast<char>(random());
    (void)::send(fd, noise.data(), noise.size(), MSG_NOSIGNAL);
    open.push_back(fd);
  }
  zmq::context context;
  zmq::socket stranger{context, ZMQ_DEALER};
  stranger.set(ZMQ_LINGER, 0);
  REQUIRE(stranger.connect(p.coordinator->endpoints()[0]));
  auto before = counters::get("net.malformed").load();
  for (int i = 0; i < 100; ++i) {
    stranger.send({std::string(random() % 60, static_cast<char>(random())), "body"});
    stranger.send({"one part"});
    stranger.send({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"});
  }
  frame unknown{{}, static_cast<frame_kind>(99), 1, 0, 0, {}};
  stranger.send({wire::encode_header(unknown), ""});
  p.worker->send(wire::make_frame({}, frame_kind::ready, wire::ready_body{1, 2}));
  auto ready = p.c.take(frame_kind::ready);
  REQUIRE(ready);
  CHECK(wire::decode<wire::ready_body>(ready->body)->device_slots == 2);
  p.coordinator->send({p.peer, frame_kind::drain, 0, 0, 0, {}});
  CHECK(p.w.take(frame_kind::drain));
  // The last of the garbage has been counted once a later frame of the same stranger is answered.
  frame beat{{}, frame_kind::beat, 1, 0, 0, pack(wire::worker_beat{})};
  REQUIRE(stranger.send({wire::encode_header(beat), beat.body}) == zmq::sent::yes);
  zmq_pollitem_t item{stranger.handle(), 0, ZMQ_POLLIN, 0};
  REQUIRE(zmq_poll(&item, 1, 20'000) == 1);
  CHECK(counters::get("net.malformed").load() - before >= 300); // some noise passes for frames of an old ZMTP
  for (int fd : open)
    ::close(fd);
}

TEST_CASE("an oversize frame costs its sender the connection and the application never sees it") {
  inbox c;
  auto coordinator = must(transport::listen(listening("tcp://127.0.0.1:*"), c.events()));
  zmq::context context;
  zmq::socket greedy{context, ZMQ_DEALER};
  greedy.set(ZMQ_LINGER, 0);
  greedy.set(ZMQ_RECONNECT_IVL, -1);
  greedy.set(ZMQ_IMMEDIATE, 1);
  REQUIRE(greedy.connect(coordinator->endpoints()[0]));
  zmq_pollitem_t writable{greedy.handle(), 0, ZMQ_POLLOUT, 0};
  REQUIRE(zmq_poll(&writable, 1, 20'000) == 1);
  frame hello{{}, frame_kind::hello, 1, 0, 0, pack(wire::hello_body{})};
  REQUIRE(greedy.send({wire::encode_header(hello), hello.body}) == zmq::sent::yes);
  REQUIRE(c.take(frame_kind::hello));
  REQUIRE(greedy.send({wire::encode_header(hello), std::string(wire::max_part + 1, 'x')}) == zmq::sent::yes);
  // Once the connection is gone the coordinator cannot route to it any more: it hears so at its next beat.
  CHECK(c.take_loss());
  CHECK(c.count(frame_kind::hello) == 0);
}

TEST_CASE("a frame over the limit is not sent and the next one is") {
  pair_of_peers p{listening("tcp://127.0.0.1:*")};
  p.worker->send({{}, frame_kind::result, 0, 0, 0, std::string(wire::max_body + 1, 'x')});
  p.worker->send(wire::make_frame({}, frame_kind::ready, wire::ready_body{3, 4}));
  REQUIRE(p.c.take(frame_kind::ready));
  CHECK(p.c.count(frame_kind::result) == 0);
}

TEST_CASE("addresses that cannot be had are failures with a text, not surprises") {
  inbox i;
  auto open = transport::listen(listening("tcp://0.0.0.0:*"), i.events());
  REQUIRE_FALSE(open);
  CHECK(open.error().kind == failure_kind::invalid);
  CHECK(open.error().text.find("without keys") != std::string::npos);
  auto first = must(transport::listen(listening("tcp://127.0.0.1:*"), i.events()));
  auto again = transport::listen(listening(first->endpoints()[0]), i.events());
  REQUIRE_FALSE(again);
  CHECK(again.error().text.find("another process has it") != std::string::npos);
  auto far = transport::connect(connecting("tcp://192.0.2.1:7717"), i.events());
  REQUIRE_FALSE(far);
  CHECK(far.error().text.find("--server-key") != std::string::npos);
  CHECK_FALSE(transport::connect(connecting("nonsense"), i.events()));
}

TEST_CASE("an ipc socket is for its owner alone") {
  temp_folder folder;
  inbox i;
  auto t = must(transport::listen(listening("ipc://" + folder.path + "/c"), i.events()));
  for (auto file : {"/c", "/c.blobs"}) {
    struct stat s{};
    REQUIRE(::stat((folder.path + file).c_str(), &s) == 0);
    CHECK((s.st_mode & 0777) == 0600);
  }
}
