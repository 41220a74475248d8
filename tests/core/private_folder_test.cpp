#include "runtime/core/private_folder.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace ke;
namespace fs = std::filesystem;

TEST_CASE("a private folder is nobody else's and goes with its owner") {
  auto root = private_folder::make({}, "ke-folder-test-");
  REQUIRE(root);
  fs::path kept, other;
  {
    auto a = private_folder::make(root->path() / "new" / "parent", "x-");
    auto b = private_folder::make(root->path() / "new" / "parent", "x-");
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->path() != b->path());
    CHECK((fs::status(a->path()).permissions() & fs::perms::others_read) == fs::perms::none);
    a->let_others_read();
    CHECK((fs::status(a->path()).permissions() & fs::perms::others_exec) != fs::perms::none);
    std::ofstream{a->path() / "file"} << "text";
    kept = a->path();
    other = b->path();
    private_folder moved = std::move(*a);
    CHECK(moved.path() == kept);
    CHECK(a->path().empty());
  }
  CHECK_FALSE(fs::exists(kept));
  CHECK_FALSE(fs::exists(other));
}

TEST_CASE("a folder that can't be made is named, with the way out") {
  auto refused = private_folder::make("/proc/no", "x-");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == failure_kind::missing);
  CHECK(refused.error().text.find("/proc/no") != std::string::npos);
  CHECK(refused.error().text.find("TMPDIR") != std::string::npos);
}
