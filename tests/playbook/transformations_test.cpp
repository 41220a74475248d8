// Family by transformation: some draft does it, its trace is in the kernel's text, and the kernel is right on
// odd shapes. A trace is looked for behind the prelude, where only what is used stands.

#include "tests/playbook/check_answers.hpp"

#include "runtime/playbook/playbook.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::playbook_test;

namespace {

struct trace {
  std::string transformation;
  std::string text;
};

std::string body_of(const std::string& source) {
  return source.substr(source.find("extern \"C\" void kernel("));
}

/// The first drafts that carry the traces, each compiled and compared with the reference.
void check(const std::string& name, const std::vector<trace>& traces, const std::string& isa = "avx2 fma") {
  const auto& e = example_named(name);
  REQUIRE(e.name == name);
  std::vector<std::string> sources{e.source};
  std::vector<bool> found(traces.size());
  for (int draft = 0; draft < 30; ++draft) {
    request r;
    r.draft = draft;
    r.isa = isa;
    auto code = code_of(playbook_answer(prompt_of(e, r)));
    if (code.empty())
      break;
    auto body = body_of(code);
    bool fresh = false;
    for (std::size_t k = 0; k < traces.size(); ++k)
      if (!found[k] && body.find(traces[k].text) != std::string::npos)
        found[k] = fresh = true;
    if (fresh)
      sources.push_back(code);
  }
  for (std::size_t k = 0; k < traces.size(); ++k) {
    CAPTURE(name, traces[k].transformation, traces[k].text);
    CHECK(found[k]);
  }
  check_answers(e, sources, 11);
}

const trace threads{"OpenMP", "#pragma omp parallel"}, vectors{"vector types", "ke_load<vec<float, 8>>"},
    prefetch{"prefetch", "__builtin_prefetch("}, wide{"wider vectors by ISA", "vec<float, 16>"};

} // namespace

TEST_CASE("elementwise: vectors, unrolling, fusion, threads, prefetch, tiling, approximations") {
  check("gelu", {threads,
                 vectors,
                 prefetch,
                 {"fast approximation", "ke_tanh("},
                 {"unrolling", " + 24"},
                 {"tiling", "tile_1 * 1024"}});
  check("two_passes", {threads, vectors, prefetch, {"unrolling", " + 24"}});
}
TEST_CASE("two passes over one range become one") {
  auto body = body_of(code_of(playbook_answer(prompt_of(example_named("two_passes"), {}))));
  std::size_t parallel = 0;
  for (std::size_t at = 0; (at = body.find("#pragma omp parallel", at)) != std::string::npos; ++at)
    ++parallel;
  CHECK(parallel == 1);
}
TEST_CASE("reduction: several accumulators per lane, threads in fixed pieces, register tiles") {
  check("sum_rows",
        {threads, vectors, prefetch, {"multi-accumulator", "acc_v3"}, {"accumulators joined", "ke_fold("}});
  check("dot", {{"pieces over threads", "pieces_"}, {"multi-accumulator", "s_v3"}});
  check("sum_columns", {threads, {"interchange", "_v1 = "}});
}
TEST_CASE("softmax and norms: approximations, reciprocals, several accumulators") {
  check("softmax", {threads,
                    vectors,
                    {"fast approximation", "ke_exp("},
                    {"multi-accumulator", "_v3"},
                    {"reciprocal", "float(1) /"}});
  check("layernorm", {threads, {"float arithmetic", "vec<float, 8>"}, {"multi-accumulator", "_v3"}});
}
TEST_CASE("matmul: register tiles, interchange, packed and aligned panels, tiling, prefetch") {
  check("matmul", {threads,
                   vectors,
                   prefetch,
                   {"register tile", "acc_r3_v1"},
                   {"packing", "ke_load<p_V>(p_right"},
                   {"packing of rows", "p_packed_rows +"},
                   {"alignment", "ke_panel_room<float>("},
                   {"tiling", "tile_1 * 512"}});
  check("matmul_transposed", {threads, {"packing", "ke_load<p_V>(p_right"}});
  check("matmul_ikj", {threads, {"interchange", "_r3_v1"}, {"packing", "ke_load<p_V>(p_right"}});
}
TEST_CASE("wider vectors where the target has them") {
  check("matmul", {wide, {"tall tile", "p_s_11_1"}}, "avx2 fma avx512f");
  check("scan_rows", {wide}, "avx2 fma avx512f");
}
TEST_CASE("convolution: register tiles, packing as a product, boundaries split off") {
  check("conv1d", {threads, vectors, {"register tile", "acc_r3_v1"}, {"packing", "ke_load<p_V>(p_right"}});
  check("conv2d_padded", {threads, vectors, {"boundary", "inner_end_"}});
}
TEST_CASE("scan: prefixes within vectors") {
  check("scan_rows", {threads, {"prefix", "ke_prefix("}});
  check("scan_exclusive", {{"prefix", "ke_prefix("}});
}
TEST_CASE("transpose: blocks, threads, prefetch of the next block") {
  check("transpose", {threads, prefetch, {"blocks", "block[a][b]"}});
}
TEST_CASE("stencil: boundaries split off, vectors, threads, prefetch") {
  check("stencil2d", {threads, vectors, prefetch, {"boundary", "inner_end_"}});
  check("stencil1d", {threads, vectors, {"boundary", "inner_end_"}});
}
TEST_CASE("half precision: loads are converted in vectors") {
  check("swish_f16", {threads, {"conversion", "ke_convert<vec<float, 8>>"}});
  check("norm_bf16",
        {threads, {"conversion", "ke_lanes_bf16_to_float("}, {"conversion back", "ke_lanes_float_to_bf16("}});
  check("matmul_bf16", {threads, {"converted once, in the panel", "= ke_bf16_to_float(B["}});
}

TEST_CASE("a formula stands in for a reference that cannot be read") {
  struct row {
    const char *name, *formula;
  };
  for (auto [name, formula] :
       {row{"two_passes", "x * 0.5f + b * x"}, row{"matmul", "C[m,n] = sum(k: A[m,k] * B[k,n])"},
        row{"sum_rows", "y[i] = sum(j: x[i,j])"},
        row{"softmax", "y[i,j] = exp(x[i,j] - max(k: x[i,k])) / sum(k: exp(x[i,k] - max(l: x[i,l])))"}}) {
    const auto& e = example_named(name);
    request r;
    r.formula = formula;
    r.language = "python";
    auto code = code_of(playbook_answer(prompt_of(e, r)));
    CAPTURE(name, formula, playbook_answer(prompt_of(e, r)).substr(0, 300));
    REQUIRE_FALSE(code.empty());
    compiled object{e, {e.source, code}, "-O1"};
    for (const auto& shape : {e.shapes[1], e.shapes[2]}) {
      call_data truth{e, shape, 4}, mine{e, shape, 4};
      truth.call(object.entry(0));
      mine.call(object.entry(1));
      CHECK(mine.margins_intact());
      CHECK(mine.difference(truth) <= e.tolerance);
    }
    r.bitwise = true;
    CHECK(code_of(playbook_answer(prompt_of(e, r))).empty());
  }
  request r;
  r.language = "python";
  for (auto text :
       {"", "x[", "sum(k: x)", "sum(k x[i,k])", "y[i] =", "unknown(x)", "=", "y[i,j] = x[i]", "))", "max("}) {
    r.formula = text;
    CAPTURE(text);
    CHECK(code_of(playbook_answer(prompt_of(example_named("softmax"), r))).empty());
  }
}

TEST_CASE("one core gets one thread whatever the policy allows") {
  request r;
  r.cores = "1";
  CHECK(code_of(playbook_answer(prompt_of(example_named("softmax"), r))).find("omp parallel") ==
        std::string::npos);
}
