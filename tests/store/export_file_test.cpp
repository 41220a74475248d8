#include "tests/store/temp_store.hpp"

#include "runtime/store/export_file.hpp"

using namespace ke;

TEST_CASE("bug: an export to a place that cannot be written asks if the disk is full") {
  temp_dir dir;
  auto why = [](const std::string& path) {
    auto out = export_writer::create(path, {});
    if (!out)
      return out.error().text;
    auto done = (*out)->finish();
    return done ? std::string{} : done.error().text;
  };
  CHECK(why(dir.path()) == "cannot write " + dir.path() + ": it is a folder; name the file to write in it");
  CHECK_FALSE(std::filesystem::exists(dir.path() + ".part"));
  CHECK(why(dir / "nowhere/x.kex") ==
        "cannot write " + (dir / "nowhere/x.kex") + ": No such file or directory");
  std::filesystem::create_symlink("/dev/full", dir / "full.kex.part");
  CHECK(why(dir / "full.kex") == "cannot write " + (dir / "full.kex") + ": No space left on device");
  CHECK_FALSE(std::filesystem::exists(dir / "full.kex"));
  CHECK(why(dir / "good.kex").empty());
}
