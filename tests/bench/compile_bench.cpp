// What does a repeated compile of the same source cost (G19)? Ours is the way of every evaluation: plan the
// build, look its key up in the artifact cache, copy the object to a private folder; no process. Beside it,
// in turns, a hit of ccache for the same source and flags (without the link, which ccache leaves out) and g++
// itself. Processor milliseconds, children included; the least of the rounds counts. ccache's store is the
// bench's own.
//
//   compile_bench [rounds=5]

#include "backends/evaluation/artifact_cache.hpp"
#include "backends/evaluation/kernel_builder.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/spawn.hpp"
#include "tests/bench/cpu_time.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

using namespace ke;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

void must(bool well, const std::string& why) {
  if (well)
    return;
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

double cost_ms(int times, const std::function<void()>& act) {
  auto now = [] {
    return 1e3 * (ke::bench::cpu_seconds(RUSAGE_SELF) + ke::bench::cpu_seconds(RUSAGE_CHILDREN));
  };
  auto before = now();
  for (int i = 0; i < times; ++i)
    act();
  return (now() - before) / times;
}

problem scale() {
  problem p;
  p.name = "scale";
  p.family = "elementwise";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"small", {{"N", 1024}}, 1.0, false}};
  p.reference_language = "c++";
  p.reference = "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, int64_t N) {\n  for "
                "(int64_t i = 0; i < N; ++i)\n    y[i] = x[i] + 1;\n}\n";
  return p;
}

void run(std::vector<std::string> argv, const fs::path& folder, const fs::path& ccache) {
  process_spec spec;
  spec.argv = std::move(argv);
  spec.directory = folder.string();
  spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C"}, {"CCACHE_DIR", ccache.string()}};
  auto child = spawn(spec);
  must(bool{child}, child ? "" : child.error().text);
  auto end = reap(*child, 120s);
  must(end && end->code == 0, spec.argv.front() + " did not end well");
}

} // namespace

int main(int argc, char** argv) {
  if (!fs::exists("/usr/bin/ccache") && !fs::exists("/usr/local/bin/ccache")) {
    std::puts("G19 not measured: ccache is not installed (apt-get install ccache)");
    return 0;
  }
  auto rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  auto pattern = (fs::temp_directory_path() / "compile_bench.XXXXXX").string();
  must(mkdtemp(pattern.data()) != nullptr, "no folder can be made for the bench");
  fs::path root = pattern, folder = root / "build";
  fs::create_directories(folder);
  auto all = load_backends(built_in_backends(), {});
  must(bool{all}, all ? "" : all.error().text);
  auto with = find_backend(*all, "cpu-cpp");
  must(bool{with}, with ? "" : with.error().text);
  auto what = scale();
  auto plan_now = [&] {
    return plan_build(*with, what, what.reference, build_role::candidate, "bench", with->limits, folder);
  };

  auto first = plan_now();
  for (const auto& [name, text] : first.files)
    std::ofstream{folder / name} << text;
  run(first.spec.argv, folder, root / "ccache");
  artifact_cache cache{root / "cache", 1u << 30};
  must(bool{cache.put(first.key, folder / first.output)}, "the object can't be put into the cache");

  auto compile = with->flags;
  std::erase_if(compile, [](const std::string& f) { return f == "-shared" || f.starts_with("-Wl,"); });
  compile.insert(compile.begin(), "g++");
  compile.insert(compile.end(), {"-I.", "-c", "candidate.cpp", "-o", "candidate.o"});
  auto through = compile;
  through.insert(through.begin(), "ccache");
  run(through, folder, root / "ccache");

  double ours = 1e18, theirs = 1e18, bare = 1e18;
  for (int i = 0; i < rounds; ++i) {
    ours = std::min(ours, cost_ms(500, [&] {
                      auto hit = cache.find(plan_now().key);
                      must(hit.has_value(), "the object is not in the cache");
                      fs::copy_file(*hit, root / "candidate.so", fs::copy_options::overwrite_existing);
                    }));
    theirs = std::min(theirs, cost_ms(10, [&] { run(through, folder, root / "ccache"); }));
    bare = std::min(bare, cost_ms(1, [&] { run(compile, folder, root / "ccache"); }));
  }
  fs::remove_all(root);
  std::printf("processor ms of a repeated compile: artifact cache %.3f, ccache hit %.2f, g++ %.0f\n", ours,
              theirs, bare);
  std::printf("%-60s %6.3f   goal <= 1.0   %s\n", "G19 artifact cache / ccache hit", ours / theirs,
              ours <= theirs ? "met" : "MISSED");
}
