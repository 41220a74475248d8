#include "runtime/observe/failpoint.hpp"
#include "runtime/store/migration.hpp"
#include "tests/store/temp_store.hpp"

#include <cerrno>

using namespace ke;

namespace {

constexpr std::uint32_t last_schema = store_schema + 2;

std::string backup_of(const temp_dir& dir, std::uint32_t schema, const std::string& ending) {
  return dir / ("backup/schema-" + std::to_string(schema) + ending);
}

/// A store as this program leaves it: the first of three schemas.
void make_old(const std::string& dir) {
  auto store = open_store(dir);
  for (int i = 0; i < 50; ++i)
    REQUIRE(write(*store, batch_of(table::skills, "skill" + std::to_string(i), "text " + std::to_string(i))));
}

/// Every row of `skills` gets one more letter: running a step twice, or half, would show.
int append_to_all(transaction& txn, char letter) {
  std::vector<std::pair<std::string, std::string>> rows;
  int rc = txn.walk(table::skills, "", "", [&](std::string_view key, std::string_view row) {
    if (auto body = unseal(table::skills, key, row))
      rows.emplace_back(key, *body);
    return true;
  });
  for (auto& [key, body] : rows)
    if (rc == 0)
      rc = txn.put(table::skills, key, seal(table::skills, key, body + letter));
  return rc;
}

store_options later_program(const std::string& dir) {
  auto o = options_for(dir);
  o.program = "3.0.0";
  o.schema = last_schema;
  o.steps = {{store_schema, [](transaction& txn) { return append_to_all(txn, 'b'); }},
             {store_schema + 1, [](transaction& txn) { return append_to_all(txn, 'c'); }}};
  return o;
}

void expect_migrated(const std::string& dir) {
  auto store = store_service::open(later_program(dir));
  REQUIRE(store);
  for (int i = 0; i < 50; ++i)
    CHECK(*read(**store, table::skills, "skill" + std::to_string(i)) == "text " + std::to_string(i) + "bc");
  CHECK(unpack<store_identity>(*read(**store, table::meta, "identity"))->schema == last_schema);
  std::ifstream file{dir + "/STORE"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  CHECK(text.find("\"schema\":" + std::to_string(last_schema)) != std::string::npos);
}

} // namespace

TEST_CASE("an older store is brought forward step by step, and what it was is kept") {
  temp_dir dir;
  make_old(dir.path());
  expect_migrated(dir.path());
  expect_migrated(dir.path()); // the second opening has nothing left to do
  CHECK(std::filesystem::exists(backup_of(dir, store_schema + 1, ".mdb")));

  // Going back: the copies in their places are the old store again.
  std::filesystem::copy_file(backup_of(dir, store_schema, ".mdb"), dir / "data.mdb",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(backup_of(dir, store_schema, ".STORE"), dir / "STORE",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(dir / "lock.mdb");
  CHECK(*read(*open_store(dir.path()), table::skills, "skill7") == "text 7");
}

TEST_CASE("a migration that is killed at any of its commits is finished by the next owner") {
  std::string point = GENERATE("store.before_migration:1", "store.after_migration:1",
                               "store.before_migration:2", "store.after_migration:2");
  CAPTURE(point);
  temp_dir dir;
  make_old(dir.path());
  pid_t child = ::fork();
  if (child == 0) {
    failpoint::arm(point);
    auto store = store_service::open(later_program(dir.path()));
    ::_exit(store ? 0 : 1);
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  REQUIRE(WIFEXITED(how));
  REQUIRE(WEXITSTATUS(how) == failpoint::exit_code);
  expect_migrated(dir.path());
}

TEST_CASE("a migration step that fails leaves the store as the last step left it, and says how far it came") {
  temp_dir dir;
  make_old(dir.path());
  auto o = later_program(dir.path());
  o.steps[1].run = [](transaction& txn) {
    int rc = append_to_all(txn, 'x');
    return rc != 0 ? rc : ENOSPC;
  };
  auto failed = store_service::open(o);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == failure_kind::disk_full);
  CHECK(failed.error().text.find("from schema " + std::to_string(store_schema + 1) + " to " +
                                 std::to_string(last_schema)) != std::string::npos);
  expect_migrated(dir.path());
}

TEST_CASE(
    "a schema without a way forward is refused, and so is a store of a later schema by an older program") {
  temp_dir dir;
  make_old(dir.path());
  auto o = later_program(dir.path());
  o.steps.erase(o.steps.begin());
  auto lost = store_service::open(o);
  REQUIRE_FALSE(lost);
  CHECK(lost.error().text.find("no way from there to schema " + std::to_string(last_schema)) !=
        std::string::npos);
  CHECK(*read(*open_store(dir.path()), table::skills, "skill7") == "text 7"); // untouched
  expect_migrated(dir.path());
  for (auto& why :
       {store_service::open(options_for(dir.path())).error(), store_reader::open(dir.path()).error()}) {
    CHECK(why.kind == failure_kind::newer_version);
    CHECK(why.text.find("schema " + std::to_string(last_schema)) != std::string::npos);
    CHECK(why.text.find("up to " + std::to_string(store_schema)) != std::string::npos);
  }
}

TEST_CASE("a reader does not read rows of an older schema: it says who has to bring them forward") {
  temp_dir dir;
  auto o = options_for(dir.path());
  o.schema = store_schema - 1;
  {
    REQUIRE(store_service::open(o));
  }
  auto reader = store_reader::open(dir.path());
  REQUIRE_FALSE(reader);
  CHECK(reader.error().kind == failure_kind::invalid);
  CHECK(reader.error().text.find("has schema " + std::to_string(store_schema - 1) +
                                 " and has to be brought to " + std::to_string(store_schema) + " first") !=
        std::string::npos);
}
