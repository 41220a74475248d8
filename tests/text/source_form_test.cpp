#include "runtime/text/source_form.hpp"
#include "runtime/text/source_text.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

bool one_form(std::string_view a, std::string_view b, const source_syntax& syntax = source_language::cpp) {
  return form_digest(a, syntax) == form_digest(b, syntax);
}

} // namespace

TEST_CASE("sources that differ in the names of local variables have one form") {
  CHECK(one_form(
      "void kernel(const float* x, float* y, int64_t n) { for (int i = 0; i < n; ++i) { float acc = x[i]; "
      "y[i] = acc * 2; } }",
      "void kernel(const float* in, float* out, int64_t count) {\n  // other words\n  for (int k = 0; k < "
      "count; ++k) {\n    float sum = in[k];\n    out[k] = sum * 2;\n  }\n}"));
  CHECK(one_form("void kernel(float* y) { __m512 a = zero(); __m512 b = zero(); store(y, a, b); }",
                 "void kernel(float* y) { __m512 b = zero(); __m512 a = zero(); store(y, b, a); }"));
}

TEST_CASE("a renaming that mixes two variables up has another form") {
  CHECK_FALSE(one_form("void kernel(float* y) { float a = 1; float b = 2; y[0] = a - b; }",
                       "void kernel(float* y) { float a = 1; float b = 2; y[0] = b - a; }"));
  CHECK_FALSE(one_form("void kernel(float* y) { float a = 1; float b = 2; y[0] = a - b; }",
                       "void kernel(float* y) { float a = 1; float b = 2; y[0] = a - a; }"));
}

TEST_CASE("numbers, types, functions, members, macros and texts count as they stand") {
  const char* pairs[][2] = {
      {"void kernel() { int tile = 8; use(tile); }", "void kernel() { int tile = 16; use(tile); }"},
      {"void kernel() { const float x = 1; }", "void kernel() { const double x = 1; }"},
      {"void kernel() { f<unsigned int, 2>(); }", "void kernel() { f<unsigned char, 2>(); }"},
      {"void kernel() { unsigned int x = 1; }", "void kernel() { unsigned long x = 1; }"},
      {"void kernel() { __m512 v = _mm512_add_ps(a, b); }",
       "void kernel() { __m512 v = _mm512_sub_ps(a, b); }"},
      {"void kernel() { int x = threadIdx.x; g(x); }", "void kernel() { int y = threadIdx.y; g(y); }"},
      {"void kernel() { float r = M_PI; g(r); }", "void kernel() { float r = M_E; g(r); }"},
      {"void kernel() { float row_t = 1; g(row_t * M_PI); }",
       "void kernel() { float row_t = 1; g(row_t * M_E); }"},
      {"void kernel(float v) { g(v and HUGE); }", "void kernel(float v) { g(v and TINY); }"},
      {"void kernel() { STEP break; }", "void kernel() { STEP continue; }"},
      {"void kernel(float* y) {}\nvoid helper(float* y) { y[0] = 1; }",
       "void helper(float* y) {}\nvoid kernel(float* y) { y[0] = 1; }"},
      {"void kernel() { float a = 1, q = 2; asm(\"mul %[a]\" : [a] \"+r\"(a)); }",
       "void kernel() { float q = 1, a = 2; asm(\"mul %[a]\" : [a] \"+r\"(q)); }"},
      {"void kernel() { float a = 0; float b = 0;\n#pragma omp parallel reduction(+:a)\n{ a += 1; b += 2; } "
       "}",
       "void kernel() { float b = 0; float a = 0;\n#pragma omp parallel reduction(+:a)\n{ b += 1; a += 2; } "
       "}"},
      {"#define NAME(x) #x\nvoid kernel() { int one = 1; g(NAME(one)); }",
       "#define NAME(x) #x\nvoid kernel() { int two = 1; g(NAME(two)); }"},
      {"void kernel() { extern float table; g(table); }", "void kernel() { extern float other; g(other); }"},
      {"float table; void kernel() { g(table); }", "float other; void kernel() { g(other); }"},
  };
  for (auto& [a, b] : pairs) {
    INFO(a);
    CHECK_FALSE(one_form(a, b));
  }
}

TEST_CASE("in Python local variables of functions are renamed, and nothing that can be seen from outside") {
  auto python = source_language::python;
  CHECK(one_form(
      "def f(x):\n    y = x + 1\n    for i in range(3):\n        y = y * i\n    return y\n",
      "def f(x):\n    total = x + 1\n    for k in range(3):\n        total = total * k\n    return total\n",
      python));
  const char* pairs[][2] = {
      {"def f(x):\n    y = torch.sum(x, dim=1)\n    return y\n",
       "def f(x):\n    y = torch.sum(x, axis=1)\n    return y\n"},
      {"def f(x):\n    y = 1\n    return f'{y}'\n", "def f(x):\n    z = 1\n    return f'{z}'\n"},
      {"def f(x):\n    y = 1\n    return locals()\n", "def f(x):\n    z = 1\n    return locals()\n"},
      {"class A:\n    training = 1\n", "class A:\n    other = 1\n"},
      {"limit = 1\ndef f(x):\n    return limit\n", "bound = 1\ndef f(x):\n    return bound\n"},
      {"def f(x):\n    y = x.mean()\n    return y\n", "def f(x):\n    y = x.sum()\n    return y\n"},
      {"def f(x):\n    n = 1\n    return x\nn = 5\n", "def f(x):\n    m = 1\n    return x\nm = 5\n"},
  };
  for (auto& [a, b] : pairs) {
    INFO(a);
    CHECK_FALSE(one_form(a, b, python));
  }
}

TEST_CASE("a source without names of its own has its digest as its form") {
  const source_syntax cpp = source_language::cpp;
  CHECK(form_digest("void kernel() {}", cpp) == source_digest("void kernel() { /* nothing */ }", cpp));
  CHECK(form_digest("LET x = 1", source_language::other) ==
        source_digest("LET x = 1", source_language::other));
  CHECK(form_digest("void kernel(float* y) {}", cpp) != source_digest("void kernel(float* y) {}", cpp));
}
