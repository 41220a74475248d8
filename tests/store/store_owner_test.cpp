#include "tests/store/temp_store.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

using namespace ke;

TEST_CASE("a second owner is refused at once, naming process and host, and the first is unharmed") {
  temp_dir dir;
  auto store = open_store(dir.path());
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  auto begin = std::chrono::steady_clock::now();
  auto second = store_service::open(options_for(dir.path()));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{1});
  REQUIRE_FALSE(second);
  CHECK(second.error().kind == failure_kind::held);
  CHECK(second.error().text.find("process " + std::to_string(::getpid()) + " on host " + host) !=
        std::string::npos);
  CHECK(compact_store(dir.path()).error().kind == failure_kind::held);

  pid_t child = ::fork(); // another process fares no better
  if (child == 0) {
    auto third = store_service::open(options_for(dir.path()));
    ::_exit(!third && third.error().kind == failure_kind::held ? 0 : 1);
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  CHECK(WEXITSTATUS(how) == 0);
  CHECK(write(*store, batch_of(table::skills, "a", "1")));
}

TEST_CASE("an owner whose store was taken over writes nothing more and says so; nothing of either is lost") {
  temp_dir dir;
  int begun[2], taken[2];
  REQUIRE(::pipe(begun) == 0);
  REQUIRE(::pipe(taken) == 0);
  auto tell = [](int fd) { return ::write(fd, "x", 1) == 1; };
  auto heard = [](int fd) {
    char c;
    return ::read(fd, &c, 1) == 1;
  };
  pid_t child = ::fork();
  if (child == 0) { // the first owner
    failure trouble;
    auto o = options_for(dir.path());
    o.on_trouble = [&](const failure& why) { trouble = why; };
    auto store = store_service::open(o);
    if (!store || !write(**store, batch_of(table::skills, "1 before", "first")) || !tell(begun[1]) ||
        !heard(taken[0]))
      ::_exit(1);
    for (auto key : {"2 after", "0 after"}) { // beyond what the second wrote, and before it
      auto late = write(**store, batch_of(table::skills, key, "first"));
      if (late || late.error().kind != failure_kind::held ||
          late.error().text.find("taken over by another owner, process " + std::to_string(::getppid())) ==
              std::string::npos)
        ::_exit(2);
    }
    if (trouble.kind != failure_kind::held || read(**store, table::skills, "1 before"))
      ::_exit(3);
    store->reset();
    ::_exit(0);
  }
  REQUIRE(heard(begun[0]));
  REQUIRE(std::filesystem::remove(dir / "owner.lock"));
  auto store = open_store(dir.path());
  CHECK(store->epoch() == 2);
  REQUIRE(write(*store, batch_of(table::skills, "1 between", "second")));
  REQUIRE(tell(taken[1]));
  int how = 0;
  ::waitpid(child, &how, 0);
  REQUIRE(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 0);
  REQUIRE(write(*store, batch_of(table::skills, "3 later", "second"))); // the second is unharmed
  CHECK(*read(*store, table::skills, "1 before") == "first");
  CHECK(*read(*store, table::skills, "1 between") == "second");
  CHECK_FALSE(read(*store, table::skills, "2 after"));
  CHECK_FALSE(read(*store, table::skills, "0 after"));
  for (int fd : {begun[0], begun[1], taken[0], taken[1]})
    ::close(fd);
  store.reset();
  CHECK(verify_store(dir.path()));
}

TEST_CASE("the epoch grows with every opening, however the last one ended; the store keeps its id") {
  temp_dir dir;
  std::string id;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    auto store = open_store(dir.path());
    CHECK(store->epoch() == i);
    CHECK(store->id().size() == 32);
    CHECK((id.empty() || id == store->id()));
    id = store->id();
  }
  pid_t child = ::fork();
  if (child == 0) {
    auto store = store_service::open(options_for(dir.path()));
    ::_exit(store ? 0 : 1); // without closing
  }
  ::waitpid(child, nullptr, 0);
  auto store = open_store(dir.path());
  CHECK(store->epoch() == 5);
  CHECK(store->id() == id);
}

TEST_CASE("the owner's record names it while it lives, and its socket once announced") {
  temp_dir dir;
  CHECK_FALSE(owner_lives(dir.path()));
  {
    auto store = open_store(dir.path());
    REQUIRE(store->announce(dir / "sock"));
    auto reader = store_reader::open(dir.path());
    REQUIRE(reader);
    auto owner = reader->owner();
    REQUIRE(owner);
    CHECK(owner->pid == ::getpid());
    CHECK(owner->socket == dir / "sock");
    CHECK(owner_lives(dir.path()));
    CHECK(reader->id() == store->id());
    CHECK(reader->epoch() == 1);
  }
  CHECK_FALSE(owner_lives(dir.path()));
  CHECK_FALSE(store_reader::open(dir.path())->owner());
  CHECK(read_owner_record(dir.path())->closed);
}

TEST_CASE("the verification runs after an unclean end or a foreign change, and only then") {
  temp_dir dir;
  int verified = 0;
  auto open = [&] {
    auto o = options_for(dir.path());
    o.verify = [&](const std::string& d) { return ++verified, verify_in_child(d); };
    auto store = store_service::open(o);
    REQUIRE(store);
  };
  open();
  open();
  CHECK(verified == 0);
  pid_t child = ::fork();
  if (child == 0) {
    auto store = store_service::open(options_for(dir.path()));
    ::_exit(store ? 0 : 1);
  }
  ::waitpid(child, nullptr, 0);
  open();
  CHECK(verified == 1);
  open();
  CHECK(verified == 1);
  ::utimensat(AT_FDCWD, (dir / "data.mdb").c_str(), nullptr, 0);
  open();
  CHECK(verified == 2);
}

TEST_CASE("a directory is made private; without `create` an absent store is not made") {
  temp_dir dir;
  auto o = options_for(dir / "a/b");
  o.create = false;
  CHECK(store_service::open(o).error().kind == failure_kind::not_found);
  CHECK_FALSE(std::filesystem::exists(dir / "a"));
  CHECK(store_reader::open(dir / "a/b").error().kind == failure_kind::not_found);
  CHECK(store_reader::open(dir.path()).error().kind == failure_kind::not_found);
  o.create = true;
  auto store = store_service::open(o);
  REQUIRE(store);
  struct stat st{};
  ::stat((dir / "a/b").c_str(), &st);
  CHECK((st.st_mode & 0777) == 0700);
  ::stat((dir / "a/b/data.mdb").c_str(), &st);
  CHECK((st.st_mode & 0777) == 0600);
}

TEST_CASE("a store on a read-only file system can be read but not owned") {
  temp_dir dir;
  {
    REQUIRE(write(*open_store(dir / "store"), batch_of(table::skills, "a", "1")));
  }
  std::filesystem::create_directory(dir / "view");
  if (::mount((dir / "store").c_str(), (dir / "view").c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      ::mount(nullptr, (dir / "view").c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
    WARN("skipped: mounting is not permitted here");
    return;
  }
  {
    auto owner = store_service::open(options_for(dir / "view"));
    REQUIRE_FALSE(owner);
    CHECK(owner.error().kind == failure_kind::invalid);
    CHECK(owner.error().text.find("can't be written (Read-only file system)") != std::string::npos);
    auto reader = store_reader::open(dir / "view");
    REQUIRE(reader);
    CHECK(*reader->get(table::skills, "a") == "1");
  }
  CHECK(::umount((dir / "view").c_str()) == 0);
}
