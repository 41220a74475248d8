// How much faster than the naive reference, compiled with the same flags, is the best of the playbook's first
// answers? playbook_bench [FAMILY_OR_NAME] [ANSWERS]: one line per example; reference and candidates are
// timed interleaved and the fastest of some calls counts, so that a busy machine disturbs little. -v prints
// every candidate; --threads N is the problem's policy (2); --dump FOLDER writes the sources; --problems
// times the public workloads of config/problems instead (geometric mean); --product compares a 512 x 512 x
// 512 product with a plain tiled loop and with what the machine's multiply-adds reach without memory.

#include "runtime/core/problem.hpp"
#include "tests/playbook/workbench.hpp"

#include "config/problem_file.hpp"
#include "runtime/playbook/playbook.hpp"

#include <algorithm>
#include <cstdio>

using namespace ke::playbook_test;

namespace {

double seconds_of(call_data& data, void* entry) {
  auto begin = std::chrono::steady_clock::now();
  data.call(entry);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string isa_of_this_machine() {
  std::string out = "sse2";
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2"))
    out += " avx2 fma";
  if (__builtin_cpu_supports("avx512f"))
    out += " avx512f";
#endif
  return out;
}

/// The fastest call of each source, in seconds.
std::vector<double> fastest(const example& e, const sizes& shape, const compiled& object, std::size_t count) {
  std::vector<double> out(count, 1e30);
  call_data data{e, shape, 7};
  data.call(object.entry(0));
  double once = seconds_of(data, object.entry(0));
  int rounds = once > 0.02 ? 4 : 12, calls = std::clamp(static_cast<int>(0.0005 / once), 1, 20);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < count; ++k)
      for (int call = 0; call < (k ? calls + 1 : calls); ++call)
        out[k] = std::min(out[k], seconds_of(data, object.entry(k)));
  return out;
}

void run(const example& e, const std::vector<sizes>& workloads, int answers, int threads, bool verbose,
         const std::string& dump) {
  std::vector<std::string> sources{e.source};
  for (int k = 0; k < answers; ++k) {
    request r;
    r.draft = k;
    r.threads = threads;
    r.isa = isa_of_this_machine();
    auto answer = ke::playbook_answer(prompt_of(e, r));
    auto code = code_of(answer);
    if (code.empty()) {
      if (k == 0)
        std::printf("%-20s declined: %s", e.name.c_str(), answer.c_str());
      break;
    }
    sources.push_back(code);
    if (!dump.empty())
      std::ofstream{dump + "/" + e.name + "_" + std::to_string(k) + ".cpp"} << code;
  }
  if (sources.size() < 2)
    return;
  compiled object{e, sources, "-O3"};
  std::vector<double> gain(sources.size()), errors(sources.size());
  for (const auto& shape : workloads) {
    call_data truth{e, shape, 7};
    truth.call(object.entry(0));
    for (std::size_t k = 1; k < sources.size(); ++k) {
      call_data mine{e, shape, 7};
      mine.call(object.entry(k));
      errors[k] = std::max(errors[k], mine.difference(truth));
    }
    auto times = fastest(e, shape, object, sources.size());
    for (std::size_t k = 1; k < sources.size(); ++k)
      gain[k] += std::log(times[0] / times[k]) / static_cast<double>(workloads.size());
  }
  std::size_t best = 0, early = 0;
  for (std::size_t k = 1; k < sources.size(); ++k) {
    bool right = errors[k] <= e.tolerance;
    if (verbose)
      std::printf("    %2zu %7.2fx  error %.1e%s  %s\n", k - 1, std::exp(gain[k]), errors[k],
                  right ? "" : "  WRONG", point_of(sources[k]).dump().c_str());
    if (right && (best == 0 || gain[k] > gain[best])) {
      best = k;
      early = k <= 6 ? k : early;
    }
  }
  std::printf("%-20s %-12s %7.2fx  answer %zu of %zu (first six: %.2fx)  %s\n", e.name.c_str(),
              e.family.c_str(), std::exp(gain[best]), best ? best - 1 : 0, sources.size() - 1,
              std::exp(gain[early]), best ? point_of(sources[best]).dump().c_str() : "");
  std::fflush(stdout);
}

/// A problem of config/problems as an example; empty name: it cannot be read.
std::pair<example, std::vector<sizes>> example_of(const std::string& folder) {
  auto load = ke::load_problem(folder);
  example out;
  std::vector<sizes> workloads;
  if (!load.errors.empty())
    return {};
  const auto& p = load.problem;
  out.name = p.name;
  out.family = p.family;
  out.dims = p.dims;
  for (const auto& t : p.tensors)
    out.tensors.push_back({t.name,
                           t.role == ke::tensor_role::in    ? "in"
                           : t.role == ke::tensor_role::out ? "out"
                                                            : "inout",
                           std::string{ke::to_text(t.dtype)}, t.shape});
  for (const auto& s : p.scalars)
    out.scalars.emplace_back(s.name, s.value);
  for (const auto& w : p.workloads)
    if (!w.held_out)
      workloads.push_back(sizes{w.dims.begin(), w.dims.end()});
  out.source = p.reference;
  out.workload = workloads.empty() ? sizes{} : workloads.front();
  out.tolerance = 1e-4;
  return {out, workloads};
}

/// The best of the packed points beside a plain tiled loop and the multiply-adds alone.
void product() {
  const auto& e = example_named("matmul");
  const std::string tiled = R"(#include <algorithm>
#include <cstdint>
extern "C" void kernel(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K) {
  std::fill(C, C + M * N, 0.0f);
  for (int64_t kk = 0; kk < K; kk += 64)
    for (int64_t jj = 0; jj < N; jj += 128)
      for (int64_t i = 0; i < M; ++i)
        for (int64_t k = kk; k < std::min(kk + 64, K); ++k)
          for (int64_t j = jj; j < std::min(jj + 128, N); ++j) C[i * N + j] += A[i * K + k] * B[k * N + j];
})";
  // As many multiply-adds as the product has, on values that never leave the registers.
  const bool wide = isa_of_this_machine().find("avx512f") != std::string::npos;
  const std::string alone = "#define LANES " + std::string{wide ? "16" : "8"} + R"(
#include <cstdint>
typedef float V __attribute__((vector_size(4 * LANES)));
extern "C" void kernel(const float* A, const float*, float* C, int64_t M, int64_t N, int64_t K) {
  const V a = A[0] - V{}, b = A[1] - V{};
  V p = b, q = b, r = b, s = b, t = b, u = b, v = b, w = b;
  for (int64_t i = 0; i < M * N * K / (8 * LANES); ++i) {
    p = p * a + b, q = q * a + b, r = r * a + b, s = s * a + b;
    t = t * a + b, u = u * a + b, v = v * a + b, w = w * a + b;
    asm volatile("" : "+v"(p), "+v"(q), "+v"(r), "+v"(s), "+v"(t), "+v"(u), "+v"(v), "+v"(w));
  }
  C[0] = (p + q + r + s + t + u + v + w)[0];
})";
  std::vector<std::string> sources{e.source, tiled, alone};
  for (int k = 0; k < 12; ++k) {
    request r;
    r.draft = k;
    r.threads = 1;
    r.isa = isa_of_this_machine();
    auto code = code_of(ke::playbook_answer(prompt_of(e, r)));
    if (point_of(code).value("plan", "") == "panels")
      sources.push_back(code);
  }
  compiled object{e, sources, "-O3"};
  auto times = fastest(e, e.workload, object, sources.size());
  double flops = 2.0;
  for (const auto& [name, value] : e.workload)
    flops *= static_cast<double>(value);
  auto say = [&](const std::string& what, double seconds) {
    std::printf("%-40s %8.2f GFLOP/s  %7.2fx the reference  %5.2fx tiled  %4.0f%% of the multiply-adds\n",
                what.c_str(), flops / seconds * 1e-9, times[0] / seconds, times[1] / seconds,
                100 * times[2] / seconds);
  };
  say("reference", times[0]);
  say("plain tiled loop", times[1]);
  say("multiply-adds in registers", times[2]);
  for (std::size_t k = 3; k < sources.size(); ++k) {
    auto p = point_of(sources[k]);
    say("panels rows " + p["rows"].dump() + " vectors " + p["vectors"].dump() + " bytes " +
            p["bytes"].dump() + " both " + p["both"].dump(),
        times[k]);
  }
}

} // namespace

int main(int argc, char** argv) {
  std::string filter, dump;
  int answers = 12, threads = 2;
  bool verbose = false, problems = false;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "-v")
      verbose = true;
    else if (arg == "--problems")
      problems = true;
    else if (arg == "--product") {
      product();
      return 0;
    } else if (arg == "--threads" && i + 1 < argc)
      threads = std::stoi(argv[++i]);
    else if (arg == "--dump" && i + 1 < argc)
      dump = argv[++i];
    else if (std::isdigit(static_cast<unsigned char>(arg[0])))
      answers = std::stoi(arg);
    else
      filter = arg;
  }
  std::vector<std::pair<example, std::vector<sizes>>> list;
  if (problems)
    for (auto name : {"gelu", "row_sum", "softmax", "layernorm", "matmul", "conv1d", "prefix_sum",
                      "transpose", "stencil2d"})
      list.push_back(example_of(std::string{ke::test::source_dir()} + "/config/problems/" + name));
  else
    for (const auto& e : examples())
      list.push_back({e, {e.workload}});
  for (const auto& [e, workloads] : list)
    if (filter.empty() || e.family == filter || e.name == filter)
      try {
        run(e, workloads, answers, threads, verbose, dump);
      } catch (const std::exception& error) {
        std::printf("%-20s FAILED\n%s\n", e.name.c_str(), error.what());
      }
}
