#include "runtime/core/journal_record.hpp"
#include "tests/store/temp_store.hpp"

#include <sys/mount.h>

#include <cerrno>

using namespace ke;

namespace {

/// What `on_trouble` heard, to be waited for.
class trouble_log {
public:
  std::function<void(const failure&)> listener() {
    return [this](const failure& why) {
      std::lock_guard lock{guard_};
      kinds_.push_back(why.kind);
      changed_.notify_all();
    };
  }
  bool wait_for(std::size_t count) {
    std::unique_lock lock{guard_};
    return changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return kinds_.size() >= count; });
  }
  std::vector<failure_kind> kinds() {
    std::lock_guard lock{guard_};
    return kinds_;
  }

private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::vector<failure_kind> kinds_;
};

journal_record numbered(std::uint64_t i) {
  return {journal_kind::session, i, 0, {}};
}

} // namespace

TEST_CASE("a full disk, a full quota, a disk with write errors, no descriptors and no memory are waited out: "
          "nothing is lost or reordered, trouble and its end are told once") {
  temp_dir dir;
  trouble_log trouble;
  std::atomic<int> failures{3};
  int error = GENERATE(ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM);
  auto o = options_for(dir.path());
  o.on_trouble = trouble.listener();
  o.retry_first = o.retry_ceiling = std::chrono::hours{1}; // only retry_now ends a pause
  std::atomic<int> attempts{0};
  o.commit_fault = [&] { return ++attempts <= failures ? error : 0; };
  auto store = store_service::open(o);
  REQUIRE(store);
  std::vector<std::uint64_t> order;
  for (std::uint64_t i = 0; i < 20; ++i) {
    store_batch b;
    b.journal.emplace_back(1, numbered(i));
    (*store)->write(std::move(b), [&, i](status s) { order.push_back(s ? i : 1000); });
  }
  REQUIRE(trouble.wait_for(1));
  while (trouble.kinds().size() < 2)
    (*store)->retry_now();
  (*store)->flush();
  CHECK(trouble.kinds() == std::vector{failure_kind::disk_full, failure_kind::none});
  REQUIRE(order.size() == 20);
  CHECK(std::is_sorted(order.begin(), order.end()));
  CHECK(order.back() == 19);
  std::vector<std::uint64_t> ms;
  REQUIRE(store_reader::open(dir.path())->journal(1, 0, [&](std::uint64_t, const journal_record& r) {
    return ms.push_back(r.wall_ms), true;
  }));
  CHECK(ms == order);
}

TEST_CASE("a store that closes while the disk is full refuses what it could not keep and keeps the rest") {
  temp_dir dir;
  trouble_log trouble;
  std::vector<failure_kind> ends;
  {
    std::atomic<bool> full{false};
    auto o = options_for(dir.path());
    o.on_trouble = trouble.listener();
    o.commit_fault = [&] { return full ? ENOSPC : 0; };
    auto store = store_service::open(o);
    REQUIRE(store);
    REQUIRE(write(**store, batch_of(table::skills, "kept", "1")));
    full = true;
    (*store)->write(batch_of(table::skills, "refused", "1"),
                    [&](status s) { ends.push_back(s ? failure_kind::none : s.error().kind); });
    (*store)->read(table::skills, "kept",
                   [&](result<std::string> r) { ends.push_back(r ? failure_kind::none : r.error().kind); });
    REQUIRE(trouble.wait_for(1));
    store->reset();
  }
  REQUIRE(ends.size() == 2);
  CHECK(ends[0] == failure_kind::disk_full);
  auto store = open_store(dir.path());
  CHECK(*read(*store, table::skills, "kept") == "1");
  CHECK(read(*store, table::skills, "refused").error().kind == failure_kind::not_found);
}

// Bug: while a store closed on a full disk a small batch found room after a larger one had been refused, and
// a resumed campaign met steps whose verdicts were not there.
TEST_CASE("a store that closes while the disk is full keeps nothing that was given after what it refused") {
  temp_dir dir;
  trouble_log trouble;
  std::vector<failure_kind> ends;
  {
    std::atomic<int> commits{0};
    auto o = options_for(dir.path());
    o.on_trouble = trouble.listener();
    o.retry_first = o.retry_ceiling = std::chrono::hours{1};
    o.commit_fault = [&] { return ++commits <= 2 ? ENOSPC : 0; }; // its first try, and its last when closing
    auto store = store_service::open(o);
    REQUIRE(store);
    auto end = [&](status s) { ends.push_back(s ? failure_kind::none : s.error().kind); };
    (*store)->write(batch_of(table::skills, "first", "1"), end);
    REQUIRE(trouble.wait_for(1));
    (*store)->write(batch_of(table::skills, "second", "1"), end);
    store->reset();
  }
  CHECK(ends == std::vector{failure_kind::disk_full, failure_kind::disk_full});
  auto store = open_store(dir.path());
  CHECK(read(*store, table::skills, "first").error().kind == failure_kind::not_found);
  CHECK(read(*store, table::skills, "second").error().kind == failure_kind::not_found);
}

TEST_CASE("any other write error stops the store: everything queued and later is refused, what was told as "
          "done stays") {
  temp_dir dir;
  for (int n = 1; n <= 5; ++n) { // the n-th commit fails
    auto path = dir / std::to_string(n);
    trouble_log trouble;
    std::vector<bool> done;
    {
      int commits = 0;
      auto o = options_for(path);
      o.on_trouble = trouble.listener();
      o.commit_fault = [&] { return ++commits == n ? EROFS : 0; };
      auto store = store_service::open(o);
      REQUIRE(store);
      for (std::uint32_t i = 0; i < 6; ++i)
        done.push_back(static_cast<bool>(write(**store, batch_of(table::hot, key_of(1, 0, i), "x"))));
      CHECK_FALSE(read(**store, table::hot, key_of(1, 0, 0)));
    }
    CHECK(trouble.kinds().size() == 1);
    auto store = open_store(path);
    for (std::uint32_t i = 0; i < 6; ++i) {
      CHECK(done[i] == (static_cast<int>(i) + 1 < n));
      CHECK(static_cast<bool>(read(*store, table::hot, key_of(1, 0, i))) == done[i]);
    }
  }
}

TEST_CASE("on a disk that is really full the store waits, and goes on when space is back") {
  temp_dir dir;
  if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=10m") != 0) {
    WARN("skipped: mounting is not permitted here");
    return;
  }
  {
    trouble_log trouble;
    auto o = options_for(dir / "store");
    o.on_trouble = trouble.listener();
    auto store = store_service::open(o);
    REQUIRE(store);
    {
      std::ofstream{dir / "ballast"} << noise(7'000'000);
    }
    std::vector<std::uint32_t> acknowledged;
    bool blobs_too = GENERATE(false, true);
    // 4 to 7 MB: more than is free beside the ballast, less than without it.
    constexpr std::uint32_t count = 100;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto b = blobs_too && i % 10 == 0 ? store_batch{}
                                        : batch_of(table::evidence, key_of(1, 0, i, 0), noise(40'000, i));
      if (blobs_too && i % 10 == 0)
        b.blob(noise(300'000, i));
      b.journal.emplace_back(1, numbered(i));
      (*store)->write(std::move(b), [&, i](status s) {
        if (s)
          acknowledged.push_back(i);
      });
    }
    REQUIRE(trouble.wait_for(1));
    CHECK(trouble.kinds()[0] == failure_kind::disk_full);
    auto reader = store_reader::open(dir / "store");
    REQUIRE(reader);
    std::filesystem::remove(dir / "ballast");
    (*store)->flush();
    CHECK(acknowledged.size() == count);
    CHECK(std::is_sorted(acknowledged.begin(), acknowledged.end()));
    CHECK(trouble.kinds() == std::vector{failure_kind::disk_full, failure_kind::none});
    CHECK(journal_length(*reader, 1) == count);
  }
  CHECK(check_store(dir / "store")->sound());
  CHECK(::umount(dir.path().c_str()) == 0);
}
