#include "runtime/process/scratch_root.hpp"
#include "tests/actors/worker_fixture.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

using namespace ke;
using namespace ke::test;

namespace {

namespace fs = std::filesystem;

std::size_t folders_in(const fs::path& parent) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator{parent}, fs::directory_iterator{}));
}

} // namespace

TEST_CASE("a scratch root is a folder of its own, and goes with its owner") {
  private_folder parent;
  {
    auto a = scratch_root::make(parent.path());
    auto b = scratch_root::make(parent.path()); // beside a living one
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->folder() != b->folder());
    CHECK(folders_in(parent.path()) == 2);
    std::ofstream{a->folder() / "object"} << "bytes";
    auto moved = std::move(*a);
    CHECK(fs::exists(moved.folder() / "object"));
  }
  CHECK(folders_in(parent.path()) == 0);
}

TEST_CASE("what a killed owner left is swept by the next one; what is somebody else's stays") {
  private_folder parent;
  pid_t child = ::fork();
  if (child == 0) {
    auto left = scratch_root::make(parent.path());
    if (left)
      std::ofstream{left->folder() / "object"} << "bytes";
    ::_exit(left ? 0 : 1); // without clean-up, as by SIGKILL
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  REQUIRE(how == 0);
  REQUIRE(folders_in(parent.path()) == 1);
  fs::create_directory(parent.path() / "ke-eval-nobody"); // no lock: not one of ours
  fs::create_directory(parent.path() / "other");
  auto next = scratch_root::make(parent.path());
  REQUIRE(next);
  CHECK(folders_in(parent.path()) == 3);
  CHECK(fs::exists(parent.path() / "ke-eval-nobody"));
  CHECK(fs::exists(parent.path() / "other"));
}

TEST_CASE("a scratch root is made with the folders above it, or refused naming the place") {
  private_folder parent;
  CHECK(scratch_root::make(parent.path() / "a/b"));
  std::ofstream{parent.path() / "file"} << "x";
  auto none = scratch_root::make(parent.path() / "file");
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == failure_kind::missing);
  CHECK(none.error().text.find((parent.path() / "file").string()) != std::string::npos);
}
