#include "config/npy.hpp"
#include "config/problem_checks.hpp"
#include "config/problem_file.hpp"
#include "runtime/core/generated_init.hpp"
#include "runtime/core/problem.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace ke;

namespace {

const std::filesystem::path problems = std::filesystem::path{ke::test::source_dir()} / "config/problems";
const file_context here{"problem.toml", "/folder", "", {}};

result<std::string> any_reference(const std::string& path, std::size_t) {
  if (path == "/folder/reference.cpp")
    return std::string{"extern \"C\" void kernel() {}"};
  return failure{failure_kind::invalid, "unexpected file " + path, false};
}

std::string npy(std::string dict, std::size_t data) {
  dict += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dict.size() & 255) +
         static_cast<char>(dict.size() >> 8) + dict + std::string(data, '\0');
}

} // namespace

TEST_CASE("every example problem is right, has a held-out workload and knows its cost") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{problems}) {
    INFO(entry.path());
    ++count;
    auto load = load_problem((entry.path() / "problem.toml").string());
    for (const auto& e : load.errors)
      UNSCOPED_INFO(to_line(e));
    REQUIRE(load.errors.empty());
    const auto& p = load.problem;
    CHECK(p.name == entry.path().filename().string());
    CHECK_FALSE(p.family.empty());
    CHECK(p.reference_language == "c++");
    CHECK(p.reference.find("kernel") != std::string::npos);
    CHECK_FALSE(p.bytes.empty());
    int held_out = 0;
    for (const auto& w : p.workloads)
      held_out += w.held_out;
    CHECK(held_out == 1);
    CHECK(load_problem(entry.path().string()).problem == p);
  }
  CHECK(count == 12);
}

TEST_CASE("every key of the contract's example arrives in the problem") {
  auto load = parse_problem(R"toml(
[problem]
name = "softmax"
family = "softmax"
formula = "exp(x)"
dims = ["M", "N"]
reference = "reference.cpp"
[[tensor]]
name = "x"
role = "in"
dtype = "bf16"
shape = ["M", "N", 3]
init = "onehot"
[[tensor]]
name = "y"
role = "inout"
shape = ["M", "2*N"]
[[scalar]]
name = "scale"
type = "int64_t"
value = -3
[[workload]]
name = "wide"
dims = { M = 512, N = 4096 }
weight = 2.5
[[workload]]
dims = { M = 127, N = 1001 }
held_out = true
[tolerance]
bitwise = true
f32 = { rtol = 1e-5, atol = 1e-6 }
[policy]
vendor_libraries = true
threads = 2
fast_math = true
cache = "cold"
[cost]
flops = "5*M*N"
bytes = "8*M*N"
)toml",
                            here, any_reference);
  for (const auto& e : load.errors)
    UNSCOPED_INFO(to_line(e));
  REQUIRE(load.errors.empty());
  const auto& p = load.problem;
  CHECK(p.formula == "exp(x)");
  CHECK(p.dims == std::vector<std::string>{"M", "N"});
  CHECK(p.tensors[0] == tensor_spec{"x", tensor_role::in, dtype::bf16, {"M", "N", "3"}, "onehot"});
  CHECK(p.tensors[1].role == tensor_role::inout);
  CHECK(p.scalars[0] == scalar_spec{"scale", true, -3});
  CHECK(p.workloads[0] == workload{"wide", {{"M", 512}, {"N", 4096}}, 2.5, false});
  CHECK(p.workloads[1].name == "w1");
  CHECK(p.workloads[1].held_out);
  CHECK(p.bitwise);
  CHECK(p.tolerances == std::map<std::string, tolerance>{{"f32", {1e-5, 1e-6}}});
  CHECK(p.policy == problem_policy{true, 2, true, true});
  CHECK(p.flops == "5*M*N");
  CHECK(tensor_extents(p.tensors[1], p.workloads[0].dims).operator*() ==
        std::vector<std::int64_t>{512, 8192});
}

TEST_CASE("a generator's source arrives in the problem, and says of all inputs what they hold") {
  auto read = [](const std::string& path, std::size_t) -> result<std::string> {
    return std::string{path == "/folder/inputs.py" ? "def make(key, dims): return 1"
                                                   : "def reference(x): return x"};
  };
  auto load = parse_problem(R"toml(
[problem]
name = "p"
reference = "reference.py"
generator = "inputs.py"
[[tensor]]
name = "x"
shape = [4]
[[tensor]]
name = "z"
role = "inout"
shape = [4]
[[tensor]]
name = "y"
role = "out"
shape = [4]
[[workload]]
)toml",
                            here, read);
  for (const auto& e : load.errors)
    UNSCOPED_INFO(to_line(e));
  REQUIRE(load.errors.empty());
  CHECK(load.problem.generator == "def make(key, dims): return 1");
  CHECK(load.problem.tensors[0].init == generated_init);
  CHECK(load.problem.tensors[1].init == generated_init);
  CHECK(load.problem.tensors[2].init == "normal");
}

TEST_CASE("formats of other backends are refused by name, whatever the path") {
  CHECK(to_line(load_problem("aten:softmax").errors.at(0)).find("KernelBench") != std::string::npos);
  CHECK(to_line(load_problem("/nowhere").errors.at(0)) == "cannot read /nowhere: there is no such file");
}

TEST_CASE("a KernelBench file is a problem without declared tensors") {
  auto folder = std::filesystem::temp_directory_path() / ("ke-kernelbench-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  auto path = (folder / "1 matmul.py").string();
  std::string text = "class Model:\n  pass\n\ndef get_inputs():\n  return []\n";
  std::ofstream{path} << text;
  CHECK(to_line(load_problem(path).errors.at(0)).find("def get_init_inputs") != std::string::npos);
  std::ofstream{path} << text + "def get_init_inputs():\n  return []\n";
  auto load = load_problem(path);
  REQUIRE(load.errors.empty());
  CHECK(load.problem.name == "1_matmul");
  CHECK(load.problem.reference_language == "python");
  CHECK(load.problem.tensors.empty());
  REQUIRE(load.problem.workloads.size() == 1);
  CHECK(to_line(load_problem((folder / "none.py").string()).errors.at(0)).find("no such file") !=
        std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a reference is found by its definition, not by a comment") {
  CHECK(defines_reference("extern \"C\" void kernel (const float* x) {}", "c++"));
  CHECK(defines_reference("extern \"C\" {\nvoid kernel(float* x) {}\n}", "c++"));
  CHECK_FALSE(defines_reference("/* extern \"C\" void kernel() */ void kernel() {}", "c++"));
  CHECK_FALSE(defines_reference("extern \"C\" void my_kernel() {}", "c++"));
  CHECK(defines_reference("import torch\ndef reference(x):\n  return x", "python"));
  CHECK_FALSE(defines_reference("# def reference(x):\ndef other(x): pass", "python"));
  CHECK_FALSE(defines_reference("s = \"\"\"\ndef reference(x):\n\"\"\"\n", "python"));
  CHECK_FALSE(defines_reference("extern \"C\" // \\\nvoid kernel() {}\nint x;", "c++"));
  CHECK_FALSE(defines_reference("const char* s = R\"(extern \"C\" void kernel())\";", "c++"));
  CHECK(defines_reference("extern \"C\" void kernel() {}\n// a \\ \n", "c++")); // compilers differ on it
}

TEST_CASE("a .npy initialiser is read and fits its tensor") {
  auto text =
      std::string{"[problem]\nname = \"p\"\ndims = [\"N\"]\nreference = \"reference.cpp\"\n[[tensor]]\nname "
                  "= \"x\"\nrole = "
                  "\"inout\"\nshape = [\"N\", 2]\ninit = \"x.npy\"\n[[workload]]\ndims = { N = 3 }\n"};
  auto bytes = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 24);
  auto load =
      parse_problem(text, here, [&](const std::string& path, std::size_t limit) -> result<std::string> {
        return path == "/folder/x.npy" ? result<std::string>{bytes} : any_reference(path, limit);
      });
  REQUIRE(load.errors.empty());
  CHECK(load.problem.files.at("x.npy") == bytes);
}

TEST_CASE("headers of .npy files are read within bounds") {
  auto good = read_npy_header(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8));
  REQUIRE(good);
  CHECK(good->shape.empty());
  CHECK(npy_fits(*good, dtype::f64));
  CHECK_FALSE(npy_fits(*good, dtype::f32));
  auto bytes = read_npy_header(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", 2));
  REQUIRE(bytes); // what NumPy has no type for is there as its bits
  CHECK(npy_fits(*bytes, dtype::f8e4m3));
  CHECK(npy_fits(*bytes, dtype::f8e5m2));
  CHECK_FALSE(npy_fits(*good, dtype::f8e4m3));
  CHECK(read_npy_header(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }", 5))->shape ==
        std::vector<std::int64_t>{5});
  CHECK_FALSE(read_npy_header(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 7)));
  CHECK_FALSE(read_npy_header(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }", 8)));
  CHECK_FALSE(read_npy_header(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8)));
  CHECK_FALSE(read_npy_header(
      npy("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 999999999999), }", 8)));
  auto whole = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 8);
  for (std::size_t n = 0; n < whole.size(); ++n)
    CHECK_FALSE(read_npy_header(whole.substr(0, n)));
}

TEST_CASE("the problem reference documents every key") {
  problem any;
  problem_paths paths;
  auto text = problem_reference_text();
  for (const auto& key : problem_schema(any, paths).keys)
    CHECK(text.find("# " + key.doc + "\n") != std::string::npos);
}
