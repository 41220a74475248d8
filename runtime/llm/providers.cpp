#include "runtime/llm/providers.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/log.hpp"
#include "runtime/llm/command_provider.hpp"
#include "runtime/llm/http_provider.hpp"
#include "runtime/llm/playbook/playbook.hpp"
#include "runtime/llm/spool_provider.hpp"
#include "runtime/llm/thread_provider.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ke {
namespace {

using made = result<std::unique_ptr<provider_port>>;

failure invalid(const model_settings& model, const std::string& what) {
  return {failure_kind::invalid, "[[model]] " + model.name + ": " + what, false};
}

made make_http(const model_settings& model, provider_services& services) {
  if (!services.http)
    return failure{failure_kind::internal, "no HTTP service for model " + model.name, false};
  if (model.model.empty())
    return invalid(model, "`model` must name the provider's model");
  std::string key;
  if (!model.api_key_env.empty()) {
    const char* value = std::getenv(model.api_key_env.c_str());
    if (!value || !*value)
      return failure{failure_kind::missing,
                     "[[model]] " + model.name + ": the environment variable " + model.api_key_env +
                         " (api_key_env) is not set: export it before the start",
                     false};
    key = value;
    if (key.find_first_of("\r\n") != std::string::npos)
      return invalid(model, "the key in " + model.api_key_env + " holds a line end");
    log::mask(key);
  }
  return made{
      std::make_unique<http_provider>(*services.http, model, std::move(key), std::move(services.record))};
}

made make_command(const model_settings& model, provider_services& services) {
  if (!services.process)
    return failure{failure_kind::internal, "no process service for model " + model.name, false};
  if (model.command.empty())
    return invalid(model, "`command` must hold the program and its arguments");
  return made{std::make_unique<command_provider>(*services.process, model, std::move(services.record))};
}

made make_spool(const model_settings& model, provider_services& services) {
  if (model.dir.empty())
    return invalid(model, "`dir` must name the spool folder");
  try {
    return made{std::make_unique<spool_provider>(model, std::move(services.record))};
  } catch (const std::runtime_error& e) {
    return invalid(model, e.what());
  }
}

made make_playbook(const model_settings& model, provider_services& services) {
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
  return made{std::make_unique<thread_provider>(answer, read, std::move(services.record))};
}

/// Files DIGEST.OCCURRENCE.answer.md, plain text.
replay_lookup folder_lookup(std::string dir) {
  return [dir = std::move(dir)](const std::string& digest,
                                std::uint32_t occurrence) -> std::optional<recorded_answer> {
    std::ifstream file{dir + "/" + digest + "." + std::to_string(occurrence) + ".answer.md",
                       std::ios::binary};
    if (!file)
      return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    return recorded_answer{provider_kind::spool, text.str()};
  };
}

made make_replay(const model_settings& model, provider_services& services) {
  if (!services.replay && model.dir.empty())
    return invalid(model, "`dir` must name the folder of the recorded answers");
  auto lookup = services.replay ? std::move(services.replay) : folder_lookup(model.dir);
  auto answer = [lookup](const ask_request& request) {
    raw_answer out;
    auto digest = request.prompt_digest.empty() ? digest_of(text_of(request.prompt)) : request.prompt_digest;
    auto found = lookup(digest, request.occurrence);
    if (!found) {
      out.provider = provider_kind::replay;
      out.why = {failure_kind::not_found,
                 "replay holds no answer for prompt " + digest + ", occurrence " +
                     std::to_string(request.occurrence),
                 false};
      return out;
    }
    out.provider = found->provider;
    out.body = std::move(found->body);
    return out;
  };
  auto read = [model](const ask_request& request, const raw_answer& raw) {
    auto as = model;
    as.provider = raw.provider;
    if (raw.provider != provider_kind::openai && raw.provider != provider_kind::anthropic)
      return plain_completion(as, bytes_of(request.prompt), raw.body);
    http_response response;
    response.status = 200;
    response.body = raw.body;
    return decode(as, bytes_of(request.prompt), response, 0);
  };
  return made{std::make_unique<thread_provider>(answer, read, std::move(services.record))};
}

} // namespace

made make_provider(const model_settings& model, provider_services services) {
  switch (model.provider) {
  case provider_kind::openai:
  case provider_kind::anthropic:
    return make_http(model, services);
  case provider_kind::command:
    return make_command(model, services);
  case provider_kind::spool:
    return make_spool(model, services);
  case provider_kind::playbook:
    return make_playbook(model, services);
  case provider_kind::replay:
    return make_replay(model, services);
  }
  return invalid(model, "unknown provider");
}

} // namespace ke
