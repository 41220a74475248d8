#include "backends/instruction_mix.hpp"
#include "backends/profile_readers.hpp"

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
  auto* reader = find_profile_reader("name-value");
  REQUIRE(reader);
  auto found = reader(
      "pe.utilisation = 0.75\nno number = here\n\n  dram.bytes=1e9\r\nbad = 1e999\nx = 3 apples\n= 4\n");
  CHECK(found == std::map<std::string, double>{{"pe.utilisation", 0.75}, {"dram.bytes", 1e9}});
  std::string flood;
  for (int i = 0; i < 1000; ++i)
    flood += "n" + std::to_string(i) + " = 1\n";
  CHECK(reader(flood).size() == 256);
  CHECK_FALSE(find_profile_reader("no such reader"));
}
