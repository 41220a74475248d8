#include "runtime/llm/playbook_provider.hpp"

#include "runtime/llm/provider_adapter.hpp"
#include "runtime/llm/thread_provider.hpp"
#include "runtime/playbook/playbook.hpp"

#include <utility>

namespace ke {

made_provider make_playbook_provider(const model_settings& model, provider_services& services) {
  auto answer = [model](const ask_request& request) {
    raw_answer out;
    out.provider = model.provider;
    out.body = playbook_answer(text_of(request.prompt));
    return out;
  };
  auto read = [model](const ask_request& request, const raw_answer& raw) {
    auto reply = plain_completion(model, bytes_of(request.prompt), raw.body);
    reply.usage = {}; // nobody is paid and no token is made
    reply.meter = {};
    reply.estimated = false;
    return reply;
  };
  return made_provider{std::make_unique<thread_provider>(answer, read, std::move(services.record))};
}

constinit const provider_adapter playbook_adapter{make_playbook_provider};

} // namespace ke
