#include "knowledge/library/corpus.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace ke;
namespace fs = std::filesystem;

namespace {

const std::string library = std::string{ke::test::source_dir()} + "/tests/knowledge/library";

struct scratch_folder {
  fs::path at;
  scratch_folder() {
    char name[] = "/tmp/ke-corpus-XXXXXX";
    at = ::mkdtemp(name);
  }
  ~scratch_folder() { fs::remove_all(at); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((at / name).parent_path());
    std::ofstream{at / name} << text;
  }
};

document simple(std::string id, std::string body) {
  document d;
  d.id = std::move(id);
  d.path = "p/" + d.id + ".md";
  d.title = "title";
  d.targets = {"*"};
  d.body = std::move(body);
  return d;
}

} // namespace

TEST_CASE("a folder of documents becomes a corpus with a tree") {
  auto set = read_folder(library);
  REQUIRE(set);
  CHECK(set->findings.empty());
  CHECK(cross_findings(set->documents).empty());
  corpus c{set->documents};
  REQUIRE(c.documents().size() == 4);
  CHECK(c.list("") == std::vector<std::string>{"constraints/", "guidance/", "hardware/"});
  CHECK(c.list("guidance/") == std::vector<std::string>{"debugging/", "memory/"});
  CHECK(c.list("guidance/memory") == std::vector<std::string>{"blocking"});
  CHECK(c.list("guidance/mem").empty());
  REQUIRE(c.find("hardware/acme/scratchpad"));
  CHECK(c.find(library + "/hardware/acme/scratchpad.md") == c.find("hardware/acme/scratchpad"));
  CHECK_FALSE(c.find("hardware/acme"));
  auto index = index_text(c.documents());
  CHECK(
      index.find("## hardware/acme\n\n- `hardware/acme/scratchpad` The scratchpad of the ACME-1 and its copy "
                 "engine · 3 · acme-1 [memory, latency]\n") != index.npos);
}

TEST_CASE("of two documents with one id the later counts, and lint tells") {
  std::vector<document> two{simple("a", "first"), simple("b", "x"), simple("a", "second [[no/such]]")};
  corpus c{two};
  REQUIRE(c.documents().size() == 2);
  CHECK(c.find("a")->body.starts_with("second"));
  auto found = cross_findings(two);
  REQUIRE(found.size() == 2);
  CHECK(to_line(found[0]) == "p/a.md: error: the id a is that of p/a.md");
  CHECK(to_line(found[1]) == "p/a.md: error: there is no document [[no/such]]");
  CHECK(cross_findings({two[2]}, {simple("no/such", "")}).empty());
}

TEST_CASE("a folder with a broken document is refused with its place") {
  scratch_folder folder;
  folder.write("one.md", "+++\ntitle = \"One\"\n+++\n# One\n\ntext\n");
  auto c = load_corpus({folder.at.string()});
  REQUIRE_FALSE(c);
  CHECK(c.error().kind == failure_kind::invalid);
  CHECK(c.error().text.find((folder.at / "one.md").string() + ":1: error: kind: required, but missing") !=
        std::string::npos);
  CHECK_FALSE(load_corpus({"/no/such/folder"}));
  CHECK_FALSE(read_folder((folder.at / "empty").string()));
}

TEST_CASE("pages beside the three categories are no documents") {
  scratch_folder folder;
  fs::copy(library, folder.at, fs::copy_options::recursive);
  folder.write("README.md", "# About\n");
  folder.write("ke_task.md", "# The block\n");
  folder.write("guidance/README.md", "# Guidance\n");
  auto set = read_folder(folder.at.string());
  REQUIRE(set);
  CHECK(set->findings.empty());
  CHECK(set->documents.size() == 4);
  folder.write("guidance/stray.md", "# Stray\n");
  CHECK(read_folder(folder.at.string())->findings.size() == 1);
}

TEST_CASE("a new target is a backend's folder with documents") {
  scratch_folder folder;
  folder.write("acme/backend.toml", "");
  folder.write("other/backend.toml", "");
  folder.write("no-backend/knowledge/x.md", "");
  fs::create_directories(folder.at / "acme/knowledge");
  fs::copy(library + "/hardware/acme/scratchpad.md", folder.at / "acme/knowledge/scratchpad.md");
  auto folders = knowledge_folders({folder.at.string()});
  REQUIRE(folders == std::vector<std::string>{(folder.at / "acme/knowledge").string()});
  CHECK(knowledge_folders({(folder.at / "acme").string()}) == folders);
  auto c = load_corpus(folders);
  REQUIRE(c);
  REQUIRE((*c)->find("scratchpad"));
  CHECK((*c)->documents().size() == read_embedded().documents.size() + 1);
}
