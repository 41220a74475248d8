#include "runtime/playbook/playbook.hpp"

#include "runtime/text/source_text.hpp"
#include "tests/playbook/workbench.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace ke;
using namespace ke::playbook_test;

TEST_CASE("equal prompts get equal answers") {
  auto prompt = prompt_of(example_named("softmax"), {});
  CHECK(playbook_answer(prompt) == playbook_answer(prompt));
  CHECK_FALSE(code_of(playbook_answer(prompt)).empty());
}

TEST_CASE("drafts differ from each other") {
  for (auto name : {"conv1d", "softmax", "transpose"}) {
    std::set<std::string> digests;
    for (int k = 0; k < 8; ++k) {
      request r;
      r.draft = k;
      digests.insert(
          source_digest(code_of(playbook_answer(prompt_of(example_named(name), r))), source_language::cpp));
    }
    CAPTURE(name);
    CHECK(digests.size() == 8);
  }
}

TEST_CASE("the second line of an answer's code is its point") {
  auto code = code_of(playbook_answer(prompt_of(example_named("matmul"), {})));
  auto second = code.substr(code.find('\n') + 1);
  REQUIRE(second.rfind("// ke-point: {", 0) == 0);
  CHECK(point_of(code).at("plan").is_string());
}

TEST_CASE("what was tried is not proposed again") {
  request r;
  for (int k = 0; k < 12; ++k) {
    auto code = code_of(playbook_answer(prompt_of(example_named("sum_rows"), r)));
    REQUIRE_FALSE(code.empty());
    auto digest = source_digest(code, source_language::cpp);
    CHECK(std::find(r.tried.begin(), r.tried.end(), digest) == r.tried.end());
    r.tried.push_back(digest);
    r.operation = "improve";
    r.parent = {{"node", 1}, {"state", "correct"}, {"point", point_of(code)}};
  }
}

TEST_CASE("an improvement stays near its parent and differs by seed") {
  auto parent = point_of(code_of(playbook_answer(prompt_of(example_named("conv1d"), {}))));
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    request r;
    r.operation = "improve";
    r.seed = seed;
    r.parent = {{"node", 1}, {"state", "correct"}, {"point", parent}};
    auto point = point_of(code_of(playbook_answer(prompt_of(example_named("conv1d"), r))));
    REQUIRE(point.is_object());
    int changed = 0;
    for (auto it = parent.begin(); it != parent.end(); ++it)
      changed += point.at(it.key()) != it.value();
    CHECK(changed <= 2);
    found.insert(point.dump());
  }
  CHECK(found.size() >= 2);
}

TEST_CASE("a fix is plainer than its parent") {
  request r;
  r.operation = "fix";
  r.parent = {{"node", 1},
              {"state", "incorrect"},
              {"point",
               {{"plan", "lanes"},
                {"threads", 2},
                {"bytes", 32},
                {"unroll", 4},
                {"rows", 1},
                {"tile", 0},
                {"tile_first", 0},
                {"reciprocal", 1},
                {"single", 1}}}};
  auto point = point_of(code_of(playbook_answer(prompt_of(example_named("layernorm"), r))));
  CHECK(point.at("single") == 0);
}

TEST_CASE("nonsense is declined without code and without an exception") {
  auto declined = [](const std::string& prompt) {
    auto answer = playbook_answer(prompt);
    return !answer.empty() && answer.find("```") == std::string::npos;
  };
  CHECK(declined(""));
  CHECK(declined("```ke-task\n"));
  CHECK(declined("```ke-task\n{]\n```\n"));
  CHECK(declined("```ke-task\n[1,2]\n```\n"));
  CHECK(declined("```ke-task\n{\"version\":1,\"problem\":7,\"target\":[],\"tried\":{}}\n```\n"));
  CHECK(declined("```ke-task\n{\"version\":2}\n```\n"));
  // Numbers that no integer holds, where one is meant.
  CHECK(declined("```ke-task\n{\"version\":2222222222222222222222222222}\n```\n"));
  CHECK(declined("```ke-task\n{\"version\":1,\"draft\":1e300,\"problem\":{\"workloads\":[{\"dims\":{\"N\":-"
                 "1e300}}]}}\n```\n"));
  auto with_source = [](const std::string& source) {
    auto e = example_named("softmax");
    e.source = source;
    return prompt_of(e, {});
  };
  CHECK(declined(with_source("")));
  CHECK(declined(with_source("int main() { return 0; }")));
  CHECK(declined(with_source(
      "extern \"C\" void kernel(const float* x, float* y, int64_t M, int64_t N) { while (M) --M; }")));
  CHECK(declined(with_source("extern \"C\" void kernel(const float* x, float* y) { y[0] = x[0]; }")));
  CHECK(declined(with_source(
      "extern \"C\" void kernel(const float* x, float* y, int64_t M, int64_t N) { y[0] = mystery(x[0]); }")));
  CHECK(declined(with_source(std::string(100000, '('))));
  request r;
  r.backend = "triton";
  CHECK(declined(prompt_of(example_named("softmax"), r)));
}

TEST_CASE("every prefix of a prompt is answered or declined") {
  auto prompt = prompt_of(example_named("sum_rows"), {});
  for (std::size_t size = 0; size < prompt.size(); size += 37)
    CHECK_FALSE(playbook_answer(prompt.substr(0, size)).empty());
}
