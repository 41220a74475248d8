#include "backends/evidence/loop_times.hpp"
#include "backends/profile/loop_ticks.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::string nest = R"(define void @kernel(ptr %0, i64 %1) !dbg !4 {
  br label %3, !dbg !10

3:                                                ; preds = %8, %2
  %4 = phi i64 [ 0, %2 ], [ %9, %8 ]
  br label %5, !dbg !10

5:                                                ; preds = %5, %3
  %6 = phi i64 [ 0, %3 ], [ %7, %5 ]
  %10 = phi i64 [ 1, %3 ], [ %7, %5 ]
  %7 = add i64 %6, 1
  %11 = icmp eq i64 %7, %1
  br i1 %11, label %8, label %5, !dbg !12, !llvm.loop !25

8:                                                ; preds = %5
  %9 = add i64 %4, 1
  switch i64 %9, label %3 [
    i64 7, label %12
  ], !dbg !11

12:
  ret void
}
define i32 @straight() {
entry:
  br label %done

done:
  ret i32 0
}
!10 = !DILocation(line: 3, column: 1, scope: !4)
!11 = !DILocation(line: 4, column: 1, scope: !4)
!12 = !DILocation(line: 6, scope: !4)
)";

} // namespace

TEST_CASE("each loop of a module gets a tick at its head, behind the phis, and nothing else changes") {
  auto m = insert_ticks(nest);
  REQUIRE(m.loops.size() == 2);
  CHECK(m.loops[0].function == "kernel");
  CHECK(m.loops[0].depth == 1);
  CHECK(m.loops[1].depth == 2);
  CHECK(m.loops[1].line == 6);
  CHECK(m.text.find("[ %9, %8 ]\n  call void @ke_tick(i32 0)\n  br label %5") != std::string::npos);
  CHECK(m.text.find("%10 = phi i64 [ 1, %3 ], [ %7, %5 ]\n  call void @ke_tick(i32 1)\n  %7 = add") !=
        std::string::npos);
  CHECK(m.text.find("declare void @ke_tick(i32)") != std::string::npos);
  auto text = m.text;
  auto table = text.find("@ke_loop_table = constant [33 x i8] c\"");
  REQUIRE(table != std::string::npos);
  CHECK(text.find("at\\200\\200\\201\\20kernel\\0Aat\\201\\206\\202\\20kernel\\0A\\00\"\n", table) !=
        std::string::npos);
  text.resize(table);
  for (std::string added :
       {"  call void @ke_tick(i32 0)\n", "  call void @ke_tick(i32 1)\n", "declare void @ke_tick(i32)\n"})
    text.erase(text.find(added), added.size());
  CHECK(text == nest);
}

TEST_CASE("a module without loops stays as it is, and so does what is none") {
  for (std::string text :
       {"define void @f() {\n  ret void\n}\n", "no module\n", "", "define void @f(\n", "define @\n}"}) {
    auto m = insert_ticks(text);
    CHECK(m.loops.empty());
    CHECK(m.text == text);
  }
  CHECK(insert_ticks(nest, 1).loops.size() == 1);
}

TEST_CASE("ticks become shares of the time, with their own cost taken off, and spans in nanoseconds") {
  const std::string table = "at 0 3 1 kernel\nat 1 6 2 kernel\nat 2 0 1 odd\"name\n";
  auto p = read_ticks("printed by the candidate\nke-ticks 2\n" + table +
                      "clock 4000 1000\nleast 10\nloop 0 10 1100\nloop 1 1000 19000\nloop 2 1 1\n"
                      "loop 9 1 1\ntick 0 0\ntick 1 100\ntick 1 130\ntick 0 160\n");
  REQUIRE(p.loops.size() == 2);
  CHECK(p.loops[0].loop.line == 6);
  CHECK(p.loops[0].cycles == 9000);
  CHECK(p.loops[0].share == Approx(0.9));
  CHECK(p.loops[1].share == Approx(0.1));
  REQUIRE(p.spans.size() == 3);
  CHECK(p.spans[1].loop.id == 1);
  CHECK(p.spans[1].begin_ns == Approx(25));
  CHECK(p.spans[1].ns == Approx(7.5));
  CHECK(describe_loops(p, 1) == "line 6 (depth 2): 90% of the time, 1000 turns of 9 cycles");
  CHECK(trace_text(p) == "line:3 0.0 25.0\nline:6 25.0 7.5\nline:6 32.5 7.5\n");
  auto whole = read_ticks("ke-ticks 2\n" + table + "clock 1 1\ntick 0 0\ntick 1 5\nend 9\ntick 0 20\n");
  CHECK(trace_text(whole) == "line:3 0.0 5.0\nline:6 5.0 4.0\n");
  auto told = shares_of(p);
  CHECK(told.counters.at("loop.line") == 6);
  CHECK(told.counters.at("loop.share") == Approx(0.9));
  CHECK(told.findings.at("loops").find("line 3 (depth 1)") != std::string::npos);
  CHECK(read_ticks("nothing").loops.empty());
  CHECK(shares_of(read_ticks("ke-ticks 2\nloop 0 1 1\n")).counters.empty());
}

TEST_CASE("ticks that ran backwards give no trace") {
  auto p = read_ticks(
      "ke-ticks 2\nat 0 3 1 k\nclock 10 10\nloop 0 3 50\ntick 0 0\ntick 0 50\ntick 0 20\ntick 0 60\n");
  CHECK(p.loops.size() == 1);
  CHECK(trace_text(p).empty());
}
