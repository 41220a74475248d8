#include "backends/device_compiler/cubin.hpp"
#include "backends/device_compiler/device_compile.hpp"
#include "backends/device_compiler/launch_header.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "tests/backends/small_elf.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::vector<launch_shape> shapes{{{"M", 512}, {"N", 1000}}, {{"M", 7}, {"N", 64}}};

std::string in_comment(const std::string& toml) {
  return "// a plan\n/*\n" + toml + "*/\nextern \"C\" __global__ void kernel() {}\n";
}

std::vector<placed_launch> read(const std::string& source) {
  auto launches = read_launches(source, "candidate.cu", shapes);
  INFO((launches ? std::string{} : launches.error().text));
  REQUIRE(launches);
  return *launches;
}

std::string error_of(const std::string& source) {
  auto launches = read_launches(source, "candidate.cu", shapes);
  return launches ? std::string{} : launches.error().text;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE(
    "Bug: the kernel of a device's self-test named a dim that its problem has not, so no device came back") {
  const std::vector<launch_shape> of_self_test{{{"N", 64}}};
  for (const auto& traits : detail::traits_of_drivers)
    if (traits.right_kernel.find("[launch]") != std::string_view::npos) {
      auto launches = read_launches(std::string{traits.right_kernel}, "candidate.cu", of_self_test);
      INFO((launches ? std::string{} : launches.error().text));
      CHECK(launches);
    }
}

TEST_CASE("a launch is declared in the first comment with that table, as numbers, expressions or lists") {
  auto one = read(in_comment("[launch]\ngrid = \"ceildiv(N, 256)\"\nblock = 256\n"));
  REQUIRE(one.size() == 1);
  CHECK(one[0].launch.entry == "kernel");
  CHECK(one[0].launch.grid == texts{"ceildiv(N, 256)"});
  CHECK(one[0].launch.block == texts{"256"});
  CHECK(one[0].launch.shared == "0");
  CHECK(one[0].line == 3);
  auto decorated = read("/* [launch]\n * entry = \"rows\"\n *  grid = [\"M\", 2]\n * block = [32, \"8\", 1]\n"
                        " * shared = \"4*N\"  # bytes\n */\n");
  CHECK(decorated[0].launch.entry == "rows");
  CHECK(decorated[0].launch.grid == texts{"M", "2"});
  CHECK(decorated[0].launch.block == texts{"32", "8", "1"});
  CHECK(decorated[0].launch.shared == "4*N");
  auto several = read(in_comment("[[launch]]\nentry = \"a\"\ngrid = 1\nblock = 1\n[[launch]]\nentry = "
                                 "\"b\"\ngrid = \"M\"\nblock = 64\n"));
  REQUIRE(several.size() == 2);
  CHECK(several[1].launch.entry == "b");
  CHECK(several[1].line == 7);
}

TEST_CASE("whole numbers that the source defines stand in launches; the problem's own names come first") {
  auto with = [](const std::string& more) {
    return "#define BLOCK 128\n#define N 3\n#define WIDE 0.5\n" + more +
           "/*\n[launch]\ngrid = \"ceildiv(N, BLOCK)\"\nblock = \"BLOCK\"\n*/\n";
  };
  auto l = read(with(""))[0].launch;
  CHECK(l.grid == texts{"ceildiv(N, 128)"});
  CHECK(l.block == texts{"128"});
  CHECK(error_of(with("#define BLOCK 64\n")).find("unknown name \"BLOCK\"") != std::string::npos);
}

TEST_CASE("what is wrong in a launch declaration is told with its line, the key and the remedy") {
  CHECK(error_of("__global__ void kernel() {}\n") ==
        "candidate.cu(1): error: no launch is declared: begin with a comment /* ... */ that has, in TOML, "
        "[launch] with grid and block");
  CHECK(error_of("\n// [launch]\n// grid = 1\n") ==
        "candidate.cu(2): error: [launch] must stand on a line of its own in one comment /* ... */");
  CHECK(error_of(in_comment("[launch]\ngrid = 1\nblok = 2\n")) ==
        "candidate.cu(3): error: launch.block: required, but missing: how many threads of a block\n"
        "candidate.cu(5): error: launch.blok: unknown key (did you mean \"block\"?); known here: entry grid "
        "block shared");
  CHECK(error_of(in_comment("[launch]\ngrid = 1\nblock = 32\n[lunch]\n"))
            .find("candidate.cu(6): error: unknown key \"lunch\" (did you mean \"launch\"?)") == 0);
  CHECK(error_of(in_comment("[launch]\ngrid = 1 +\nblock = 32\n"))
            .find("candidate.cu(4): error: the launch declaration is no TOML: ") == 0);
  CHECK(error_of(in_comment("[launch]\ngrid = \"M +\"\nblock = 32\n")) ==
        "candidate.cu(4): error: launch.grid: in \"M +\", column 4: a number, a name or \"(\" is expected at "
        "the "
        "end; names here: M, N");
  CHECK(error_of(in_comment("[launch]\ngrid = \"K\"\nblock = 32\n"))
            .find("unknown name \"K\"; names here: M, N") != std::string::npos);
  CHECK(error_of(in_comment("[launch]\ngrid = \"N / 100\"\nblock = 32\n")) ==
        "candidate.cu(4): error: launch.grid: \"N / 100\" is 0 for M = 7, N = 64; it may be 1 to 2147483647");
  CHECK(error_of(in_comment("[launch]\ngrid = 1\nblock = [64, 32]\n")) ==
        "candidate.cu(5): error: launch.block: 2048 threads in a block; there may be 1024");
  CHECK(error_of(in_comment("[launch]\ngrid = [1, 2, 3, 4]\nblock = 1.5\n")) ==
        "candidate.cu(4): error: launch.grid: expected one to three, along x, y and z, not 4\n"
        "candidate.cu(5): error: launch.block: expected a whole number or an expression in quotes, not a "
        "number");
  CHECK(error_of(in_comment("[launch]\nentry = \"a b\"\ngrid = 1\nblock = 1\nshared = 300000\n"))
            .find("candidate.cu(4): error: launch.entry: expected the name") == 0);
  std::string many;
  for (int i = 0; i < 17; ++i)
    many += "[[launch]]\ngrid = 1\nblock = 1\n";
  CHECK(error_of(in_comment(many)).find("expected a table, or at most 16") != std::string::npos);
}

TEST_CASE("code is compiled for the very architecture, where the compiler knows it") {
  std::vector<int> known{80, 90, 100};
  CHECK(*compiled_arch("sm_80", known) == "sm_80");
  CHECK(*compiled_arch("sm_90", known) == "sm_90a");
  for (const char* wrong : {"sm_95", "sm_", "sm_90a", "gfx942", ""}) {
    INFO(wrong);
    auto arch = compiled_arch(wrong, known);
    REQUIRE_FALSE(arch);
    CHECK(arch.error().kind == failure_kind::missing);
    CHECK(arch.error().text.find("it knows sm_80, sm_90, sm_100") != std::string::npos);
  }
}

TEST_CASE("the kernels of compiled code are its marked functions, wherever the bytes are cut") {
  constexpr unsigned char global_function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), marked = 0x10;
  const std::string names{"\0kernel\0helper\0", 15};
  std::string symbols(sizeof(Elf64_Sym), '\0');
  auto add = [&](std::uint32_t name, unsigned char other) {
    Elf64_Sym s{};
    s.st_name = name;
    s.st_info = global_function;
    s.st_other = other;
    s.st_shndx = 1;
    symbols.append(reinterpret_cast<const char*>(&s), sizeof s);
  };
  add(1, marked);
  add(8, 0);
  add(99, marked); // its name lies outside
  auto object = small_elf({{".strtab", SHT_STRTAB, 0, names}, {".symtab", SHT_SYMTAB, 0, symbols, 1}});
  CHECK(entries_of(object) == std::vector<std::string>{"kernel"});
  for (std::size_t bytes = 0; bytes < object.size(); ++bytes)
    CHECK(entries_of(object.substr(0, bytes)).size() <= 1);
  CHECK(entries_of("").empty());
}
