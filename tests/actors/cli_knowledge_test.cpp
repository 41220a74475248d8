#include "tests/actors/command_line.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace ke;
namespace fs = std::filesystem;

namespace {

const std::string library = std::string{ke::test::source_dir()} + "/tests/knowledge/library";

/// A folder of backends with one that brings documents on a target nobody else knows.
struct acme_backend {
  fs::path at;
  acme_backend() {
    char name[] = "/tmp/ke-acme-XXXXXX";
    at = ::mkdtemp(name);
    fs::create_directories(at / "acme/knowledge/hardware");
    std::ofstream{at / "acme/backend.toml"};
    fs::copy(library + "/hardware/acme", at / "acme/knowledge/hardware/acme", fs::copy_options::recursive);
  }
  ~acme_backend() { fs::remove_all(at); }
};

} // namespace

TEST_CASE("knowledge search prints what product.md says, best first") {
  acme_backend acme;
  auto r = run_command({"knowledge", "search", "--signal", "bottleneck=memory", "--signal", "dtype=f16",
                        "--signal", "depth=5", "--target", "acme-1", "--family", "matmul", "--backend-path",
                        acme.at.string(), "--json"});
  REQUIRE(r.code == 0);
  auto all = nlohmann::json::parse(r.out);
  REQUIRE(all.is_array());
  REQUIRE_FALSE(all.empty());
  const auto& first = all[0];
  CHECK(first["id"] == "hardware/acme/scratchpad");
  CHECK(first["kind"] == "hardware");
  CHECK(first["targets"] == nlohmann::json{"acme-1"});
  CHECK(first["signals"]["bottleneck"] == nlohmann::json{"memory", "latency"});
  CHECK(first["level"] == 3);
  CHECK(first["path"] == (acme.at / "acme/knowledge/hardware/acme/scratchpad.md").string());
  for (std::size_t i = 1; i < all.size(); ++i)
    CHECK(all[i - 1]["score"] >= all[i]["score"]);
  r = run_command({"knowledge", "search", "--signal", "bottleneck=memory", "--target", "acme-1",
                   "--backend-path", acme.at.string(), "--level", "2", "--json"});
  for (const auto& d : nlohmann::json::parse(r.out))
    CHECK(d["level"] <= 2);
}

TEST_CASE("knowledge search refuses what it does not know and names the nearest") {
  auto says = [](std::vector<std::string> more, const std::string& what) {
    more.insert(more.begin(), {"knowledge", "search"});
    auto r = run_command(more);
    INFO(r.err);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(r.err.find(what) != std::string::npos);
  };
  says({"--signal", "botleneck=memory"}, "did you mean \"bottleneck\"?");
  says({"--signal", "bottleneck=memroy"}, "did you mean \"memory\"?");
  says({"--signal", "failure=compile_failed"}, "known: incorrect, nondeterministic, build_failed");
  says({"--signal", "dtype=fp32"}, "f32");
  says({"--signal", "depth=-1"}, "whole number");
  says({"--signal", "memory"}, "write KEY=VALUE");
  says({"--signal", "bottleneck=memory", "--signal", "bottleneck=compute"}, "one bottleneck");
  says({"--target", "x86-64-avx3"}, "did you mean \"x86-64-avx2\"?");
  CHECK(run_command({"knowledge", "search", "--level", "4"}).code != 0);
}

TEST_CASE("knowledge show prints one document, or the index") {
  acme_backend acme;
  auto r = run_command({"knowledge", "show", "hardware/acme/scratchpad", "--backend-path", acme.at.string()});
  CHECK(r.code == 0);
  CHECK(r.out.starts_with("# The scratchpad of the ACME-1"));
  CHECK(r.out.find("acme_copy_async") != std::string::npos);
  r = run_command(
      {"knowledge", "show", "hardware/acme/scratchpad", "--json", "--backend-path", acme.at.string()});
  CHECK(nlohmann::json::parse(r.out)["body"].get<std::string>().starts_with("Each core"));
  r = run_command({"knowledge", "show", "hardware/acme/scratchpat", "--backend-path", acme.at.string()});
  CHECK(r.code == 2);
  CHECK(r.err.find("did you mean \"hardware/acme/scratchpad\"?") != std::string::npos);
  r = run_command({"knowledge", "show", "--backend-path", acme.at.string()});
  CHECK(r.code == 0);
  CHECK(r.out.find("`hardware/acme/scratchpad`") != std::string::npos);
}

TEST_CASE("knowledge lint tells each finding with its place") {
  CHECK(run_command({"knowledge", "lint"}).code == 0);
  auto r = run_command({"knowledge", "lint", library});
  CHECK(r.code == 0);
  CHECK(r.out == "4 documents are right, 0 errors, 0 warnings\n");
  acme_backend acme;
  auto file = acme.at / "acme/knowledge/hardware/acme/wrong.md";
  std::ofstream{file} << "+++\ntitle = \"Wrong\"\nkind = \"hardwear\"\n+++\n# Wrong\n\ntext\n";
  r = run_command({"knowledge", "lint", (acme.at / "acme/knowledge").string()});
  CHECK(r.code == 2);
  CHECK(
      r.out.find(file.string() + ":3: error: kind: there is no \"hardwear\" (did you mean \"hardware\"?)") !=
      std::string::npos);
  r = run_command({"knowledge", "lint", (acme.at / "acme/knowledge").string(), "--json"});
  CHECK(r.code == 2);
  CHECK(nlohmann::json::parse(r.out)["documents"] == 1);
  CHECK(run_command({"knowledge", "search", "--backend-path", acme.at.string()}).code == 2);
  CHECK(run_command({"knowledge", "lint", "/no/such/folder"}).code == 2);
}
