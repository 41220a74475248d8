#include "knowledge/library/document.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ke;

namespace {

const std::string front = R"(+++
title = "One title"
kind = "guidance"
targets = ["x86-64-*"]
families = ["matmul"]
dtypes = ["f32"]
level = 2
sources = ["a book"]
[signals]
bottleneck = ["memory"]
failure = []
message = ["cache miss"]
+++
)";

std::string body() {
  std::string text = "# One title\n\n";
  for (int i = 0; i < 100; ++i)
    text += "word ";
  return text + "\n";
}

parsed_document parse(const std::string& text) {
  return parse_document("guidance/one", "knowledge/guidance/one.md", text);
}

/// The whole text of findings, one line each.
std::string said(const parsed_document& p) {
  std::string all;
  for (const auto& f : p.findings)
    all += to_line(f) + "\n";
  return all;
}

std::string without(std::string text, const std::string& line_start) {
  auto at = text.find("\n" + line_start);
  REQUIRE(at != text.npos);
  return text.erase(at, text.find('\n', at + 1) - at);
}

std::string with(std::string text, const std::string& old, const std::string& instead) {
  auto at = text.find(old);
  REQUIRE(at != text.npos);
  return text.replace(at, old.size(), instead);
}

} // namespace

TEST_CASE("a document is read with all that its front matter says") {
  auto p = parse(front + body());
  INFO(said(p));
  REQUIRE(p.findings.empty());
  REQUIRE(p.document);
  const auto& d = *p.document;
  CHECK(d.id == "guidance/one");
  CHECK(d.path == "knowledge/guidance/one.md");
  CHECK(d.title == "One title");
  CHECK(d.kind == document_kind::guidance);
  CHECK(d.targets == std::vector<std::string>{"x86-64-*"});
  CHECK(d.families == std::vector<std::string>{"matmul"});
  CHECK(d.dtypes == std::vector<std::string>{"f32"});
  CHECK(d.signals.bottleneck == std::vector<std::string>{"memory"});
  CHECK(d.signals.failure.empty());
  CHECK(d.signals.message == std::vector<std::string>{"cache miss"});
  CHECK(d.level == 2);
  CHECK(d.sources == std::vector<std::string>{"a book"});
  CHECK(d.body.starts_with("word word"));
  CHECK(d.body.ends_with("word"));
}

TEST_CASE("a document with a missing field is refused with its path and the field") {
  for (std::string key : {"title", "kind", "targets", "families", "dtypes", "level", "sources"}) {
    auto p = parse(without(front, key) + body());
    INFO(said(p));
    CHECK_FALSE(p.document);
    CHECK(said(p).find("knowledge/guidance/one.md:1: error: " + key + ": required, but missing") !=
          std::string::npos);
  }
  auto p = parse(front.substr(0, front.find("[signals]")) + "+++\n" + body());
  CHECK_FALSE(p.document);
  CHECK(said(p).find("signals: required, but missing") != std::string::npos);
}

TEST_CASE("wrong words are told with their line and the nearest right one") {
  auto p = parse(with(with(with(with(front, "\"guidance\"", "\"guidence\""), "[\"f32\"]", "[\"f23\"]"),
                           "[\"memory\"]", "[\"memroy\"]"),
                      "failure = []", "failure = [\"crash\"]") +
                 body());
  CHECK_FALSE(p.document);
  auto all = said(p);
  INFO(all);
  CHECK(
      all.find(
          ":3: error: kind: expected one of constraint | guidance | hardware (did you mean \"guidance\"?)") !=
      all.npos);
  CHECK(all.find(":6: error: dtypes: there is no \"f23\" (did you mean \"f32\"?)") != all.npos);
  CHECK(all.find(":10: error: signals.bottleneck: there is no \"memroy\" (did you mean \"memory\"?)") !=
        all.npos);
  CHECK(all.find(":11: error: signals.failure: there is no \"crash\" (did you mean \"crashed\"?)") !=
        all.npos);
}

TEST_CASE("unknown keys, wrong types and levels are errors") {
  auto all = said(parse(
      with(with(with(front, "level = 2", "level = 4"), "sources = [\"a book\"]", "sources = \"a book\""),
           "families", "familys = []\nfamilies") +
      body()));
  INFO(all);
  CHECK(all.find("familys: unknown key (did you mean \"families\"?)") != all.npos);
  CHECK(all.find("level: expected a whole number, 1 to 3, found 4") != all.npos);
  CHECK(all.find("sources: expected a list of strings, found a string") != all.npos);
  CHECK_FALSE(parse(with(front, "[\"x86-64-*\"]", "[]") + body()).document);
  CHECK_FALSE(parse(with(front, "[\"x86-64-*\"]", "[\"X86\"]") + body()).document);
  CHECK_FALSE(parse(with(front, "\"cache miss\"", "\"...\"") + body()).document);
  CHECK(said(parse(with(front, "title =", "title") + body())).find("one.md:2: error: ") != std::string::npos);
}

TEST_CASE("the category of the folder and the kind agree") {
  auto p = parse_document("hardware/x/one", "f", front + body());
  CHECK_FALSE(p.document);
  CHECK(said(p).find("kind is \"guidance\", but the document lies in hardware/") != std::string::npos);
  CHECK(parse_document("one", "f", front + body()).document);
}

TEST_CASE("the title line must be there and be the title") {
  CHECK(said(parse(front + "# Another\n\ntext\n")).find(":14: error: the title line \"Another\" differs") !=
        std::string::npos);
  CHECK(said(parse(front + "\n\ntext\n")).find(":16: error: the first line after") != std::string::npos);
  CHECK(said(parse(front + "# One title\n\n")).find("the body is empty") != std::string::npos);
}

TEST_CASE("a file without a whole front matter is refused") {
  CHECK(said(parse("")).find("the first line must be") != std::string::npos);
  CHECK(said(parse("# One title\n")).find("the first line must be") != std::string::npos);
  CHECK(said(parse("+++\ntitle = 1\n")).find("the front matter does not end") != std::string::npos);
  CHECK_FALSE(parse(front + body() + std::string(70000, 'x')).document);
}

TEST_CASE("targets may exclude some, after those that they are for") {
  auto some = parse(with(front, "\"x86-64-*\"", "\"*\", \"!riscv-v\"") + body());
  INFO(said(some));
  REQUIRE(some.document);
  CHECK(some.findings.empty());
  CHECK(some.document->targets == std::vector<std::string>{"*", "!riscv-v"});
  CHECK_FALSE(parse(with(front, "\"x86-64-*\"", "\"!riscv-v\"") + body()).document);
  CHECK_FALSE(parse(with(front, "\"x86-64-*\"", "\"*\", \"!\"") + body()).document);
}

TEST_CASE("slips are warnings and keep no document out") {
  auto p =
      parse(with(with(front, "x86-64-*", "x86-64-avx"), "cache miss", "Cache miss") + "# One title\nshort\n");
  auto all = said(p);
  INFO(all);
  CHECK(p.document);
  CHECK(all.find(":4: warning: targets: \"x86-64-avx\"") != all.npos);
  CHECK(all.find("write fragments in lower case") != all.npos);
  CHECK(all.find(":15: warning: the body has 1 words beside its listings; 80 to 450 are") != all.npos);
  CHECK(parse(with(front, "x86-64-*", "acme-9000") + body()).findings.empty());
}

TEST_CASE("stars in a pattern stand for any text") {
  CHECK(glob_matches("*", ""));
  CHECK(glob_matches("x86-64-*", "x86-64-avx2"));
  CHECK(glob_matches("*-avx*", "x86-64-avx512"));
  CHECK(glob_matches("riscv-v", "riscv-v"));
  CHECK_FALSE(glob_matches("riscv-v", "riscv-vx"));
  CHECK_FALSE(glob_matches("x86-64-*", "x86-64"));
  CHECK_FALSE(glob_matches("", "a"));
  CHECK_FALSE(glob_matches("*a*b", "aabbc"));
}

TEST_CASE("cross-references are found outside of code") {
  auto all = references_in("see [[guidance/a]] and\n```cpp\nif (x) [[likely/no]] y;\n```\n[[a]] [[b/c]]\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0] == std::pair<std::string, std::uint32_t>{"guidance/a", 0});
  CHECK(all[1] == std::pair<std::string, std::uint32_t>{"b/c", 4});
}
