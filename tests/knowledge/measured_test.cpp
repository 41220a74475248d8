// What a tree's measurements say against rules of thumb, in the prompts of its nodes.
#include "knowledge/prompt/measured.hpp"
#include "knowledge/prompt/quote.hpp"
#include "runtime/text/tensor_bytes.hpp"

#include "runtime/core/memory_kind.hpp"
#include "tests/knowledge/prompt_fixture.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace ke;
using ke_test::prompt_fixture;

namespace {

/// A node that was timed so, with as many cores at work.
std::shared_ptr<node_summary> timed(std::uint32_t node, double speedup, double low, double high,
                                    const std::string& cores, const std::string& bottleneck = "compute",
                                    const std::string& shares = "memory 0.20, compute 0.36, latency 0.00") {
  auto c = prompt_fixture::summary(node);
  c->score = low;
  c->timing = timing_summary{.speedup = speedup, .low = low, .high = high};
  c->diagnosis = diagnosis{};
  c->diagnosis->bottleneck = bottleneck;
  c->diagnosis->evidence = {{"threads", cores + " of 2 cores at work"}, {"shares", shares}};
  return c;
}

bool asks_for_threads(const std::string& direction) {
  for (const char* words : {"parallel pieces", "every unit", "between pieces", "more of them run at once"})
    if (direction.find(words) != std::string::npos)
      return true;
  return false;
}

} // namespace

TEST_CASE_METHOD(prompt_fixture, "Bug: more threads were asked for although they had lost in the same tree") {
  improve();
  request.parent =
      timed(4, 17.9, 17.3, 18.5, "1.00", "occupancy", "memory 0.20, compute 0.36, occupancy 0.90");
  request.siblings = {timed(5, 16, 15, 17, "1.00"), timed(6, 8, 6.7, 8.8, "1.71")};
  CHECK(by_cores(request).more_cores_lost());
  CHECK(bottleneck_to_mend(request) == "compute");
  CHECK(says("Measured in this tree: on one core 17.9x (node 4), on several at most 8x (node 6). More "
             "threads lost here."));
  for (request.ordinal = 0; request.ordinal < 8; ++request.ordinal) {
    auto all = text();
    INFO(all);
    CHECK_FALSE(asks_for_threads(all.substr(all.find("## Direction of this attempt"))));
  }
}

TEST_CASE_METHOD(prompt_fixture, "threads that gained, or that nobody has tried, are asked for as before") {
  improve();
  request.parent = timed(4, 4, 3.8, 4.2, "1.00", "occupancy", "memory 0.20, occupancy 0.90");
  request.siblings = {timed(5, 3.5, 3, 4.1, "1.90")}; // the intervals overlap: undecided
  CHECK_FALSE(by_cores(request).more_cores_lost());
  CHECK(bottleneck_to_mend(request) == "occupancy");
  CHECK_FALSE(says("Measured in this tree"));
  request.siblings.clear();
  CHECK(bottleneck_to_mend(request) == "occupancy");
  request.siblings = {timed(5, 2, 1.9, 2.1, "1.90")};
  CHECK(bottleneck_to_mend(request) == "memory"); // the next of its shares
  request.parent = timed(4, 4, 3.8, 4.2, "1.00", "occupancy", "memory 0.05, occupancy 0.90");
  CHECK(bottleneck_to_mend(request).empty());
  auto unknown = timed(4, 4, 3.8, 4.2, "1.00", "occupancy", "memory 0.05, occupancy 0.90");
  unknown->diagnosis->evidence.erase("threads"); // nobody knows how many worked in it
  request.parent = unknown;
  CHECK(bottleneck_to_mend(request) == "occupancy");
  request.parent = nullptr;
  CHECK(bottleneck_to_mend(request).empty());
}

TEST_CASE_METHOD(prompt_fixture, "siblings whose intervals reach the parent's are told as undecided") {
  improve();
  request.memory = memory_kind::parent_siblings;
  request.parent = timed(4, 10, 9.5, 10.5, "1.00");
  request.siblings = {timed(7, 9.4, 9, 9.8, "1.00"), timed(5, 5, 4.8, 5.2, "1.00"),
                      timed(6, 9.9, 9, 10.8, "1.00")};
  CHECK(undecided(request.siblings, *request.parent) == std::vector<std::uint32_t>{6, 7});
  CHECK(says("None of them gained on the parent beyond the noise. Not settled, since the intervals overlap: "
             "node 6, node 7."));
  request.siblings = {timed(5, 5, 4.8, 5.2, "1.00")};
  CHECK(says("None of them gained on the parent.\n"));
}

TEST_CASE_METHOD(prompt_fixture,
                 "a parent's times are told in microseconds a call, but for held-out workloads") {
  improve();
  auto parent = timed(4, 2, 1.9, 2.1, "1.00");
  parent->timing->workloads = {{"wide", 2, 1.9, 2.1, false, 5'250, 10'500},
                               {"hushhush", 3, 2.5, 3.5, true, 100, 300}};
  request.parent = parent;
  CHECK(says("- workload wide: 2x (1.9 to 2.1), 10.5 us -> 5.25 us a call\n"));
  CHECK_FALSE(says("hushhush"));
}

TEST_CASE_METHOD(prompt_fixture,
                 "the best of a search stand in the prompts of drafts, and of steps that may look back") {
  auto best = timed(9, 12, 11, 13, "1.00", "memory");
  request.archive = {best, timed(3, 4, 3.9, 4.1, "1.00")};
  CHECK(says("## The best of this search so far\n- node 9 (correct, 12x the reference (95% interval 11 to "
             "13)): `plan of "
             "9` [bound by memory]\n- node 3 "));
  CHECK(says("Write something of another kind, or what beats them."));
  CHECK_FALSE(says(best->source)); // an outcome, no listing
  improve();
  CHECK(says("They lie on other ways"));
  request.memory = memory_kind::clean;
  CHECK_FALSE(says("The best of this search so far"));
  request.memory = memory_kind::parent;
  request.operation = operation_kind::fix;
  CHECK_FALSE(says("The best of this search so far"));
}

TEST_CASE_METHOD(prompt_fixture,
                 "a sibling that is ahead within the noise is no gain, nor is one beside the parent") {
  improve();
  request.memory = memory_kind::parent_siblings;
  request.parent = timed(4, 4.2, 4, 4.4, "0.99");
  request.siblings = {timed(5, 4.4, 4.1, 4.7, "0.99")};
  CHECK(says("Ahead of the parent, but not beyond the noise: node 5. Not settled"));
  CHECK_FALSE(says("Node 5 gained on the parent"));
  request.siblings = {timed(5, 5, 4.8, 5.2, "0.99")};
  CHECK(says("Node 5 gained on the parent"));
  request.ancestors = {timed(2, 3.9, 3.7, 4.1, "0.99")};
  request.uncles = {timed(7, 5, 4.8, 5.2, "0.99"), timed(8, 4, 3.8, 4.2, "0.99")};
  const auto whole = text();
  auto line = [&](const char* node) {
    auto at = whole.find(node);
    REQUIRE(at != std::string::npos);
    return whole.substr(at, whole.find('\n', at) - at);
  };
  CHECK(line("- node 7 ").find("not settled") == std::string::npos);
  CHECK(line("- node 8 ").find("[not settled: the intervals overlap]") != std::string::npos);
}

TEST_CASE_METHOD(prompt_fixture,
                 "the target tells what it reaches, by one core and by all, in the problem's dtypes") {
  improve();
  request.parent = timed(4, 2, 1.9, 2.1, "1.00");
  target.facts["peak.threads"] = "2";
  target.facts["peak.clock"] = "2.6e9";
  target.facts["peak.bytes.l2.1"] = "1.0149e11";
  target.facts["peak.bytes.l2.all"] = "2.03e11";
  target.facts["peak.latency.l2"] = "5.43e-9";
  target.facts["peak.flops.f32.sse.1"] = "4e10";
  target.facts["peak.flops.f32.avx2.1"] = "8.2e10";
  target.facts["peak.flops.f32.avx2.all"] = "1.61e11";
  target.facts["peak.flops.f64.avx2.1"] = "4.1e10";
  CHECK(says("- clock: 2.6 GHz\n- l2, read and written: 100 GB/s by one core, 200 by all 2; 5.4 ns to a "
             "dependent load\n- arithmetic in f32 (avx2): 82 GFLOP/s by one core, 160 by all 2\n"));
  CHECK_FALSE(says("arithmetic in f64")); // no tensor of this problem
}

TEST_CASE_METHOD(prompt_fixture,
                 "a draft is told what the reference takes, and is the same question without it") {
  auto before = prompt_key(build_prompt(request));
  CHECK_FALSE(says("## Measured on this machine"));
  timing_summary took;
  took.floor_ns = 2100;
  for (const auto& w : what.workloads)
    took.workloads.push_back({w.name, 1, 0.99, 1.01, w.held_out, 2e6, 2e6});
  request.reference = &took;
  const auto& w = what.workloads.front();
  auto bytes = tensor_bytes(what, w);
  CHECK(says("- reference on " + w.name + ": 2e+03 us a call; " + short_number(bytes / 1e6) +
             " MB in and out, so " + short_number(bytes / 2e6) + " GB/s\n"));
  CHECK(says("- the way to a kernel and back: 2.1 us for a sample; "));
  what.flops = "4 * M * N";
  CHECK(says(" GB/s; 8.39 MFLOP, so 4.19 GFLOP/s\n"));
  what.flops.clear();
  for (const auto& each : what.workloads)
    CHECK(says("reference on " + each.name + ":") == !each.held_out);
  target.facts["peak.clock"] = "2.6e9";
  CHECK(prompt_key(build_prompt(request)) == before); // a replay finds its answer
  request.reference = nullptr;
  target.facts["isa"] = "another";
  CHECK(prompt_key(build_prompt(request)) != before);
}
