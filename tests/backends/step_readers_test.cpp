#include "backends/evaluation/step_readers.hpp"
#include "backends/evidence/assembler_words.hpp"
#include "backends/evidence/call_trace.hpp"
#include "backends/evidence/instruction_mix.hpp"
#include "backends/evidence/sass_mix.hpp"
#include "backends/evidence/torch_profile.hpp"
#include "backends/verdict/static_figures.hpp"
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

TEST_CASE("the assembler's words are registers, spills and shared memory of each kernel") {
  auto found = assembler_counters(
      "ptxas info    : 24 bytes gmem\n"
      "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
      "ptxas info    : Function properties for other\n"
      "ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers, 16 bytes cumulative stack size\n"
      "ptxas info    : Function properties for _Z1ff\n"
      "ptxas         .     512 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n"
      "candidate.cu(3): warning: Used 99 registers\n"
      "ptxas info    : Compiling entry function 'kernel' for 'sm_90a'\n"
      "ptxas info    : Function properties for kernel\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 23 registers, used 1 barriers, 1024 bytes smem, 4 bytes cmem[2]\n");
  CHECK(found == std::map<std::string, double>{{"static.sm_90.other.registers", 8},
                                               {"static.sm_90.other.barriers", 0},
                                               {"static.sm_90.other.shared_bytes", 0},
                                               {"static.sm_90.other.stack_bytes", 16},
                                               {"static.sm_90.other.spill_bytes", 12},
                                               {"static.sm_90.kernel.registers", 23},
                                               {"static.sm_90.kernel.barriers", 1},
                                               {"static.sm_90.kernel.shared_bytes", 1024},
                                               {"static.sm_90.kernel.stack_bytes", 0},
                                               {"static.sm_90.kernel.spill_bytes", 0}});
  CHECK(static_summary(found) ==
        "kernel: 23 registers, no spills, 1024 bytes of static shared memory; other: 8 "
        "registers, 12 bytes spilled");
  CHECK(static_figures(found).at("sm_90.kernel.registers") == 23);
  std::string flood;
  for (int i = 0; i < 100; ++i)
    flood += "ptxas info : Compiling entry function 'k" + std::to_string(i) +
             "' for 'sm_90'\nptxas info : Used 7 registers\n";
  CHECK(assembler_counters(flood).size() == 48);
  CHECK(assembler_counters("ptxas info : Used 7 registers").empty());
  CHECK(static_summary({{"insn.total", 3}}).empty());
}

TEST_CASE("the instructions of device code are counted by class for each kernel") {
  auto found = sass_mix("\tcode for sm_90a\n\t\tFunction : kernel\n"
                        "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
                        "        /*0000*/                   LDG.E.128 R4, desc[UR4][R2.64] ;  /* 0x0000 */\n"
                        "                                                                    /* 0x000f */\n"
                        "        /*0010*/              @!P0 LDG.E R2, desc[UR4][R2.64+0x4] ;  /* 0x0000 */\n"
                        "        /*0020*/                   HGMMA.64x128x16.F32 R24, gdesc[UR4] ;\n"
                        "        /*0030*/                   FFMA R0, R1, R2, R3 ;\n"
                        "        /*0040*/                   STL [R1], R0 ;\n"
                        "        /*0050*/                   NOP;\n"
                        "        /*0060*/              @P1  BRA 0x10 ;\n"
                        "\t\tFunction : other\n"
                        "        /*0000*/                   MUFU.EX2 R0, R0 ;\n");
  CHECK(found == std::map<std::string, double>{{"static.sm_90.kernel.insn.total", 6},
                                               {"static.sm_90.kernel.insn.global_load", 2},
                                               {"static.sm_90.kernel.insn.global_wide", 1},
                                               {"static.sm_90.kernel.insn.tensor", 1},
                                               {"static.sm_90.kernel.insn.fp32", 1},
                                               {"static.sm_90.kernel.insn.local", 1},
                                               {"static.sm_90.kernel.insn.branch", 1},
                                               {"static.sm_90.other.insn.total", 1},
                                               {"static.sm_90.other.insn.special", 1}});
  CHECK(sass_mix("        /*0000*/  FFMA R0, R1, R2, R3 ;\n").empty());
}

TEST_CASE("a vendor's tool may print lines of name = number; everything else in them is passed over") {
  auto reader = find_job_reader(job_kind::profile, "name-value");
  REQUIRE(reader);
  auto found = reader(
      "pe.utilisation = 0.75\nno number = here\n\n  dram.bytes=1e9\r\nbad = 1e999\nx = 3 apples\n= 4\n");
  CHECK(found.counters == std::map<std::string, double>{{"pe.utilisation", 0.75}, {"dram.bytes", 1e9}});
  CHECK(reader("pe_busy 0.5\nnoc stall = 3\nhbm.util:\t71.5\nrows,12\nit took 12\n=3\n7\n").counters ==
        std::map<std::string, double>{{"pe_busy", 0.5}, {"noc stall", 3}, {"hbm.util", 71.5}, {"rows", 12}});
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
