#include "runtime/core/call_row.hpp"
#include "runtime/records/recorded_answers.hpp"
#include "tests/actors/small_store.hpp"

using namespace ke;

namespace {

/// A call row as the campaign actor leaves it, and its answer.
void record(store_service& store, std::uint32_t node, const std::string& model, const std::string& prompt,
            const std::string& reply, bool open = false) {
  store_batch b;
  call_row row;
  row.model = model;
  row.prompt_digest = prompt;
  row.open = open;
  if (!reply.empty())
    row.reply_digest = b.blob(reply);
  b.put(table::calls, key_of(1, 0, node, 1), pack(row));
  REQUIRE(write(store, std::move(b)));
}

} // namespace

TEST_CASE(
    "recorded answers are found by prompt and occurrence, in the order in which they were asked for, and "
    "are read as their provider's") {
  temp_dir dir;
  {
    auto store = open_store(dir.path());
    small_campaign c{*store}; // its model `main` speaks openai's
    record(*store, 1, "main", "p1", "first");
    record(*store, 2, "main", "p2", "other");
    record(*store, 3, "gone", "p1", "second"); // of a model that no campaign's settings name
    record(*store, 4, "main", "p1", "", true); // never answered
  }
  auto answers = recorded_answers(dir.path());
  auto first = answers("p1", 0), second = answers("p1", 1);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->body == "first");
  CHECK(first->provider == provider_kind::openai);
  CHECK(second->body == "second");
  CHECK(second->provider == provider_kind::spool); // plain text
  CHECK(answers("p2", 0)->body == "other");
  CHECK_FALSE(answers("p1", 2));
  CHECK_FALSE(answers("p3", 0));
}

TEST_CASE("a folder that is no store has no recorded answers, and that is not the end of the program") {
  temp_dir dir;
  auto answers = recorded_answers(dir / "nothing");
  CHECK_FALSE(answers("p1", 0));
  CHECK_FALSE(answers("p1", 0));
}
