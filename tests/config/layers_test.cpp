#include "config/campaign_file.hpp"
#include "config/layers.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace ke;

namespace {

file_context nowhere() {
  file_context c;
  c.name = "campaign.toml";
  c.folder = "/srv";
  c.home = "/home/user";
  return c;
}

const std::string own = "[problem]\npath = \"p.toml\"\n[search]\nbeam = 3\n";

/// The family below the problem.
std::vector<config_layer> two_layers() {
  return {{"families/scan.toml",
           "[search]\nbeam = 5\ndrafts = 5\nrestart = 5\n[budget]\nstall = { candidates = 50 }\n"},
          {"defaults.toml", "[search]\nbeam = 4\ndrafts = 4\n[budget]\nstall = { min_gain = 0.04 }\n"}};
}

} // namespace

TEST_CASE("each key stands where the strongest layer says that has it") {
  auto load = parse_campaign(own, nowhere(), {"search.parallel=2", "search.restart=2"},
                             campaign_use::campaign, two_layers());
  REQUIRE(load.errors.empty());
  const auto& s = load.settings;
  CHECK(s.search.beam == 3);              // campaign over problem and family
  CHECK(s.search.drafts == 4);            // problem over family
  CHECK(s.search.restart == 2);           // --set over family
  CHECK(s.search.parallel == 2);          // --set over default
  CHECK(s.budget.stall_candidates == 50); // tables are merged key by key
  CHECK(s.budget.stall_min_gain == 0.04);
  CHECK(s.search.population == search_settings{}.population);
  auto shown = s;
  auto text = origins_text(load.places, campaign_schema(shown), "campaign.toml");
  for (auto line : {"#   search.beam: campaign.toml:4\n", "#   search.drafts: defaults.toml:3\n",
                    "#   search.restart: --set\n", "#   search.parallel: --set\n",
                    "#   budget.stall.candidates: families/scan.toml:6\n"}) {
    INFO(text);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.find("population") == std::string::npos);
}

TEST_CASE("without layers a campaign is what it was, and a layer may not run programs or choose models") {
  CHECK(parse_campaign(own, nowhere()).settings ==
        parse_campaign(own, nowhere(), {}, campaign_use::campaign, {}).settings);
  for (auto text : {"[[model]]\nprovider = \"command\"\ncommand = [\"rm\"]\n",
                    "[problem]\npath = \"q.toml\"\n", "[goal]\nbaseline = \"file:x.cpp\"\n",
                    "[campaign]\nstore = \"/tmp\"\n", "[cluster]\nlisten = \"tcp://0.0.0.0:1\"\n"}) {
    auto load = parse_campaign(own, nowhere(), {}, campaign_use::campaign, {{"defaults.toml", text}});
    REQUIRE(load.errors.size() == 1);
    CHECK(load.errors[0].file == "defaults.toml");
    CHECK(load.errors[0].text.find("belongs into campaign.toml") != std::string::npos);
  }
  auto wrong = parse_campaign(own, nowhere(), {}, campaign_use::campaign,
                              {{"defaults.toml", "[search]\ndrafs = 4\n"}});
  REQUIRE(wrong.errors.size() == 1);
  CHECK(to_line(wrong.errors[0]).starts_with("defaults.toml:2:1: search.drafs: unknown key"));
}

TEST_CASE("layers are found beside the campaign, by the problem's family, and beside the problem") {
  namespace fs = std::filesystem;
  auto folder = fs::temp_directory_path() / ("ke-layers-" + std::to_string(::getpid()));
  fs::create_directories(folder / "families");
  fs::create_directories(folder / "problem");
  auto write = [&](const char* name, const std::string& text) { std::ofstream{folder / name} << text; };
  write("campaign.toml", "[problem]\npath = \"problem\"\n[search]\nbeam = 3\n");
  write("families/scan.toml", "[search]\nrestart = 5\ndrafts = 5\n");
  write("families/other.toml", "[search]\nrestart = 6\n");
  write("problem/problem.toml", "[problem]\nname = \"x\"\nfamily = \"scan\"\n");
  write("problem/defaults.toml", "[search]\ndrafts = 4\n");
  write("problem/kernel.defaults.toml", "[search]\ndrafts = 7\n");
  auto s = load_campaign((folder / "campaign.toml").string()).settings;
  CHECK(s.search.beam == 3);
  CHECK(s.search.restart == 5);
  CHECK(s.search.drafts == 4);
  auto python =
      load_campaign((folder / "campaign.toml").string(), {"problem.path=problem/kernel.py"}).settings;
  CHECK(python.search.drafts == 7);
  CHECK(python.search.restart == search_settings{}.restart);
  fs::remove_all(folder);
}
