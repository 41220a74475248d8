#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/net/handshake.hpp"
#include "runtime/net/wire.hpp"
#include "runtime/net/wire_body.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace ke;

TEST_CASE("a header survives the wire and surplus elements are ignored") {
  frame f{"p", frame_kind::grant, 42, 7, 3, {}};
  auto got = wire::decode_header(wire::encode_header(f));
  REQUIRE(got.fault == wire::header_fault::none);
  CHECK(got.head.kind == static_cast<std::uint32_t>(frame_kind::grant));
  CHECK(got.head.sequence == 42);
  CHECK(got.head.correlation == 7);
  CHECK(got.head.epoch == 3);

  auto longer = wire::encode_header(f);
  REQUIRE(static_cast<unsigned char>(longer[0]) == 0x96); // array of six
  longer[0] = static_cast<char>(0x97);
  longer += static_cast<char>(0x05);
  CHECK(wire::decode_header(longer).fault == wire::header_fault::none);
}

TEST_CASE("headers that are not ours are told apart by what is wrong") {
  wire::header h;
  h.magic = 1;
  CHECK(wire::decode_header(pack(h)).fault == wire::header_fault::malformed);
  h = {};
  h.version = wire::version + 1;
  CHECK(wire::decode_header(pack(h)).fault == wire::header_fault::other_version);
  h = {};
  h.kind = 200;
  CHECK(wire::decode_header(pack(h)).fault == wire::header_fault::unknown_kind);
  h.version = 1;
  h.kind = 5; // `accept`, which version 2 dropped
  CHECK(wire::decode_header(pack(h)).fault == wire::header_fault::unknown_kind);
  CHECK(wire::decode_header("").fault == wire::header_fault::malformed);
  CHECK(wire::decode_header(std::string(1000, '\x91')).fault == wire::header_fault::malformed);
}

TEST_CASE("bodies survive the wire, old ones get defaults, new ones lose their surplus") {
  wire::hello_body hello;
  hello.name = "rack-7";
  hello.boot = "b00t";
  hello.devices.push_back({"cpu:EPYC", "cpu-cpp", "ok", {{"cores", "2"}}});
  hello.labels["site"] = "a";
  hello.leases.push_back({11, 2, 5, wire::lease_stage::measuring});
  hello.simulated = true;
  auto back = wire::decode<wire::hello_body>(pack(hello));
  REQUIRE(back);
  CHECK(*back == hello);

  auto old = wire::decode<wire::hello_body>(std::string{"\x93\x01\x01\xa1"
                                                        "x"});
  REQUIRE(old);
  CHECK(old->name == "x");
  CHECK(old->device_slots == 0);

  auto newer = wire::decode<wire::ack_body>(std::string{"\x94\x05\x02\xa1"
                                                        "x\x07"});
  REQUIRE(newer);
  CHECK(newer->job == 5);
  CHECK(newer->attempt == 2);

  wire::grant_body grant;
  grant.job.id = 9;
  grant.job.inline_blobs["d"] = std::string("\0\xff", 2);
  grant.device = "cpu";
  CHECK(*wire::decode<wire::grant_body>(pack(grant)) == grant);
}

TEST_CASE("bytes beyond the limits are refused before they cost memory") {
  CHECK(wire::decode<wire::worker_beat>(std::string(wire::max_body + 1, '\0')).error().kind ==
        failure_kind::corrupt);
  CHECK_FALSE(wire::decode<wire::worker_beat>(std::string(100, '\x91'))); // nesting
  CHECK_FALSE(
      wire::decode<wire::worker_beat>(std::string{"\x91\xdd\xff\xff\xff\xff", 6})); // four billion elements
  CHECK_FALSE(
      wire::decode<wire::worker_beat>(std::string{"\x91\xdd\x00\x01\x00\x01", 6})); // one over the limit
  CHECK_FALSE(wire::decode<wire::command_body>(
      std::string{"\x91\xdb\xff\xff\xff\xff", 6})); // a string that is not there
}

TEST_CASE("random and damaged bytes never decode into a crash") {
  std::mt19937 random{1};
  wire::hello_body hello;
  hello.devices.resize(3);
  hello.leases.resize(5);
  auto good = pack(hello);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = good;
    for (int k = 0; k < 3; ++k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (i % 3 == 0)
      bytes.resize(random() % bytes.size());
    refused += !wire::decode<wire::hello_body>(bytes);
    (void)wire::decode_header(bytes.substr(0, 40));
  }
  CHECK(refused > 5'000);
}

TEST_CASE("a result too big for the wire loses log, never facts") {
  job_result r;
  r.id = 3;
  r.found.reason = "the reason";
  r.found.log.assign(3u << 20, 'x');
  r.found.launches.resize(20);
  for (auto& l : r.found.launches)
    l.candidate_ns.assign(100, 1.5);
  auto bytes = wire::encode_result(r);
  CHECK(bytes.size() <= wire::max_body);
  auto back = wire::decode<job_result>(bytes);
  REQUIRE(back);
  CHECK(back->found.reason == "the reason");
  CHECK(back->found.launches == r.found.launches);
  CHECK(back->found.log.size() > wire::max_body / 2);
  CHECK(back->found.log.find("[log cut to fit the wire]") != std::string::npos);

  r.found.log = "short";
  CHECK(*wire::decode<job_result>(wire::encode_result(r)) == r);
}

TEST_CASE("a long answer is cut into frames that together are the document") {
  std::string json(1'300'000, 'j');
  auto frames = wire::answer_frames("p", 9, json, 1);
  REQUIRE(frames.size() == 3);
  std::string joined;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    CHECK(frames[i].body.size() <= wire::max_body);
    CHECK(frames[i].correlation == 9);
    auto body = *wire::decode<wire::answer_body>(frames[i].body);
    CHECK(body.last == (i == 2));
    CHECK(body.exit_code == (i == 2 ? 1 : 0));
    joined += body.json;
  }
  CHECK(joined == json);
  CHECK(wire::answer_frames("p", 1, "", 0).size() == 1);
}

TEST_CASE("versions agree on the highest common one or refuse with both ranges") {
  auto answer = [](std::uint32_t least, std::uint32_t most) {
    return wire::negotiate({2, 4}, {least, most});
  };
  CHECK(std::get<std::uint32_t>(answer(1, 3)) == 3);
  CHECK(std::get<std::uint32_t>(answer(3, 9)) == 4);
  CHECK(std::get<std::uint32_t>(answer(2, 2)) == 2);
  for (auto [least, most] : {std::pair{1u, 1u}, std::pair{5u, 6u}, std::pair{4u, 3u}}) {
    auto no = std::get<wire::refuse_body>(answer(least, most));
    CHECK_FALSE(no.retry);
    CHECK(no.reason.find("2 to 4") != std::string::npos);
    CHECK(no.reason.find(std::to_string(least) + " to " + std::to_string(most)) != std::string::npos);
  }
}
