#include "runtime/core/codec.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/llm/provider_adapter.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

using namespace ke;

namespace {

const prompt task{{{"the task", false}, {"the rules", true}}};

model_settings settings_of_kind(provider_kind kind) {
  model_settings m;
  m.name = "main";
  m.provider = kind;
  m.model = "m1";
  return m;
}

} // namespace

TEST_CASE("the stored number and the name of a kind of provider stay what they are") {
  const std::vector<std::string> names{"openai", "anthropic", "command", "spool", "playbook", "replay"};
  REQUIRE(provider_kinds.size() >= names.size());
  for (std::size_t i = 0; i < provider_kinds.size(); ++i) {
    CHECK(static_cast<std::size_t>(provider_kinds[i]) == i);
    CHECK(parse_name<provider_kind>(to_text(provider_kinds[i])) == provider_kinds[i]);
    if (i < names.size())
      CHECK(to_text(provider_kinds[i]) == names[i]);
  }
  CHECK(pack(provider_kind::replay) == "\x05");
  CHECK_FALSE(unpack<provider_kind>(std::string{static_cast<char>(provider_kinds.size())}));
}

TEST_CASE("every kind of provider has traits that fit together and a way to be made") {
  for (auto kind : provider_kinds) {
    INFO(to_text(kind));
    const auto& traits = traits_of(kind);
    const auto& adapter = adapter_of(kind);
    CHECK(adapter.make != nullptr);
    CHECK((adapter.api != nullptr) == (traits.body == body_form::message));
    CHECK((adapter.api == nullptr || traits.remote()));
    CHECK((traits.remote() || !traits.wants_key));
    CHECK((traits.place == provider_place::folder || !traits.writes_folder));
    CHECK(traits.cache_write_factor >= 1);
  }
  std::set<const provider_adapter*> adapters;
  for (auto kind : provider_kinds)
    adapters.insert(&adapter_of(kind));
  CHECK(adapters.size() == provider_kinds.size());
}

TEST_CASE(
    "every kind of provider that speaks a chat API writes the whole prompt and reads its own refusals") {
  for (auto kind : provider_kinds) {
    const auto* api = adapter_of(kind).api;
    if (!api)
      continue;
    INFO(to_text(kind));
    CHECK(api->server.starts_with("https://"));
    auto m = settings_of_kind(kind);
    auto request = encode(m, "the-key", task);
    CHECK(request.url.starts_with(api->server));
    CHECK(request.url.ends_with(api->path));
    auto body = nlohmann::json::parse(request.body);
    CHECK(body["model"] == "m1");
    for (const auto& section : task.sections)
      CHECK(request.body.find(section.text.str()) != std::string::npos);
    std::string headers;
    for (const auto& line : request.headers)
      headers += line + "\n";
    CHECK(headers.find("the-key") != std::string::npos);
    CHECK(request.body.find("the-key") == std::string::npos);
    http_response response;
    response.status = 200;
    response.body = R"({"error":{"type":"rate_limit_error","message":"slow down"}})";
    CHECK(decode(m, 100, response, 0).why.kind == failure_kind::rate_limited);
    response.body = R"({"unheard":"of"})";
    CHECK(decode(m, 100, response, 0).why.kind == failure_kind::malformed);
  }
}

TEST_CASE("a text is the answer of every kind of provider that speaks no chat API") {
  for (auto kind : provider_kinds)
    if (!adapter_of(kind).api) {
      INFO(to_text(kind));
      auto reply = plain_completion(settings_of_kind(kind), 100, "an answer");
      CHECK(reply.why.kind == failure_kind::none);
      CHECK(reply.text == "an answer");
    }
}

TEST_CASE("what the product does with a kind of provider is what its traits say") {
  using k = provider_kind;
  auto those = [](auto has) {
    std::vector<k> found;
    for (auto kind : provider_kinds)
      if (has(traits_of(kind)))
        found.push_back(kind);
    return found;
  };
  using kinds = std::vector<k>;
  CHECK(those([](const auto& t) { return t.remote(); }) == kinds{k::openai, k::anthropic});
  CHECK(those([](const auto& t) { return t.body == body_form::message; }) == kinds{k::openai, k::anthropic});
  CHECK(those([](const auto& t) { return t.body == body_form::recorded; }) == kinds{k::replay});
  CHECK(those([](const auto& t) { return t.billed; }) == kinds{k::openai, k::anthropic, k::command});
  CHECK(those([](const auto& t) { return !t.may_repair; }) == kinds{k::playbook, k::replay});
  CHECK(those([](const auto& t) { return t.task_only; }) == kinds{k::playbook});
  CHECK(those([](const auto& t) { return t.wants_key; }) == kinds{k::anthropic});
  CHECK(those([](const auto& t) { return t.place == provider_place::folder; }) == kinds{k::spool, k::replay});
  CHECK(those([](const auto& t) { return t.writes_folder; }) == kinds{k::spool});
}
