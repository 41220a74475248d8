#include "runtime/llm/answer.hpp"
#include "tests/languages.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

using ke::test::cpp_language, ke::test::python_language;
const answer_rule cpp{cpp_language(), "kernel", 1000};
const answer_rule python{python_language(), "ModelNew", 1000};
const std::string kernel =
    "extern \"C\" void kernel(const float* x, float* y, int64_t n) {\n  y[0] = x[0];\n}\n";

std::string fenced(const std::string& info, const std::string& code) {
  return "```" + info + "\n" + code + "```\n";
}

} // namespace

TEST_CASE("the block that defines the symbol is the candidate, whatever else is shown") {
  auto text = "First the idea.\n" +
              fenced("cpp", "// a sketch\nvoid helper(int) {}\n" + std::string(300, '/') + "\n") + "Then:\n" +
              fenced("cpp", kernel) + "Call it like so:\n" +
              fenced("cpp", "int main() { kernel(x, y, 3); }\n") + fenced("bash", "g++ kernel.cpp\n");
  auto a = parse_answer(text, cpp);
  CHECK(a.why.kind == failure_kind::none);
  CHECK(a.source == kernel);
  CHECK(a.rationale.find("First the idea.") == 0);
}

TEST_CASE("of two definitions the last counts: models correct themselves") {
  auto better = "#include <cmath>\n" + kernel;
  CHECK(parse_answer(fenced("c++", kernel) + "Better:\n" + fenced("C++", better), cpp).source == better);
}

TEST_CASE("without the symbol the largest block of the language is taken") {
  auto a = parse_answer(fenced("cpp", "int a;\n") + fenced("cpp", "int a, b, c;\n") +
                            fenced("json", "{\"a very long\": \"object of no use\"}\n"),
                        cpp);
  CHECK(a.why.kind == failure_kind::none);
  CHECK(a.source == "int a, b, c;\n");
}

TEST_CASE("a block without or with another language counts if it defines the symbol") {
  CHECK(parse_answer(fenced("", kernel), cpp).source == kernel);
  CHECK(parse_answer(fenced("text", kernel), cpp).source == kernel);
  CHECK(parse_answer(fenced("{.cpp .numberLines}", kernel), cpp).source == kernel);
}

TEST_CASE("a kernel below the language, assembly or LLVM IR, is a candidate") {
  const std::string assembly = "\t.text\n\t.globl\tkernel\nkernel:\n\tret\n";
  const std::string ir = "target triple = \"x86_64\"\ndefine void @kernel(ptr %0) {\n  ret void\n}\n";
  CHECK(parse_answer("Swap two loads:\n" + fenced("asm", assembly), cpp).source == assembly);
  CHECK(parse_answer(fenced("llvm", ir), cpp).source == ir);
  CHECK(
      parse_answer(fenced("llvm", "define void @f() {\n  call void @kernel(ptr null)\n  ret void\n}\n"), cpp)
          .why.kind == failure_kind::no_code);
  CHECK(parse_answer(fenced("asm", assembly) + fenced("cpp", kernel), cpp).source == kernel);
}

TEST_CASE("fences may be tildes, longer, indented, in CRLF, or never closed") {
  CHECK(parse_answer("~~~cpp\n" + kernel + "~~~\n", cpp).source == kernel);
  CHECK(parse_answer("````cpp\n" + kernel + "// ```\n````\n", cpp).source == kernel + "// ```\n");
  CHECK(parse_answer("  ```cpp\n" + kernel + "  ```\n", cpp).source == kernel);
  CHECK(parse_answer("```cpp\n" + kernel, cpp).source == kernel);
  CHECK(parse_answer("```cpp\r\nvoid kernel() {}\r\n```\r\n", cpp).source == "void kernel() {}\n");
}

TEST_CASE("an answer that is code as a whole is taken, prose is not") {
  CHECK(parse_answer("#include <cmath>\n" + kernel, cpp).source == "#include <cmath>\n" + kernel);
  auto prose = parse_answer("I would write a function kernel(x) { ... } but can't.", cpp);
  CHECK(prose.why.kind == failure_kind::no_code);
  CHECK(prose.why.text.find("```cpp") != std::string::npos);
  CHECK(prose.rationale.find("I would write") == 0);
  CHECK(parse_answer(fenced("bash", "ls\n"), cpp).why.kind == failure_kind::no_code);
  CHECK(parse_answer("", cpp).why.kind == failure_kind::no_code);
}

TEST_CASE("code among a model's thoughts is no candidate if code follows them") {
  auto parsed = [](const std::string& text) { return parse_answer(text, cpp); };
  auto said = "```cpp\nvoid kernel() { said(); }\n```\n";
  auto thought = "<think>\nmaybe ```cpp\nint bad;\n```\nor\n```cpp\nvoid kernel() { thought(); }\n";
  CHECK(parsed(thought + std::string{"```\n</think>\n"} + said).source == "void kernel() { said(); }\n");
  CHECK(parsed(thought + std::string{"</think>\n"} + said).source == "void kernel() { said(); }\n");
  // A server that cuts the opening mark, and one that marks all of the answer.
  CHECK(parsed("so ```cpp\nint bad;\n```\n</think>\n" + std::string{said}).source ==
        "void kernel() { said(); }\n");
  CHECK(parsed("<think>\n" + std::string{said} + "</think>\nDone.").source == "void kernel() { said(); }\n");
}

TEST_CASE("the echoed task is never the candidate") {
  CHECK(parse_answer(fenced("ke-task", "{\"reference\": \"void kernel() {}\"}\n"), cpp).why.kind ==
        failure_kind::no_code);
}

TEST_CASE("Python candidates are found by class and def") {
  std::string module = "import torch\nclass ModelNew(torch.nn.Module):\n  pass\n";
  CHECK(parse_answer("Use:\n" + fenced("python", "m = ModelNew()\n" + std::string(200, '#') + "\n") +
                         fenced("py", module),
                     python)
            .source == module);
  CHECK(parse_answer(module, python).source == module);
  CHECK(parse_answer(fenced("python", "def softmax(x):\n  return x\n"), {python_language(), "softmax", 1000})
            .source == "def softmax(x):\n  return x\n");
}

TEST_CASE("a source over the limit is refused by name and number, and is not lost") {
  answer_rule tight{cpp_language(), "kernel", 20};
  auto a = parse_answer(fenced("cpp", kernel), tight);
  CHECK(a.why.kind == failure_kind::too_large);
  CHECK(a.why.text.find("limit of 20 bytes") != std::string::npos);
  CHECK(a.why.text.find(std::to_string(kernel.size())) != std::string::npos);
  CHECK(a.source == kernel);
}

TEST_CASE("a truncated answer with a finished kernel is accepted, with half a kernel it is not") {
  completion reply;
  reply.why = {failure_kind::truncated, "cut", false};
  reply.text = fenced("cpp", kernel) + "And because of th";
  CHECK(read_answer(reply, cpp).why.kind == failure_kind::none);
  CHECK(read_answer(reply, cpp).source == kernel);
  reply.text = "```cpp\n" + kernel;
  CHECK(read_answer(reply, cpp).why.kind == failure_kind::truncated);
  reply.text = fenced("cpp", "int sketch;\n") + "```cpp\nextern";
  CHECK(read_answer(reply, cpp).why.kind == failure_kind::truncated);
  reply.why = {failure_kind::refused, "no", false};
  reply.text = fenced("cpp", kernel);
  CHECK(read_answer(reply, cpp).why.kind == failure_kind::refused);
  reply.why = {};
  CHECK(read_answer(reply, cpp).source == kernel);
}

TEST_CASE("hostile answers are parsed in linear time") {
  std::string text = "```cpp\n";
  for (int i = 0; i < 20000; ++i)
    text += "kernel(((";
  CHECK(parse_answer(text, {cpp_language(), "kernel", 1 << 20}).why.kind ==
        failure_kind::none); // the largest block; its build will fail
  CHECK(parse_answer(std::string(200000, '`'), cpp).why.kind == failure_kind::no_code);
}

TEST_CASE("bug: a comment or a text that shows the symbol was taken for its definition") {
  auto shown = "// void kernel(float* x) {\nconst char* s = \"kernel() {\";\nvoid helper() {}\n";
  CHECK(parse_answer(fenced("cpp", kernel) + "Then:\n" + fenced("cpp", shown), cpp).source == kernel);
  std::string module = "class ModelNew:\n  pass\n",
              told = "# class ModelNew\ns = \"\"\"\ndef ModelNew\n\"\"\"\n";
  CHECK(parse_answer(fenced("python", module) + fenced("python", told), python).source == module);
  // What is not understood is left to the compiler.
  auto odd = "#define A \\ \n 1\n" + kernel;
  CHECK(parse_answer(fenced("cpp", odd) + fenced("cpp", "int main() {}\n"), cpp).source == odd);
}

namespace {

candidate_language toy_language() {
  candidate_language l;
  l.name = "toy";
  l.syntax.comments = {"--"};
  l.syntax.constant = "set {name} = {value}";
  l.fences = {"toy", "toylang"};
  l.begins = {"--", "kernel "};
  l.suffix = ".toy";
  return l;
}

} // namespace

TEST_CASE("A10: an answer in a language of a manifest is found by the manifest's fences") {
  answer_rule toy{toy_language(), "kernel", 1000};
  const std::string code = "kernel x y n\ny = x\n";
  CHECK(parse_answer("So:\n" + fenced("toy", code), toy).source == code);
  CHECK(parse_answer("So:\n" + fenced("ToyLang", code), toy).source == code);
  CHECK(parse_answer("So:\n" + fenced("", code), toy).source == code);
  // The last that has the kernel, not what follows it.
  CHECK(parse_answer(fenced("toy", "y = x\n") + fenced("toy", code) + fenced("toy", "let z = 3\n"), toy)
            .source == code);
  // C++ beside it is no candidate, though it has a kernel, too.
  CHECK(parse_answer(fenced("toy", code) + fenced("cpp", kernel), toy).source == code);
  auto only = parse_answer(fenced("cpp", kernel), toy);
  CHECK(only.why.kind == failure_kind::no_code);
  CHECK(only.why.text ==
        "the answer holds no toy code block (only blocks in other languages): give the whole "
        "source in one block fenced by ```toy");
  // Without a fence: by the words that the manifest says code begins with.
  CHECK(parse_answer(code, toy).source == code);
  CHECK(parse_answer("I would start with the kernel.", toy).why.kind == failure_kind::no_code);
}

TEST_CASE("A10: a template in a language of a manifest stands at its first point") {
  answer_rule toy{toy_language(), "kernel", 1000};
  auto a = parse_answer(fenced("toy", "-- ke-param: A = 2 | 4\nkernel x y n\ny = x * A\n"), toy);
  REQUIRE(a.parameters.size() == 1);
  CHECK(a.source.find("\nset A = 2\n") != std::string::npos);
}
