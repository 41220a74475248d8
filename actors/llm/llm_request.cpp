#include "actors/llm/llm_request.hpp"

#include "actors/messages/addresses.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/observe/trace.hpp"

namespace ke {

struct call_over {};

} // namespace ke

KE_MESSAGE(ke::call_over)

namespace ke {

caf::behavior llm_request(caf::event_based_actor* self, std::shared_ptr<directory> names,
                          std::shared_ptr<call_book> calls, provider_port* provider,
                          std::shared_ptr<const synthesis_request> request) {
  keep_exception_text(self);
  ask_request ask;
  auto call = request->call();
  ask.call = call;
  ask.prompt = request->prompt;
  ask.prompt_digest = request->prompt_digest;
  ask.occurrence = request->occurrence;
  if (request->again)
    ask.former_call = request->place();
  self->set_exit_handler([=](caf::exit_msg& msg) {
    calls->cancel(request->call());
    if (msg.reason == caf::exit_reason::kill)
      self->quit(msg.reason);
  });
  auto begun = trace::time_point::clock::now();
  auto me = weak(self);
  calls->leaves(request, provider);
  auto id = provider->ask(std::move(ask), [=](raw_answer a) {
    auto call = request->call();
    if (trace::on())
      trace::span("llm " + request->model, call, begun, trace::time_point::clock::now());
    // First no longer out, then told: a synthesizer that starts in between must not wait for it.
    calls->returned(call);
    names->send(addresses::synthesizer,
                call_ended{call, std::make_shared<const completion>(std::move(a.reply)),
                           a.body.empty() ? std::string{} : digest_of(a.body), a.seconds, request});
    send_weak(me, call_over{});
  });
  calls->left_as(request->call(), id);
  return {[=](const call_over&) { self->quit(); }};
}

} // namespace ke
