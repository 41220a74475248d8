#include "actors/campaign/second_device.hpp"
#include "runtime/core/device_name.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// What these workers offer, each with some devices of one kind.
capacity offered(const std::vector<std::pair<std::string, std::vector<std::string>>>& workers,
                 const std::string& flags = "-O2") {
  capacity c{"b", 1, {}, {}};
  for (const auto& [worker, names] : workers)
    for (const auto& name : names) {
      c.devices.push_back({name, "b", "ok", {{"flags", flags}}});
      c.offered_by[class_of(c.devices.back())].insert(worker);
    }
  return c;
}

journal_claimed claim(const std::string& worker, const std::string& device) {
  journal_claimed c;
  c.worker = worker;
  c.device = device;
  return c;
}

} // namespace

TEST_CASE("a claim is looked at again by another worker with such a device") {
  auto there = second_device_of(offered({{"a", {"h200"}}, {"b", {"h200"}}}), "h*", claim("a", "h200"));
  REQUIRE(there);
  CHECK(there->avoid == std::set<std::string>{"a"});
  CHECK(names_device(there->pattern, "h200#2"));
  CHECK_FALSE(names_device(there->pattern, "h100"));
  SECTION("also when the first worker has gone") {
    CHECK(second_device_of(offered({{"b", {"h200"}}}), "*", claim("a", "h200")));
  }
  SECTION("not by one of another kind or with other tools") {
    auto mixed = offered({{"a", {"h200"}}, {"b", {"h100"}}});
    CHECK_FALSE(second_device_of(mixed, "*", claim("a", "h200")));
    auto other = offered({{"b", {"h200"}}}, "-O3");
    auto both = offered({{"a", {"h200"}}});
    both.offered_by.insert(other.offered_by.begin(), other.offered_by.end());
    CHECK_FALSE(second_device_of(both, "*", claim("a", "h200")));
  }
}

TEST_CASE("a claim is looked at again by the same worker's other device, if nobody else has one") {
  auto c = offered({{"a", {"h200", "h200#2"}}});
  auto second = second_device_of(c, "*", claim("a", "h200#2"));
  REQUIRE(second);
  CHECK(second->avoid.empty());
  CHECK(second->prefer.worker == "a");
  CHECK(second->prefer.device == "h200");
  CHECK(second_device_of(c, "*", claim("a", "h200"))->prefer.device == "h200#2");
  SECTION("but not while that one is out of service") {
    c.devices[1].state = "quarantined";
    CHECK_FALSE(second_device_of(c, "*", claim("a", "h200")));
  }
  SECTION("nor if the target does not mean it") {
    CHECK_FALSE(second_device_of(c, "h100", claim("a", "h200")));
  }
}

TEST_CASE("a single device has no second one, and of an old claim nobody knows where it was made") {
  CHECK_FALSE(second_device_of(offered({{"a", {"h200"}}}), "*", claim("a", "h200")));
  CHECK_FALSE(second_device_of(offered({{"a", {"h200"}}, {"b", {"h200"}}}), "*", claim("", "")));
}

TEST_CASE("an exact pattern means the characters of a name, not their meaning in a pattern") {
  CHECK(names_device(exact_pattern("cpu:A [x] *"), "cpu:A [x] *"));
  CHECK_FALSE(names_device(exact_pattern("cpu:A [x] *"), "cpu:A x b"));
}
