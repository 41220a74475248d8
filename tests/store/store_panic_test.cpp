#include "tests/store/temp_store.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>

using namespace ke;

namespace {

/// So many writes of a meta page fail from now on.
std::atomic<int> meta_faults{0};

} // namespace

/// LMDB's writes pass here: a dynamic library looks in the program first. Pages are whole, only a meta page's
/// is short.
extern "C" ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  if (size < 512 && at < 8192 && meta_faults > 0) {
    --meta_faults;
    errno = EIO;
    return -1;
  }
  return ::syscall(SYS_pwrite64, fd, bytes, size, at);
}

TEST_CASE("a commit that fails in its last write, after which LMDB refuses everything, is waited out: the "
          "environment is opened anew") {
  temp_dir dir;
  std::mutex guard;
  std::vector<failure> troubles;
  auto o = options_for(dir.path());
  o.on_trouble = [&](const failure& why) {
    std::lock_guard lock{guard};
    troubles.push_back(why);
  };
  auto opened = store_service::open(o);
  REQUIRE(opened);
  auto& store = **opened;
  REQUIRE(write(store, batch_of(table::skills, "before", "1")));
  auto opened_reader = store_reader::open(dir.path());
  REQUIRE(opened_reader);
  std::optional<store_reader> reader{std::move(*opened_reader)}; // shares the environment
  int faults = GENERATE(1, 2, 7); // LMDB itself tries to write the old page back
  meta_faults = faults;
  std::vector<int> order;
  for (int i = 0; i < 10; ++i)
    store.write(batch_of(table::skills, "row" + std::to_string(i), "x"),
                [&order, i](status s) { order.push_back(s ? i : -1); });
  store.flush();
  CHECK(meta_faults == 0);
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(*reader->get(table::skills, "before") == "1");
  CHECK(*reader->get(table::skills, "row9") == "x");
  {
    std::lock_guard lock{guard};
    REQUIRE(troubles.size() == 2); // told once, whatever the number of tries
    CHECK(troubles[0].kind == failure_kind::disk_full);
    CHECK(troubles[0].text.find("does not take writes") != std::string::npos);
    CHECK(troubles[1].kind == failure_kind::none);
  }
  reader.reset();
  opened->reset();
  CHECK(check_store(dir.path())->sound());
  CHECK(open_store(dir.path())->epoch() == 2);
}
