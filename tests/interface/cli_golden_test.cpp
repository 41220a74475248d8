#include "tests/actors/small_store.hpp"
#include "tests/golden.hpp"
#include "tests/interface/command_line.hpp"

using namespace ke;

namespace {

/// What differs from run to run: the store's folder and id.
struct golden_store {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  small_campaign c{*store};
  golden_store() { typical(c); }

  std::string plain(std::string text) const {
    for (auto [what, instead] : {std::pair{dir.path(), "STORE"}, {store->id(), "STORE-ID"}})
      for (auto at = text.find(what); at != text.npos; at = text.find(what, at))
        text.replace(at, what.size(), instead);
    return text;
  }
  std::string said(std::vector<std::string> line) const {
    line.insert(line.end(), {"--store", dir.path()});
    auto r = run_command(std::move(line));
    INFO(r.err);
    REQUIRE(r.code == 0);
    return plain(r.out);
  }
};

} // namespace

TEST_CASE("the documents of status, best, tree, show and diff are those of the golden files, byte for byte") {
  golden_store s;
  test::check_golden("interface/golden/status.json", s.said({"status", "--json"}));
  test::check_golden("interface/golden/best.json", s.said({"best", "--json"}));
  test::check_golden("interface/golden/tree.json", s.said({"tree", "--json"}));
  test::check_golden("interface/golden/show.json", s.said({"show", "3", "--json"}));
  test::check_golden("interface/golden/diff.txt", s.said({"diff", "1", "3"}));
}

TEST_CASE("exported trajectories, tables and winners are those of the golden files, byte for byte") {
  golden_store s;
  test::check_golden("interface/golden/trajectories.jsonl", s.said({"export", "trajectories"}));
  test::check_golden("interface/golden/nodes.csv", s.said({"export", "csv"}));
  s.said({"export", "best", "-o", s.dir / "kernel"});
  auto folder = s.dir / "kernel-unclaimed";
  for (std::string name : {"verdict.json", "provenance.json", "problem.toml"})
    test::check_golden("interface/golden/winner." + name, s.plain(test::text_of_file(folder + "/" + name)));
}
