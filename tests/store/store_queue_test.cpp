#include "runtime/store/store_queue.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

store_operation batch_of(const std::string& key, bool awaited, std::size_t bytes = 100) {
  store_operation op;
  op.batch.emplace();
  op.batch->put(table::hot, key, "value");
  if (awaited)
    op.done = [](status) {};
  op.bytes = bytes;
  return op;
}

store_operation question_about(const std::string& key) {
  store_operation op;
  op.question.touches = [key](const store_batch& b) { return writes_row(b, table::hot, key); };
  return op;
}

} // namespace

TEST_CASE(
    "a batch that nobody waits for starts no transaction, and goes along with the next that is awaited") {
  store_queue q;
  q.add(batch_of("a", false));
  q.add(batch_of("b", false));
  CHECK_FALSE(q.is_due());
  q.add(batch_of("c", true));
  CHECK(q.is_due());
  CHECK(q.awaited() == 1);
  auto group = q.take(false);
  REQUIRE(group.size() == 3);
  CHECK(group[0].batch->puts[0].key == "a");
  CHECK(group[2].batch->puts[0].key == "c");
  CHECK(q.empty());
  CHECK(q.awaited() == 0);
}

TEST_CASE("nothing is kept for ever: a closing store takes all, and so does one whose patience is over") {
  store_queue q;
  q.add(batch_of("a", false));
  q.add(question_about("z"));
  CHECK(q.take(true).size() == 2);
  CHECK(q.empty());
}

TEST_CASE("much that nobody waits for is written without company") {
  store_queue q;
  q.add(batch_of("a", false, store_queue::unawaited_bytes));
  CHECK(q.is_due());
  CHECK(q.take(false).size() == 1);
  CHECK_FALSE(q.is_due());
}

TEST_CASE("a question that depends on no batch before it is answered without a commit") {
  store_queue q;
  q.add(batch_of("a", false));
  q.add(question_about("b"));
  q.add(batch_of("b", false)); // after the question: not its concern
  auto group = q.take(false);
  REQUIRE(group.size() == 1);
  CHECK_FALSE(group[0].batch);
  CHECK(q.size() == 2);
  CHECK_FALSE(q.is_due());
  q.add(batch_of("c", true));
  CHECK(q.take(false).size() == 3);
}

TEST_CASE("a question about a row that waits in the queue sees it: both are one transaction") {
  store_queue q;
  q.add(batch_of("a", false));
  q.add(question_about("a"));
  CHECK(q.take(false).size() == 2);
}

TEST_CASE("where a batch is awaited, questions keep their place behind it") {
  store_queue q;
  q.add(batch_of("a", true));
  q.add(question_about("b"));
  CHECK(q.take(false).size() == 2);
}

TEST_CASE("a group is bounded in operations and bytes; the rest keeps its order") {
  store_queue q;
  for (std::size_t i = 0; i <= store_queue::group_operations; ++i)
    q.add(batch_of("k", true, 1));
  CHECK(q.take(false).size() == store_queue::group_operations);
  CHECK(q.size() == 1);
  q.add(batch_of("l", true, store_queue::group_bytes));
  q.add(batch_of("m", true));
  CHECK(q.take(false).size() == 2);
  CHECK(q.take(false).front().batch->puts[0].key == "m");
}

TEST_CASE("what a batch writes: rows, prefixes, blobs, and the journal, whose keys the store gives") {
  store_batch b;
  b.put(table::hot, "abc", "1");
  b.erases.push_back({table::nodes, "gone"});
  auto digest = b.blob("text");
  CHECK(writes_row(b, table::hot, "abc"));
  CHECK_FALSE(writes_row(b, table::hot, "ab"));
  CHECK_FALSE(writes_row(b, table::nodes, "abc"));
  CHECK(writes_row(b, table::nodes, "gone"));
  CHECK(writes_rows(b, table::hot, "ab"));
  CHECK_FALSE(writes_rows(b, table::hot, "b"));
  CHECK(writes_blob(b, digest));
  CHECK_FALSE(writes_blob(b, "other"));
  CHECK(writes_rows(b, table::digests, "x"));
  CHECK_FALSE(writes_rows(b, table::journal, ""));
  b.journal.emplace_back(1, journal_record{});
  CHECK(writes_rows(b, table::journal, ""));
}
