#include "runtime/core/digest.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/rows.hpp"
#include "tests/store/temp_store.hpp"

#include <chrono>

using namespace ke;

TEST_CASE("a row comes back as it was written, also after the store was closed and opened again") {
  temp_dir dir;
  auto key = key_of(1, 0, 7);
  hot_row row;
  row.parent = 3;
  row.value = 1.5;
  {
    auto store = open_store(dir.path());
    REQUIRE(write(*store, batch_of(table::hot, key, pack(row))));
    CHECK(*read(*store, table::hot, key) == pack(row));
    CHECK(read(*store, table::hot, key_of(1, 0, 8)).error().kind == failure_kind::not_found);
    CHECK(read(*store, table::skills, "none").error().text == "there is no row \"none\" in table skills");
  }
  auto store = open_store(dir.path());
  auto back = unpack<hot_row>(*read(*store, table::hot, key));
  REQUIRE(back);
  CHECK(*back == row);
}

TEST_CASE("reads and scans see every batch that was written before them, in key order") {
  temp_dir dir;
  auto store = open_store(dir.path());
  for (std::uint32_t node : {9u, 3u, 300u, 4u})
    store->write(batch_of(table::nodes, key_of(2, 0, node), pack(node)));
  store->write(batch_of(table::nodes, key_of(3, 0, 1), pack(1u)));
  using rows = std::vector<std::pair<std::string, std::string>>;
  auto scan = [&](std::string prefix, std::string first, std::size_t limit) {
    awaited<result<rows>> done;
    store->scan(table::nodes, std::move(prefix), std::move(first), limit, done.callback());
    auto found = done.get();
    REQUIRE(found);
    std::vector<std::uint32_t> nodes;
    for (auto& [key, value] : *found)
      nodes.push_back(*unpack<std::uint32_t>(value));
    return nodes;
  };
  CHECK(scan(key_of(2), {}, 100) == std::vector<std::uint32_t>{3, 4, 9, 300});
  CHECK(scan(key_of(2), key_of(2, 0, 4), 2) == std::vector<std::uint32_t>{4, 9});
  CHECK(scan(key_of(4), {}, 100).empty());
  CHECK(scan({}, {}, 100).size() == 5);
  CHECK(scan({}, {}, 0).empty());
}

TEST_CASE("callbacks run in the order of the calls, after the commit of their batch") {
  temp_dir dir;
  auto store = open_store(dir.path());
  std::vector<int> order;
  std::vector<bool> committed;
  auto reader = store_reader::open(dir.path());
  REQUIRE(reader);
  for (int i = 0; i < 100; ++i) {
    auto key = key_of(1, 0, static_cast<std::uint32_t>(i));
    store->write(batch_of(table::hot, key, "x"), [&, i, key](status s) {
      order.push_back(s ? i : -1);
      committed.push_back(static_cast<bool>(reader->get(table::hot, key)));
    });
    store->read(table::hot, key, [&, i](result<std::string> r) { order.push_back(r ? 1000 + i : -1); });
  }
  store->flush();
  REQUIRE(order.size() == 200);
  for (int i = 0; i < 100; ++i) {
    CHECK(order[2 * i] == i);
    CHECK(order[2 * i + 1] == 1000 + i);
    CHECK(committed[i]);
  }
}

TEST_CASE("batches that queue up behind a commit share the next transaction") {
  temp_dir dir;
  auto store = open_store(dir.path());
  std::promise<void> entered, release;
  // The first batch's callback holds the store thread until the others are queued.
  store->write(batch_of(table::hot, "a", "1"), [&](status) {
    entered.set_value();
    release.get_future().wait();
  });
  entered.get_future().wait();
  auto before = store->now();
  int done = 0;
  for (std::uint32_t i = 0; i < 1000; ++i)
    store->write(batch_of(table::nodes, key_of(1, 0, i), "x"), [&](status s) { done += s ? 1 : 0; });
  CHECK(store->now().queued == 1000);
  release.set_value();
  store->flush();
  CHECK(done == 1000);
  CHECK(store->now().batches - before.batches >= 1000);
  CHECK(store->now().commits - before.commits <= 2);
}

TEST_CASE("journal records are numbered in order of arrival, per campaign, across restarts") {
  temp_dir dir;
  auto record = [](std::uint64_t ms) {
    return journal_record{journal_kind::session, ms, 0, pack(journal_session{ms})};
  };
  for (int session = 0; session < 3; ++session) {
    auto store = open_store(dir.path());
    for (std::uint64_t i = 0; i < 5; ++i) {
      store_batch b;
      b.journal.emplace_back(1, record(100 * session + 2 * i));
      b.journal.emplace_back(1, record(100 * session + 2 * i + 1));
      b.journal.emplace_back(70000, record(i));
      store->write(std::move(b));
    }
  }
  auto reader = store_reader::open(dir.path());
  REQUIRE(reader);
  CHECK(journal_length(*reader, 1) == 30);
  CHECK(journal_length(*reader, 70000) == 15);
  CHECK(journal_length(*reader, 2) == 0);
  std::vector<std::uint64_t> ms;
  REQUIRE(reader->journal(1, 8, [&](std::uint64_t sequence, const journal_record& r) {
    CHECK(sequence == 8 + ms.size());
    ms.push_back(r.wall_ms);
    return ms.size() < 4;
  }));
  CHECK(ms == std::vector<std::uint64_t>{8, 9, 100, 101});
}

TEST_CASE("blobs of any size are kept once each, by digest") {
  temp_dir dir;
  auto text = std::string(100'000, 'x'), large = noise(600'000), empty = std::string{};
  std::string text_digest, large_digest, empty_digest;
  {
    auto store = open_store(dir.path());
    for (int i = 0; i < 3; ++i) {
      store_batch b;
      text_digest = b.blob(text);
      large_digest = b.blob(large);
      empty_digest = b.blob(empty);
      b.blob(text);
      REQUIRE(write(*store, std::move(b)));
    }
    CHECK(*read_blob(*store, large_digest) == large);
    CHECK(read_blob(*store, digest_of("absent")).error().kind == failure_kind::not_found);
    CHECK(read_blob(*store, "not a digest").error().kind == failure_kind::not_found);
    store_batch wrong;
    wrong.blobs.emplace_back("not a digest", "x");
    CHECK(write(*store, std::move(wrong)).error().kind == failure_kind::invalid);
  }
  auto reader = store_reader::open(dir.path());
  REQUIRE(reader);
  CHECK(*reader->blob(text_digest) == text);
  CHECK(*reader->blob(large_digest) == large);
  CHECK(*reader->blob(empty_digest) == empty);
  CHECK(*reader->count(table::digests) == 3);
  CHECK(*reader->count(table::blobs) == 2);
  CHECK(std::filesystem::exists(dir / ("blobs/" + large_digest.substr(0, 2) + "/" + large_digest)));
}

TEST_CASE("a batch erases before it writes, and one that can't be stored leaves nothing behind") {
  temp_dir dir;
  auto store = open_store(dir.path());
  REQUIRE(write(*store, batch_of(table::skills, "a", "1")));
  store_batch replace;
  replace.put(table::skills, "a", "2");
  replace.erases.push_back({table::skills, "a"});
  replace.erases.push_back({table::skills, "never there"});
  REQUIRE(write(*store, std::move(replace)));
  CHECK(*read(*store, table::skills, "a") == "2");

  store_batch wrong;
  wrong.put(table::skills, "b", "1");
  wrong.put(table::skills, std::string(512, 'k'), "1");
  CHECK(write(*store, std::move(wrong)).error().kind == failure_kind::invalid);
  CHECK(write(*store, batch_of(table::skills, "", "1")).error().kind == failure_kind::invalid);
  CHECK(read(*store, table::skills, "b").error().kind == failure_kind::not_found);
  CHECK(write(*store, batch_of(table::skills, std::string(511, 'k'), "1")));
}

TEST_CASE("the destructor commits what is queued and calls every callback") {
  temp_dir dir;
  int done = 0;
  {
    auto store = open_store(dir.path());
    for (std::uint32_t i = 0; i < 500; ++i)
      store->write(batch_of(table::nodes, key_of(1, 0, i), "x"), [&](status s) { done += s ? 1 : 0; });
  }
  CHECK(done == 500);
  CHECK(*store_reader::open(dir.path())->count(table::nodes) == 500);
}

TEST_CASE("a map that is too small grows and nobody notices") {
  temp_dir dir;
  auto options = options_for(dir.path());
  options.map_bytes = 1u << 20;
  auto store = store_service::open(options);
  REQUIRE(store);
  auto reader = store_reader::open(dir.path());
  for (std::uint32_t i = 0; i < 40; ++i) {
    REQUIRE(write(**store, batch_of(table::evidence, key_of(1, 0, i, 0), noise(100'000, i))));
    CHECK(*reader->get(table::evidence, key_of(1, 0, i / 2, 0)) == noise(100'000, i / 2));
  }
}

TEST_CASE("a batch that nobody waits for is written although questions never cease") {
  temp_dir dir;
  auto store = open_store(dir.path());
  store->flush();
  auto before = store->now().commits;
  store->write(batch_of(table::hot, "unawaited", "value"));
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (store->now().commits == before && std::chrono::steady_clock::now() < end)
    static_cast<void>(read(*store, table::hot, "another"));
  CHECK(store->now().commits == before + 1);
}
