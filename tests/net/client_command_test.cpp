#include "runtime/net/client_command.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ke;
using json = nlohmann::json;

namespace {

/// Every command with all its fields, as a client sends them.
const std::vector<json> commands = {
    {{"command", "status"}, {"campaign", "c"}},
    {{"command", "watch"}, {"campaign", "c"}},
    {{"command", "pause"}, {"campaign", "c"}},
    {{"command", "resume"}, {"campaign", "c"}},
    {{"command", "stop"}, {"campaign", "c"}},
    {{"command", "hint"}, {"campaign", "c"}, {"node", "12"}, {"text", "try tiles"}},
    {{"command", "set"}, {"campaign", "c"}, {"key", "budget.usd"}, {"value", "5"}},
    {{"command", "submit"}, {"campaign", "c"}, {"config", "x = 1"}, {"problem", "00ff"}, {"fresh", true}},
    {{"command", "merge"}, {"campaign", "c"}, {"name", "abc"}},
    {{"command", "read"}, {"campaign", "c"}, {"words", {"show", "1"}}, {"writes", true}},
};

const std::vector<json> values = {nullptr,
                                  true,
                                  5,
                                  -1,
                                  1.5,
                                  "text",
                                  "",
                                  json::array(),
                                  json::object(),
                                  json::array({"a", 5}),
                                  json{{"a", 1}},
                                  json::array({"a"})};

std::string fault_of(const json& command) {
  auto parsed = parse_command(command.dump());
  return parsed ? "" : parsed.error().text;
}

} // namespace

TEST_CASE("every command reads back with all its fields") {
  for (const auto& c : commands) {
    auto parsed = parse_command(c.dump());
    INFO(c.dump());
    REQUIRE(parsed);
    CHECK(parsed->act == c["command"].get<std::string>());
    CHECK(parsed->campaign == "c");
  }
  auto hint = *parse_command(commands[5].dump());
  CHECK(hint.node == "12");
  CHECK(hint.text == "try tiles");
  auto set = *parse_command(commands[6].dump());
  CHECK(set.key == "budget.usd");
  CHECK(set.value == "5");
  auto submit = *parse_command(commands[7].dump());
  CHECK(submit.problem == std::string("\0\xff", 2));
  CHECK(submit.fresh);
  auto read = *parse_command(commands[9].dump());
  CHECK(read.words == std::vector<std::string>{"show", "1"});
  CHECK(read.writes);
  CHECK(parse_command(R"({"command":"read"})")->words.empty());
}

TEST_CASE("a field of the wrong type is an answer that names it, for every command and every field") {
  int refused = 0;
  for (const auto& c : commands)
    for (const auto& [field, right] : c.items())
      for (const auto& value : values) {
        auto wrong = c;
        wrong[field] = value;
        auto list = right.is_array();
        auto fits =
            list ? value == json::array() || value == json::array({"a"}) : value.type() == right.type();
        auto why = fault_of(wrong);
        INFO(wrong.dump() << ": " << why);
        if (!fits) {
          CHECK(why.find("field \"" + field + "\": expected ") != std::string::npos);
          ++refused;
        } else if (field != "command" && field != "problem") {
          CHECK(why.empty());
        }
      }
  CHECK(refused > 200);
  CHECK(fault_of({{"command", 5}}) == "the command's field \"command\": expected a text, found a number");
}

TEST_CASE("what is no command at all is an answer, too") {
  for (std::string text : {"", "5", "[]", "null", "{", "{\"command\":", "{\"command\":\"\xff\"}", "not json"})
    CHECK_FALSE(parse_command(text));
  CHECK(fault_of(json::object()) == "this owner knows no command \"\"");
  CHECK(fault_of({{"command", std::string(5000, 'x')}}).size() < 100);
  CHECK(fault_of({{"command", "submit"}, {"problem", "zz"}}).find("hexadecimal") != std::string::npos);
  CHECK(fault_of({{"command", "submit"}, {"problem", "abc"}}).find("hexadecimal") != std::string::npos);
  CHECK(fault_of({{"command", "submit"}}).find("\"problem\"") != std::string::npos);
}

TEST_CASE("a command nested 100,000 deep is refused before anything is built of it") {
  for (std::string_view open : {"[", "{\"a\":"}) {
    std::string deep = R"({"command":"status","x":)";
    for (int i = 0; i < 100'000; ++i)
      deep += open;
    auto parsed = parse_command(deep);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().text.find("nests too deep") != std::string::npos);
  }
  std::string wide = R"({"command":"read","words":[)";
  for (int i = 0; i < 300'000; ++i)
    wide += "1,";
  CHECK_FALSE(parse_command(wide + "1]}"));
}
