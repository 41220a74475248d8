#include "runtime/core/model_settings.hpp"
#include "runtime/llm/answer.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/playbook/playbook.hpp"
#include "tests/languages.hpp"

#include <cstdlib>

/// Any bytes as a model's answer, as the body of a provider's response in every protocol, and as a prompt for
/// the playbook.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  auto parsed = ke::parse_answer(text, {ke::test::cpp_language(), "kernel", 4096});
  if (parsed.why.kind == ke::failure_kind::none && parsed.source.size() > 4096)
    std::abort();
  for (auto provider : ke::provider_kinds)
    for (auto type : {"application/json", "text/event-stream"}) {
      if (ke::traits_of(provider).body != ke::body_form::message)
        continue;
      ke::model_settings model;
      model.provider = provider;
      ke::http_response response;
      response.status = 200;
      response.content_type = type;
      response.body = text;
      auto reply = ke::decode(model, 100, response, 0);
      if (reply.why.kind == ke::failure_kind::none && reply.text.empty())
        std::abort();
    }
  (void)ke::playbook_answer(text);
  return 0;
}
