#include "interface/cli/trajectory_text.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/observe/log.hpp"

namespace ke::cli {

std::string answer_of(const model_settings& model, const std::string& body) {
  auto in_envelope = [&](provider_kind kind) {
    auto as = model;
    as.provider = kind;
    http_response response;
    response.status = 200;
    response.body = body;
    return decode(as, 0, response, 0);
  };
  switch (traits_of(model.provider).body) {
  case body_form::message: {
    auto read = in_envelope(model.provider);
    return read.text.empty() && read.why.kind == failure_kind::malformed ? body : read.text;
  }
  case body_form::recorded: // of whatever provider the recorded campaign had
    for (auto kind : provider_kinds)
      if (traits_of(kind).body == body_form::message)
        if (auto read = in_envelope(kind); read.why.kind == failure_kind::none)
          return read.text;
    break;
  case body_form::text:
    break;
  }
  return body;
}

std::string rationale_of(std::string_view answer) {
  std::size_t fence = answer.starts_with("```") ? 0 : answer.find("\n```");
  auto prose = answer.substr(0, fence == answer.npos ? answer.size() : fence);
  auto first = prose.find_first_not_of(" \t\r\n"), last = prose.find_last_not_of(" \t\r\n");
  return first == prose.npos ? std::string{} : std::string{prose.substr(first, last - first + 1)};
}

result<std::vector<stored_section>> sections_of(const campaign_view& c, const node_view& n) {
  if (n.row.sections_digest.empty())
    return std::vector<stored_section>{};
  auto list = c.store().blob(n.row.sections_digest);
  if (!list)
    return list.error();
  auto sections = unpack_sections(*list);
  if (!sections)
    return sections.error();
  for (auto& s : *sections) {
    if (s.digest.empty()) {
      s.digest = digest_of(s.text);
      continue;
    }
    auto text = c.store().blob(s.digest);
    if (!text)
      return text.error();
    s.text += *text;
  }
  return sections;
}

void know_secrets(const campaign_settings& settings) {
  for (const auto& m : settings.models)
    log::masked_key(m.api_key_env);
  log::masked_key(settings.embeddings.api_key_env);
}

} // namespace ke::cli
