#include "interface/cli/exported_winner.hpp"
#include "interface/cli/manifest.hpp"
#include "runtime/core/baseline.hpp"
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace ke;
using json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

void change_a_byte(const fs::path& file) {
  auto text = content_of(file);
  REQUIRE(!text.empty());
  text[text.size() / 2] ^= 1;
  std::ofstream{file, std::ios::binary} << text;
}

struct export_bench {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  small_campaign c{*store};
  std::string asked = dir / "kernel", to = asked + "-unclaimed"; // nothing of it was measured again
  export_bench() { typical(c); }
  command_result best(std::vector<std::string> more = {}) {
    std::vector<std::string> line{"export", "best", "--store", dir.path(), "-o", asked};
    line.insert(line.end(), more.begin(), more.end());
    return run_command(line);
  }
};

} // namespace

TEST_CASE("export best writes a folder that says how it was built and measured") {
  export_bench f;
  auto r = f.best();
  INFO(r.err);
  REQUIRE(r.code == 0);
  CHECK(content_of(f.to + "/kernel.cpp") == small_source(3));
  CHECK(content_of(f.to + "/build.sh").find("-O3 -march=native -fopenmp") != std::string::npos);
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

TEST_CASE("a winner that was not measured again for a claim is called so by its folder and its README") {
  export_bench f;
  auto r = f.best();
  REQUIRE(r.code == 0);
  CHECK(r.out.find(f.to) != std::string::npos);
  CHECK(r.out.find("not measured again for a claim") != std::string::npos);
  CHECK_FALSE(fs::exists(f.asked));
  CHECK(content_of(f.to + "/README.md").starts_with("# Unclaimed: softmax"));
  CHECK(json::parse(content_of(f.to + "/provenance.json"))["claimed"] == false);
}

TEST_CASE("an exported folder holds what eval needs to judge its kernel again, and says what it lacks") {
  export_bench f;
  REQUIRE(f.best().code == 0);
  auto winner = cli::read_exported(f.to);
  REQUIRE(winner);
  CHECK(winner->candidate == f.to + "/kernel.cpp");
  CHECK(winner->backend == "cpu-cpp");
  CHECK(winner->measured.starts_with("3.00x [2.95, 3.05] on "));
  CHECK(winner->measured.ends_with(", not yet claimed"));
  CHECK(winner->problem == f.to + "/problem.toml");
  change_a_byte(winner->problem);
  CHECK(cli::read_exported(f.to).error().kind == failure_kind::corrupt);
  auto other = cli::read_exported(f.dir.path());
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == failure_kind::invalid);
  CHECK(other.error().text.find("is no folder that `export best` wrote") != std::string::npos);
}

TEST_CASE("a repeated export is the same bytes; a changed byte is refused by name with exit code 6") {
  export_bench f;
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
  export_bench f; // node 1 won before node 3
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
  export_bench f;
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
  export_bench f;
  REQUIRE(run_command({"export", "tree", "--store", f.dir.path(), "-o", f.dir / "tree.json"}).code == 0);
  CHECK(content_of(f.dir / "tree.json") == run_command({"tree", "--store", f.dir.path(), "--json"}).out);
  REQUIRE(run_command({"export", "csv", "--store", f.dir.path(), "-o", f.dir / "nodes.csv"}).code == 0);
  auto csv = content_of(f.dir / "nodes.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 8);
  CHECK(csv.find("\r\n3,cpu-cpp,0,1,correct,faster,2.9500000000000002,main,") != std::string::npos);
}

namespace {

/// Output and exit code of a shell command.
std::pair<std::string, int> shell(const std::string& command) {
  auto* out = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(out != nullptr);
  std::string text;
  char piece[4096];
  for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, out)) > 0;)
    text.append(piece, n);
  auto status = ::pclose(out);
  return {text, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

} // namespace

TEST_CASE("what a worker told of itself runs nothing in an exported winner's Makefile and build.sh") {
  const std::string ran = "RAN"; // a file that each of these words would make, were it run
  auto flags = GENERATE(as<std::string>{}, "-O3 ; touch RAN #", "$(shell touch RAN)", "-O3\n\ttouch RAN",
                        "-O3\r\ntouch RAN", "`touch RAN`", "$$(touch RAN)", "-O3 -wrapper touch,RAN",
                        "' ; touch RAN ; '", "-O3 \\\n touch RAN", "-o RAN");
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  c.told = {{"flags", flags},
            {"compiler", "g++ 12\ntouch RAN\n$(shell touch RAN)"},
            {"backend", "../../x\ntouch RAN"},
            {"device", "cpu | `touch RAN` <script>RAN</script>\ntouch RAN"}};
  typical(c);
  auto to = dir / "kernel-unclaimed";
  auto r = run_command({"export", "best", "--store", dir.path(), "-o", dir / "kernel"});
  INFO(flags);
  INFO(r.err);
  REQUIRE(r.code == 0);
  // What the kernel is made of needs no compiler here: a stand-in that makes its output.
  std::ofstream{to + "/cc"}
      << "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && : > \"$2\"; shift; done\n";
  fs::permissions(to + "/cc", fs::perms::owner_all);
  for (std::string command : {"make -n", "make CXX=./cc", "rm -f kernel.so; CXX=./cc ./build.sh"}) {
    INFO(command);
    auto [said, code] = shell("cd '" + to + "' && " + command);
    INFO(said);
    CHECK(code == 0);
    CHECK(said.find(ran) == std::string::npos);
    CHECK_FALSE(fs::exists(to + "/" + ran));
  }
  CHECK(fs::exists(to + "/kernel.so"));
  for (auto file : {"Makefile", "build.sh", "kernel.h"})
    CHECK(content_of(to + "/" + file).find(ran) == std::string::npos);
  auto readme = content_of(to + "/README.md");
  CHECK(readme.find("<script>") == std::string::npos);
  CHECK(readme.find("\ntouch") == std::string::npos);
  CHECK(readme.find("| `") == std::string::npos);
  auto page = run_command({"report", "--store", dir.path(), "-o", dir / "report.html"});
  INFO(page.err);
  REQUIRE(page.code == 0);
  CHECK(content_of(dir / "report.html").find("<script>RAN") == std::string::npos);
}

TEST_CASE("an exported winner carries what it was compared with, and eval of the folder is given it") {
  temp_dir dir;
  auto store = open_store(dir.path());
  auto what = small_problem();
  set_baseline(what, {"file:production.cpp", "void production();\n"});
  small_campaign c{*store, 1, "small", {"cpu-cpp"}, what};
  c.told = {{"baseline", "file:production.cpp"}};
  typical(c);
  auto to = dir / "kernel";
  REQUIRE(run_command({"export", "best", "--store", dir.path(), "-o", to}).code == 0);
  to += "-unclaimed";
  CHECK(content_of(to + "/baseline.cpp") == "void production();\n");
  auto readme = content_of(to + "/README.md");
  CHECK(readme.find("| speedup over file:production.cpp | 3.00x") != std::string::npos);
  CHECK(readme.find("`baseline.cpp`: what the times were compared with") != std::string::npos);
  auto told = json::parse(content_of(to + "/verdict.json"));
  CHECK(told["timing"]["baseline"] == "file:production.cpp");
  auto winner = cli::read_exported(to);
  REQUIRE(winner);
  CHECK(winner->against.name == "file:production.cpp");
  CHECK(winner->against.source == "void production();\n");
}
