#include "runtime/core/skill.hpp"
#include "tests/interface/command_line.hpp"
#include "tests/places.hpp"
#include "tests/store/temp_store.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
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

skill learnt(const std::string& name, const std::string& bottleneck) {
  skill s;
  s.id = "skill/softmax/" + name;
  s.title = "Keep the row in registers (" + name + ")";
  s.text = "The author's plan: `keep the row`\n\n```diff\n+float row[16];\n```\n";
  s.family = "softmax";
  s.language = "cpp";
  s.dtypes = {"f32"};
  s.targets = {"cpu-cpp"};
  s.bottleneck = bottleneck;
  skill_evidence e;
  e.store = "s1";
  e.campaign = "first";
  e.problem = "softmax";
  e.node = 3;
  e.before = e.before_low = e.before_high = 1;
  e.after = e.after_low = e.after_high = 2.5;
  s.evidence = {e};
  return s;
}

/// A store with three skills: one against a bottleneck, one for any, one that hurts.
struct taught_store {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  taught_store() {
    auto hurts = learnt("hurts", "memory");
    hurts.records = {{"s1", 0, 20}};
    store_batch batch;
    for (const auto& s : {learnt("memory", "memory"), learnt("any", ""), hurts})
      batch.put(table::skills, s.id, pack(s));
    REQUIRE(write(*store, std::move(batch)));
  }
  command_result run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "knowledge");
    arguments.insert(arguments.end(), {"--store", dir.path()});
    return run_command(std::move(arguments));
  }
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

TEST_CASE("knowledge search refuses a limit below one, a search for nothing and a folder without a backend") {
  auto refuses = [](std::vector<std::string> more, int code, const std::string& what) {
    more.insert(more.begin(), {"knowledge", "search"});
    auto r = run_command(more);
    INFO(r.err);
    CHECK(r.code == code);
    CHECK(r.out.empty());
    CHECK(r.err.find(what) != std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  };
  refuses({"--family", "softmax", "--limit", "-1"}, 2, "--limit -1");
  refuses({"--family", "softmax", "--limit", "0"}, 2, "--limit 0");
  refuses({}, 2, "--signal KEY=VALUE");
  refuses({"--limit", "3", "--json"}, 2, "--signal KEY=VALUE");
  refuses({"--family", "softmax", "--backend-path", "/nope"}, 3, "no backend.toml in /nope");
  auto r = run_command({"knowledge", "show", "--backend-path", "/nope"});
  CHECK(r.code == 3);
  CHECK(r.out.empty());
  r = run_command({"knowledge", "search", "--family", "softmax", "--limit", "1", "--json"});
  CHECK(nlohmann::json::parse(r.out).size() == 1);
}

TEST_CASE("knowledge search finds a store's skills beside the documents") {
  taught_store taught;
  auto ids = [](const command_result& r) {
    INFO(r.err);
    REQUIRE(r.code == 0);
    std::map<std::string, std::string> kinds;
    for (const auto& d : nlohmann::json::parse(r.out))
      kinds[d["id"]] = d["kind"];
    return kinds;
  };
  auto found = ids(taught.run({"search", "--signal", "bottleneck=memory", "--family", "softmax", "--target",
                               "x86-64-avx2", "--json"}));
  CHECK(found["skill/softmax/memory"] == "skill");
  CHECK(found["skill/softmax/any"] == "skill");
  CHECK_FALSE(found.contains("skill/softmax/hurts")); // quarantined: no prompt gets it
  CHECK(found.size() > 2);
  CHECK(ids(taught.run({"search", "--family", "softmax", "--target", "cpu-cpp", "--json"}))
            .contains("skill/softmax/any"));
  CHECK_FALSE(ids(taught.run({"search", "--family", "softmax", "--target", "nvidia-h200", "--json"}))
                  .contains("skill/softmax/any"));
  CHECK_FALSE(ids(taught.run({"search", "--family", "matmul", "--json"})).contains("skill/softmax/any"));
  CHECK_FALSE(ids(run_command({"knowledge", "search", "--family", "softmax", "--json"}))
                  .contains("skill/softmax/any"));
}

TEST_CASE("knowledge show prints a store's skill, and tells where skills are") {
  taught_store taught;
  auto r = taught.run({"show", "skill/softmax/any"});
  CHECK(r.code == 0);
  CHECK(r.out.find("+float row[16];") != std::string::npos);
  CHECK(r.out.find("kind: skill") != std::string::npos);
  CHECK(r.out.find("Applies when") == std::string::npos); // nothing is known
  CHECK(taught.run({"show", "skill/softmax/memory"}).out.find("Applies when the bottleneck is memory. ") !=
        std::string::npos);
  CHECK(taught.run({"show", "skill/softmax/hurts"}).code == 0);
  CHECK(taught.run({"show"}).out.find("`skill/softmax/any`") != std::string::npos);
  r = taught.run({"show", "skill/softmax/anx"});
  CHECK(r.code == 2);
  CHECK(r.err.find("did you mean \"skill/softmax/any\"?") != std::string::npos);
  r = run_command({"knowledge", "show", "skill/softmax/any"});
  CHECK(r.code == 2);
  CHECK(r.err.find("name it with --store DIR") != std::string::npos);
}

TEST_CASE("knowledge search, show and skills say alike that there is no store") {
  auto why = run_command({"knowledge", "skills", "--store", "/no/such/store"});
  CHECK(why.code == 2);
  for (std::vector<std::string> command :
       {std::vector<std::string>{"search", "--family", "softmax"}, {"show"}}) {
    command.insert(command.begin(), "knowledge");
    command.insert(command.end(), {"--store", "/no/such/store"});
    auto r = run_command(command);
    CHECK(r.code == why.code);
    CHECK(r.err == why.err);
  }
}

TEST_CASE("knowledge skills tells when each applies, and which are quarantined") {
  taught_store taught;
  auto r = taught.run({"skills"});
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK(
      r.out.find("skill/softmax/memory\n  `Keep the row in registers (memory)`\n  applies to: softmax; f32; "
                 "cpu-cpp; in cpp; when the bottleneck is memory\n  shown 0 times, gained 0 times\n") !=
      std::string::npos);
  CHECK(r.out.find("  applies to: softmax; f32; cpu-cpp; in cpp\n") != std::string::npos);
  CHECK(r.out.find("  shown 20 times, gained 0 times; quarantined: ") != std::string::npos);
  CHECK(r.out.find("knowledge show skill/softmax/") != std::string::npos);
  auto all = nlohmann::json::parse(taught.run({"skills", "--json"}).out);
  REQUIRE(all.size() == 3);
  for (const auto& s : all)
    CHECK(s["quarantined"] == (s["id"] == "skill/softmax/hurts"));
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
  CHECK(r.out.find(file.string() + ":3: error: kind: expected one of constraint | guidance | hardware "
                                   "(did you mean \"hardware\"?)") != std::string::npos);
  CHECK(r.out.find(file.string() + ":1: error: targets: required, but missing") != std::string::npos);
  r = run_command({"knowledge", "lint", (acme.at / "acme/knowledge").string(), "--json"});
  CHECK(r.code == 2);
  CHECK(nlohmann::json::parse(r.out)["documents"] == 1);
  r = run_command({"knowledge", "search", "--family", "matmul", "--backend-path", acme.at.string()});
  CHECK(r.code == 2);
  CHECK(r.err.find("wrong.md:3: error") != std::string::npos);
  CHECK(run_command({"knowledge", "lint", "/no/such/folder"}).code == 2);
}

TEST_CASE("knowledge lint tells the line of a reference to nothing, and counts its document as wrong") {
  acme_backend acme;
  auto folder = acme.at / "acme/knowledge";
  auto page = folder / "hardware/acme/page.md";
  std::string head = "+++\ntitle = \"T\"\nkind = \"hardware\"\ntargets = [\"acme-1\"]\nfamilies = []\n"
                     "dtypes = []\nlevel = 1\nsources = [\"me\"]\n[signals]\n+++\n# T\n\n";
  std::string words;
  for (int i = 0; i < 100; ++i)
    words += "word ";
  std::ofstream{page} << head << words << "\n\nSee [[hardware/acme/nowhere]].\n";
  auto r = run_command({"knowledge", "lint", folder.string()});
  CHECK(r.code == 2);
  CHECK(r.out == page.string() + ":15: error: there is no document [[hardware/acme/nowhere]]\n"
                                 "1 document is right, 1 error, 0 warnings\n");
  r = run_command({"knowledge", "lint", folder.string(), "--json"});
  CHECK(nlohmann::json::parse(r.out)["documents"] == 1);
  CHECK(nlohmann::json::parse(r.out)["findings"][0]["line"] == 15);
}
