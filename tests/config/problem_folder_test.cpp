#include "config/problem_folder.hpp"
#include "runtime/core/problem.hpp"

#include "config/problem_file.hpp"
#include "runtime/core/codec.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace ke;
namespace fs = std::filesystem;

namespace {

const fs::path example_problems = fs::path{ke::test::source_dir()} / "config" / "problems";

struct scratch {
  std::string path = (fs::temp_directory_path() / "ke-problem-XXXXXX").string();
  scratch() { REQUIRE(::mkdtemp(path.data())); }
  ~scratch() { fs::remove_all(path); }
};

problem_load written_and_read(const problem& what, const std::string& into) {
  fs::create_directories(into);
  auto folder = folder_of(what);
  for (const auto& [name, bytes] : folder.files)
    std::ofstream{fs::path{into} / name, std::ios::binary} << bytes;
  return load_problem((fs::path{into} / folder.main).string());
}

} // namespace

TEST_CASE("a problem that is written down whole is read back as the same problem") {
  scratch dir;
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator{example_problems}) {
    INFO(entry.path());
    auto first = load_problem(entry.path().string());
    REQUIRE(first.errors.empty());
    auto again = written_and_read(first.problem, dir.path + "/" + entry.path().filename().string());
    for (const auto& e : again.errors)
      UNSCOPED_INFO(to_line(e));
    REQUIRE(again.errors.empty());
    CHECK(pack(again.problem) == pack(first.problem));
    ++seen;
  }
  CHECK(seen >= 10);
}

TEST_CASE("what a written problem says is what it said: tolerances, held-out workloads, odd names") {
  scratch dir;
  auto what = load_problem((example_problems / "softmax").string()).problem;
  what.name = "a \"quoted\" name\n# of a line";
  what.tolerances["f32"] = {0, 1e-5};
  what.tensor_scale = true;
  what.workloads.push_back({"another", what.workloads.front().dims, 0.25, true});
  what.policy.threads = 3;
  auto again = written_and_read(what, dir.path + "/written");
  for (const auto& e : again.errors)
    UNSCOPED_INFO(to_line(e));
  REQUIRE(again.errors.empty());
  CHECK(pack(again.problem) == pack(what));
}

TEST_CASE("a problem's generator is written down with it") {
  scratch dir;
  auto from = fs::path{ke::test::source_dir()} / "tests/redteam/problems/py_csr";
  auto what = load_problem(from.string());
  REQUIRE(what.errors.empty());
  REQUIRE(what.problem.generator.find("def make") != std::string::npos);
  CHECK(folder_of(what.problem).files.at("inputs.py") == what.problem.generator);
  auto again = written_and_read(what.problem, dir.path + "/written");
  for (const auto& e : again.errors)
    UNSCOPED_INFO(to_line(e));
  REQUIRE(again.errors.empty());
  CHECK(pack(again.problem) == pack(what.problem));
}

TEST_CASE("the names of a written problem's files stay in its folder, whatever the problem is called") {
  problem bench;
  bench.name = "../../etc/x\ny";
  bench.reference_language = "python";
  bench.reference = "class Model: pass\n";
  CHECK(folder_of(bench).main == "_.._.._etc_x_y.py");
  problem with_file;
  with_file.tensors.push_back({"x", tensor_role::in, dtype::f32, {"4"}, "../data/x.npy"});
  with_file.files["../data/x.npy"] = "bytes";
  auto folder = folder_of(with_file);
  CHECK(folder.files.at("_.._data_x.npy") == "bytes");
  CHECK(folder.files.at("problem.toml").find("init = \"_.._data_x.npy\"") != std::string::npos);
}
