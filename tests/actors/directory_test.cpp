#include "actors/supervision/named_child.hpp"

#include <catch2/catch.hpp>

#include <future>

using namespace ke;
using namespace std::chrono_literals;

namespace {

struct wants_answer {};
struct answered {};

constexpr address<wants_answer> elder_address{"elder"};
constexpr address<answered> younger_address{"younger"};

} // namespace

KE_MESSAGE(wants_answer)
KE_MESSAGE(answered)

// A fleet that was told nothing of its transport let every worker wait: the gateway's answer came before the
// fleet had its name, on a machine that was busy.
TEST_CASE("an answer to the first words of a child finds it, however late its supervisor goes on") {
  std::promise<void> asked, heard;
  std::promise<bool> sent;
  auto sent_it = sent.get_future();
  auto names = std::make_shared<directory>();
  caf::actor_system_config settings;
  settings.set("scheduler.max-threads", std::size_t{4});
  caf::actor_system system{settings}; // ends its actors before what they refer to

  auto elder = system.spawn([&, names](caf::event_based_actor*) -> caf::behavior {
    return {[&, names](const wants_answer&) {
      asked.set_value();
      sent.set_value(names->send(younger_address, answered{}));
    }};
  });
  names->set(elder_address, elder);
  auto spec = named_child(names, younger_address, [&, names](caf::event_based_actor* self) {
    caf::actor handle = self->spawn([&, names](caf::event_based_actor*) -> caf::behavior {
      names->send(elder_address, wants_answer{}); // waits for its own name
      return {[&](const answered&) { heard.set_value(); }};
    });
    asked.get_future().wait_for(50ms); // without the lock: asked, and answered to nobody
    sent_it.wait_for(50ms);
    return handle;
  });
  auto boss = system.spawn(supervisor, std::vector<child_spec>{spec}, supervisor_options{});
  REQUIRE(sent_it.wait_for(10s) == std::future_status::ready);
  CHECK(sent_it.get());
  CHECK(heard.get_future().wait_for(10s) == std::future_status::ready);
  caf::anon_send_exit(boss, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(elder, caf::exit_reason::user_shutdown);
}
