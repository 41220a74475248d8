#include "actors/coordinator/control.hpp"

#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace ke {

struct command_done {
  std::uint64_t number = 0;
  std::shared_ptr<const control_reply> reply;
};

/// An ending control waits for no answer any longer.
struct last_call {};

} // namespace ke

KE_MESSAGE(ke::command_done)
KE_MESSAGE(ke::last_call)

namespace ke {
namespace {

constexpr std::size_t most_of_a_peer = 32; ///< commands that wait for their answers
constexpr std::size_t most_of_all = 512;
constexpr std::chrono::seconds last_answers{2}; ///< an ending control waits so long for them

class client_requests {
public:
  client_requests(caf::event_based_actor* self, control_options options)
      : self_{self}, options_{std::move(options)} {
    options_.names->send(addresses::gateway, want_transport{addresses::control});
  }
  ~client_requests() {
    for (auto& [peer, stop] : watching_)
      stop();
  }

  void transport(std::shared_ptr<transport_port> t) { transport_ = std::move(t); }

  void frame(const ke::frame& f) {
    if (!transport_)
      return;
    auto body = wire::decode<wire::command_body>(f.body);
    if (!body)
      return answer(f.peer, f.sequence, refusal("a command is one JSON object", exit_usage));
    auto command = parse_command(body->json);
    if (!command)
      return answer(f.peer, f.sequence, refusal(command.error().text, exit_code_of(command.error())));
    if (leaving_)
      return answer(f.peer, f.sequence,
                    refusal("the owner of the store is ending: ask again when it runs", exit_interrupted));
    if (command->act == "watch") {
      watch(f.peer);
      return answer(f.peer, f.sequence, {R"({"watching":true})", exit_done});
    }
    auto same = std::count_if(open_.begin(), open_.end(), [&](auto& c) { return c.second.peer == f.peer; });
    if (open_.size() >= most_of_all || static_cast<std::size_t>(same) >= most_of_a_peer)
      return answer(f.peer, f.sequence,
                    refusal("too many commands wait for their answers: ask again later", exit_usage));
    carry_out(std::move(*command), f);
  }

  void done(const command_done& d) {
    auto c = open_.find(d.number);
    if (c == open_.end())
      return;
    answer(c->second.peer, c->second.sequence, *d.reply);
    open_.erase(c);
    if (leaving_ && open_.empty())
      self_->quit(*leaving_);
  }

  /// The answer to the very `stop` that ends the process is often on its way yet: it is told first.
  void leave(caf::error why) {
    if (!why || why == caf::exit_reason::normal) // of an answer_round that has done its work
      return;
    if (open_.empty() || why == caf::exit_reason::kill)
      return self_->quit(why);
    if (!leaving_)
      after(self_, last_answers, last_call{});
    leaving_ = std::move(why);
  }
  void given_up() { self_->quit(leaving_.value_or(caf::error{})); }

  void gone(const peer_lost& l) {
    auto w = watching_.find(l.peer);
    if (w == watching_.end())
      return;
    w->second();
    watching_.erase(w);
  }

private:
  struct asked {
    std::string peer;
    std::uint64_t sequence;
  };

  void carry_out(client_command command, const ke::frame& f) {
    auto number = ++last_;
    open_[number] = {f.peer, f.sequence};
    auto act = command.act;
    try {
      options_.carry_out(
          {std::move(command), f.trusted, [me = weak(self_), number](control_reply r) {
             send_weak(me, command_done{number, std::make_shared<const control_reply>(std::move(r))});
           }});
    } catch (const std::exception& e) { // it came from a client: no reason to end
      log::error("control", "a command could not be carried out", {{"command", act}, {"why", e.what()}});
      open_.erase(number);
      answer(f.peer, f.sequence,
             refusal("the command " + act + " could not be carried out: " + e.what(), exit_usage));
    }
  }

  void watch(const std::string& peer) {
    if (!watching_.contains(peer))
      watching_[peer] = options_.subscribe([transport = transport_, peer](const std::string& line) {
        transport->send(wire::make_frame(peer, frame_kind::event, wire::event_body{line}));
      });
  }

  void answer(const std::string& peer, std::uint64_t sequence, const control_reply& reply) {
    if (!transport_)
      return;
    for (auto& part : wire::answer_frames(peer, sequence, reply.json,
                                          reply.exit_code)) // the client waits for its command's number
      transport_->send(std::move(part));
  }

  caf::event_based_actor* self_;
  control_options options_;
  std::shared_ptr<transport_port> transport_;
  std::map<std::string, std::function<void()>> watching_; ///< peer -> stop
  std::map<std::uint64_t, asked> open_;
  std::uint64_t last_ = 0;
  std::optional<caf::error> leaving_; ///< why, once it has been told to end
};

} // namespace

control_reply refusal(const std::string& why, int exit_code) {
  return {json_line(nlohmann::json{{"error", why}}), exit_code};
}

caf::behavior control(caf::event_based_actor* self, control_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<client_requests>(self, std::move(options));
  self->set_exit_handler([=](caf::exit_msg& msg) { state->leave(std::move(msg.reason)); });
  handlers_of handlers{
      addresses::control,
      [=](transport_is& t) { state->transport(std::move(t.transport)); },
      [=](const frame_in& in) { state->frame(in.what); },
      [=](const command_done& d) { state->done(d); },
      [=](const peer_lost& l) { state->gone(l); },
      [=](const last_call&) { state->given_up(); },
  };
  return handlers.behavior();
}

} // namespace ke
