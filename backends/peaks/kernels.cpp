#include "backends/peaks/kernels.hpp"

#include <vector>

namespace ke::peaks {

void* chase(void* at, std::uint64_t steps) {
  auto** next = static_cast<void**>(at);
  for (std::uint64_t i = 0; i < steps; ++i)
    next = static_cast<void**>(*const_cast<void* volatile*>(next));
  return static_cast<void*>(next);
}

#if defined(__x86_64__)
namespace {

bool always() {
  return true;
}
bool has_fma() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2");
}
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}
bool has_vnni() {
  return has_avx512() && __builtin_cpu_supports("avx512vnni");
}
bool has_bf16() {
  return has_avx512() && __builtin_cpu_supports("avx512bf16");
}

// Twelve accumulators hide the latency of any of these instructions at two or more per cycle. Registers 12 to
// 15 hold zeros, which cost as much as other numbers.
#define KE_CLOBBERS                                                                                          \
  "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define KE_THREE(op, r, n) op " %%" r "14, %%" r "15, %%" r #n "\n"
#define KE_TWO(op, r, n) op " %%" r "14, %%" r #n "\n"
#define KE_TWELVE(form, op, r)                                                                               \
  form(op, r, 0) form(op, r, 1) form(op, r, 2) form(op, r, 3) form(op, r, 4) form(op, r, 5) form(op, r, 6)   \
      form(op, r, 7) form(op, r, 8) form(op, r, 9) form(op, r, 10) form(op, r, 11)
#define KE_MIXED(one, two, r)                                                                                \
  KE_TWO(one, r, 0)                                                                                          \
  KE_TWO(two, r, 1)                                                                                          \
  KE_TWO(one, r, 2)                                                                                          \
  KE_TWO(two, r, 3)                                                                                          \
  KE_TWO(one, r, 4)                                                                                          \
  KE_TWO(two, r, 5)                                                                                          \
  KE_TWO(one, r, 6)                                                                                          \
  KE_TWO(two, r, 7) KE_TWO(one, r, 8) KE_TWO(two, r, 9) KE_TWO(one, r, 10) KE_TWO(two, r, 11)
#define KE_ZERO_SSE(n) "pxor %%xmm" #n ", %%xmm" #n "\n"
#define KE_ZERO_VEX(n) "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n"
#define KE_ZEROS(zero)                                                                                       \
  zero(0) zero(1) zero(2) zero(3) zero(4) zero(5) zero(6) zero(7) zero(8) zero(9) zero(10) zero(11) zero(12) \
      zero(13) zero(14) zero(15)
#define KE_LOOP(name, zeros, body, end)                                                                      \
  void name(std::uint64_t n) {                                                                               \
    __asm__ volatile(zeros ".p2align 5\n1:\n" body "dec %0\njnz 1b\n" end : "+r"(n) : : KE_CLOBBERS);        \
  }
#define KE_SSE_LOOP(name, one, two)                                                                          \
  KE_LOOP(name, KE_ZEROS(KE_ZERO_SSE), KE_MIXED(one, two, "xmm") KE_MIXED(one, two, "xmm"), "")
#define KE_VEX_LOOP(name, op, r)                                                                             \
  KE_LOOP(name, KE_ZEROS(KE_ZERO_VEX), KE_TWELVE(KE_THREE, op, r) KE_TWELVE(KE_THREE, op, r), "vzeroupper\n")

KE_SSE_LOOP(f32_scalar, "mulss", "addss")
KE_SSE_LOOP(f64_scalar, "mulsd", "addsd")
KE_SSE_LOOP(f32_sse, "mulps", "addps")
KE_SSE_LOOP(f64_sse, "mulpd", "addpd")
KE_SSE_LOOP(i32_sse, "paddd", "paddd")
KE_VEX_LOOP(f32_scalar_fma, "vfmadd231ss", "xmm")
KE_VEX_LOOP(f64_scalar_fma, "vfmadd231sd", "xmm")
KE_VEX_LOOP(f32_avx2, "vfmadd231ps", "ymm")
KE_VEX_LOOP(f64_avx2, "vfmadd231pd", "ymm")
KE_VEX_LOOP(i32_avx2, "vpaddd", "ymm")
KE_VEX_LOOP(i8_avx2, "vpaddb", "ymm")
KE_VEX_LOOP(f32_avx512, "vfmadd231ps", "zmm")
KE_VEX_LOOP(f64_avx512, "vfmadd231pd", "zmm")
KE_VEX_LOOP(i32_avx512, "vpaddd", "zmm")
KE_VEX_LOOP(i8_avx512, "vpdpbusd", "zmm")
KE_VEX_LOOP(bf16_avx512, "vdpbf16ps", "zmm")

constexpr double instructions = 24;
constexpr rate_kernel rates[] = {
    {"flops.f32.scalar", instructions * 1, f32_scalar, always},
    {"flops.f64.scalar", instructions * 1, f64_scalar, always},
    {"flops.f32.scalar", instructions * 2, f32_scalar_fma, has_fma},
    {"flops.f64.scalar", instructions * 2, f64_scalar_fma, has_fma},
    {"flops.f32.sse", instructions * 4, f32_sse, always},
    {"flops.f64.sse", instructions * 2, f64_sse, always},
    {"flops.i32.sse", instructions * 4, i32_sse, always},
    {"flops.f32.avx2", instructions * 16, f32_avx2, has_fma},
    {"flops.f64.avx2", instructions * 8, f64_avx2, has_fma},
    {"flops.i32.avx2", instructions * 8, i32_avx2, has_avx2},
    {"flops.i8.avx2", instructions * 32, i8_avx2, has_avx2},
    {"flops.f32.avx512", instructions * 32, f32_avx512, has_avx512},
    {"flops.f64.avx512", instructions * 16, f64_avx512, has_avx512},
    {"flops.i32.avx512", instructions * 16, i32_avx512, has_avx512},
    {"flops.i8.avx512", instructions * 128, i8_avx512, has_vnni},
    {"flops.bf16.avx512", instructions * 64, bf16_avx512, has_bf16},
};

// Eight vectors per turn. `r` walks, `e` is the end.
#define KE_READ(op, r, size)                                                                                 \
  op " (%0), %%" r "0\n" op " " #size "(%0), %%" r "1\n" op " 2*" #size "(%0), %%" r "2\n" op " 3*" #size    \
     "(%0), %%" r "3\n" op " 4*" #size "(%0), %%" r "4\n" op " 5*" #size "(%0), %%" r "5\n" op " 6*" #size   \
     "(%0), %%" r "6\n" op " 7*" #size "(%0), %%" r "7\n"
#define KE_WRITE(op, r, size, to)                                                                            \
  op " %%" r "0, (" to ")\n" op " %%" r "1, " #size "(" to ")\n" op " %%" r "2, 2*" #size "(" to ")\n" op    \
     " %%" r "3, 3*" #size "(" to ")\n" op " %%" r "4, 4*" #size "(" to ")\n" op " %%" r "5, 5*" #size       \
     "(" to ")\n" op " %%" r "6, 6*" #size "(" to ")\n" op " %%" r "7, 7*" #size "(" to ")\n"
#define KE_STREAM(name, body, size, end)                                                                     \
  std::size_t name(char* at, std::size_t bytes) {                                                            \
    char* last = at + bytes;                                                                                 \
    __asm__ volatile(".p2align 5\n1:\n" body "add $8*" #size ", %0\ncmp %1, %0\njb 1b\n" end                 \
                     : "+&r"(at)                                                                             \
                     : "r"(last)                                                                             \
                     : KE_CLOBBERS);                                                                         \
    return bytes;                                                                                            \
  }
// The first half is read, the second written, half a kilobyte apart in their pages: a load whose address
// agrees with an earlier store's in the last twelve bits would wait for it. (Early clobbers: an input of the
// same value must not share a register.)
#define KE_COPY(name, load, keep, r, size, end)                                                              \
  std::size_t name(char* at, std::size_t bytes) {                                                            \
    std::size_t half = bytes / 2 - 1024;                                                                     \
    char* to = at + bytes / 2 + 512;                                                                         \
    char* last = at + half;                                                                                  \
    __asm__ volatile(".p2align 5\n1:\n" KE_READ(load, r, size)                                               \
                         KE_WRITE(keep, r, size, "%1") "add $8*" #size ", %0\nadd $8*" #size                 \
                                                       ", %1\ncmp %2, %0\njb 1b\n" end                       \
                     : "+&r"(at), "+&r"(to)                                                                  \
                     : "r"(last)                                                                             \
                     : KE_CLOBBERS);                                                                         \
    return 2 * half;                                                                                         \
  }
KE_STREAM(read_sse, KE_READ("movups", "xmm", 16), 16, "")
KE_STREAM(read_avx2, KE_READ("vmovups", "ymm", 32), 32, "vzeroupper\n")
KE_STREAM(read_avx512, KE_READ("vmovups", "zmm", 64), 64, "vzeroupper\n")
KE_STREAM(write_avx2, KE_WRITE("vmovups", "ymm", 32, "%0"), 32, "vzeroupper\n")
KE_STREAM(write_avx512, KE_WRITE("vmovups", "zmm", 64, "%0"), 64, "vzeroupper\n")
KE_STREAM(store_sse, KE_WRITE("movntps", "xmm", 16, "%0"), 16, "sfence\n")
KE_STREAM(store_avx2, KE_WRITE("vmovntps", "ymm", 32, "%0"), 32, "vzeroupper\nsfence\n")
KE_COPY(copy_sse, "movups", "movups", "xmm", 16, "")
KE_COPY(copy_avx2, "vmovups", "vmovups", "ymm", 32, "vzeroupper\n")
KE_COPY(copy_avx512, "vmovups", "vmovups", "zmm", 64, "vzeroupper\n")
KE_COPY(past_sse, "movups", "movntps", "xmm", 16, "sfence\n")
KE_COPY(past_avx2, "vmovups", "vmovntps", "ymm", 32, "vzeroupper\nsfence\n")

constexpr stream_kernel streams[] = {
    {"read", read_sse, always},      {"read", read_avx2, has_avx2},       {"read", read_avx512, has_avx512},
    {"write", write_avx2, has_avx2}, {"write", write_avx512, has_avx512}, {"copy", copy_sse, always},
    {"copy", copy_avx2, has_avx2},   {"copy", copy_avx512, has_avx512},   {"store", store_sse, always},
    {"store", store_avx2, has_avx2}, {"past", past_sse, always},          {"past", past_avx2, has_avx2},
};

} // namespace

std::span<const rate_kernel> rate_kernels() {
  return rates;
}
std::span<const stream_kernel> stream_kernels() {
  return streams;
}

bool chain(std::uint64_t n) {
  std::uint64_t x = 1;
  __asm__ volatile("1:\n"
                   "add %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\n"
                   "add %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\nadd %1, %1\n"
                   "add %1, %1\nadd %1, %1\ndec %0\njnz 1b\n"
                   : "+r"(n), "+r"(x)
                   :
                   : "cc");
  return true;
}
#else
std::span<const rate_kernel> rate_kernels() {
  return {};
}
std::span<const stream_kernel> stream_kernels() {
  return {};
}
bool chain(std::uint64_t) {
  return false;
}
#endif

} // namespace ke::peaks
