// Who is let in by the gateway as the coordinator opens it: the real transport, on loopback.
#include "actors/fleet/gateway.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/net/hello_rule.hpp"
#include "runtime/net/wire_body.hpp"
#include "tests/net/peers.hpp"

#include <catch2/catch.hpp>

#include <future>

using namespace ke;
using namespace ke::test;

namespace {

/// A gateway that listens, and what of it reaches the fleet.
struct open_gateway {
  inbox fleet_hears; // outlives the actors that write into it
  caf::actor_system_config config;
  caf::actor_system system{config};
  std::shared_ptr<directory> names = std::make_shared<directory>();
  std::string endpoint;
  std::vector<caf::actor> actors;

  explicit open_gateway(const cluster_settings& cluster) {
    auto events = fleet_hears.events();
    add(addresses::fleet, system.spawn([events](caf::event_based_actor*) -> caf::behavior {
      return {
          [events](const frame_in& f) { events.on_frame(f.what); },
          [](const peer_lost&) {},
          [](const transport_is&) {},
      };
    }));
    std::promise<std::string> bound;
    gateway_options g;
    g.names = names;
    g.listen = [&bound, cluster](transport_events to) -> result<std::shared_ptr<transport_port>> {
      auto o = listening("tcp://127.0.0.1:*");
      o.admit = hello_rule(cluster);
      auto opened = transport::listen(std::move(o), std::move(to));
      if (!opened)
        return opened.error();
      bound.set_value((*opened)->endpoints()[0]);
      return std::shared_ptr<transport_port>{std::move(*opened)};
    };
    add(addresses::gateway, system.spawn(gateway, g));
    endpoint = bound.get_future().get();
  }
  ~open_gateway() {
    for (auto& a : actors)
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
  }
  void add(const address<>& at, caf::actor who) {
    names->set(at, who);
    actors.push_back(std::move(who));
  }
};

std::unique_ptr<transport> worker_at(const open_gateway& at, inbox& hears, const std::string& name,
                                     bool simulated) {
  auto o = connecting(at.endpoint, name);
  o.hello.simulated = simulated;
  return must(transport::connect(o, hears.events()));
}

} // namespace

TEST_CASE("a worker with simulated devices is refused by the gateway unless the cluster allows it") {
  cluster_settings cluster;
  {
    open_gateway gate{cluster};
    inbox fake, real;
    auto simulated = worker_at(gate, fake, "simulated", true);
    auto refused = fake.take(frame_kind::refuse);
    REQUIRE(refused);
    auto why = *wire::decode<wire::refuse_body>(refused->body);
    CHECK(why.reason.find("[cluster] allow_simulated = true") != std::string::npos);
    CHECK_FALSE(why.retry);
    CHECK(fake.count(frame_kind::welcome) == 0);
    auto honest = worker_at(gate, real, "real", false);
    REQUIRE(real.take(frame_kind::welcome));
    auto hello = gate.fleet_hears.take(frame_kind::hello);
    REQUIRE(hello);
    CHECK(wire::decode<wire::hello_body>(hello->body)->name == "real");
    CHECK(gate.fleet_hears.count(frame_kind::hello) == 0);
  }
  cluster.allow_simulated = true;
  open_gateway gate{cluster};
  inbox fake;
  auto simulated = worker_at(gate, fake, "simulated", true);
  REQUIRE(fake.take(frame_kind::welcome));
  CHECK(gate.fleet_hears.take(frame_kind::hello));
}
