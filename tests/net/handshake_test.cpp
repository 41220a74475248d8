#include "runtime/net/handshake.hpp"

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

} // namespace

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
