#include "runtime/process/bubblewrap.hpp"

#include "runtime/core/private_folder.hpp"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

using namespace ke;

namespace {

namespace fs = std::filesystem;

/// A prefix as an installation has it, with a program in the place of bwrap; others can reach it.
struct installation {
  private_folder folder = *private_folder::make({}, "ke-installed with spaces-");
  fs::path programs = folder.path() / "bin";
  fs::path launcher = folder.path() / "libexec" / "ke-runtime" / "bwrap";

  installation() {
    folder.let_others_read();
    fs::create_directories(programs);
    fs::create_directories(launcher.parent_path());
    for (auto open : {programs, launcher.parent_path(), launcher.parent_path().parent_path()})
      ::chmod(open.c_str(), 0755);
    std::ofstream{launcher} << "#!/bin/sh\n";
    ::chmod(launcher.c_str(), 0755);
  }
};

} // namespace

TEST_CASE("an installation's bwrap lies beside its programs' folder, if it may be started") {
  installation here;
  CHECK(bubblewrap_of(here.programs) == here.launcher.string());
  CHECK(bubblewrap_of(here.folder.path()).empty()); // programs that lie elsewhere
  ::chmod(here.launcher.c_str(), 0644);
  CHECK(bubblewrap_of(here.programs).empty());
  fs::remove(here.launcher);
  CHECK(bubblewrap_of(here.programs).empty());
  fs::create_directory(here.launcher);
  CHECK(bubblewrap_of(here.programs).empty());
}

TEST_CASE("bwrap of an installation in a folder that is closed to others is refused with the folder's name") {
  installation here;
  CHECK(open_to_others("bwrap")); // the system's
  CHECK(open_to_others(here.launcher.string()));
  ::chmod(here.folder.path().c_str(), 0700);
  auto closed = open_to_others(here.launcher.string());
  REQUIRE_FALSE(closed);
  CHECK(closed.error().kind == failure_kind::missing);
  CHECK(closed.error().text.find("'" + here.folder.path().string() + "' is closed") != std::string::npos);
  CHECK(closed.error().text.find("chmod o+rx") != std::string::npos);
  ::chmod(here.folder.path().c_str(), 0755);
  ::chmod(here.launcher.c_str(), 0700);
  CHECK(open_to_others(here.launcher.string())
            .error()
            .text.find("'" + here.launcher.string() + "' is closed") != std::string::npos);
}
