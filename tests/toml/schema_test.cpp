#include "runtime/toml/schema.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// One key of each kind, and a list of tables.
struct sample {
  std::string name;
  std::int64_t count = 1;
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;
  std::vector<std::string> parts; ///< names
};

schema sample_schema(sample& s) {
  schema all;
  auto at = [](auto* slot) { return [slot](std::size_t) -> value_slot { return slot; }; };
  all.keys.push_back({.path = "name", .doc = "whose it is", .at = at(&s.name), .required = true});
  all.keys.push_back({.path = "limits.count", .doc = "how many", .at = at(&s.count), .least = 1, .most = 9});
  all.keys.push_back({.path = "limits.words", .doc = "which", .at = at(&s.words)});
  all.keys.push_back({.path = "environment", .doc = "variables", .at = at(&s.environment)});
  all.lists.push_back(
      {"part", [&s] { return s.parts.emplace_back(), s.parts.size() - 1; }, [&s] { return s.parts.size(); }});
  all.keys.push_back({.path = "part.name",
                      .doc = "of a part",
                      .at = [&s](std::size_t i) -> value_slot { return &s.parts.at(i); },
                      .required = true});
  return all;
}

/// The sample, and all errors as lines.
std::pair<sample, std::string> read(const std::string& text) {
  std::vector<config_error> errors;
  auto document = parse_toml(text, "f.toml", errors);
  std::pair<sample, std::string> out;
  if (document)
    read_document(*document, sample_schema(out.first), errors);
  in_file_order(errors);
  for (const auto& e : errors)
    out.second += to_line(e) + "\n";
  return out;
}

} // namespace

TEST_CASE("a file without mistakes fills what its schema binds") {
  auto [s, errors] =
      read("name = \"a\"\n[limits]\ncount = 3\nwords = [\"x\", \"y\"]\n[environment]\nHOME = \"h\"\n"
           "[[part]]\nname = \"p\"\n[[part]]\nname = \"q\"\n");
  CHECK(errors.empty());
  CHECK(s.name == "a");
  CHECK(s.count == 3);
  CHECK(s.words == std::vector<std::string>{"x", "y"});
  CHECK(s.environment == std::map<std::string, std::string>{{"HOME", "h"}});
  CHECK(s.parts == std::vector<std::string>{"p", "q"});
}

TEST_CASE("all mistakes of a file are told at once, each with its place and what was expected") {
  CHECK(
      read("nmae = \"a\"\n[limits]\ncount = 10\nwords = \"x\"\n[environment]\nHOME = 3\n[[part]]\n").second ==
      "f.toml:1:1: nmae: unknown key (did you mean \"name\"?)\n"
      "f.toml:1:1: name: required, but missing: whose it is\n"
      "f.toml:3:9: limits.count: expected a whole number, 1 to 9, found 10\n"
      "f.toml:4:9: limits.words: expected a list of strings, found a string\n"
      "f.toml:6:8: environment.HOME: expected a string, found 3\n"
      "f.toml:7:1: part.name: required, but missing: of a part\n");
  CHECK(read("name = \n").second.starts_with("f.toml:1:"));
  CHECK(read("name = \"a\"\nenvironment = 1\n").second ==
        "f.toml:2:15: environment: expected a table of strings, found 1\n");
}

TEST_CASE("the example text of a schema reads back without mistakes") {
  sample s;
  s.name = "a";
  s.environment = {{"HOME", "h\n"}};
  s.parts = {"p"};
  auto keys = sample_schema(s);
  keys.keys.erase(keys.keys.begin()); // only keys within a section have a section's line
  keys.keys.erase(keys.keys.begin() + 2);
  auto text = "name = \"a\"\n" + schema_text(keys, true);
  auto [again, errors] = read(text);
  INFO(text);
  CHECK(errors.empty());
  CHECK(again.parts == s.parts);
}
