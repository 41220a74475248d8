#include "runtime/llm/answer.hpp"
#include "runtime/llm/regions.hpp"
#include "tests/languages.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::string marked = "#include <ke.h>\n"
                           "extern \"C\" void kernel(float* y) {\n"
                           "  // ke-mutable: begin\n"
                           "  y[0] = 1;\n"
                           "  // ke-mutable: end\n"
                           "}\n";

std::string said(std::string_view source) {
  auto kept = check_regions(marked, source);
  return kept ? "" : kept.error().text;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

} // namespace

TEST_CASE("within its regions a source may change, and nothing else but blanks") {
  CHECK(said(marked).empty());
  CHECK(said(replaced(marked, "  y[0] = 1;\n", "  for (;;)\n    y[0] = 2;\n\n")).empty());
  CHECK(said(replaced(marked, "}\n", "}  \n\n")).empty());
  CHECK(check_regions("int a;\n", "int b;\n"));                              // nothing is marked
  CHECK(check_regions("int a; // ke-mutable: end\n", "whatever it says\n")); // the parent's own are broken
}

TEST_CASE("a broken marker is one failure that says which one and what to do") {
  struct {
    std::string source;
    const char* why;
  } cases[] = {
      {replaced(marked, "  // ke-mutable: end\n", ""), "the last region has no end"},
      {replaced(marked, "  // ke-mutable: begin\n", ""), "line 4 ends a region that has not begun"},
      {"int other;\n", "the parent has 1 marked region(s), the answer has 0"},
      {marked + marked, "the parent has 1 marked region(s), the answer has 2"},
      {replaced(marked, "  y[0]", "  // ke-mutable: begin\n  y[0]"),
       "line 4 begins a region within another one"},
      {replaced(marked, "float* y", "float* z"), "has become 'extern \"C\" void kernel(float* z) {'"},
      {replaced(marked, "#include <ke.h>\n", ""), "the parent's line '#include <ke.h>' has become"},
      {marked + "int more;\n", "a new line 'int more;'"},
  };
  for (const auto& c : cases) {
    auto kept = check_regions(marked, c.source);
    REQUIRE_FALSE(kept);
    CHECK(kept.error().kind == failure_kind::markers);
    CHECK(kept.error().text.find(c.why) != std::string::npos);
    CHECK(kept.error().text.find("Keep every line with `ke-mutable:`") != std::string::npos);
  }
}

TEST_CASE("an answer of edits or of a whole source keeps to its parent's regions, or is asked for again") {
  answer_rule rule{ke::test::cpp_language(), "kernel"};
  rule.parent = marked;
  auto edit = [](const std::string& from, const std::string& to) {
    return "<<<<<<< SEARCH\n" + from + "=======\n" + to + ">>>>>>> REPLACE\n";
  };
  CHECK(parse_answer(edit("  y[0] = 1;\n", "  y[0] = 2;\n"), rule).why.kind == failure_kind::none);
  auto bad = parse_answer(edit("  // ke-mutable: end\n", ""), rule);
  CHECK(bad.why.kind == failure_kind::markers);
  CHECK(worth_a_repair(bad.why.kind, 1));
  auto whole = parse_answer("```cpp\nextern \"C\" void kernel(float* y) { y[0] = 3; }\n```\n", rule);
  CHECK(whole.why.kind == failure_kind::markers);
  CHECK_FALSE(whole.source.empty()); // what was paid for is kept
}
