#include "backends/evaluation/step_readers.hpp"
#include "backends/evidence/call_trace.hpp"
#include "backends/evidence/instruction_mix.hpp"
#include "backends/evidence/torch_profile.hpp"
#include "runtime/core/evidence.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("the instruction mix counts the candidate's own instructions by class") {
  auto mix = instruction_mix("0000000000001000 <_init>:\n"
                             "    1000:\tsub    $0x8,%rsp\n"
                             "\n"
                             "0000000000001100 <kernel>:\n"
                             "    1100:\tvmovups (%rdi),%ymm0\n"
                             "    1104:\tvfmadd231ps %zmm1,%zmm2,%zmm0\n"
                             "    1108:\tmulss  %xmm1,%xmm0\n"
                             "    110c:\taddps  %xmm1,%xmm0\n"
                             "    1110:\tnopw   0x0(%rax,%rax,1)\n"
                             "    1114:\tcall   1030 <expf@plt>\n"
                             "    1118:\tjne    1100 <kernel>\n"
                             "    111c:\tret\n");
  CHECK(mix.at("insn.total") == 7);
  CHECK(mix.at("insn.vector") == 3);
  CHECK(mix.at("insn.scalar_fp") == 1);
  CHECK(mix.at("insn.fma") == 1);
  CHECK(mix.at("insn.call") == 1);
  CHECK(mix.at("insn.branch") == 1);
  CHECK(mix.at("insn.max_vector_bits") == 512);
  CHECK(instruction_mix("no disassembly at all").empty());
}

TEST_CASE("a vendor's tool may print lines of name = number; everything else in them is passed over") {
  auto reader = find_job_reader(job_kind::profile, "name-value");
  REQUIRE(reader);
  auto found = reader(
      "pe.utilisation = 0.75\nno number = here\n\n  dram.bytes=1e9\r\nbad = 1e999\nx = 3 apples\n= 4\n");
  CHECK(found.counters == std::map<std::string, double>{{"pe.utilisation", 0.75}, {"dram.bytes", 1e9}});
  std::string flood;
  for (int i = 0; i < 1000; ++i)
    flood += "n" + std::to_string(i) + " = 1\n";
  CHECK(reader(flood).counters.size() == 256);
  CHECK_FALSE(find_job_reader(job_kind::profile, "no such reader"));
  CHECK_FALSE(find_job_reader(job_kind::trace, "name-value"));
}

namespace {

evidence with_trace(const std::string& text) {
  evidence e;
  e.findings["trace"] = text;
  return e;
}

const std::string profiler =
    "total 200 4\n150 3 aten::mm\n50 1 aten::tanh_\ntimeline\n"
    "0.000 180.000 aten::linear\n5.000 150.250 aten::mm\n185.000 50.000 aten::tanh_\n";

} // namespace

TEST_CASE("PyTorch's profiler becomes counters, a text for people and a timeline in the common schema") {
  auto found = find_job_reader(job_kind::collect, "torch-profiler")(profiler);
  CHECK(found.counters.at("torch.self_us") == 200);
  CHECK(found.counters.at("torch.calls") == 4);
  CHECK(found.counters.at("torch.top_calls") == 2); // what linear called is its own affair
  CHECK(found.counters.at("torch.op.aten::mm.share") == Approx(0.75));
  CHECK_FALSE(found.counters.contains("torch.op.aten::linear.share"));
  CHECK(found.findings.at("operators") == "aten::mm: 75% of the operators' time, 150 us in 3 calls\n"
                                          "aten::tanh_: 25% of the operators' time, 50 us in 1 calls");
  auto timeline = find_job_reader(job_kind::trace, "torch-profiler")(profiler).findings.at("trace");
  CHECK(timeline == "aten::linear 0.0 180000.0\naten::mm 5000.0 150250.0\naten::tanh_ 185000.0 50000.0\n");
  auto spans = call_spans(with_trace(timeline));
  REQUIRE(spans.size() == 3);
  CHECK(spans[1].name == "aten::mm");
  CHECK(spans[1].begin_us == Approx(5));
  CHECK(spans[1].us == Approx(150.25));
}

TEST_CASE("a poisoned timeline is dropped") {
  auto timeline = [](const std::string& lines) { return timeline_in("total 1 1\ntimeline\n" + lines); };
  REQUIRE_FALSE(timeline("0 10 aten::mm\n").empty());
  using list = std::vector<std::string>;
  for (const auto& times : {list{"nan 1"}, list{"0 inf"}, list{"-1 1"}, list{"0 -1"}, list{"0 1e30"},
                            list{"5 1", "4 1"}, list{"0 10", "5 10"}, list{"x y"}, list{"0"}}) {
    std::string told = "0 0 aten::add\n", read = "aten::add 0 0\n";
    for (const auto& t : times) {
      told += t + " aten::mm\n";
      read += "aten::mm " + t + "\n";
    }
    INFO(told);
    CHECK(timeline(told).empty());
    read += "aten::add 9e9 1\n";
    for (const auto& s : call_spans(with_trace(read))) // the schema's own reader stops there at the latest
      CHECK(s.begin_us == 0);
  }
  // A name that is not plain goes alone: a candidate's author may give a block any name.
  CHECK(timeline("0 9 my \"block\"\n1 2 aten::mm\n") == "aten::mm 1000.0 2000.0\n");
  CHECK(timeline("0 9 " + std::string(81, 'a') + "\n").empty());
  std::string flood;
  for (int i = 0; i < 5000; ++i)
    flood += std::to_string(i) + " 1 op" + std::to_string(i) + "\n";
  CHECK(call_spans(with_trace(timeline(flood))).size() == most_stretches);
}
