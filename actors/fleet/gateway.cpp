#include "actors/fleet/gateway.hpp"

#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"

namespace ke {

caf::behavior gateway(caf::event_based_actor* self, gateway_options options) {
  keep_exception_text(self);
  auto me = weak(self);
  transport_events events;
  events.on_frame = [me](frame f) { send_weak(me, frame_in{std::move(f)}); };
  events.on_blob = [](std::string, std::string, std::string) {}; // workers send none yet
  events.on_lost = [me](std::string peer, failure why) {
    send_weak(me, peer_lost{std::move(peer), std::move(why)});
  };
  auto opened = options.listen(std::move(events));
  if (!opened)
    throw std::runtime_error{opened.error().text};
  auto transport = std::move(*opened);
  auto names = options.names;
  // Sends by name, and later children start after us: they ask again when they begin.
  names->send(addresses::fleet, transport_is{transport});
  names->send(addresses::control, transport_is{transport});
  handlers_of handlers{
      addresses::gateway,
      [=](frame_in& in) {
        address<frame_in> to = addresses::fleet;
        if (in.what.kind == frame_kind::command)
          to = addresses::control;
        names->send(to, std::move(in));
      },
      [=](const peer_lost& l) {
        names->send(addresses::fleet, l);
        names->send(addresses::control, l);
      },
      [=](const want_transport& w) { names->send(w.who, transport_is{transport}); },
  };
  return handlers.behavior();
}

} // namespace ke
