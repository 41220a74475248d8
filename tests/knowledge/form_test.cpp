#include "runtime/core/search_kinds.hpp"
#include "tests/knowledge/prompt_fixture.hpp"

using namespace ke;
using ke_test::prompt_fixture;

TEST_CASE_METHOD(prompt_fixture,
                 "a change is asked for in the form that was drawn, and in any form otherwise") {
  request.form = answer_kind::edits;
  CHECK_FALSE(says("## Form of this answer")); // a first version changes nothing
  improve();
  CHECK(says(
      "## Form of this answer\nAnswer with edits of the parent (SEARCH and REPLACE), not with the whole"));
  request.form = answer_kind::whole;
  CHECK(says("## Form of this answer\nAnswer with a whole new source, not with edits"));
  request.form = answer_kind::any;
  CHECK_FALSE(says("## Form of this answer"));
}

TEST_CASE_METHOD(prompt_fixture, "a parent with marked regions is shown with the rule about them") {
  improve();
  CHECK_FALSE(says("ke-mutable"));
  auto parent = prompt_fixture::summary(4);
  parent->source = "// ke-mutable: begin\nextern \"C\" void kernel() {}\n// ke-mutable: end\n";
  request.parent = parent;
  CHECK(says(
      "Of the parent only what stands between a line `ke-mutable: begin` and its `ke-mutable: end` may"));
}
