#include "knowledge/library/definitions.hpp"
#include "knowledge/skills/skill_change.hpp"
#include "runtime/text/text_diff.hpp"

#include <catch2/catch.hpp>

#include <ctime>

using namespace ke;

namespace {

std::vector<std::string> defined_in(std::string_view source,
                                    source_language language = source_language::cpp) {
  std::vector<std::string> names;
  for (const auto& d : definitions_in(source, language))
    names.push_back(d.name);
  return names;
}

using names = std::vector<std::string>;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr std::string_view reference = "#include <cstdint>\n"
                                       "extern \"C\" void kernel(const float* x, float* y, int64_t n) {\n"
                                       "  float sum = 0;\n"
                                       "  for (int64_t i = 0; i < n; ++i)\n"
                                       "    sum += x[i];\n"
                                       "  y[0] = sum;\n"
                                       "}\n";

/// Names that differ in more than their figures.
std::string unlike(int i) {
  return std::string(static_cast<std::size_t>(1 + i % 2), static_cast<char>('a' + i % 26));
}

/// As the playbook writes them: many helpers first, most of which this kernel does not use.
std::string with_helpers(int count) {
  std::string text = "#include <cstdint>\n#include <cstring>\nnamespace {\n"
                     "template <class V, class T>\nKE_INLINE V ke_load(const T* p) {\n  V x;\n"
                     "  std::memcpy(&x, p, sizeof x);\n  return x;\n}\n";
  for (int i = 0; i < count; ++i)
    text += "template <class V>\nKE_INLINE V ke_unused_" + std::to_string(i) +
            "(V x) {\n  return x < 0 ? -x : x * x + x * 1.5f;\n}\n";
  return text + "template <class V>\nKE_INLINE float ke_fold(V x) {\n  float s = 0;\n"
                "  for (int i = 0; i < 16; ++i)\n    s += x[i];\n  return s;\n}\n}\n"
                "extern \"C\" void kernel(const float* x, float* y, int64_t n) {\n"
                "  vec sum_v0 = {};\n  int64_t i = 0;\n  for (; i + 16 <= n; i += 16)\n"
                "    sum_v0 = sum_v0 + ke_load<vec>(x + i);\n  float sum = ke_fold(sum_v0);\n"
                "  for (; i < n; ++i)\n    sum += x[i];\n  y[0] = sum;\n}\n";
}

} // namespace

TEST_CASE("a short change of a skill is the whole diff, as ever") {
  auto after = std::string{reference};
  after.replace(after.find("float sum"), 9, "double sum");
  CHECK(skill_change(reference, after, "kernel", source_language::cpp, 2400) ==
        unified_diff(reference, after, "before", "after", 2));
  CHECK(skill_change(reference, reference, "kernel", source_language::cpp, 2400).empty());
}

TEST_CASE("a skill of a rewritten kernel shows the kernel, not the helpers above it") {
  auto after = with_helpers(60);
  REQUIRE(unified_diff(reference, after, "before", "after", 2).size() > 4000);
  auto change = skill_change(reference, after, "kernel", source_language::cpp, 1400);
  INFO(change);
  CHECK(change.size() <= 1400);
  CHECK(change.starts_with("--- before\n+++ after\n@@ kernel @@\n"));
  CHECK(has(change, "+    sum_v0 = sum_v0 + ke_load<vec>(x + i);\n"));
  CHECK(has(change, "+  y[0] = sum;\n") == has(change, "-  y[0] = sum;\n")); // a line in both is context
  CHECK(has(change, "@@ ke_fold @@\n+template <class V>\n"));
  CHECK_FALSE(has(change, "ke_unused_"));
  CHECK(change.ends_with("[helpers: 60 more]\n"));
}

TEST_CASE("a change of a skill that is too long names the helpers it has no room for") {
  auto change = skill_change(reference, with_helpers(60), "kernel", source_language::cpp, 850);
  INFO(change);
  CHECK(change.size() <= 850);
  CHECK(has(change, "+    sum_v0 = sum_v0 + ke_load<vec>(x + i);\n"));
  CHECK(has(change, "[helpers: ke_load and 60 more]\n"));
}

TEST_CASE("of a long kernel whole lines of its beginning and its end are shown") {
  std::string after = "extern \"C\" void kernel(const float* x, float* y, int64_t n) {\n  int first = 0;\n";
  for (int i = 0; i < 200; ++i)
    after += "  y[" + unlike(i) + "] = x[i];\n";
  after += "  int last = 0;\n}\n";
  auto change = skill_change(reference, after, "kernel", source_language::cpp, 1000);
  INFO(change);
  CHECK(change.size() <= 1000);
  CHECK(has(change, "+  int first = 0;\n"));
  CHECK(has(change, "+  int last = 0;\n }\n"));
  CHECK(has(change, " more lines left out]\n"));
}

TEST_CASE("of an unrolled loop in a skill one line is shown, and how many are like it") {
  std::string after = "extern \"C\" void kernel(const float* x, float* y, int64_t n) {\n";
  for (int i = 0; i < 200; ++i)
    after += "  y[" + std::to_string(i) + "] = x[" + std::to_string(i) + "];\n";
  after += "}\n";
  auto change =
      skill_change("void other();\n" + std::string{reference}, after, "kernel", source_language::cpp, 800);
  INFO(change);
  CHECK(has(change, "+  y[0] = x[0];\n[199 like lines left out]\n"));
}

TEST_CASE("a kernel that only calls another shows that one's loops") {
  auto after = with_helpers(40);
  after.replace(after.find("extern \"C\" void kernel"), 22, "static void rows");
  after += "extern \"C\" void kernel(const float* x, float* y, int64_t n) {\n  rows(x, y, n);\n}\n";
  auto change = skill_change(reference, after, "kernel", source_language::cpp, 1600);
  INFO(change);
  CHECK(has(change, "+  rows(x, y, n);\n"));
  CHECK(has(change, "@@ rows @@\n+static void rows("));
  CHECK(change.find("@@ kernel @@") < change.find("@@ rows @@"));
}

TEST_CASE("a change of a skill in Python shows the class asked for and the kernel it launches") {
  std::string before =
      "import torch\nclass Model(nn.Module):\n    def forward(self, x):\n        return x + 1\n";
  std::string after = "import torch\nimport triton\n";
  for (int i = 0; i < 40; ++i)
    after += "def unused_" + std::to_string(i) + "(a, b):\n    return a * b + a * b + a * b\n";
  after += "BLOCK = 1024\n@triton.autotune(\n    configs=[1, 2],\n)\n@triton.jit\ndef add_kernel(x, y, n):\n"
           "    for i in range(n):\n        y[i] = x[i] + 1\n"
           "class ModelNew(nn.Module):\n    def forward(self, x):\n        add_kernel[(1,)](x, y, BLOCK)\n"
           "        return y\n";
  auto change = skill_change(before, after, "ModelNew", source_language::python, 1200);
  INFO(change);
  CHECK(change.size() <= 1200);
  CHECK(has(change, "@@ ModelNew @@\n+class ModelNew(nn.Module):\n"));
  CHECK(has(change, "@@ add_kernel @@\n+@triton.autotune(\n+    configs=[1, 2],\n+)\n+@triton.jit\n"));
  CHECK(has(change, "+BLOCK = 1024\n"));
  CHECK_FALSE(has(change, "unused_1"));
  CHECK(change.ends_with("[helpers: 40 more]\n"));
}

TEST_CASE("a source whose entry can't be found is cut in its middle, between lines") {
  std::string after = "int a;\n";
  for (int i = 0; i < 200; ++i)
    after += "MACRO(" + unlike(i) + ")\n";
  after += "int z;\n";
  auto change = skill_change("int b;\n", after, "kernel", source_language::cpp, 600);
  INFO(change);
  CHECK(change.size() <= 600);
  CHECK(has(change, "+int a;\n"));
  CHECK(has(change, "+int z;\n"));
  CHECK(has(change, " more lines left out]\n"));
}

TEST_CASE("definitions of C++ are found by brackets, whatever stands in texts and branches") {
  CHECK(
      defined_in("#include <a>\n#define TILE 64\n#define F(x) \\\n  { x\nnamespace a::b {\n"
                 "template <class T, int N = (3 > 2)>\nstruct box { T x[N]; };\n"
                 "template <class V>\nconstexpr int lanes = sizeof(V) / 4;\n"
                 "using vec = float;\nenum class kind : int { one };\n} // namespace\n"
                 "static const float table[2] = {1, 2};\nextern \"C\" {\nint f(void) { return '{'; }\n}\n") ==
      names{"TILE", "F", "box", "lanes", "vec", "kind", "table", "f"});
  CHECK(defined_in(
            "extern \"C\" __global__ void __launch_bounds__(256) kernel(const float* x) {\n"
            "  asm(\"{ mov; \");\n  const char* s = R\"ptx( } } )ptx\";\n  int n = 1'000;\n}\nint g;\n") ==
        names{"kernel", "g"});
  CHECK(defined_in("void k(int n) {\n#ifdef A\n  for (;;) {\n#else\n  while (n) {\n#endif\n  }\n}\n"
                   "alignas(64) static float buffer[8];\nstruct alignas(32) wide { int x; };\n"
                   "struct wide make(int x) { return {x}; }\n") == names{"k", "buffer", "wide", "make"});
  CHECK(defined_in("}}}}{{{{ (((").size() <= 1);
  CHECK(defined_in("void f() { /* open").size() == 1);
  auto overloads = definitions_in("int f(int x) { return x; }\nint g();\nint f(long x) { return 2; }\n",
                                  source_language::cpp);
  REQUIRE(overloads.size() == 2);
  CHECK(overloads[0].text == "int f(int x) { return x; }\nint f(long x) { return 2; }\n");
}

TEST_CASE("definitions of Python are found by their first column, whatever stands in long texts") {
  auto all =
      definitions_in("from a import (\n  b,\n)\nimport c\nsource = \"\"\"\nvoid f() {\ndef no():\n}\n\"\"\"\n"
                     "async def run(x):\n  return x\nif x:\n  y = 1\nz: int = 3\n"
                     "@jit\ndef g(\n    a,\n):\n  return a\nprint(g)\n",
                     source_language::python);
  names found;
  for (const auto& d : all)
    found.push_back(d.name);
  CHECK(found == names{"source", "run", "z", "g"});
  CHECK(all[0].text.ends_with("}\n\"\"\"\n"));
  CHECK(defined_in(
            "x = f'{d[\"def a():\"]}'\nif x: y = '''\n'''; z = 7 // 2\n# def b():\ndef c(): return '}'\n",
            source_language::python) == names{"x", "c"});
  CHECK(all[3].text == "@jit\ndef g(\n    a,\n):\n  return a\n");
}

TEST_CASE("bug: sources that nobody would write take minutes") {
  std::string kernel =
      "extern \"C\" void kernel(float* x) {\n  for (int i = 0; i < 8; ++i)\n    x[i] = 1;\n}\n";
  std::string blanks(60'000, ' '), hashes(60'000, '#'), many;
  for (int i = 0; i < 6'000; ++i)
    many += "int f" + std::to_string(i) + ";\n";
  std::string tiny;
  while (tiny.size() < 60'000)
    tiny += "{";
  for (const auto& odd : {"struct" + blanks + "A {};\n", "#if 0\nx" + hashes + "\n#endif\n",
                          blanks + tiny + "\n", many, std::string(300'000, 'a') + ";\n"}) {
    auto begun = std::clock();
    auto text = skill_change("", odd + kernel, "kernel", source_language::cpp, 2400);
    CHECK(text.size() <= 2400);
    CHECK(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC < 5); // before: up to 75 s
  }
}
