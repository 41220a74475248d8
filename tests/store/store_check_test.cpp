#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/store/prompt_sections.hpp"
#include "tests/store/node_batch.hpp"
#include "tests/store/temp_store.hpp"

#include "runtime/store/blob_files.hpp"

using namespace ke;

namespace {

void fill(store_service& store, std::uint32_t nodes) {
  store_batch b;
  b.put(table::campaigns, key_of(1), pack(campaign(1, b)));
  store.write(std::move(b));
  for (std::uint32_t i = 0; i < nodes; ++i)
    store.write(node_batch(1, i, "source " + std::to_string(i)));
  store.flush();
}

node_row row_of(store_service& store, std::uint32_t node) {
  return *unpack<node_row>(*read(store, table::nodes, key_of(1, 0, node)));
}

std::vector<std::string> problems(const std::string& dir, const check_options& options = {}) {
  auto report = check_store(dir, options);
  REQUIRE(report);
  CHECK(report->problem_count == report->problems.size());
  return report->problems;
}

} // namespace

TEST_CASE("a sound store has no problems, and its rows are counted") {
  temp_dir dir;
  auto store = open_store(dir.path());
  fill(*store, 100);
  auto report = check_store(dir.path());
  REQUIRE(report);
  CHECK(report->problems == std::vector<std::string>{});
  CHECK(report->sound());
  CHECK(report->rows["nodes"] == 100);
  CHECK(report->rows["journal"] == 100);
  CHECK(report->rows["digests"] == 102);
  CHECK(report->rows["skills"] == 0);
}

TEST_CASE("each broken promise is named") {
  temp_dir dir;
  auto store = open_store(dir.path());
  fill(*store, 10);
  auto key = key_of(1, 0, 3);
  auto row = row_of(*store, 3);
  store_batch b;
  std::string expected;
  SECTION("an index row that differs") {
    hot_row hot;
    hot.parent = 0;
    hot.state = node_state::incorrect;
    b.put(table::hot, key, pack(hot));
    expected = "node 1.0.3 differs from its index row";
  }
  SECTION("a verdict without evidence") {
    b.erases.push_back({table::evidence, key_of(1, 0, 3, 0)});
    row.device_s = 2;
    b.put(table::nodes, key, pack(row));
    expected = "node 1.0.3 has a verdict without evidence for target 0";
  }
  SECTION("a verdict that is not there") {
    b.erases.push_back({table::verdicts, row.verdict_digests[0]});
    expected = "node 1.0.3 names verdict " + row.verdict_digests[0] + ", which is not stored";
  }
  SECTION("a blob that is not there") {
    row.reply_digest = digest_of("nowhere");
    b.put(table::nodes, key, pack(row));
    expected = "blob " + row.reply_digest + ", the reply of node 1.0.3, is not stored";
  }
  SECTION("a section of a prompt that is not there") {
    row.sections_digest = b.blob(pack(std::vector<stored_section>{
        {b.blob("a section"), {}}, {{}, "one that stands in the list"}, {digest_of("gone"), {}}}));
    b.put(table::nodes, key, pack(row));
    expected = "blob " + digest_of("gone") + ", the prompt section of node 1.0.3, is not stored";
  }
  SECTION("a gap in the journal") {
    b.erases.push_back({table::journal, journal_key(1, 4)});
    expected = "the journal of campaign 1 lacks record 4";
  }
  REQUIRE(write(*store, std::move(b)));
  CHECK(problems(dir.path()) == std::vector{expected});
}

TEST_CASE("a verdict that was known from another campaign needs no evidence of its own") {
  temp_dir dir;
  auto store = open_store(dir.path());
  fill(*store, 4);
  auto row = row_of(*store, 3);
  store_batch b;
  b.erases.push_back({table::evidence, key_of(1, 0, 3, 0)});
  SECTION("as a whole: nothing was measured") {
    row.device_s = 0;
  }
  SECTION("for one target of two: the node that was measured has its evidence") {
    row.device_s = 2;
    row.verdict_digests[0] = row_of(*store, 2).verdict_digests[0];
  }
  b.put(table::nodes, key_of(1, 0, 3), pack(row));
  REQUIRE(write(*store, std::move(b)));
  CHECK(problems(dir.path()) == std::vector<std::string>{});
}

TEST_CASE("evidence that was lost is missed although a duplicate names the same verdict") {
  temp_dir dir;
  auto store = open_store(dir.path());
  fill(*store, 4);
  auto row = row_of(*store, 3);
  store_batch b;
  row.device_s = 2;
  b.put(table::nodes, key_of(1, 0, 3), pack(row));
  auto second = row_of(*store, 2);
  second.verdict_digests = row.verdict_digests;
  second.duplicate_of = 3;
  b.put(table::nodes, key_of(1, 0, 2), pack(second));
  b.erases.push_back({table::evidence, key_of(1, 0, 2, 0)});
  b.erases.push_back({table::evidence, key_of(1, 0, 3, 0)});
  REQUIRE(write(*store, std::move(b)));
  CHECK(problems(dir.path()) ==
        std::vector<std::string>{"node 1.0.3 has a verdict without evidence for target 0"});
}

TEST_CASE("the sections of a prompt are read in both forms in which they were ever stored") {
  std::vector<stored_section> now{{digest_of("shared"), {}}, {{}, "own"}};
  CHECK(*unpack_sections(pack(now)) == now);
  CHECK(*unpack_sections(pack(std::vector<std::string>{digest_of("shared")})) ==
        std::vector<stored_section>{{digest_of("shared"), {}}});
  CHECK(unpack_sections(pack(std::vector<stored_section>{}))->empty());
  CHECK_FALSE(unpack_sections("no list"));
}

TEST_CASE("the caller's fold of each campaign takes part in the check") {
  temp_dir dir;
  auto store = open_store(dir.path());
  fill(*store, 3);
  check_options options;
  options.fold = [](const store_reader& reader, std::uint32_t campaign) {
    return std::vector<std::string>{std::to_string(journal_length(reader, campaign)) +
                                    " records fold to another tree"};
  };
  CHECK(problems(dir.path(), options) ==
        std::vector<std::string>{"campaign c1: 3 records fold to another tree"});
}

TEST_CASE("a blob file that was changed or lost is named, by the check and by the verification") {
  temp_dir dir;
  std::string digest;
  {
    auto store = open_store(dir.path());
    store_batch b;
    digest = b.blob(noise(400'000));
    REQUIRE(write(*store, std::move(b)));
  }
  CHECK(verify_store(dir.path()));
  auto path = blob_files::path_of(dir.path(), digest);
  std::filesystem::resize_file(path, 1000);
  CHECK(problems(dir.path()) == std::vector<std::string>{"the content of blob " + digest + " is damaged"});
  CHECK(verify_store(dir.path()).error().text == "the file of blob " + digest + " is missing or cut");
}

TEST_CASE("compacting shrinks the store, removes orphaned files and loses nothing") {
  temp_dir dir;
  std::string kept;
  {
    auto store = open_store(dir.path());
    fill(*store, 50);
    store_batch b;
    for (std::uint32_t i = 0; i < 200; ++i)
      b.put(table::skills, key_of(i), noise(10'000, i));
    kept = b.blob(noise(400'000));
    REQUIRE(write(*store, std::move(b)));
    store_batch erase;
    for (std::uint32_t i = 0; i < 200; ++i)
      erase.erases.push_back({table::skills, key_of(i)});
    REQUIRE(write(*store, std::move(erase)));
  }
  REQUIRE(blob_files::write(dir.path(), digest_of("orphan"), noise(300'000)) == 0);
  std::ofstream{dir / "blobs/half.part"} << "half";
  auto report = compact_store(dir.path());
  REQUIRE(report);
  CHECK(report->files_removed == 2);
  CHECK(report->bytes_after + 2'000'000 < report->bytes_before);
  CHECK(problems(dir.path()).empty());
  CHECK_FALSE(std::filesystem::exists(dir / "compact.tmp"));
  auto store = open_store(dir.path());
  CHECK(read_blob(*store, kept));
  CHECK(journal_length(*store_reader::open(dir.path()), 1) == 50);
  REQUIRE(write(*store, node_batch(1, 50, "one more")));
  CHECK(problems(dir.path()).empty());
}
