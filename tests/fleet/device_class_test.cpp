#include "runtime/core/device_info.hpp"
#include "runtime/fleet/device_class.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

device_info device(const std::string& toolchain, const std::string& flags = "-O3") {
  return {"cpu:test", "cpu-cpp", "ok", {{"toolchain", toolchain}, {"flags", flags}, {"cores", "2"}}};
}

} // namespace

TEST_CASE("two machines of one name with different compilers are two classes of device") {
  CHECK(class_of(device("gcc")) == class_of(device("gcc")));
  CHECK(class_of(device("gcc")) != class_of(device("clang")));
  CHECK(class_of(device("gcc")) != class_of(device("gcc", "-O2")));
  auto more = device("gcc");
  more.facts["cores"] = "64";
  CHECK(class_of(more) == class_of(device("gcc")));
}

TEST_CASE("a measurement is confirmed in the environment that it was made in, where another worker has it") {
  class_offers offers;
  offers[class_of(device("gcc"))] = {"a", "b"};
  offers[class_of(device("clang"))] = {"c"};
  CHECK(offered(offers, "cpu:test"));
  CHECK_FALSE(offered(offers, "cpu:other"));
  CHECK(offered_by_another(offers, "cpu:test", "a"));

  CHECK(not_to_confirm(offers, "cpu:test", {"a"}) == std::set<std::string>{"a", "c"});
  SECTION("else anywhere but where it was made") {
    CHECK(not_to_confirm(offers, "cpu:test", {"c"}) == std::set<std::string>{"c"});
    CHECK(not_to_confirm(offers, "cpu:test", {"a", "b"}) == std::set<std::string>{"a", "b"});
    CHECK(not_to_confirm(offers, "cpu:other", {"a"}) == std::set<std::string>{"a"});
  }
  SECTION("a worker with two such devices, in two environments, may confirm") {
    offers[class_of(device("clang"))].insert("b");
    CHECK(not_to_confirm(offers, "cpu:test", {"a"}) == std::set<std::string>{"a", "c"});
  }
  SECTION("nobody else: the one who is alone") {
    offers.clear();
    offers[class_of(device("gcc"))] = {"a"};
    CHECK_FALSE(offered_by_another(offers, "cpu:test", "a"));
  }
}
