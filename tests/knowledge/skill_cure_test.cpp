#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/skills/distil.hpp"
#include "knowledge/skills/skill_library.hpp"
#include "knowledge/skills/skill_record.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/skill.hpp"
#include "tests/knowledge/prompt_fixture.hpp"
#include "tests/languages.hpp"

using namespace ke_test;

// "When you see X, do Y": what a repair on the way to a winner teaches.

namespace {

std::shared_ptr<node_summary> broken(node_state state, std::string log) {
  auto c = prompt_fixture::summary(1);
  c->state = state;
  c->timing.reset();
  c->diagnosis.reset();
  c->reason = "it does not build";
  c->log = std::move(log);
  c->source = "// first try\n#include <a.h>\nvoid helper();\nextern \"C\" void kernel() { vadd(1); }\n";
  return c;
}

std::shared_ptr<node_summary> mended() {
  auto c = prompt_fixture::summary(2);
  c->state = node_state::correct;
  c->plan = "Use the intrinsic's full name.";
  c->source = "#include <a.h>\nvoid helper();\nextern \"C\" void kernel() { _mm512_add(1); } // mended\n";
  return c;
}

distil_context place_of(const problem& p) {
  return {"s", "c", &p, &ke::test::cpp_language(), {"cpu-cpp"}, {}};
}

} // namespace

TEST_CASE_METHOD(prompt_fixture, "a repair teaches what was seen, the plan, and the changed lines alone") {
  auto was =
      broken(node_state::build_failed, "In file k.cpp:\nk.cpp:4: error: 'vadd' was not declared\nnote: x\n");
  auto all = distil({{was, mended(), 0}}, place_of(what));
  REQUIRE(all.size() == 1);
  const auto& s = all[0];
  INFO(s.text);
  CHECK(s.failure == "build_failed");
  CHECK(s.bottleneck.empty());
  CHECK(s.title == "After build_failed: Use the intrinsic's full name.");
  CHECK(s.text.starts_with(
      "When you see build_failed: `k.cpp:4: error: 'vadd' was not declared`\nDo: `Use the"));
  CHECK(s.text.find(
            "-extern \"C\" void kernel() { vadd(1); }\n+extern \"C\" void kernel() { _mm512_add(1); }\n") !=
        std::string::npos);
  for (auto other : {"first try", "mended", "helper", "include"})
    CHECK(s.text.find(other) == std::string::npos);
  CHECK(s.evidence.at(0).parent == 1);
  CHECK(
      shown_skill(s).starts_with("In a search on `softmax` a candidate was build_failed before this change"));
  auto page = document_of(s);
  CHECK(page.signals.failure == std::vector<std::string>{"build_failed"});
  CHECK(page.signals.bottleneck.empty());
  CHECK(unpack<skill>(pack(s))->failure == "build_failed");
}

TEST_CASE_METHOD(prompt_fixture, "of wrong results no place is told, of broken rules nothing at all") {
  auto wrong = distil({{broken(node_state::incorrect, "error at held out 7"), mended(), 0}}, place_of(what));
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].text.starts_with("When you see incorrect\nDo: "));
  for (auto state : {node_state::policy_violation, node_state::cheating_suspected, node_state::noisy,
                     node_state::timeout, node_state::correct})
    CHECK(distil({{broken(state, "error"), mended(), 0}}, place_of(what)).empty());
}

TEST_CASE_METHOD(prompt_fixture, "another kernel is no repair, and neither is a child that failed, too") {
  auto was = broken(node_state::crashed, "");
  auto other = mended();
  for (int i = 0; i < 100; ++i)
    other->source += "void another_line_" + std::to_string(i) + "();\n";
  CHECK(distil({{was, other, 0}}, place_of(what)).empty());
  CHECK(distil({{was, broken(node_state::build_failed, "error"), 0}}, place_of(what)).empty());
  CHECK(distil({{was, mended(), 0, true}}, place_of(what)).empty()); // an earlier campaign's
}

TEST_CASE_METHOD(prompt_fixture,
                 "repairs of one failure are merged, never with another failure's or a gain") {
  auto one = distil({{broken(node_state::crashed, ""), mended(), 0}}, place_of(what)).at(0);
  auto again = one;
  again.evidence[0].node = 7;
  CHECK(are_alike(one, again));
  CHECK(merged(one, again).evidence.size() == 2);
  CHECK(merged(one, again).failure == "crashed");
  again.failure = "build_failed";
  CHECK_FALSE(are_alike(one, again));
  again.failure.clear();
  CHECK_FALSE(are_alike(one, again));
}
