#include "runtime/llm/replay_provider.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/llm/provider_adapter.hpp"
#include "runtime/llm/thread_provider.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace ke {
namespace {

raw_answer answer_from(const replay_lookup& lookup, const ask_request& request) {
  raw_answer out;
  auto digest = request.prompt_digest.empty() ? prompt_key(request.prompt) : request.prompt_digest;
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
}

/// As the provider that gave it.
completion read_recorded(model_settings model, const ask_request& request, const raw_answer& raw) {
  model.provider = raw.provider;
  if (traits_of(raw.provider).body != body_form::message)
    return plain_completion(model, bytes_of(request.prompt), raw.body);
  http_response response;
  response.status = 200;
  response.body = raw.body;
  return decode(model, bytes_of(request.prompt), response, 0);
}

} // namespace

replay_lookup recorded_in_folder(std::string dir) {
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

made_provider make_replay_provider(const model_settings& model, provider_services& services) {
  if (!services.replay && model.dir.empty())
    return invalid_model(model, "`dir` must name the folder of the recorded answers");
  auto lookup = services.replay ? std::move(services.replay) : recorded_in_folder(model.dir);
  auto answer = [lookup = std::move(lookup)](const ask_request& request) {
    return answer_from(lookup, request);
  };
  auto read = [model](const ask_request& request, const raw_answer& raw) {
    return read_recorded(model, request, raw);
  };
  return made_provider{std::make_unique<thread_provider>(answer, read, std::move(services.record))};
}

constinit const provider_adapter replay_adapter{make_replay_provider};

} // namespace ke
