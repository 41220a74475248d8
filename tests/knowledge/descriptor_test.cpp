#include "knowledge/prompt/descriptor.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("kernels of one kind get one descriptor, whatever their names and comments are") {
  auto plain = describe_kernel("void kernel(const float* x, float* y, int64_t n) {\n"
                               "  for (int64_t i = 0; i < n; ++i)\n    y[i] = 2 * x[i];\n}\n",
                               source_language::cpp);
  CHECK(plain.packed() == 0);
  auto other =
      describe_kernel("// omp parallel, _mm256, tile\nvoid kernel(const float* in, float* to, int64_t k) {\n"
                      "  /* prefetch */ for (int64_t j = 0; j < k; ++j) to[j] = in[j] + in[j];\n}\n",
                      source_language::cpp);
  CHECK(other.packed() == plain.packed());
}

TEST_CASE("each axis of a descriptor tells its kinds apart") {
  auto d = describe_kernel("#pragma omp parallel for\nfor (int i = 0; i < n; i += TILE) {\n"
                           "  __m256 acc0 = _mm256_setzero_ps(), acc1 = acc0;\n"
                           "  for (int j = 0; j < TILE; ++j) acc0 += x[j];\n"
                           "  for (int j = 0; j < TILE; ++j) y[j] = acc0[0] + acc1[0];\n}\n",
                           source_language::cpp);
  CHECK(d.memory == 2);
  CHECK(d.vector == 3);
  CHECK(d.parallelism == 3);
  CHECK(d.passes == 1); // two innermost loops; the outer one is no pass of its own
  CHECK(d.packed() == (2u | 3u << 8 | 3u << 16 | 1u << 24));
  CHECK(describe_kernel("typedef float v8 __attribute__((vector_size(32)));", source_language::cpp).vector ==
        2);
  CHECK(describe_kernel("#pragma omp simd\nfor (;;) x;", source_language::cpp).vector == 1);
  CHECK(describe_kernel("float* __restrict__ y; __builtin_prefetch(y);", source_language::cpp).memory == 3);
  CHECK(describe_kernel("y = x.contiguous()  # tile", source_language::python).memory == 1);
  CHECK(describe_kernel("@torch.jit.script\ndef f(x): pass", source_language::python).vector == 1);
}
