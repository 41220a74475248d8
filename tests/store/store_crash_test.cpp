#include "runtime/core/rows.hpp"
#include "tests/store/node_batch.hpp"
#include "tests/store/temp_store.hpp"

#include "runtime/observe/failpoint.hpp"

#include <poll.h>
#include <signal.h>

using namespace ke;

namespace {

/// A child that writes node after node and reports, over a pipe, every one that it was told is committed.
struct writing_child {
  pid_t pid = -1;
  int pipe = -1;

  writing_child(const std::string& dir, std::uint32_t first, const std::string& failpoint) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      auto store = store_service::open(options_for(dir));
      if (!store || !failpoint::arm(failpoint))
        ::_exit(1);
      for (std::uint32_t i = first; i < first + 20'000; ++i) {
        (*store)->write(node_batch(1, i, noise(200, i)), [i, out = ends[1]](status s) {
          if (s && ::write(out, &i, sizeof i) != sizeof i)
            ::_exit(2);
        });
        if (i % 50 == 0)
          (*store)->flush();
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    pipe = ends[0];
  }
  ~writing_child() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ::close(pipe);
  }

  /// The next acknowledged node; nothing if the child is gone.
  std::optional<std::uint32_t> next() {
    pollfd p{pipe, POLLIN, 0};
    std::uint32_t i;
    REQUIRE(::poll(&p, 1, 20'000) > 0);
    return ::read(pipe, &i, sizeof i) == sizeof i ? std::optional{i} : std::nullopt;
  }
};

/// Every acknowledged node is there, whole, and the store as a whole is sound. Returns the number of the next
/// node.
std::uint32_t verify(const std::string& dir, std::uint32_t acknowledged) {
  auto store = open_store(dir);
  auto reader = store_reader::open(dir);
  REQUIRE(reader);
  auto rows = *reader->count(table::nodes);
  CHECK(rows >= acknowledged);
  CHECK(journal_length(*reader, 1) == rows);
  for (std::uint32_t i = 0; i < rows; ++i) {
    auto row = reader->row<node_row>(table::nodes, key_of(1, 0, i));
    if (!row || !reader->blob(row->source_digest))
      FAIL("node " << i << " is lost");
  }
  return static_cast<std::uint32_t>(rows);
}

} // namespace

TEST_CASE("kill -9 at random moments loses no acknowledged record") {
  temp_dir dir;
  std::random_device device;
  auto seed = device();
  CAPTURE(seed);
  std::mt19937 random{seed};
  std::uint32_t next = 0;
  for (int round = 0; round < 25; ++round) {
    std::uint32_t acknowledged = next;
    {
      writing_child child{dir.path(), next, ""};
      // Killed after a random number of acknowledgements, so at an arbitrary point of the following
      // transactions.
      for (auto left = 1 + random() % 120; left > 0; --left) {
        auto i = child.next();
        REQUIRE(i);
        acknowledged = *i + 1;
      }
      ::kill(child.pid, SIGKILL);
      while (auto i = child.next())
        acknowledged = *i + 1;
    }
    next = verify(dir.path(), acknowledged);
  }
  auto report = check_store(dir.path());
  REQUIRE(report);
  CHECK(report->problems == std::vector<std::string>{});
}

TEST_CASE("death before a commit, after it, or before its callbacks leaves whole batches only") {
  temp_dir dir;
  auto point =
      GENERATE(as<std::string>{}, "store.before_commit:3", "store.after_commit:3", "store.before_callback:3");
  CAPTURE(point);
  std::uint32_t acknowledged = 0;
  {
    writing_child child{dir.path(), 0, point};
    while (auto i = child.next())
      acknowledged = *i + 1;
  }
  auto rows = verify(dir.path(), acknowledged);
  CHECK(acknowledged > 0);
  if (point.starts_with("store.before_commit"))
    CHECK(rows == acknowledged);
  else
    CHECK(rows > acknowledged);
  CHECK(check_store(dir.path())->sound());
}
