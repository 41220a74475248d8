#include "config/problem_suite.hpp"

#include "runtime/core/problem.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using namespace ke;
namespace fs = std::filesystem;

namespace {

const std::string suite_files = std::string{ke::test::source_dir()} + "/tests/fixtures/kernelbench";

struct made_folder {
  std::string path = (fs::temp_directory_path() / "ke-suite-XXXXXX").string();
  made_folder() { REQUIRE(::mkdtemp(path.data())); }
  ~made_folder() { fs::remove_all(path); }
  void file(const std::string& name, const std::string& text = "") const {
    fs::create_directories((fs::path{path} / name).parent_path());
    std::ofstream{fs::path{path} / name} << text;
  }
};

std::vector<std::string> names_of_all(const result<suite>& s) {
  std::vector<std::string> names;
  for (const auto& p : s->problems)
    names.push_back(p.name);
  return names;
}

std::string why(const std::string& name) {
  auto s = find_suite(name);
  REQUIRE_FALSE(s);
  CHECK(s.error().kind == failure_kind::invalid);
  return s.error().text;
}

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("a KernelBench suite is the numbered files of its levels, by number") {
  made_folder dir;
  for (auto name : {"level1/10_b.py", "level1/2_a.py", "level1/notes.py", "level1/3_c.txt", "level2/1_x.py",
                    "level3/1_y.py", "level4/7_z.py", "level5/1_no.py"})
    dir.file(name);
  auto s = find_suite("kernelbench:" + dir.path + "/");
  REQUIRE(s);
  CHECK(names_of_all(s) == strings{"level1/2_a", "level1/10_b", "level2/1_x", "level3/1_y", "level4/7_z"});
  CHECK(s->problems[0].path == dir.path + "/level1/2_a.py");
}

TEST_CASE("a folder is a suite: problems in folders, and other Python files") {
  made_folder dir;
  for (auto name : {"softmax/problem.toml", "softmax/reference.py", "more/2_relu.py", "more/_helper.py",
                    ".cache/1_x.py", "a/b/problem.toml"})
    dir.file(name);
  auto s = find_suite(dir.path);
  REQUIRE(s);
  CHECK(names_of_all(s) == strings{"a/b", "more/2_relu", "softmax"});
}

TEST_CASE("what is no suite is told with what to do") {
  made_folder dir;
  CHECK(why("kernelbnch:x").find("did you mean \"kernelbench\"") != std::string::npos);
  CHECK(why("kernelbench:").find("kernelbench:PATH") != std::string::npos);
  CHECK(why(dir.path + "/none").find("there is no folder " + dir.path + "/none") != std::string::npos);
  CHECK(why(dir.path).find("holds no problem") != std::string::npos);
  CHECK(why("aten").find("not in this version") != std::string::npos);
  dir.file("KernelBench/level1/1_x.py");
  CHECK(why("kernelbench:" + dir.path).find("they lie in " + dir.path + "/KernelBench") != std::string::npos);
}

TEST_CASE("a filter takes names with all of its words, several filters any of theirs") {
  std::vector<suite_problem> all{{"level1/1_ReLU", ""}, {"level1/2_Softmax", ""}, {"level2/1_Gemm_ReLU", ""}};
  auto names = [&](const strings& filters) {
    strings some;
    for (const auto& p : filtered(all, filters))
      some.push_back(p.name);
    return some;
  };
  CHECK(names({}).size() == 3);
  CHECK(names({"level1 relu"}) == strings{"level1/1_ReLU"});
  CHECK(names({"SOFTMAX", "level2"}) == strings{"level1/2_Softmax", "level2/1_Gemm_ReLU"});
  CHECK(names({"level3"}).empty());
}

TEST_CASE("smaller sizes are those of the file's own constants, and nothing else changes") {
  const std::string source = "N = 2048 * 2  # not 4096 of them\n"
                             "input_shape = (32768, 3)\n"
                             "width = height = 512\n"
                             "eps = 1e-05\n"
                             "name = \"2048\"\n"
                             "if N == 4096:\n"
                             "    M = 4096\n"
                             "big = 1_000_000\n"
                             "same = 64\n"
                             "last = 128";
  CHECK(with_smaller_sizes(source) == "N = 64 * 2  # not 4096 of them\n"
                                      "input_shape = (64, 3)\n"
                                      "width = height = 512\n"
                                      "eps = 1e-05\n"
                                      "name = \"2048\"\n"
                                      "if N == 4096:\n"
                                      "    M = 4096\n"
                                      "big = 15625\n"
                                      "same = 64\n"
                                      "last = 64");
  CHECK(with_smaller_sizes("").empty());
}

TEST_CASE("a small problem has a name of its own; its file keeps its sizes") {
  suite_problem what{"level1/3_Softmax", suite_files + "/level1/3_Softmax.py"};
  auto original = load_suite_problem(suite_kind::kernelbench, what);
  auto small = load_suite_problem(suite_kind::kb_small, what);
  REQUIRE(original.errors.empty());
  REQUIRE(small.errors.empty());
  CHECK(original.problem.name == "3_Softmax");
  CHECK(small.problem.name == "3_Softmax-small");
  CHECK(original.problem.reference.find("dim = 1024") != std::string::npos);
  CHECK(small.problem.reference.find("dim = 64") != std::string::npos);
}

TEST_CASE("a file of a suite that is wrong is told with its own name") {
  made_folder dir;
  dir.file("1_x.py", "class Model:\n    pass\n");
  auto load = load_suite_problem(suite_kind::folder, {"1_x", dir.path + "/1_x.py"});
  REQUIRE(load.errors.size() == 1);
  CHECK(to_line(load.errors[0]).find(dir.path + "/1_x.py: the file has no `def get_inputs`") == 0);
  auto none = load_suite_problem(suite_kind::folder, {"2_x", dir.path + "/2_x.py"});
  REQUIRE(none.errors.size() == 1);
  CHECK(none.errors[0].file == dir.path + "/2_x.py");
}

TEST_CASE("the fixtures are ten files in each level's shape, two of them with a trap") {
  auto s = find_suite("kernelbench:" + suite_files);
  REQUIRE(s);
  std::map<std::string, std::pair<int, int>> levels;
  for (const auto& p : s->problems) {
    auto load = load_suite_problem(s->kind, p);
    INFO(p.name);
    REQUIRE(load.errors.empty());
    auto& [files, traps] = levels[p.name.substr(0, 6)];
    ++files;
    traps += load.problem.reference.starts_with("\"\"\"Trap: ");
  }
  REQUIRE(levels.size() == 4);
  for (const auto& [level, counts] : levels)
    CHECK(counts == std::pair{10, 2});
}
