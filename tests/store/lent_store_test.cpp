#include "runtime/store/lent_store.hpp"
#include "tests/store/temp_store.hpp"

using namespace ke;

namespace {

/// A store on a disk that is full from the first commit on: no callback comes while it lives.
struct full_store {
  temp_dir dir;
  std::atomic<bool> full{true};
  std::unique_ptr<store_service> store;
  full_store() {
    auto o = options_for(dir.path());
    o.retry_first = o.retry_ceiling = std::chrono::hours{1};
    o.commit_fault = [this] { return full ? ENOSPC : 0; };
    auto opened = store_service::open(o);
    REQUIRE(opened);
    store = std::move(*opened);
  }
};

} // namespace

TEST_CASE(
    "who waits for a store on a full disk is told when the loan ends, once, and later callers at once") {
  full_store f;
  lent_store lent{*f.store};
  std::atomic<int> told{0};
  awaited<status> written;
  awaited<result<std::string>> asked;
  lent.write(batch_of(table::skills, "a", "1"), [&, done = written.callback()](status s) {
    ++told;
    done(std::move(s));
  });
  lent.read(table::skills, "a", asked.callback());
  lent.end();
  auto w = written.get();
  REQUIRE_FALSE(w);
  CHECK(w.error().kind == failure_kind::cancelled);
  CHECK_FALSE(asked.get());
  awaited<status> late;
  lent.write(batch_of(table::skills, "b", "1"), late.callback());
  CHECK(late.get().error().kind == failure_kind::cancelled);
  f.full = false;
  f.store->retry_now();
  CHECK(*read(*f.store, table::skills, "a") == "1"); // it was written before the loan ended
  CHECK_FALSE(read(*f.store, table::skills, "b"));
  CHECK(told == 1);
}

TEST_CASE("a lent store answers as the store itself does, and may end before it or after") {
  temp_dir dir;
  auto store = open_store(dir.path());
  lent_store lent{*store};
  awaited<status> written;
  lent.write(batch_of(table::skills, "a", "1"), written.callback());
  CHECK(written.get());
  awaited<result<std::string>> found;
  lent.read(table::skills, "a", found.callback());
  CHECK(*found.get() == "1");
  awaited<result<std::vector<std::pair<std::string, std::string>>>> rows;
  lent.scan(table::skills, "", "", 10, rows.callback());
  CHECK(rows.get()->size() == 1);
  awaited<result<std::string>> none;
  lent.read_blob(std::string(64, '0'), none.callback());
  CHECK(none.get().error().kind == failure_kind::not_found);
  lent.write(batch_of(table::skills, "b", "1"));
  CHECK_FALSE(lent.ended());
  lent.end();
  CHECK(lent.ended());
  store.reset();
}
