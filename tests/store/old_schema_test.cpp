#include "tests/golden.hpp"
#include "tests/store/temp_store.hpp"

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

} // namespace

TEST_CASE("what schema 1 wrote is written for the golden file", "[.write-schema-1]") {
  temp_dir dir;
  {
    auto store = open_store(dir.path());
    store_batch b;
    b.put(table::campaigns, key_of(1), pack(campaign(1, b)));
    b.put(table::skills, "skill/a", "of schema 1");
    b.put(table::jobs, "job", "of nobody");
    b.put(table::fleet, "worker", "of nobody");
    store->write(std::move(b));
    for (std::uint32_t i = 0; i < nodes_of_old; ++i)
      store->write(node_batch(1, i, "source " + std::to_string(i)));
    store->flush();
  }
  std::ofstream{golden_path("schema-1.mdb.zst"), std::ios::binary}
      << compress(test::text_of_file(dir / "data.mdb"));
  std::ofstream{golden_path("schema-1.STORE"), std::ios::binary} << test::text_of_file(dir / "STORE");
}

TEST_CASE("a store that schema 1 wrote keeps all that somebody reads") {
  temp_dir dir;
  unpack_old_store(dir.path());
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
}
