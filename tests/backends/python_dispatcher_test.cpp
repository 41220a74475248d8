// Several Python kernels in one source: a text survives as a literal, parts can't clash, and who computes
// what.
#include "backends/evaluation/dispatcher.hpp"
#include "runtime/core/problem.hpp"

#include "runtime/core/hex.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace ke;

namespace {

/// What this Python program prints.
std::string printed(const std::string& program) {
  process_service processes;
  process_spec spec;
  spec.argv = {"python3", "-B", "-"};
  spec.env = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}};
  spec.input = program;
  auto how = run_and_wait(processes, std::move(spec));
  INFO(program.substr(0, 4000));
  INFO(how.err);
  REQUIRE(how.code == 0);
  return how.out;
}

problem a_sum(std::vector<std::int64_t> sizes) {
  problem p;
  p.name = "sum";
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"2*M", "N"}, "normal"},
               {"w", tensor_role::in, dtype::f32, {"M"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"M"}, "normal"}};
  for (auto n : sizes)
    p.workloads.push_back({"n" + std::to_string(n), {{"M", 8}, {"N", n}}, 1.0, false});
  p.reference_language = "python";
  p.reference =
      "def kernel(x, w):\n    return 'not this one'\ndef reference(x, w):\n    return 'reference'\n";
  return p;
}

result<std::string> one_each(const problem& p, const std::vector<std::string>& sources) {
  auto buckets = shape_buckets(p);
  std::vector<dispatcher_part> parts;
  std::vector<dispatcher_rule> rules;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    parts.push_back({"node " + std::to_string(i + 1), sources[i]});
    rules.push_back({buckets[i], i, p.workloads[i].name});
  }
  return python_dispatcher(p, parts, rules, {"the reference", p.reference});
}

/// Calls it with tensors that have nothing but a shape.
std::string called(const std::string& source, std::int64_t m, std::int64_t n, const std::string& more = "") {
  auto sizes = [](std::initializer_list<std::int64_t> all) {
    std::string text = "types.SimpleNamespace(shape=[";
    for (auto e : all)
      text += std::to_string(e) + ",";
    return text + "])";
  };
  return printed(source + "\nprint(kernel(" + sizes({2 * m, n}) + ", " + sizes({m}) + "))\n" + more);
}

} // namespace

TEST_CASE("any text survives as a literal of Python") {
  std::vector<std::string> texts{"",
                                 "\n",
                                 "\r\n",
                                 "'''\"\"\"\\",
                                 "\\N{BULLET} \\u0041 {x} %s",
                                 "no end",
                                 std::string("\0\x7f\x1b", 3),
                                 "\u2028\u00e9\U0001f600\ufeff",
                                 "a\n\n\nb"};
  std::mt19937 random{2026};
  const std::vector<std::string> pieces{"\\", "\"",    "'", "\n",     "\r",         "\t", "\0", "#",
                                        "{",  "u0041", "x", "\u00fc", "\U0001d11e", "N{", "0",  " "};
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (auto left = random() % 40; left > 0; --left)
      text += pieces[random() % pieces.size()];
    texts.push_back(std::move(text));
  }
  std::string program, expected;
  for (const auto& text : texts) {
    program += "print((" + python_literal(text) + ").encode().hex())\n";
    expected += to_hex(text) + "\n";
  }
  CHECK(printed(program) == expected);
  CHECK(printed("print(ascii(" + python_literal("a\xff\xc3") + "))\n") == "'a\\ufffd\\ufffd'\n");
}

TEST_CASE("a dispatcher in Python calls each part for its shapes and the reference for others") {
  auto p = a_sum({64, 4096});
  std::string helper = "def helper():\n    return ";
  auto source = one_each(p, {helper + "'small'\ndef kernel(x, w):\n    return helper()\n",
                             helper + "'big'\ndef kernel(x, w):\n    return helper()\n"});
  REQUIRE(source);
  CHECK(source->find(dispatcher_words) == 1);
  CHECK(called(*source, 8, 64) == "small\n");
  CHECK(called(*source, 8, 4096) == "big\n"); // another function of the same name
  CHECK(called(*source, 8, 32) == "small\n");
  CHECK(called(*source, 8, 31) == "reference\n");
  CHECK(called(*source, 8, 8193) == "reference\n");
  CHECK(called(*source, 17, 64) == "reference\n");
}

TEST_CASE("a part of a dispatcher in Python is a module with lines of its own") {
  auto p = a_sum({64});
  auto source = one_each(p, {"from __future__ import annotations\nimport inspect, sys, traceback\n\n"
                             "class Held:\n    pass\n\ndef kernel(x: Nothing, w):\n"
                             "    assert sys.modules[Held.__module__].kernel is kernel\n"
                             "    try:\n        raise ValueError('here')  # line 10\n    except ValueError:\n"
                             "        told = traceback.format_exc()\n"
                             "    return '# line 10' in told, 'return' in inspect.getsource(kernel)\n"});
  REQUIRE(source);
  CHECK(called(*source, 8, 64) == "(True, True)\n");
}

TEST_CASE("extents that no input tells make no dispatcher in Python") {
  auto p = a_sum({64, 4096});
  p.tensors[1].shape = {"M+1"};
  auto source = one_each(p, {"", ""});
  REQUIRE_FALSE(source);
  CHECK(source.error().text.find("the extent M") != std::string::npos);
}
