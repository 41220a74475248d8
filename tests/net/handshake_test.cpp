#include "runtime/net/handshake.hpp"

#include "runtime/core/codec.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace ke;

namespace {

wire::hello_body usual() {
  wire::hello_body h;
  h.name = "rack-3";
  h.boot = "00ff";
  h.program = "0.1.0";
  h.labels = {{"room", "2"}, {"ort", "Zürich"}};
  h.devices = {{"cpu:AMD EPYC 素", "cpu-cpp", "ok", {{"isa", "avx2"}, {"compiler", "g++ 12\nwith\tlines"}}}};
  return h;
}

std::string refusal_of(const wire::hello_body& h) {
  auto no = wire::fault_in(h);
  return no ? no->reason : "";
}

/// A lease as a worker knew it before there were warrants, and one whose warrant was taken from the end of a
/// grant that had grown.
struct bare_lease {
  std::uint64_t job = 9;
  std::uint32_t attempt = 1;
  std::uint64_t epoch = 3;
  wire::lease_stage stage = wire::lease_stage::measuring;
};
KE_FIELDS(bare_lease, x.job, x.attempt, x.epoch, x.stage)
struct odd_lease : bare_lease {
  double warrant = 0;
};
KE_FIELDS(odd_lease, x.job, x.attempt, x.epoch, x.stage, x.warrant)

/// A hello of another program.
template <class Device, class Lease>
struct foreign_hello {
  std::uint32_t least = 1, most = 2;
  std::string name = "rack-3", boot = "00ff", program = "0.1.0";
  std::vector<Device> devices = {};
  std::uint32_t build_slots = 1, device_slots = 1;
  std::map<std::string, std::string> labels = {};
  std::vector<Lease> held = {}, leases = {};
  friend auto fields(const foreign_hello& x) {
    return std::tie(x.least, x.most, x.name, x.boot, x.program, x.devices, x.build_slots, x.device_slots,
                    x.labels, x.held, x.leases);
  }
  friend auto fields(foreign_hello& x) {
    return std::tie(x.least, x.most, x.name, x.boot, x.program, x.devices, x.build_slots, x.device_slots,
                    x.labels, x.held, x.leases);
  }
};

wire::bad_hello refused(std::string_view body) {
  auto heard = wire::read_hello({1, 2}, body);
  REQUIRE(std::holds_alternative<wire::bad_hello>(heard));
  return std::get<wire::bad_hello>(heard);
}

} // namespace

TEST_CASE("Bug: a hello that cannot be read was refused without a word about versions") {
  foreign_hello<std::string, bare_lease> far{7, 9};
  far.devices = {"cpu"};
  auto later = refused(pack(far));
  CHECK(later.why.reason ==
        "the worker speaks wire versions 7 to 9, this coordinator 1 to 2: install the same "
        "ke-runtime on both");
  CHECK_FALSE(later.malformed);

  foreign_hello<device_info, odd_lease> odd;
  odd.leases.emplace_back();
  auto no = refused(pack(odd));
  CHECK(no.malformed);
  CHECK_FALSE(no.why.retry);
  CHECK(no.why.reason ==
        "this hello cannot be read (encoded value has another shape than expected); the worker "
        "speaks wire versions 1 to 2, this coordinator 1 to 2: install the same ke-runtime on both");

  for (std::string junk : {"", "\xc1", "\x91\xa1x"}) {
    auto without = refused(junk);
    CHECK(without.malformed);
    CHECK(without.why.reason.find("this coordinator 1 to 2") != std::string::npos);
  }
}

TEST_CASE("the hello of an older worker is read, with leases from before there were warrants") {
  foreign_hello<device_info, bare_lease> old{1, 1};
  old.leases.emplace_back();
  auto heard = wire::read_hello({}, pack(old));
  auto read = std::get_if<wire::heard_hello>(&heard);
  REQUIRE(read);
  CHECK(read->version == 1);
  CHECK(read->hello.name == "rack-3");
  CHECK_FALSE(read->hello.simulated);
  REQUIRE(read->hello.leases.size() == 1);
  CHECK(read->hello.leases[0] == wire::lease_ref{9, 1, 3, wire::lease_stage::measuring, ""});
}

TEST_CASE("a hello with ordinary names is taken, in any language") {
  CHECK(refusal_of(usual()).empty());
  CHECK(refusal_of({}).empty());
}

TEST_CASE("a hello whose names are not UTF-8, hold control characters or are endless is refused for good") {
  const std::vector<std::string> bad = {"\xff\xfe",
                                        "a\xc0\xaf",
                                        "\x1b[2J",
                                        "two\nlines",
                                        "nul\0" + std::string(1, '\0'),
                                        "\x7f",
                                        "\xc2\x9b"
                                        "31m",
                                        std::string(257, 'n')};
  using change = std::function<void(wire::hello_body&, const std::string&)>;
  const std::vector<std::pair<std::string, change>> places = {
      {"name", [](auto& h, auto& x) { h.name = x; }},
      {"boot id", [](auto& h, auto& x) { h.boot = x; }},
      {"program", [](auto& h, auto& x) { h.program = x; }},
      {"label", [](auto& h, auto& x) { h.labels[x] = "1"; }},
      {"label", [](auto& h, auto& x) { h.labels["a"] = x; }},
      {"name of a device", [](auto& h, auto& x) { h.devices[0].name = x; }},
      {"backend of a device", [](auto& h, auto& x) { h.devices[0].backend = x; }},
      {"state of a device", [](auto& h, auto& x) { h.devices[0].state = x; }},
      {"fact of device", [](auto& h, auto& x) { h.devices[0].facts[x] = "1"; }},
  };
  for (const auto& [what, put] : places)
    for (const auto& text : bad) {
      auto h = usual();
      put(h, text);
      auto no = wire::fault_in(h);
      INFO(what);
      REQUIRE(no);
      CHECK_FALSE(no->retry);
      CHECK(no->reason.find(what) != std::string::npos);
      CHECK(no->reason.size() < 700);
    }
}

TEST_CASE("a device's facts may have lines but no escapes, and there is a bound to their number") {
  auto with = [](std::string fact) {
    auto h = usual();
    h.devices[0].facts["x"] = std::move(fact);
    return refusal_of(h);
  };
  CHECK(with("one\ntwo\tthree\n").empty());
  CHECK(with(std::string(16u << 10, 'f')).empty());
  CHECK(with("\x1b[31m").find("fact of device cpu:AMD EPYC 素, x,") != std::string::npos);
  CHECK_FALSE(with("\xff").empty());
  CHECK_FALSE(with(std::string((16u << 10) + 1, 'f')).empty());
  auto h = usual();
  for (int i = 0; i < 300; ++i)
    h.devices[0].facts[std::to_string(i)] = "1";
  CHECK_FALSE(refusal_of(h).empty());
  h = usual();
  h.devices.resize(5000);
  CHECK_FALSE(refusal_of(h).empty());
}
