#include "interface/cli/figures.hpp"
#include "interface/cli/node_report.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ke;
using namespace ke::cli;

namespace {

verdict timed(double speedup) {
  verdict v;
  v.state = verdict_state::correct;
  v.decision = timing_decision::faster;
  v.timing = timing_summary{};
  v.timing->speedup = speedup;
  v.timing->low = speedup * 0.98;
  v.timing->high = speedup * 1.02;
  return v;
}

node_report_facts better_node() {
  node_report_facts f;
  f.state = node_state::correct;
  f.note = "four accumulators\nand more that nobody reads";
  f.parent_source = "a\nb\nc\nd\ne\n";
  f.source = "a\nb\nX\nY\nd\ne\n";
  f.parent = 7;
  f.found = timed(3);
  f.parent_found = timed(2);
  f.found->diagnosis =
      diagnosis{"memory", 0.9, 0.71, {{"memory", "33 GB/s of the 46 GB/s that this machine reaches (dram)"}}};
  return f;
}

} // namespace

TEST_CASE("a node's report says what changed, what came of it, what holds it back and what to try") {
  CHECK(
      node_report(better_node()) ==
      "changed: 2 lines added and 1 removed against node 7, 4 kept; plan: four accumulators\n"
      "result: correct, faster, 3.00x [2.94, 3.06] over the reference by the search, 1.50 times its parent\n"
      "bottleneck: memory (confidence 90%), 71% of the roofline: 33 GB/s of the 46 GB/s that this machine "
      "reaches (dram)\n"
      "next: move fewer bytes: fuse passes over the same data, block so that they stay in a nearer cache, "
      "walk "
      "memory in order\n");
}

TEST_CASE("every verdict has a report, and a node without one has none") {
  for (int s = 0; s <= static_cast<int>(verdict_state::compiled); ++s) {
    node_report_facts f;
    f.found = verdict{};
    f.found->state = static_cast<verdict_state>(s);
    f.state = state_of(f.found->state);
    f.source = "x\n";
    auto text = node_report(f);
    INFO(text);
    CHECK(text.starts_with("changed: "));
    CHECK(text.find("\nresult: " + std::string{to_text(f.state)}) != std::string::npos);
    CHECK(text.find("\nnext: ") != std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') <= 4);
  }
  CHECK(node_report({}).empty());
}

TEST_CASE("a report knows copies, rewrites and twins") {
  auto f = better_node();
  f.from_reference = true;
  f.source = f.parent_source;
  CHECK(node_report(f).starts_with("changed: nothing, it is the text of the reference"));
  f.source = "1\n2\n3\n4\n5\n6\n";
  CHECK(node_report(f).starts_with("changed: written anew (6 lines, 0 of them from the reference)"));
  f.duplicate_of = 3;
  CHECK(node_report(f).starts_with("changed: the same candidate as node 3\n"));
}

TEST_CASE("each bottleneck has an idea of its own, and a kernel at the roofline is told so") {
  std::vector<std::string> ideas;
  for (auto name : {"memory", "compute", "latency", "occupancy", "frontend", "overhead"}) {
    auto v = timed(1);
    v.diagnosis = diagnosis{name, 0.5, 0.3, {}};
    ideas.push_back(next_idea(v));
    CHECK_FALSE(ideas.back().empty());
    v.diagnosis->roofline_fraction = 0.95;
    CHECK(next_idea(v).starts_with("close to what the machine can do"));
  }
  std::sort(ideas.begin(), ideas.end());
  CHECK(std::adjacent_find(ideas.begin(), ideas.end()) == ideas.end());
}

TEST_CASE("a measurement's medians name their workload, and what is held out is told as such") {
  timing_summary t;
  t.reference_ns = 52200;
  t.candidate_ns = 1020;
  t.workloads = {{"wide", 51, 50, 52, false, 1020, 52200}};
  CHECK(medians_text(t) == "52.2 us -> 1.0 us");
  CHECK(workload_lines(t, "  ").empty());
  t.workloads.push_back({"odd", 0.33, 0.3, 0.36, true, 900, 300});
  CHECK(medians_text(t) == "52.2 us -> 1.0 us");
  CHECK(workload_lines(t, "  ") == "  wide: 51.00x [50.00, 52.00], 52.2 us -> 1.0 us\n"
                                   "  odd: 0.33x [0.30, 0.36], 300 ns -> 900 ns (held out)\n");
  t.workloads.push_back({"tall", 2, 1.9, 2.1, false, 0, 0}); // of a store that kept no medians of each
  CHECK(medians_text(t) == "52.2 us -> 1.0 us on wide");
  CHECK(workload_lines(t, "").find("tall: 2.00x [1.90, 2.10]\n") != std::string::npos);
}
