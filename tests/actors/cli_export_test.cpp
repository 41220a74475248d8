#include "actors/cli/manifest.hpp"
#include "tests/actors/command_line.hpp"
#include "tests/actors/small_store.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace ke;
using json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void change_a_byte(const fs::path& file) {
  auto text = content_of(file);
  REQUIRE(!text.empty());
  text[text.size() / 2] ^= 1;
  std::ofstream{file, std::ios::binary} << text;
}

struct fixture {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  small_campaign c{*store};
  std::string to = dir / "kernel";
  fixture() { typical(c); }
  command_result best(std::vector<std::string> more = {}) {
    std::vector<std::string> line{"export", "best", "--store", dir.path(), "-o", to};
    line.insert(line.end(), more.begin(), more.end());
    return run_command(line);
  }
};

} // namespace

TEST_CASE("export best writes a folder that says how it was built and measured") {
  fixture f;
  auto r = f.best();
  INFO(r.err);
  REQUIRE(r.code == 0);
  CHECK(content_of(f.to + "/kernel.cpp") == small_source(3));
  CHECK(content_of(f.to + "/build.sh").find("-O3 -march=native") != std::string::npos);
  CHECK((fs::status(f.to + "/build.sh").permissions() & fs::perms::owner_exec) != fs::perms::none);
  CHECK(
      content_of(f.to + "/kernel.h")
          .find("extern \"C\" void kernel(const float* x, float* y, double scale, int64_t M, int64_t N);") !=
      std::string::npos);
  CHECK(json::parse(content_of(f.to + "/verdict.json"))["timing"]["speedup"] == 3);
  auto provenance = json::parse(content_of(f.to + "/provenance.json"));
  CHECK(provenance["node"] == 3);
  CHECK(provenance["measured_with"]["compiler"] == "g++ 12.2.0");
  CHECK(content_of(f.to + "/README.md").find("3.00x [2.95, 3.05]") != std::string::npos);
  CHECK(content_of(f.to + "/problem.toml").find("shape = [\"M\", \"N\"]") != std::string::npos);
  auto listed = cli::parse_manifest(content_of(f.to + "/MANIFEST"));
  REQUIRE(listed);
  for (const auto& e : fs::directory_iterator{f.to})
    if (e.path().filename() != "MANIFEST")
      CHECK(listed->at(e.path().filename()) == digest_of(content_of(e.path())));
}

TEST_CASE("a repeated export is the same bytes; a changed byte is refused by name with exit code 6") {
  fixture f;
  REQUIRE(f.best().code == 0);
  auto first = content_of(f.to + "/MANIFEST");
  REQUIRE(f.best().code == 0);
  CHECK(content_of(f.to + "/MANIFEST") == first);
  SECTION("in the exported folder") {
    change_a_byte(f.to + "/kernel.cpp");
    auto r = f.best();
    CHECK(r.code == 6);
    CHECK(r.err.find(f.to + "/kernel.cpp was changed") != std::string::npos);
  }
  SECTION("in the store's copy") {
    auto copy = fs::path{f.dir.path()} / "exports" / "small-1" / "2" / "verdict.json";
    change_a_byte(copy);
    auto r = f.best();
    CHECK(r.code == 6);
    CHECK(r.err.find("verdict.json was changed") != std::string::npos);
  }
  SECTION("in the manifest itself") {
    std::ofstream{f.to + "/MANIFEST"} << "../../etc/passwd\n";
    auto r = f.best();
    CHECK(r.code == 6);
    CHECK(r.err.find("MANIFEST is damaged") != std::string::npos);
  }
  SECTION("a file of the store's copy that is gone") {
    fs::remove(fs::path{f.dir.path()} / "exports" / "small-1" / "2" / "kernel.h");
    CHECK(f.best().code == 6);
  }
}

TEST_CASE("the option --previous rolls back to the winner before, and the next export goes forward again") {
  fixture f; // node 1 won before node 3
  REQUIRE(f.best().code == 0);
  auto r = f.best({"--previous"});
  INFO(r.err);
  REQUIRE(r.code == 0);
  CHECK(content_of(f.to + "/kernel.cpp") == small_source(1));
  auto none = f.best({"--previous"});
  CHECK(none.code == 1);
  CHECK(none.err == "ke-runtime: campaign small has no winner before the one that was exported last\n");
  CHECK(content_of(f.to + "/kernel.cpp") == small_source(1));
  REQUIRE(f.best().code == 0);
  CHECK(content_of(f.to + "/kernel.cpp") == small_source(3));
}

TEST_CASE("a folder that is not an export is left alone") {
  fixture f;
  fs::create_directory(f.to);
  std::ofstream{f.to + "/kernel.cpp"} << "mine";
  auto r = f.best();
  CHECK(r.code == 2);
  CHECK(content_of(f.to + "/kernel.cpp") == "mine");
}

TEST_CASE("without a proven winner there is nothing to export") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  auto r = run_command({"export", "best", "--store", dir.path(), "-o", dir / "k"});
  CHECK(r.code == 1);
  CHECK_FALSE(fs::exists(dir / "k"));
}

TEST_CASE("the tree and a table are exported to a file") {
  fixture f;
  REQUIRE(run_command({"export", "tree", "--store", f.dir.path(), "-o", f.dir / "tree.json"}).code == 0);
  CHECK(content_of(f.dir / "tree.json") == run_command({"tree", "--store", f.dir.path(), "--json"}).out);
  REQUIRE(run_command({"export", "csv", "--store", f.dir.path(), "-o", f.dir / "nodes.csv"}).code == 0);
  auto csv = content_of(f.dir / "nodes.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 8);
  CHECK(csv.find("\r\n3,cpu-cpp,0,1,correct,faster,2.9500000000000002,main,") != std::string::npos);
}
