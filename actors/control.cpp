#include "actors/control.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace ke {

caf::behavior control(caf::event_based_actor* self, control_options options) {
  keep_exception_text(self);
  struct state {
    std::shared_ptr<transport_port> transport;
    std::map<std::string, std::function<void()>> watching; ///< peer -> stop
    ~state() {
      for (auto& [peer, stop] : watching)
        stop();
    }
  };
  auto s = std::make_shared<state>();
  options.names->send("gateway", want_transport{"control"});
  return {
      [=](transport_is& t) { s->transport = std::move(t.transport); },
      [=](const frame_in& in) {
        if (!s->transport)
          return;
        const auto& f = in.what;
        auto body = wire::decode<wire::command_body>(f.body);
        control_reply reply{R"({"error":"a command is one JSON object"})", 2};
        if (body) {
          auto command = nlohmann::json::parse(body->json, nullptr, false);
          if (command.is_object() && command.value("command", "") == "watch") {
            if (!s->watching.contains(f.peer))
              s->watching[f.peer] =
                  options.subscribe([transport = s->transport, peer = f.peer](const std::string& line) {
                    transport->send(wire::make_frame(peer, frame_kind::event, wire::event_body{line}));
                  });
            reply = {R"({"watching":true})", 0};
          } else if (command.is_object()) {
            reply = options.carry_out(body->json);
          }
        }
        for (auto& part : wire::answer_frames(f.peer, f.sequence, reply.json,
                                              reply.exit_code)) // the client waits for its command's number
          s->transport->send(std::move(part));
      },
      [=](const peer_lost& l) {
        auto w = s->watching.find(l.peer);
        if (w == s->watching.end())
          return;
        w->second();
        s->watching.erase(w);
      },
  };
}

} // namespace ke
