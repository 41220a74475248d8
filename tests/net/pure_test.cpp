#include "runtime/core/digest.hpp"
#include "runtime/net/blob_flow.hpp"
#include "runtime/net/endpoint.hpp"
#include "runtime/net/liveness.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace ke;
using namespace std::chrono_literals;

TEST_CASE("only addresses that nobody else can have are local: a name that begins like one is not") {
  for (auto text :
       {"tcp://127.0.0.1:1", "tcp://127.255.255.254:1", "tcp://localhost:1", "tcp://[::1]:1", "ipc:///run/x"})
    CHECK(parse_endpoint(text)->local());
  for (auto text : {"tcp://127.evil.example:1", "tcp://127.0.0.1.example:1", "tcp://127.0.0:1",
                    "tcp://127.1:1", "tcp://127.0.0.256:1", "tcp://127.0.0.1.2:1", "tcp://127.0.0.:1",
                    "tcp://127..0.1:1", "tcp://127.0.0.01:1", "tcp://127.0.0.x:1", "tcp://128.0.0.1:1",
                    "tcp://0.0.0.0:1", "tcp://localhost.example:1", "tcp://[::]:1", "tcp://*:1"}) {
    INFO(text);
    CHECK_FALSE(parse_endpoint(text)->local());
  }
}

TEST_CASE("a peer is lost after its patience and not before") {
  liveness alive{6s};
  liveness::time_point t{};
  CHECK(alive.next() == liveness::time_point::max());
  alive.heard("a", t);
  alive.heard("b", t + 1s);
  CHECK(alive.next() == t + 6s);
  CHECK(alive.expire(t + 5999ms).empty());
  alive.heard("a", t + 5s);
  CHECK(alive.expire(t + 7s) == std::vector<std::string>{"b"});
  CHECK(alive.size() == 1);
  CHECK(alive.next() == t + 11s);
  alive.forget("a");
  CHECK(alive.expire(t + 100s).empty());
  CHECK(alive.size() == 0);
}

TEST_CASE("nobody was silent while the one who listens stood still, and all have time to attach again") {
  liveness alive{6s};
  liveness::time_point t{};
  alive.heard("a", t);
  alive.heard("b", t + 1s);
  alive.stood_still(t + 15s);
  CHECK(alive.expire(t + 26s).empty());
  alive.heard("a", t + 26s);
  CHECK(alive.expire(t + 27s) == std::vector<std::string>{"b"});
  CHECK(alive.next() == t + 32s);
}

TEST_CASE("addresses are parsed and wrong ones are named") {
  auto tcp = parse_endpoint("tcp://127.0.0.1:7717");
  REQUIRE(tcp);
  CHECK(tcp->local());
  CHECK(tcp->text() == "tcp://127.0.0.1:7717");
  CHECK(tcp->blobs().text() == "tcp://127.0.0.1:7718");
  auto any = parse_endpoint("tcp://0.0.0.0:*");
  REQUIRE(any);
  CHECK_FALSE(any->local());
  CHECK(any->blobs().text() == "tcp://0.0.0.0:*");
  auto v6 = parse_endpoint("tcp://[::1]:80");
  REQUIRE(v6);
  CHECK(v6->local());
  CHECK_FALSE(parse_endpoint("tcp://host.example:1")->local());
  auto ipc = parse_endpoint("ipc:///run/x.sock");
  REQUIRE(ipc);
  CHECK(ipc->local());
  CHECK(ipc->blobs().text() == "ipc:///run/x.sock.blobs");
  for (auto bad : {"", "tcp://", "tcp://:1", "tcp://h", "tcp://h:x", "tcp://h:70000", "tcp://h:", "udp://h:1",
                   "ipc://", "ipc://rel"}) {
    auto r = parse_endpoint(bad);
    REQUIRE_FALSE(r);
    CHECK(r.error().kind == failure_kind::invalid);
    CHECK(r.error().text.find(bad) != std::string::npos);
  }
  CHECK_FALSE(parse_endpoint("ipc:///" + std::string(101, 'x')));
}

namespace {

std::string some_bytes(std::size_t n, unsigned seed) {
  std::mt19937 random{seed};
  std::string out(n, '\0');
  for (auto& c : out)
    c = static_cast<char>(random());
  return out;
}

} // namespace

TEST_CASE("content arrives whole over a channel that loses, whatever its size") {
  std::mt19937 random{5};
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, wire::blob_chunk_size, wire::blob_chunk_size + 1,
                           std::size_t{1'000'000}}) {
    auto content = some_bytes(size, static_cast<unsigned>(size));
    wire::blob_sender sender{1s};
    wire::blob_receiver receiver;
    wire::blob_sender::time_point now{};
    REQUIRE(sender.add("p", digest_of(content), content, now));
    std::optional<std::string> got;
    int completions = 0;
    for (int turn = 0; !sender.idle() && turn < 10'000; ++turn) {
      auto out = sender.take(now);
      CHECK(out.size() <= wire::blob_window);
      for (auto& o : out) {
        if (random() % 4 == 0)
          continue; // the chunk is lost
        auto outcome = receiver.chunk("w", o.chunk);
        if (outcome.complete) {
          got = outcome.complete;
          ++completions;
        }
        if (random() % 4 != 0)
          sender.acked("p", outcome.ack, now);
      }
      now += 400ms;
    }
    CHECK(sender.idle());
    REQUIRE(got);
    CHECK(*got == content);
    CHECK(completions >= 1);
    CHECK(receiver.bytes() == 0);
  }
}

TEST_CASE("a receiver that forgot its part gets the content from the beginning") {
  auto content = some_bytes(600'000, 3);
  wire::blob_sender sender{1s};
  wire::blob_receiver receiver;
  wire::blob_sender::time_point now{};
  sender.add("p", digest_of(content), content, now);
  std::optional<std::string> got;
  for (int turn = 0; !sender.idle() && turn < 100; ++turn) {
    for (auto& o : sender.take(now)) {
      auto outcome = receiver.chunk("w", o.chunk);
      if (outcome.complete)
        got = outcome.complete;
      sender.acked("p", outcome.ack, now);
    }
    if (turn == 1)
      receiver.forget("w");
    now += 10ms;
  }
  REQUIRE(got);
  CHECK(*got == content);
}

TEST_CASE("damaged, oversized and scattered content is refused and costs no memory") {
  wire::blob_receiver receiver;
  auto digest = digest_of("right");
  auto wrong = receiver.chunk("w", {digest, 5, 0, "wrong"});
  CHECK(wrong.ack.refused);
  CHECK_FALSE(wrong.complete);
  CHECK(receiver.chunk("w", {digest, wire::max_blob + 1, 0, "x"}).ack.refused);
  CHECK(receiver.chunk("w", {digest, 3, 2, "xyz"}).ack.refused == false); // no beginning: asks for it
  CHECK(receiver.chunk("w", {digest, 3, 0, "xyzw"}).ack.refused);
  CHECK(receiver.chunk("w", {"short", 3, 0, "xyz"}).ack.refused);
  for (int i = 0; i < 8; ++i)
    CHECK_FALSE(receiver.chunk("w", {digest_of(std::to_string(i)), 100, 0, "x"}).ack.refused);
  CHECK(receiver.chunk("w", {digest_of("ninth"), 100, 0, "x"}).ack.refused);
  CHECK_FALSE(receiver.chunk("other", {digest_of("ninth"), 100, 0, "x"}).ack.refused);
  CHECK(receiver.bytes() == 9);
  receiver.forget("w");
  receiver.forget("other");
  CHECK(receiver.bytes() == 0);

  wire::blob_sender sender{1s};
  CHECK_FALSE(sender.add("p", digest, std::string(wire::max_blob + 1, 'x'), {}));
  CHECK(sender.idle());
}

TEST_CASE("a stalled transfer waits for its time and loses nothing") {
  wire::blob_sender sender{10s};
  wire::blob_sender::time_point t{};
  sender.add("p", digest_of("abc"), "abc", t);
  CHECK(sender.next() <= t);
  REQUIRE(sender.take(t).size() == 1);
  sender.stalled("p", t + 20ms);
  CHECK(sender.take(t + 10ms).empty());
  CHECK(sender.next() == t + 20ms);
  auto again = sender.take(t + 20ms);
  REQUIRE(again.size() == 1);
  CHECK(again[0].chunk.bytes == "abc");
  sender.acked("p", {digest_of("abc"), 3, false}, t + 21ms);
  CHECK(sender.idle());
}
