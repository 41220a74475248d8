#include "runtime/core/journal_record.hpp"
#include "runtime/core/rows.hpp"
#include "tests/store/node_batch.hpp"
#include "tests/store/temp_store.hpp"

#include "runtime/store/record.hpp"

#include <atomic>
#include <thread>

using namespace ke;

TEST_CASE(
    "a reader in another process follows the owner, also when the map outgrows what it was opened with") {
  temp_dir dir;
  int to_child[2], from_child[2];
  REQUIRE(::pipe(to_child) == 0);
  REQUIRE(::pipe(from_child) == 0);
  pid_t child = ::fork(); // before this process opens the environment, which a child must not inherit
  if (child == 0) {
    ::close(to_child[1]); // else it never meets the end of its orders
    ::close(from_child[0]);
    std::optional<store_reader> reader;
    for (std::uint32_t i; ::read(to_child[0], &i, sizeof i) == sizeof i;) {
      if (!reader) {
        auto opened = store_reader::open(dir.path());
        if (!opened)
          ::_exit(1);
        reader = std::move(*opened);
      }
      auto row = reader->get(table::evidence, key_of(1, 0, i, 0));
      char same = row && *row == noise(100'000, i);
      if (::write(from_child[1], &same, 1) != 1)
        ::_exit(2);
    }
    ::_exit(0);
  }
  ::close(to_child[0]);
  ::close(from_child[1]);
  {
    auto o = options_for(dir.path());
    o.map_bytes = 1u << 20;
    auto store = store_service::open(o);
    REQUIRE(store);
    for (std::uint32_t i = 0; i < 30; ++i) {
      REQUIRE(write(**store, batch_of(table::evidence, key_of(1, 0, i, 0), noise(100'000, i))));
      char same = 0;
      REQUIRE(::write(to_child[1], &i, sizeof i) == sizeof i);
      REQUIRE(::read(from_child[0], &same, 1) == 1);
      CHECK(same == 1);
    }
  }
  ::close(to_child[1]);
  ::close(from_child[0]);
  int how = 0;
  ::waitpid(child, &how, 0);
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 0);
}

TEST_CASE("readers on several threads follow a writer") {
  temp_dir dir;
  auto store = open_store(dir.path());
  constexpr std::uint32_t count = 3000;
  std::atomic<std::uint32_t> written{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      auto reader = store_reader::open(dir.path());
      if (!reader) {
        ++wrong;
        return;
      }
      for (std::uint32_t seen = 0; seen < count;) {
        auto floor = written.load();
        std::uint32_t rows = 0;
        auto end = reader->scan(table::nodes, key_of(1), [&](std::string_view key, std::string_view value) {
          wrong += unpack<std::uint32_t>(value) && key == key_of(1, 0, rows) ? 0 : 1;
          return ++rows, true;
        });
        wrong += !end || rows < floor || rows < seen ? 1 : 0;
        seen = rows;
      }
    });
  for (std::uint32_t i = 0; i < count; ++i)
    store->write(batch_of(table::nodes, key_of(1, 0, i), pack(i)), [&, i](status) { written = i + 1; });
  for (auto& r : readers)
    r.join();
  CHECK(wrong == 0);
}

TEST_CASE("a scan goes on where its last read transaction ended") {
  temp_dir dir;
  auto store = open_store(dir.path());
  constexpr std::uint32_t count = 25'000;
  store_batch b;
  for (std::uint32_t i = 0; i < count; ++i)
    b.put(table::hot, key_of(1, 0, i), pack(i));
  REQUIRE(write(*store, std::move(b)));
  auto reader = store_reader::open(dir.path());
  std::uint32_t next = 0;
  CHECK(reader->rows<std::uint32_t>(table::hot, key_of(1),
                                    [&](std::string_view, std::uint32_t i) { return i == next++; }));
  CHECK(next == count);
}

TEST_CASE("campaigns are listed, rows decode by type, a gap in a journal is damage") {
  temp_dir dir;
  auto store = open_store(dir.path());
  store_batch b;
  auto row = campaign(4, b);
  b.put(table::campaigns, key_of(4), pack(row));
  for (int i = 0; i < 3; ++i)
    b.journal.emplace_back(4, journal_record{});
  REQUIRE(write(*store, std::move(b)));
  auto reader = store_reader::open(dir.path());
  REQUIRE(reader);
  auto all = reader->campaigns();
  REQUIRE(all);
  REQUIRE(all->size() == 1);
  CHECK(all->front() == row);
  CHECK(*reader->blob(row.problem_digest) == "problem");
  CHECK(reader->row<hot_row>(table::campaigns, key_of(4)).error().kind == failure_kind::corrupt);

  store_batch gap;
  gap.erases.push_back({table::journal, journal_key(4, 1)});
  REQUIRE(write(*store, std::move(gap)));
  int visited = 0;
  auto end = reader->journal(4, 0, [&](std::uint64_t, const journal_record&) { return ++visited, true; });
  CHECK(visited == 1);
  REQUIRE_FALSE(end);
  CHECK(end.error().kind == failure_kind::corrupt);
  CHECK(end.error().text == "the journal of campaign 4 lacks record 1");
}
