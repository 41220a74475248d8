#include "runtime/core/digest.hpp"
#include "runtime/core/rows.hpp"
#include "tests/golden.hpp"
#include "tests/store/temp_store.hpp"

#include <lmdb.h>

using namespace ke;
namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t nodes_of_old = 20;

std::string golden_path(const std::string& name) {
  return std::string{test::source_dir()} + "/tests/store/golden/" + name;
}

/// The store of the golden files, as its program closed it, in a folder of its own.
void unpack_old_store(const std::string& dir) {
  std::string data;
  REQUIRE(decompress(test::text_of_file(golden_path("schema-1.mdb.zst")), data, 64u << 20));
  std::ofstream{dir + "/data.mdb", std::ios::binary} << data;
  std::ofstream{dir + "/STORE", std::ios::binary} << test::text_of_file(golden_path("schema-1.STORE"));
}

/// Whether the closed store's data file has a table of this name, and drops it then, as if it had never had one.
bool take_table(const std::string& dir, const char* name, bool drop = false) {
  MDB_env* env = nullptr;
  REQUIRE(mdb_env_create(&env) == 0);
  mdb_env_set_maxdbs(env, 32);
  REQUIRE(mdb_env_open(env, dir.c_str(), 0, 0600) == 0);
  MDB_txn* txn = nullptr;
  REQUIRE(mdb_txn_begin(env, nullptr, 0, &txn) == 0);
  MDB_dbi table = 0;
  auto found = mdb_dbi_open(txn, name, 0, &table) == 0;
  if (found && drop)
    REQUIRE(mdb_drop(txn, table, 1) == 0);
  REQUIRE(mdb_txn_commit(txn) == 0);
  mdb_env_close(env);
  return found;
}

} // namespace

TEST_CASE("a store that schema 1 wrote keeps all that somebody reads") {
  temp_dir dir;
  unpack_old_store(dir.path());
  CHECK(store_reader::open(dir.path(), verify_in_child).error().text.find("resume its campaign once") !=
        std::string::npos);
  auto as_written = GENERATE(true, false);
  if (!as_written) // by a program that knew fewer tables
    for (auto name : {"solutions", "shared"})
      CHECK(take_table(dir.path(), name, true));
  for (auto name : retired_tables)
    CHECK(take_table(dir.path(), name.data()));
  auto store = open_store(dir.path());
  CHECK(*read(*store, table::skills, "skill/a") == "of schema 1");
  auto report = check_store(dir.path());
  REQUIRE(report);
  CHECK(report->problems == std::vector<std::string>{});
  CHECK(report->rows["nodes"] == nodes_of_old);
  CHECK(report->rows["journal"] == nodes_of_old);
  CHECK(report->rows["evidence"] == nodes_of_old);
  for (std::uint32_t i = 0; i < nodes_of_old; ++i) {
    auto row = unpack<node_row>(*read(*store, table::nodes, key_of(1, 0, i)));
    REQUIRE(row);
    CHECK(*read_blob(*store, row->source_digest) == "source " + std::to_string(i));
  }
  store.reset();
  for (auto name : retired_tables)
    CHECK_FALSE(take_table(dir.path(), name.data()));
  CHECK(std::filesystem::exists(dir / "backup/schema-1.mdb"));
}
