#include "backends/evidence/metric_roles.hpp"
#include "backends/verdict/diagnosis.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

problem pointwise(std::int64_t n, std::int64_t threads = 1) {
  problem p;
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"w", {{"N", n}}, 1.0, false}};
  p.bytes = "8*N";
  p.policy.threads = threads;
  return p;
}

/// A machine of two cores at 4 GHz, and calls of so many seconds on it.
evidence timed(double call_s, double floor_s = 0) {
  evidence e;
  e.cases = 1;
  e.timed_calls = e.timed_calls_checked = 20;
  e.floor_ns = floor_s * 1e9;
  for (int l = 0; l < 2; ++l)
    e.launches.push_back({0, std::vector<double>(10, 2e9 * call_s), std::vector<double>(10, 1e9 * call_s)});
  e.counters = {{"peak.threads", 2},
                {"peak.clock", 4e9},
                {"peak.size.l1", 32768},
                {"peak.size.l2", 1 << 20},
                {"peak.size.l3", 32 << 20},
                {"peak.bytes.l1.1", 200e9},
                {"peak.bytes.l1.all", 400e9},
                {"peak.bytes.l2.1", 100e9},
                {"peak.bytes.l2.all", 200e9},
                {"peak.bytes.l3.1", 80e9},
                {"peak.bytes.l3.all", 150e9},
                {"peak.bytes.dram.1", 40e9},
                {"peak.bytes.dram.all", 50e9},
                {"peak.latency.l2", 4e-9},
                {"peak.latency.l3", 20e-9},
                {"peak.latency.dram", 100e-9},
                {"peak.flops.f32.avx2.1", 1e11},
                {"peak.flops.f32.avx2.all", 2e11}};
  return e;
}

/// What a simulator says of a call of `cycles` cycles.
void simulated(evidence& e, double seconds, double instructions, double d1 = 0, double ll = 0,
               double wrong = 0, double fetch = 0) {
  e.counters["run.quiet_ns"] = seconds * 1e9;
  e.counters["run.cores"] = 1;
  e.counters["cg.Ir"] = instructions;
  e.counters["cg.Dr"] = instructions / 3;
  e.counters["cg.Dw"] = instructions / 10;
  e.counters["cg.D1m"] = d1;
  e.counters["cg.LLm"] = ll;
  e.counters["cg.Bc"] = instructions / 6;
  e.counters["cg.Bcm"] = wrong;
  e.counters["cg.I1mr"] = fetch;
}

void loop(evidence& e, double cycles, double throughput) {
  e.counters["hot.share"] = 0.95;
  e.counters["mca.cycles"] = cycles;
  e.counters["mca.throughput"] = throughput;
}

} // namespace

TEST_CASE("bytes at the bandwidth of a level are memory") {
  auto p = pointwise(50'000'000); // 400 MB, at 36 of 40 GB/s
  auto e = timed(400e6 / 36e9);
  simulated(e, 400e6 / 36e9, 5e7, 12.5e6, 12.5e6);
  loop(e, 2, 1.9);
  auto d = diagnose(e, p);
  CHECK(d.bottleneck == "memory");
  CHECK(d.confidence > 0.6);
  REQUIRE(d.roofline_fraction);
  CHECK(*d.roofline_fraction > 0.75);
  CHECK(d.evidence.at("memory").find("(dram)") != std::string::npos);
  CHECK(d.evidence.at("workload") == "w");
}

TEST_CASE("operations at the peak rate are compute") {
  auto p = pointwise(10'000);
  p.flops = "1000*N";
  auto e = timed(1e7 / 0.9e11);
  simulated(e, 1e7 / 0.9e11, 1e6);
  loop(e, 20, 20);
  auto d = diagnose(e, p);
  CHECK(d.bottleneck == "compute");
  CHECK(*d.roofline_fraction == Approx(0.9).epsilon(0.02));
  CHECK(d.evidence.at("compute").find("90 GFLOP/s of the 100 GFLOP/s") != std::string::npos);
}

TEST_CASE("misses one after the other are latency, many at once are memory") {
  auto p = pointwise(1'000'000); // 8 MB: third level
  auto chase = timed(64'000 * 20e-9);
  simulated(chase, 64'000 * 20e-9, 200'000, 64'000, 0);
  CHECK(diagnose(chase, p).bottleneck == "latency");
  auto gather = timed(1e6 * 5e-9); // a million misses of 20 ns in 5 ms: four at once
  simulated(gather, 1e6 * 5e-9, 8e6, 1e6, 0);
  CHECK(diagnose(gather, p).bottleneck == "memory");
}

TEST_CASE(
    "a chase of pointers is latency, even where its loads take half of what the machine was measured at") {
  auto p = pointwise(1'000'000);
  auto chase = timed(64'000 * 10e-9);
  simulated(chase, 64'000 * 10e-9, 200'000, 64'000, 0);
  loop(chase, 6, 0.5);
  CHECK(diagnose(chase, p).bottleneck == "latency");
}

TEST_CASE("a loop whose results wait for each other is latency") {
  auto p = pointwise(4'000);
  auto e = timed(1e-4);
  simulated(e, 1e-4, 3e5);
  loop(e, 13, 5);
  auto d = diagnose(e, p);
  CHECK(d.bottleneck == "latency");
  CHECK(d.evidence.at("loop").find("13 cycles a turn, 5 if nothing waited") != std::string::npos);
}

TEST_CASE("mispredicted branches and missing instructions are the front end") {
  auto p = pointwise(4'000);
  auto branchy = timed(1e-4); // 400,000 cycles, 20,000 wrong ways
  simulated(branchy, 1e-4, 4e5, 0, 0, 20'000);
  loop(branchy, 5, 4.8);
  auto d = diagnose(branchy, p);
  CHECK(d.bottleneck == "frontend");
  CHECK(d.evidence.at("branches").find("30.0% mispredicted") != std::string::npos);
  auto large = timed(1e-4);
  simulated(large, 1e-4, 3e5, 0, 0, 0, 20'000);
  CHECK(diagnose(large, p).bottleneck == "frontend");
}

TEST_CASE("Bug: a loop of 512-bit vectors at 1.6 instructions a cycle was called short of them") {
  auto p = pointwise(4'000);
  auto e = timed(1e-4); // 400,000 cycles; a few wrong ways, which would not matter at this rate
  simulated(e, 1e-4, 9e5, 0, 0, 2'000);
  e.counters["hw.cycles"] = 4e5;
  e.counters["hw.instructions"] = 6.4e5; // 1.6 a cycle
  e.counters["hw.branch-misses"] = 6'000;
  CHECK(diagnose(e, p).bottleneck == "frontend");
  e.counters["insn.max_vector_bits"] = 512;
  CHECK(diagnose(e, p).bottleneck == "compute");
}

TEST_CASE("misses of a loop without a chain are not latency") {
  auto p = pointwise(30'000); // walks 240 kB in order while every other branch goes wrong
  auto e = timed(1.8e-4);
  simulated(e, 4e-5, 4e5, 7'500, 0, 15'000);
  loop(e, 1.27, 1.2);
  CHECK(diagnose(e, p).bottleneck == "frontend");
}

TEST_CASE("a predictable branch at the end of short loops is not the front end") {
  auto p = pointwise(10'000);
  p.flops = "1000*N";
  auto e = timed(1e7 / 0.8e11);
  simulated(e, 1e7 / 0.8e11, 1.6e6, 0, 0, 1.6e6 / 6 * 0.045); // a simple predictor loses each exit
  CHECK(diagnose(e, p).bottleneck == "compute");
}

TEST_CASE("cores that stand idle are occupancy, unless one of them fills the bus") {
  auto p = pointwise(100'000, 2);
  auto e = timed(1e-3);
  simulated(e, 1e-3, 6e6);
  e.counters["run.cores"] = 1.02;
  auto d = diagnose(e, p);
  CHECK(d.bottleneck == "occupancy");
  CHECK(d.evidence.at("threads") == "1.02 of 2 cores at work");
  e.counters["run.cores"] = 1.95;
  CHECK(diagnose(e, p).bottleneck != "occupancy");
  auto large = pointwise(50'000'000, 2);
  auto full = timed(400e6 / 39e9);
  full.counters["run.cores"] = 1.0;
  CHECK(diagnose(full, large).bottleneck == "memory");
  p.policy.threads = 1; // nothing else was granted
  e.counters["run.cores"] = 1.0;
  CHECK(diagnose(e, p).bottleneck != "occupancy");
}

TEST_CASE("a kernel that is shorter than the way to it is overhead") {
  auto p = pointwise(16);
  auto e = timed(20e-6, 19.9e-6);
  simulated(e, 10e-9, 30);
  auto d = diagnose(e, p);
  CHECK(d.bottleneck == "overhead");
  CHECK(d.evidence.at("overhead").find("takes 98%") != std::string::npos);
  auto shared = timed(20e-6, 19.9e-6); // the same way, for fifty calls
  shared.counters["calls_per_order.w"] = 50;
  CHECK(diagnose(shared, p).bottleneck != "overhead");
}

TEST_CASE("time in the mathematical library is compute") {
  auto p = pointwise(30'000);
  auto e = timed(1e-3);
  e.counters["share.math"] = 0.8;
  CHECK(diagnose(e, p).bottleneck == "compute");
}

TEST_CASE("the cause of a memory bottleneck is how lines are used") {
  auto large = pointwise(50'000'000);
  auto stream = timed(400e6 / 36e9);
  simulated(stream, 400e6 / 36e9, 5e7, 6.25e6, 6.25e6);
  CHECK(diagnose(stream, large).cause == "bandwidth");
  auto near = timed(480e3 / 90e9);
  simulated(near, 480e3 / 90e9, 1e5, 7500, 0);
  CHECK(diagnose(near, pointwise(60'000)).cause == "cache_bandwidth");

  auto p = pointwise(1'000'000); // 8 MB, of which 320 MB of lines are fetched
  auto far = timed(0.025);
  simulated(far, 0.025, 4e7, 5e6, 0);
  far.counters["cg.D1mr"] = 4.9e6;
  far.counters["cg.D1mw"] = 0.1e6;
  REQUIRE(diagnose(far, p).bottleneck == "memory");
  CHECK(diagnose(far, p).cause == "strided_reads");
  auto indexed = p;
  indexed.tensors.push_back({"at", tensor_role::in, dtype::i32, {"N"}, "ints"});
  CHECK(diagnose(far, indexed).cause == "gather");
  auto tiled = far;
  tiled.counters["insn.max_vector_bits"] = 512; // a line each, one after the other
  CHECK(diagnose(tiled, p).cause == "reuse");
  std::swap(far.counters["cg.D1mr"], far.counters["cg.D1mw"]);
  CHECK(diagnose(far, p).cause == "strided_writes");
}

TEST_CASE("the other bottlenecks have causes, too, where the evidence tells") {
  auto p = pointwise(1'000'000);
  auto chase = timed(64'000 * 20e-9);
  simulated(chase, 64'000 * 20e-9, 200'000, 64'000, 0);
  CHECK(diagnose(chase, p).cause == "dependent_loads");
  auto chain = timed(1e-4);
  simulated(chain, 1e-4, 3e5);
  loop(chain, 13, 5);
  CHECK(diagnose(chain, pointwise(4'000)).cause == "dependency_chain");

  auto branchy = timed(1e-4);
  simulated(branchy, 1e-4, 4e5, 0, 0, 20'000);
  loop(branchy, 5, 4.8);
  CHECK(diagnose(branchy, pointwise(4'000)).cause == "mispredicted_branches");
  auto code = timed(1e-4);
  simulated(code, 1e-4, 3e5, 0, 0, 0, 20'000);
  CHECK(diagnose(code, pointwise(4'000)).cause == "code_size");

  auto tiny = timed(20e-6, 19.9e-6);
  simulated(tiny, 10e-9, 30);
  CHECK(diagnose(tiny, pointwise(16)).cause == "launch");
  auto idle = timed(1e-3);
  simulated(idle, 1e-3, 6e6);
  idle.counters["run.cores"] = 1.02;
  CHECK(diagnose(idle, pointwise(100'000, 2)).cause == "idle_cores");
  // Bug: of a call of 22 us it was said that cores idle, and every direction asked for threads.
  auto brief = timed(22e-6);
  simulated(brief, 22e-6, 9e4);
  loop(brief, 13, 5);
  brief.counters["run.cores"] = 1.02;
  auto found = diagnose(brief, pointwise(4'000, 2));
  CHECK(found.bottleneck == "latency");
  CHECK(found.evidence.at("threads").find("too few to wake another") != std::string::npos);

  auto math = timed(1e-3);
  math.counters["share.math"] = 0.8;
  CHECK(diagnose(math, pointwise(30'000)).cause == "math_functions");
  auto busy = pointwise(10'000);
  busy.flops = "1000*N";
  auto units = timed(1e7 / 0.9e11);
  simulated(units, 1e7 / 0.9e11, 1e6);
  loop(units, 20, 20);
  CHECK(diagnose(units, busy).cause.empty()); // its code has not been looked at
  units.counters["insn.total"] = 100;
  units.counters["insn.vector"] = 70;
  CHECK(diagnose(units, busy).cause == "vector_units");
  units.counters["insn.vector"] = 10;
  units.counters["insn.scalar_fp"] = 60;
  CHECK(diagnose(units, busy).cause == "scalar_code");
}

TEST_CASE("nothing is said where nothing is known, and little where little is") {
  auto p = pointwise(1'000);
  auto e = timed(1e-4);
  auto roofline_only = diagnose(e, p);
  e.counters.clear();
  CHECK(diagnose(e, p).bottleneck.empty());
  CHECK(diagnose({}, p).bottleneck.empty());
  CHECK(diagnose({}, {}).bottleneck.empty());
  CHECK_FALSE(roofline_only.bottleneck.empty());
  CHECK(roofline_only.confidence < 0.4);
}

TEST_CASE("what other processes add to the times does not change the diagnosis") {
  auto p = pointwise(50'000'000);
  auto e = timed(400e6 / 36e9);
  for (auto& l : e.launches)
    for (std::size_t i = 3; i < l.candidate_ns.size(); ++i)
      l.candidate_ns[i] *= 5;
  CHECK(diagnose(e, p).bottleneck == "memory");
  CHECK(*diagnose(e, p).roofline_fraction > 0.75);
}

TEST_CASE("every verdict of a correct timed kernel carries its diagnosis, a crash what the sanitizer said") {
  auto p = pointwise(50'000'000);
  auto e = timed(400e6 / 36e9);
  auto v = verdict_of(e, p, measure_plan::rank);
  REQUIRE(v.state == verdict_state::correct);
  REQUIRE(v.diagnosis);
  CHECK(v.diagnosis->bottleneck == "memory");
  CHECK(verdict_json(v).find("\"bottleneck\":\"memory\"") != std::string::npos);
  evidence crash;
  crash.ending = ending::crashed;
  crash.reason = "signal 11 in call 3";
  crash.findings["sanitizer"] = "heap-buffer-overflow, WRITE of size 4, at candidate.cpp:7 in kernel";
  crash.findings["sanitizer_report"] = "the whole report";
  auto c = verdict_of(crash, p, measure_plan::rank);
  CHECK(c.state == verdict_state::crashed);
  CHECK(c.reason ==
        "signal 11 in call 3; heap-buffer-overflow, WRITE of size 4, at candidate.cpp:7 in kernel");
  CHECK(c.log.find("the whole report") != std::string::npos);
  CHECK_FALSE(c.diagnosis);
}

TEST_CASE("the longest workload is the one that is looked at") {
  auto p = pointwise(1000);
  p.workloads.push_back({"long", {{"N", 9000}}, 1.0, false});
  p.workloads.push_back({"hidden", {{"N", 90000}}, 1.0, true});
  evidence e;
  // By size, where nothing was timed; hidden ones are not looked at.
  CHECK(longest_workload(e, p).workload == 1);
  e.launches = {{0, {1, 1}, {5e6, 5e6}}, {1, {1, 1}, {4e6, 4e6}}};
  CHECK(longest_workload(e, p).workload == 0);
  CHECK(longest_workload(e, p).call_s == Approx(5e-3));
}

TEST_CASE("many small operators of Python are overhead; of few large ones the kind decides, with little "
          "confidence") {
  problem described_in_python; // a KernelBench file: nothing is known of its costs
  described_in_python.workloads = {{"default", {}, 1.0, false}};
  auto e = timed(300e-6);
  e.counters["torch.op.aten::add.share"] = 0.9;
  e.counters["torch.op.aten::add.self_us"] = 500;
  e.counters["torch.op.aten::mm.share"] = 0.1;
  e.counters["torch.top_calls"] = 200;
  e.findings["operators"] = "aten::add: 90% of the operators' time";
  auto d = diagnose(e, described_in_python);
  CHECK(d.bottleneck == "overhead");
  CHECK(d.evidence.at("calls").find("200 operators") != std::string::npos);
  CHECK(d.evidence.at("operators") == e.findings["operators"]);
  e.counters["torch.top_calls"] = 2;
  d = diagnose(e, described_in_python);
  CHECK(d.bottleneck == "memory");
  CHECK(d.confidence < 0.6);
  CHECK(d.evidence.at("calls").find("about 1%") != std::string::npos);
  std::swap(e.counters["torch.op.aten::add.share"], e.counters["torch.op.aten::mm.share"]);
  d = diagnose(e, described_in_python);
  CHECK(d.bottleneck == "compute");
  CHECK(d.confidence < 0.6);
}

TEST_CASE("a vendor's numbers reach the diagnosis by their roles, whatever they are called") {
  const metric_roles roles{{"pe.busy", "compute"},
                           {"sfu.busy", "compute"},
                           {"hbm.util_pct", "memory percent"},
                           {"slots", "occupancy"},
                           {"wait", "latency"}};
  auto told = [&](std::map<std::string, double> counters) {
    auto e = timed(1e-3);
    e.counters.insert(counters.begin(), counters.end());
    add_roles(roles, e);
    return diagnose(e, pointwise(1000));
  };
  auto busy = told({{"pe.busy", 0.2}, {"sfu.busy", 0.9}, {"hbm.util_pct", 30}, {"slots", 0.3}});
  CHECK(busy.bottleneck == "compute");
  CHECK(busy.evidence.at("units") ==
        "compute: 90% (sfu.busy)\nmemory: 30% (hbm.util_pct)\noccupancy: 30% (slots)");
  CHECK(told({{"hbm.util_pct", 88}, {"pe.busy", 0.1}}).bottleneck == "memory");
  CHECK(told({{"slots", 0.05}, {"pe.busy", 0.04}}).bottleneck == "occupancy");
  CHECK(told({{"wait", 0.8}, {"slots", 0.5}, {"pe.busy", 0.1}}).bottleneck == "latency");
  // What is no share of anything says nothing; names that nobody mapped neither.
  CHECK_FALSE(told({{"pe.busy", 17}, {"hbm.util_pct", -40}, {"mystery", 1}}).evidence.contains("units"));
}
