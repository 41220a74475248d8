#pragma once

#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/prompt/prompt_builder.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/llm/answer.hpp"
#include "tests/languages.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ke_test {

using namespace ke;

/// A softmax for a CPU with two cores, and a request that a test fills in.
struct prompt_fixture {
  problem what;
  device_info target{"cpu:test", "cpu-cpp", "ok", {{"isa", "avx2 fma"}, {"cores", "2"}}};
  prompt_request request;

  prompt_fixture() {
    what.name = "softmax";
    what.family = "softmax";
    what.dims = {"M", "N"};
    what.tensors = {{"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"},
                    {"y", tensor_role::out, dtype::f32, {"M", "N"}, "normal"}};
    what.scalars = {{"scale", false, 1.5}, {"axis", true, 1}};
    what.workloads = {{"wide", {{"M", 512}, {"N", 4096}}, 1.0, false},
                      {"hushhush", {{"M", 31337}, {"N", 7}}, 2.0, true}};
    what.reference_language = "c++";
    what.reference = "extern \"C\" void kernel() {}";
    what.tolerances = {{"f32", {1e-5, 1e-6}}};
    request.problem = &what;
    request.target = &target;
    request.language = &ke::test::cpp_language();
    request.seed = 99;
  }

  static std::shared_ptr<node_summary> summary(std::uint32_t node, node_state state = node_state::correct) {
    auto c = std::make_shared<node_summary>();
    c->node = node;
    c->state = state;
    c->source = "extern \"C\" void kernel() { /* " + std::to_string(node) + " */ }";
    c->source_digest = "d" + std::to_string(node);
    c->plan = "plan of " + std::to_string(node);
    c->score = 1.5;
    return c;
  }
  /// A summary whose source is long enough for its change to be shown as a diff: `loop` with this body.
  static std::shared_ptr<node_summary> loop(std::uint32_t node, const std::string& body) {
    auto c = summary(node);
    c->source = "extern \"C\" void kernel(const float* x, float* y, long n) {\n  // read once, from left to "
                "right\n  for (long i = 0; i < n; ++i)\n    " +
                body + "\n  // nothing is left to do\n}\n";
    return c;
  }
  void improve() {
    request.operation = operation_kind::improve;
    request.parent = summary(4);
    request.ancestors = {summary(2)};
    request.siblings = {summary(5)};
  }

  std::string text() const { return text_of(build_prompt(request)); }
  bool says(const std::string& words) const { return text().find(words) != std::string::npos; }
  nlohmann::json task() const {
    auto blocks = code_blocks(text());
    REQUIRE_FALSE(blocks.empty());
    REQUIRE(blocks[0].info == "ke-task");
    REQUIRE(blocks[0].closed);
    return nlohmann::json::parse(blocks[0].text);
  }
  /// The contents of the fenced blocks, the ke-task block left out.
  std::vector<std::string> quotes() const {
    std::vector<std::string> all;
    for (const auto& b : code_blocks(text()))
      if (b.info != "ke-task") {
        CHECK(b.closed);
        all.push_back(b.text);
      }
    return all;
  }
};

} // namespace ke_test
