// How much faster than the naive reference, compiled with the same flags, is the best of the playbook's first
// answers? playbook_bench [FAMILY_OR_NAME] [ANSWERS]: one line per example; reference and candidates are
// timed interleaved. -v prints every candidate; --threads N is the problem's policy (2); --dump FOLDER writes
// the sources.

#include "tests/llm/playbook/workbench.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/llm/playbook/playbook.hpp"

#include <algorithm>
#include <cstdio>

using namespace ke::playbook_test;

namespace {

double seconds_of(call_data& data, void* entry) {
  auto begin = std::chrono::steady_clock::now();
  data.call(entry);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
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

void run(const example& e, int answers, int threads, bool verbose, const std::string& dump) {
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
  call_data truth{e, e.workload, 7};
  truth.call(object.entry(0));
  std::vector<std::vector<double>> ratios(sources.size());
  std::vector<double> errors(sources.size());
  for (std::size_t k = 1; k < sources.size(); ++k) {
    call_data mine{e, e.workload, 7};
    mine.call(object.entry(k));
    errors[k] = mine.difference(truth);
  }
  call_data data{e, e.workload, 7};
  data.call(object.entry(0));
  for (int round = 0; round < 5; ++round)
    for (std::size_t k = 1; k < sources.size(); ++k) {
      auto base = seconds_of(data, object.entry(0));
      data.call(object.entry(k));
      ratios[k].push_back(base / seconds_of(data, object.entry(k)));
    }
  std::size_t best = 0;
  double best_ratio = 0;
  for (std::size_t k = 1; k < sources.size(); ++k) {
    auto r = median(ratios[k]);
    bool right = errors[k] <= e.tolerance;
    if (verbose)
      std::printf("    %2zu %7.2fx  error %.1e%s  %s\n", k - 1, r, errors[k], right ? "" : "  WRONG",
                  point_of(sources[k]).dump().c_str());
    if (right && r > best_ratio) {
      best_ratio = r;
      best = k;
    }
  }
  std::printf("%-20s %-12s %7.2fx  answer %zu of %zu  %s\n", e.name.c_str(), e.family.c_str(), best_ratio,
              best - 1, sources.size() - 1, best ? point_of(sources[best]).dump().c_str() : "");
  std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
  std::string filter, dump;
  int answers = 12, threads = 2;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "-v")
      verbose = true;
    else if (arg == "--threads" && i + 1 < argc)
      threads = std::stoi(argv[++i]);
    else if (arg == "--dump" && i + 1 < argc)
      dump = argv[++i];
    else if (std::isdigit(static_cast<unsigned char>(arg[0])))
      answers = std::stoi(arg);
    else
      filter = arg;
  }
  for (const auto& e : examples())
    if (filter.empty() || e.family == filter || e.name == filter)
      try {
        run(e, answers, threads, verbose, dump);
      } catch (const std::exception& error) {
        std::printf("%-20s FAILED\n%s\n", e.name.c_str(), error.what());
      }
}
