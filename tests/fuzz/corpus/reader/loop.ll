define void @kernel(ptr %0, i64 %1) !dbg !4 {
  br label %3, !dbg !10

3:
  %4 = phi i64 [ 0, %2 ], [ %7, %3 ]
  %7 = add i64 %4, 1
  br i1 %5, label %8, label %3, !dbg !12

8:
  ret void
}
!12 = !DILocation(line: 6, scope: !4)
