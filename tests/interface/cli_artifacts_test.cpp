// What tools printed of a stored campaign's nodes: `show --artifact`, `diff --asm`.
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

using namespace ke;
using Catch::Matchers::Contains;
using json = nlohmann::json;

namespace {

std::string listing_at(int address, const std::string& instruction) {
  auto at = std::to_string(address);
  return "000000000000" + at + " <kernel>:\n    " + at + ":\t" + instruction + "\n    " + at + "8:\tret\n";
}

struct artifact_store {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  small_campaign c{*store};

  artifact_store() {
    typical(c);
    keep(1, 0, {{"kernel.asm", listing_at(1120, "mulss %xmm1,%xmm0")}});
    keep(3, 0,
         {{"kernel.asm", listing_at(2240, "vmulps %ymm1,%ymm0,%ymm0")},
          {"callgrind.txt", "summary: \x1b[2J\xff 42\n"}});
    keep(3, evidence_of_claims, {{"kernel.asm", listing_at(2240, "vmulps %ymm1,%ymm0,%ymm0")}});
    keep(3, 1, {{"kernel.ptx", "ret;\n"}});
  }
  void keep(std::uint32_t n, std::uint32_t target, std::map<std::string, std::string> artifacts) {
    evidence e;
    e.artifacts = std::move(artifacts);
    store_batch batch;
    batch.put(table::evidence, key_of(1, 0, n, target), pack(e));
    REQUIRE(write(*store, std::move(batch)));
  }
  command_result call(std::vector<std::string> words) {
    words.insert(words.end(), {"--store", dir.path()});
    return run_command(words);
  }
};

} // namespace

TEST_CASE_METHOD(artifact_store,
                 "show --artifact lists what is kept of a node, with its size, target and origin") {
  auto r = call({"show", "3", "--artifact"});
  INFO(r.err);
  CHECK(r.code == 0);
  CHECK(r.out == "claim/kernel.asm             77 bytes\n"
                 "search/callgrind.txt         18 bytes\n"
                 "search/kernel.asm            77 bytes\n"
                 "1/search/kernel.ptx           5 bytes\n");
  auto said = json::parse(call({"show", "3", "--artifact", "--json"}).out);
  CHECK(said["node"] == 3);
  REQUIRE(said["artifacts"].size() == 4);
  CHECK(said["artifacts"][0] == json{{"name", "kernel.asm"},
                                     {"target", 0},
                                     {"claim", true},
                                     {"place", "claim/kernel.asm"},
                                     {"bytes", 77}});
  CHECK(said["artifacts"][3]["target"] == 1);
}

TEST_CASE_METHOD(artifact_store, "show --artifact NAME prints that one, to a terminal without its orders") {
  CHECK(call({"show", "3", "--artifact", "callgrind.txt"}).out == "summary: ?[2J? 42\n");
  CHECK(call({"show", "3", "--artifact", "search/kernel.asm"}).out ==
        listing_at(2240, "vmulps %ymm1,%ymm0,%ymm0"));
  CHECK(call({"show", "3", "--artifact=1/search/kernel.ptx"}).out == "ret;\n");
  auto said = json::parse(call({"show", "3", "--artifact", "kernel.asm", "--json"}).out);
  REQUIRE(said["artifacts"].size() == 1);
  CHECK(said["artifacts"][0]["claim"] == true); // what was measured last
  CHECK_THAT(said["artifacts"][0]["text"].get<std::string>(), Contains("vmulps"));
  auto odd = json::parse(call({"show", "3", "--artifact", "callgrind.txt", "--json"}).out);
  CHECK(odd["artifacts"][0]["text"] == "summary: \x1b[2J\xef\xbf\xbd 42\n");
}

TEST_CASE_METHOD(artifact_store,
                 "an artifact that is not there is one line that names what there is, or how one is had") {
  auto other = call({"show", "3", "--artifact", "ncu.txt"});
  CHECK(other.code == 2);
  CHECK(other.out.empty());
  CHECK(other.err ==
        "ke-runtime: node 3 has no artifact ncu.txt: there are claim/kernel.asm, search/callgrind.txt, "
        "search/kernel.asm, 1/search/kernel.ptx\n");
  for (const char* node : {"2", "6", "0"}) {
    auto none = call({"show", node, "--artifact"});
    CHECK(none.code == 2);
    CHECK_THAT(none.err, Contains(std::string{"node "} + node +
                                  " has no artifacts: what tools print is kept of each "
                                  "new best of a search and of claims; `ke-runtime profile"));
    CHECK(call({"show", node, "--artifact", "kernel.asm"}).err == none.err);
    CHECK(json::parse(call({"show", node, "--artifact", "--json"}).out)["artifacts"].empty());
  }
}

TEST_CASE_METHOD(artifact_store, "diff --asm shows the instructions that differ, and no address") {
  auto r = call({"diff", "1", "3", "--asm"});
  INFO(r.err);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, Contains("--- node 1\n+++ node 3\n@@ -1,3 +1,3 @@\n <kernel>:\n-  mulss %xmm1,%xmm0\n"
                             "+  vmulps %ymm1,%ymm0,%ymm0\n   ret\n"));
  CHECK_THAT(r.out, Contains("3.00x [2.95, 3.05]"));
  keep(1, 0, {{"kernel.asm", listing_at(1120, "vmulps %ymm1,%ymm0,%ymm0")}});
  CHECK_THAT(call({"diff", "1", "3", "--asm"}).out, Contains("\nthe instructions are the same\n"));
}

TEST_CASE_METHOD(artifact_store, "diff of listings says in one line who has none") {
  auto r = call({"diff", "3", "2", "--asm"});
  CHECK(r.code == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, Contains("node 2 has no listing .asm: what tools print is kept of"));
  CHECK_THAT(call({"diff", "3", "1", "--sass"}).err, Contains("node 3 has no listing .sass: "));
  CHECK_THAT(call({"diff", "3", "1", "--ptx"}).err, Contains("node 1 has no listing .ptx: "));
  CHECK(call({"diff", "3", "1", "--ptx", "--asm"}).code != 0);
}
