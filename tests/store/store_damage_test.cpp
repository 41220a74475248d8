#include "tests/store/node_batch.hpp"
#include "tests/store/temp_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>

using namespace ke;

namespace ke {

/// store_identity as a later program may have it.
struct later_identity {
  std::string id;
  std::uint32_t schema = 7;
  std::uint64_t created_unix_ms = 0;
  std::string program = "3.1.0", unknown = "field";
};
KE_FIELDS(later_identity, x.id, x.schema, x.created_unix_ms, x.program, x.unknown)

} // namespace ke

namespace {

constexpr std::uint32_t nodes = 400;

/// A store of a few hundred pages, closed cleanly or by the death of its process.
void fill(const std::string& dir, bool clean) {
  pid_t child = ::fork();
  if (child == 0) {
    auto store = store_service::open(options_for(dir));
    if (!store)
      ::_exit(1);
    for (std::uint32_t i = 0; i < nodes; ++i)
      (*store)->write(node_batch(1, i, noise(1500, i)));
    (*store)->flush();
    if (clean)
      store->reset();
    ::_exit(0);
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  REQUIRE(WIFEXITED(how));
  REQUIRE(WEXITSTATUS(how) == 0);
}

void overwrite(const std::string& path, off_t at, std::size_t bytes, unsigned seed) {
  int fd = ::open(path.c_str(), O_RDWR);
  REQUIRE(fd >= 0);
  auto junk = noise(bytes, seed);
  CHECK(::pwrite(fd, junk.data(), junk.size(), at) == static_cast<ssize_t>(junk.size()));
  ::close(fd);
}

/// Both ways in refuse with one sentence, and neither harms the process.
void refused(const std::string& dir) {
  auto store = store_service::open(options_for(dir));
  REQUIRE_FALSE(store);
  CHECK(store.error().kind == failure_kind::corrupt);
  CHECK(store.error().text.find(dir) != std::string::npos);
  CHECK(store.error().text.find("store check") != std::string::npos);
  auto reader = store_reader::open(dir, verify_in_child);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().kind == failure_kind::corrupt);
}

} // namespace

TEST_CASE("an undamaged store opens however it was closed") {
  temp_dir dir;
  fill(dir.path(), GENERATE(true, false));
  auto store = open_store(dir.path());
  CHECK(store->epoch() == 2);
  CHECK(*store_reader::open(dir.path())->count(table::nodes) == nodes);
}

TEST_CASE("a damaged data file is refused with a clear sentence, never opened as an empty store") {
  temp_dir dir;
  bool clean = GENERATE(true, false);
  fill(dir.path(), clean);
  auto data = dir / "data.mdb";
  auto bytes = std::filesystem::file_size(data);
  CAPTURE(clean);
  SECTION("first meta page overwritten") {
    overwrite(data, 0, 200, 1);
  }
  SECTION("second meta page overwritten") {
    overwrite(data, 4096, 200, 2);
  }
  SECTION("both meta pages overwritten") {
    overwrite(data, 0, 8192, 3);
  }
  SECTION("fifty data pages overwritten") {
    std::mt19937 generator{4};
    for (unsigned i = 0; i < 50; ++i)
      overwrite(data, static_cast<off_t>(2 + generator() % (bytes / 4096 - 2)) * 4096, 4096, i);
  }
  SECTION("cut in half") {
    std::filesystem::resize_file(data, bytes / 2);
  }
  SECTION("cut to one page") {
    std::filesystem::resize_file(data, 4096);
  }
  SECTION("emptied") {
    std::filesystem::resize_file(data, 0);
  }
  SECTION("removed") {
    std::filesystem::remove(data);
  }
  SECTION("the file STORE overwritten") {
    std::ofstream{dir / "STORE"} << "{\"store\": 7";
  }
  SECTION("the data file of another store") {
    temp_dir other;
    fill(other.path(), true);
    std::filesystem::copy_file(other / "data.mdb", data, std::filesystem::copy_options::overwrite_existing);
  }
  refused(dir.path());
}

TEST_CASE("a store whose page of tables reads as an empty one is refused, never filled anew") {
  temp_dir dir;
  bool clean = GENERATE(true, false);
  fill(dir.path(), clean);
  // The format of LMDB 0.9: the newer meta page (of two) holds at byte 128 the page of the named tables and
  // at byte 144 its transaction; a page has its flags (2: a leaf) at byte 10 and the ends of its free space
  // at 12.
  std::ifstream in{dir / "data.mdb", std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  auto number = [&](std::size_t at) {
    std::uint64_t value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  auto root = number(number(4096 + 144) > number(144) ? 4096 + 128 : 128);
  REQUIRE((root > 1 && root < bytes.size() / 4096));
  REQUIRE(bytes[root * 4096 + 10] == 2);
  std::uint16_t empty[2] = {16, 4096};
  std::memcpy(bytes.data() + root * 4096 + 12, empty, sizeof empty);
  std::ofstream{dir / "data.mdb", std::ios::binary} << bytes;
  CAPTURE(clean);
  refused(dir.path());
  std::ifstream after{dir / "data.mdb", std::ios::binary};
  // Extra parentheses: no megabyte in a message.
  CHECK((std::string{std::istreambuf_iterator<char>{after}, {}} == bytes));
}

TEST_CASE("one flipped byte in a row is found where it is read") {
  temp_dir dir;
  {
    REQUIRE(write(*open_store(dir.path()),
                  batch_of(table::skills, "tile-loops", "split the loops by the cache size")));
  }
  auto data = dir / "data.mdb";
  std::ifstream in{data, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  for (auto at = bytes.find("split the loops"); at != std::string::npos;
       at = bytes.find("split the loops", at + 1))
    bytes[at + 3] ^= 1;
  std::ofstream{data, std::ios::binary} << bytes;
  auto reader = store_reader::open(dir.path());
  REQUIRE(reader);
  auto row = reader->get(table::skills, "tile-loops");
  REQUIRE_FALSE(row);
  CHECK(row.error().kind == failure_kind::corrupt);
  CHECK(row.error().text == "row \"tile-loops\" of table skills does not match its checksum");
  CHECK(verify_store(dir.path()).error().kind == failure_kind::corrupt);
}

TEST_CASE("a store that a later program wrote is refused, naming both schemas") {
  temp_dir dir;
  std::string id;
  {
    id = open_store(dir.path())->id();
  }
  SECTION("by the file STORE") {
    std::ofstream{dir / "STORE"} << R"({"store":")" << id << R"(","schema":7,"program":"3.1.0"})";
  }
  SECTION("by the row in the data file") {
    later_identity next;
    next.id = id;
    auto store = open_store(dir.path());
    REQUIRE(write(*store, batch_of(table::meta, "identity", pack(next))));
  }
  for (auto& why :
       {store_service::open(options_for(dir.path())).error(), store_reader::open(dir.path()).error()}) {
    CHECK(why.kind == failure_kind::newer_version);
    CHECK(why.text.find("schema 7") != std::string::npos);
    CHECK(why.text.find("up to " + std::to_string(store_schema)) != std::string::npos);
    CHECK(why.text.find("3.1.0") != std::string::npos);
  }
}
