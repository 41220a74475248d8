#include "actors/campaign/node_rows.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"

#include "runtime/store/prompt_sections.hpp"
#include "tests/actors/parts_fixture.hpp"

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;

namespace {

result<node_row> stored_row(const memory_store& store, const node_key& n) {
  return store.row<node_row>(table::nodes, key_of(n.campaign, n.tree, n.node));
}

} // namespace

TEST_CASE_METHOD(parts_fixture, "node rows: a planned node is stored by its step alone, and has no row yet") {
  start(settings());
  clock += 1500ms;
  auto n = step(1).at(0);
  CHECK_FALSE(stored_row(*store, n));
  CHECK(rows.of(n).parents == std::vector<std::uint32_t>{0});
  CHECK(rows.of(n).model == "m");
  CHECK(rows.of(n).planned_ms == 1500);
}

TEST_CASE_METHOD(parts_fixture, "node rows: what was asked is stored with its prompt's sections") {
  start(settings());
  auto n = step(1).at(0);
  auto request = prompt_of(n);
  request->prompt.sections.push_back({"Tile loops.", true, "knowledge:guidance/tiles"});
  request->prompt.dropped = {"skills"};
  store_batch batch;
  rows.asked(batch, *request);
  journal.commit(std::move(batch));
  auto row = stored_row(*store, n);
  REQUIRE(row);
  CHECK(row->state == node_state::asked);
  CHECK(row->attempts == 1);
  CHECK(row->shown == std::vector<std::string>{"guidance/tiles"});
  CHECK(row->dropped == std::vector<std::string>{"skills"});
  auto sections = unpack_sections(*store->blob(row->sections_digest));
  REQUIRE(sections);
  REQUIRE(sections->size() == 2);
  CHECK(sections->at(0).text == "Write a kernel.");
  CHECK(sections->at(1).text.empty()); // shared by many prompts: a blob
  CHECK(*store->blob(sections->at(1).digest) == "Tile loops.");
}

TEST_CASE_METHOD(parts_fixture, "node rows: a source that its tree had before makes a duplicate") {
  start(settings());
  auto nodes = step(2);
  for (const auto& n : nodes) {
    ask(n);
    give(n, "void kernel() {}");
  }
  CHECK(stored_row(*store, nodes[0])->duplicate_of == no_node);
  CHECK(stored_row(*store, nodes[1])->duplicate_of == nodes[0].node);
  CHECK(stored_row(*store, nodes[1])->state == node_state::answered);
}

TEST_CASE_METHOD(parts_fixture, "node rows: a row is stored once more when its node ends, and forgotten") {
  start(settings());
  auto n = candidate(1.5);
  CHECK(rows.size() == 0);
  auto row = stored_row(*store, n);
  REQUIRE(row);
  CHECK(row->state == node_state::correct);
  CHECK(row->scores == std::vector<std::optional<double>>{1.5});
  auto hot = store->row<hot_row>(table::hot, key_of(n.campaign, n.tree, n.node));
  REQUIRE(hot);
  CHECK(hot->score == 1.5);
}

TEST_CASE_METHOD(parts_fixture, "node rows: a cancelled node's rows are stored with the reason") {
  start(settings());
  auto n = step(1).at(0);
  store_batch batch;
  journal.record(batch, journal_kind::ended, journal_ended{0, n.node, node_state::cancelled, "stopped"});
  rows.cancelled(batch, n, "stopped");
  journal.commit(std::move(batch));
  auto row = stored_row(*store, n);
  REQUIRE(row);
  CHECK(row->state == node_state::cancelled);
  CHECK(row->note == "stopped");
  CHECK(store->get(table::hot, key_of(n.campaign, n.tree, n.node)));
}

TEST_CASE_METHOD(parts_fixture, "node rows: crashes of a node's actor are counted until it ends") {
  start(settings());
  auto n = step(1).at(0);
  CHECK(rows.crashed(n) == 1);
  CHECK(rows.crashed(n) == 2);
  CHECK(rows.note_of(n).empty());
  CHECK(rows.note_of({1, 0, 99}).empty());
}
