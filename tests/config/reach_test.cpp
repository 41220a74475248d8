#include "config/campaign_file.hpp"
#include "config/reach.hpp"
#include "runtime/core/settings.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

std::vector<std::string> reach_of(const std::string& text) {
  file_context context;
  context.name = "the submitted campaign";
  auto loaded =
      parse_campaign("[campaign]\nstore = \"/s\"\n[problem]\npath = \"/p/problem.toml\"\n" + text, context);
  for (const auto& e : loaded.errors)
    FAIL(to_line(e));
  return keys_that_reach_out(loaded.settings);
}

} // namespace

TEST_CASE("a campaign of the playbook and of servers without a key reaches into no machine") {
  CHECK(reach_of("").empty());
  CHECK(reach_of("[[model]]\nprovider = \"playbook\"\n").empty());
  CHECK(reach_of("[[model]]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"http://h/v1\"\n"
                 "[knowledge]\nembeddings = { base_url = \"http://h/v1\", model = \"e\" }\n"
                 "[cluster]\nlisten = \"tcp://127.0.0.1:1\"\nkey = \"k\"\nauthorized_keys = \"a\"\n")
            .empty());
}

TEST_CASE("programs, folders and the environment's keys are told by name, whatever provider names them") {
  using keys = std::vector<std::string>;
  CHECK(reach_of("[[model]]\nname = \"a\"\nprovider = \"command\"\ncommand = [\"id\"]\n") ==
        keys{"model.a.provider = \"command\"", "model.a.command"});
  for (std::string provider : {"spool", "replay"})
    CHECK(reach_of("[[model]]\nname = \"a\"\nprovider = \"" + provider + "\"\ndir = \"/etc\"\n") ==
          keys{"model.a.provider = \"" + provider + "\"", "model.a.dir"});
  CHECK(reach_of(
            "[[model]]\nname = \"a\"\nprovider = \"anthropic\"\nmodel = \"m\"\nbase_url = \"http://h/v1\"\n"
            "api_key_env = \"AWS_SECRET\"\n") == keys{"model.a.api_key_env"});
  CHECK(
      reach_of(
          "[knowledge]\nembeddings = { base_url = \"http://h/v1\", model = \"e\", api_key_env = \"K\" }\n") ==
      keys{"knowledge.embeddings.api_key_env"});
  CHECK(reach_of("[[model]]\nname = \"a\"\n[[model]]\nname = \"b\"\nprovider = \"playbook\"\nweight = 0\n"
                 "command = [\"id\"]\ndir = \"/\"\napi_key_env = \"K\"\n") ==
        keys{"model.b.command", "model.b.dir", "model.b.api_key_env"});
}

TEST_CASE("whoever adds a field to a campaign decides whether a submitter may name it, and counts it here") {
  constexpr auto count = [](auto x) { return std::tuple_size_v<decltype(fields(x))>; };
  CHECK(count(model_settings{}) == 18); // config/reach.cpp knows what each of these makes the owner do
  CHECK(count(embedding_settings{}) == 3);
  CHECK(count(campaign_settings{}) == 13);
}
