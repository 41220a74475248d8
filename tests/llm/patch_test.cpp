#include "runtime/llm/answer.hpp"
#include "runtime/llm/patch.hpp"
#include "tests/languages.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::string parent = "#include <cmath>\n"
                           "extern \"C\" void kernel(float* y) {\n"
                           "  for (int i = 0; i < 4; ++i)\n"
                           "    y[i] = 1;\n"
                           "}\n"
                           "// for (int i = 0; i < 4; ++i)\n";

std::string block(const std::string& search, const std::string& replace) {
  return "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n";
}

std::string applied(const std::string& answer) {
  auto edits = edits_of(answer);
  REQUIRE(edits);
  auto text = apply_edits(parent, *edits);
  return text ? *text : "failed: " + text.error().text;
}

answer_rule rule() {
  return {ke::test::cpp_language(), "kernel", 256u << 10, parent};
}

} // namespace

TEST_CASE("edits replace lines of the parent, in their order, whatever blanks end the lines") {
  CHECK(
      applied("Unroll.\n```cpp\n" + block("    y[i] = 1; \n", "    y[i] = 2;\n    y[i] += 1;\n") + "```\n" +
              block("    y[i] = 2;\n", "    y[i] = 3;\n")) ==
      "#include <cmath>\nextern \"C\" void kernel(float* y) {\n  for (int i = 0; i < 4; ++i)\n    y[i] = 3;\n"
      "    y[i] += 1;\n}\n// for (int i = 0; i < 4; ++i)\n");
  CHECK(applied(block("// for (int i = 0; i < 4; ++i)\n", "")) == parent.substr(0, parent.rfind("// for")));
}

TEST_CASE("an edit that does not fit says which one, why, and what stands there") {
  CHECK(
      applied(block("  nothing like it\n", "x\n")) ==
      "failed: edit 1: its SEARCH part is not in the parent; its first line '  nothing like it' is nowhere");
  CHECK(applied(block("    y[i] = 1;\n  }\n", "x\n")) ==
        "failed: edit 1: its SEARCH part is not in the parent: line 2 of it is '  }', there stands '}'");
  CHECK(applied(block("}\n", "}\n") + block("\n\n", "x\n")) ==
        "failed: edit 2: its SEARCH part is empty; quote the lines that shall be replaced");
  auto twice = edits_of(block("a\n", "b\n"));
  REQUIRE(twice);
  auto text = apply_edits("a\nb\na\n", *twice);
  REQUIRE_FALSE(text);
  CHECK(text.error().text.find("stands 2 times in the parent") != std::string::npos);
  CHECK(text.error().kind == failure_kind::no_code);
}

TEST_CASE("an edit without an end is a broken answer, shifts and conditions are no markers") {
  auto open = edits_of("<<<<<<< SEARCH\nx\n=======\ny\n");
  REQUIRE_FALSE(open);
  CHECK(open.error().text.find("edit 1: it has no end") != std::string::npos);
  auto none = edits_of("a <<<<<<< SEARCH\nint x = y << 3;\n<<<<<<< HEAD\n==== \n");
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("an answer of edits is the edited parent; without a parent it asks for the whole source") {
  auto text = "Write two.\n" + block("    y[i] = 1;\n", "    y[i] = 2;\n");
  auto out = parse_answer(text, rule());
  CHECK(out.why.kind == failure_kind::none);
  CHECK(out.source.find("y[i] = 2;") != std::string::npos);
  CHECK(out.rationale == "Write two.");
  auto alone = rule();
  alone.parent = {};
  out = parse_answer(text, alone);
  CHECK(out.why.kind == failure_kind::no_code);
  CHECK(out.why.text.find("give the whole source") != std::string::npos);
}

TEST_CASE("an answer of several candidates gives each its plan, and tells of what can't be used") {
  auto code = [](int n) {
    return "```cpp\nextern \"C\" void kernel(float* y) { y[0] = " + std::to_string(n) + "; }\n```\n";
  };
  auto out = parse_answer("Three ways.\n### Candidate: unroll\n" + code(1) + "### Candidate: no code here\n" +
                              "### Candidate: block\n" + code(2) + "### Candidate 4: edit\n" +
                              block("    y[i] = 1;\n", "    y[i] = 7;\n"),
                          rule());
  CHECK(out.why.kind == failure_kind::none);
  CHECK(out.rationale == "unroll");
  CHECK(out.source.find("= 1;") != std::string::npos);
  REQUIRE(out.more.size() == 3);
  CHECK(out.more[0].source.empty());
  CHECK(out.more[0].plan.starts_with("no_code: the answer holds no c++ code block"));
  CHECK(out.more[0].plan.ends_with("(no code here)"));
  CHECK(out.more[1].plan == "block");
  CHECK(out.more[1].source.find("= 2;") != std::string::npos);
  CHECK(out.more[2].plan == "edit");
  CHECK(out.more[2].source.find("= 7;") != std::string::npos);
  std::string many;
  for (int i = 0; i < 9; ++i)
    many += "### Candidate: c\n" + code(i);
  auto four = parse_answer(many, rule());
  REQUIRE(four.more.size() == most_candidates_of_answer);
  CHECK_FALSE(four.more[most_candidates_of_answer - 2].source.empty());
  CHECK(four.more.back().source.empty());
  CHECK(four.more.back().plan.starts_with("too_large: the answer holds 9 candidates, of which 4 are read"));
}

TEST_CASE("a heading inside of code does not split an answer") {
  auto out =
      parse_answer("```cpp\n/*\n### Candidate: a\n### Candidate: b\n*/\nvoid kernel() {}\n```\n", rule());
  CHECK(out.why.kind == failure_kind::none);
  CHECK(out.more.empty());
  CHECK(out.source.find("### Candidate: b") != std::string::npos);
}

TEST_CASE("a template's answer stands at its first values, and a broken parameter is told with its line") {
  auto out =
      parse_answer("```cpp\n// ke-param: TILE = 8 | 16\nvoid kernel() { int t = TILE; }\n```\n", rule());
  CHECK(out.why.kind == failure_kind::none);
  REQUIRE(out.parameters.size() == 1);
  CHECK(out.parameters[0].values == std::vector<std::string>{"8", "16"});
  CHECK(out.source.find("#define TILE 8\n") != std::string::npos);
  out = parse_answer("```cpp\n// ke-param: TILE = 8 | \nvoid kernel() {}\n```\n", rule());
  CHECK(out.why.kind == failure_kind::no_code);
  CHECK(out.why.text.starts_with("line 1: "));
}
