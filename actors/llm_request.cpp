#include "actors/llm_request.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/trace.hpp"

namespace ke {

struct raw_arrived {
  raw_answer answer;
};

} // namespace ke

KE_MESSAGE(ke::raw_arrived)

namespace ke {

caf::behavior llm_request(caf::event_based_actor* self, caf::actor synthesizer, provider_port* provider,
                          std::shared_ptr<const synthesis_request> request) {
  keep_exception_text(self);
  ask_request ask;
  auto call = request->call();
  ask.call = call;
  ask.prompt = request->prompt;
  ask.prompt_digest = request->prompt_digest;
  ask.occurrence = request->occurrence;
  auto begun = trace::time_point::clock::now();
  auto me = weak(self);
  auto id = provider->ask(std::move(ask),
                          [me](raw_answer answer) { send_weak(me, raw_arrived{std::move(answer)}); });
  self->set_exit_handler([=](caf::exit_msg& msg) {
    provider->cancel(id);
    if (msg.reason == caf::exit_reason::kill)
      self->quit(msg.reason);
  });
  return {
      [=, call = std::move(call)](raw_arrived& raw) {
        auto& a = raw.answer;
        if (trace::on())
          trace::span("llm " + request->model, call, begun, trace::time_point::clock::now());
        auto digest = a.body.empty() ? std::string{} : digest_of(a.body);
        self->send(synthesizer, call_ended{call, std::make_shared<const completion>(std::move(a.reply)),
                                           digest, a.seconds});
        self->quit();
      },
  };
}

} // namespace ke
