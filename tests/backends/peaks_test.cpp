#include "backends/evaluation/backend.hpp"
#include "backends/peaks/peaks.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/private_folder.hpp"

#include <catch2/catch.hpp>

#include <fstream>

using namespace ke;

TEST_CASE("the peaks of this machine are those of a computer", "[timing]") {
  auto cpu = cpu_facts();
  auto peaks = measure_peaks(cpu);
#if defined(__x86_64__)
  INFO(peaks_text(peaks));
  for (auto key : {"flops.f32.scalar.1", "flops.f64.sse.all", "bytes.l1.1", "bytes.dram.1", "bytes.dram.all",
                   "latency.l1", "latency.dram", "clock", "threads"})
    CHECK(peaks.contains(key));
  CHECK(peaks["clock"] > 0.5e9);
  CHECK(peaks["clock"] < 10e9);
  CHECK(peaks["bytes.l1.1"] > peaks["bytes.dram.1"]); // nearer is faster
  CHECK(peaks["latency.l1"] < peaks["latency.dram"] / 5);
  CHECK(peaks["latency.l1"] * peaks["clock"] > 2);                       // no cache answers in two cycles
  CHECK(peaks["flops.f32.sse.1"] > 2 * peaks["flops.f32.scalar.1"] / 2); // four lanes, at most without fusing
  CHECK(peaks["flops.f32.scalar.1"] < 9 * peaks["clock"]);
  if (peaks.contains("flops.f32.avx2.1"))
    CHECK(peaks["flops.f32.avx2.1"] > 3 * peaks["flops.f32.scalar.1"]);
  if (peaks["threads"] > 1)
    CHECK(peaks["flops.f32.sse.all"] > 0.9 * peaks["flops.f32.sse.1"]);
#else
  CHECK(peaks.empty());
#endif
}

TEST_CASE("peaks are kept on disk, found again, and only ever replaced by better ones", "[timing]") {
  auto folder = *private_folder::make({}, "ke-peaks-test-");
  auto cpu = cpu_facts();
  peak_map known{{"clock", 1.0}, {"flops.f32.avx2.1", 1e18}, {"latency.l1", 1e-18}};
  std::ofstream{peaks_file(folder.path(), cpu)} << peaks_text(known);
  CHECK(peaks_of_machine(folder.path(), cpu) == known); // nothing is measured
  auto again = peaks_of_machine(folder.path(), cpu, true);
#if defined(__x86_64__)
  CHECK(again["clock"] > 1e8);
#endif
  CHECK(again["flops.f32.avx2.1"] == 1e18); // the better of both
  CHECK(again["latency.l1"] == 1e-18);
  auto kept = peaks_of_machine(folder.path(), cpu);
  CHECK(kept.size() == again.size());
  CHECK(kept["clock"] == Approx(again["clock"]).epsilon(1e-4));
  cpu.facts["cores"] = "999"; // another machine
  CHECK(peaks_file(folder.path(), cpu) != peaks_file(folder.path(), cpu_facts()));
}

TEST_CASE("a damaged file of peaks is measured anew, not believed", "[timing]") {
  for (auto text : {"", "ke-peaks 2\nclock 1\n", "ke-peaks 1\nclock\n", "ke-peaks 1\nclock fast\n",
                    "ke-peaks 1\nclock -1\n", "ke-peaks 1\nclock nan\n", "ke-peaks 1\nclock 1 2\n"})
    CHECK_FALSE(parse_peaks(text));
  auto folder = *private_folder::make({}, "ke-peaks-test-");
  auto cpu = cpu_facts();
  std::ofstream{peaks_file(folder.path(), cpu)} << "ke-peaks 1\nclock 7";
  CHECK(peaks_of_machine(folder.path(), cpu).at("clock") == 7);
  std::ofstream{peaks_file(folder.path(), cpu)} << "rubbish";
  CHECK(peaks_of_machine(folder.path(), cpu).count("clock") == (measure_peaks(cpu).empty() ? 0u : 1u));
}

TEST_CASE("a device tells its peaks as facts, and they come back as they were") {
  device_info device;
  device.facts["isa"] = "avx2";
  peak_map peaks{{"bytes.dram.all", 5.25e10}, {"latency.l1", 1.083e-9}, {"threads", 2}};
  announce_peaks(peaks, device);
  CHECK(device.facts.at("peak.threads") == "2");
  CHECK(announced_peaks(device) == peaks);
  device.facts["peak.clock"] = "fast"; // another program's, or damaged
  CHECK(announced_peaks(device) == peaks);
}

TEST_CASE("peaks are told with units") {
  auto lines = describe_peaks({{"clock", 3.7e9},
                               {"threads", 2},
                               {"noise", 0.04},
                               {"bytes.l1.1", 233e9},
                               {"bytes.l1.all", 430e9},
                               {"latency.l1", 1.08e-9},
                               {"flops.f32.scalar.1", 14.8e9},
                               {"flops.f32.avx2.1", 118e9},
                               {"flops.f32.avx2.all", 236e9}});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].second == "3.70 GHz, samples within 4% of the best");
  CHECK(lines[1] == std::pair<std::string, std::string>{
                        "l1", "233 GB/s by one thread, 430 GB/s on 2 cores, latency 1.08 ns"});
  CHECK(lines[2].second == "scalar 14.8, avx2 118 GFLOP/s by one thread, at most 236 GFLOP/s on 2 cores");
}
