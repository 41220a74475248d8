#include "actors/messages/addresses.hpp"
#include "actors/messages/messages.hpp"
#include "actors/supervision/directory.hpp"
#include "tests/actors/virtual_time.hpp"

#include <catch2/catch.hpp>

#include <type_traits>

using namespace ke;

TEST_CASE("the text of an address says whose it is: the role, the campaign, the tree") {
  CHECK(addresses::fleet.name().text() == "fleet");
  CHECK(addresses::campaign(12).name().text() == "campaign/12");
  CHECK(addresses::node_supervisor(12, 0).name().text() == "tree/12/0");
  CHECK(addresses::campaign(1).name() != addresses::campaign(2).name());
  CHECK(addresses::node_supervisor(1, 2).name() != addresses::node_supervisor(2, 1).name());
}

TEST_CASE("an address passes for one that lists less, and for no other") {
  using fleet_address = std::remove_const_t<decltype(addresses::fleet)>;
  STATIC_REQUIRE(addresses::campaign_address::lists<capacity>);
  STATIC_REQUIRE_FALSE(fleet_address::lists<capacity>);
  STATIC_REQUIRE(std::is_convertible_v<addresses::campaign_address, address<capacity>>);
  STATIC_REQUIRE(std::is_convertible_v<fleet_address, address<>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<fleet_address, address<capacity>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<address<>, fleet_address>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<const char*, address<>>);
  CHECK(address<capacity>{addresses::campaign(3)}.name() == addresses::campaign(3).name());
}

TEST_CASE_METHOD(test::virtual_time, "who is not there is told nothing, and its sender hears so") {
  directory names;
  std::size_t heard = 0;
  CHECK_FALSE(names.send(addresses::campaign(1), want_context{}));
  auto first = system.spawn(
      [&](caf::event_based_actor*) -> caf::behavior { return {[&](const want_context&) { ++heard; }}; });
  names.set(addresses::campaign(1), first);
  CHECK(names.send(addresses::campaign(1), want_context{}));
  CHECK_FALSE(names.send(addresses::campaign(2), want_context{}));
  settle();
  CHECK(heard == 1);
  CHECK(names.find(addresses::campaign(1)).weak() == first);
  caf::anon_send_exit(first, caf::exit_reason::user_shutdown);
  first = {};
  settle();
  CHECK_FALSE(names.send(addresses::campaign(1), want_context{}));
}
