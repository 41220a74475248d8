// ke-runner OBJECT CASE repeat SECONDS | count WARM | once | trace: calls a built object on one prepared
// case, for profilers. Runs in a sandbox and shares its address space with the candidate, so it reports
// nothing: where it is, who stops it from outside sees (sampler.hpp), and what is counted the simulator says.
//   repeat  after two calls prints "ready", then calls again and again
//   count   WARM calls, then one inside `ke_counted`, which a simulator counts
//   once    one call
//   trace   one call of an object with time stamps at its loops (loop_ticks.hpp), after one to warm up; the
//           object prints them
// CASE: as case_arguments.hpp reads it.
// Descriptors: the filters of system calls as ke-driver has them (wire.hpp), and in `count` the simulator's
// report.
#include "backends/judge/confinement.hpp"
#include "backends/judge/driver_wire.hpp"
#include "backends/profile/case_arguments.hpp"
#include "backends/profile/report_pipe.hpp"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace ke;
using kernel_call = void (*)(void* const*);

namespace {

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct argument : case_argument {
  void* at = nullptr;
};

/// Each argument in an allocation of its own, exactly as long as it is: a sanitizer sees what lies outside.
bool load(const char* path, std::vector<argument>& args) {
  for (const auto& told : read_case(path)) {
    argument a{told, nullptr};
    if (posix_memalign(&a.at, 64, a.bytes ? a.bytes : 1) != 0)
      return false;
    if (a.from)
      std::memcpy(a.at, a.from, a.bytes);
    else
      std::memset(a.at, 0, a.bytes);
    args.push_back(a);
  }
  return !args.empty();
}

/// What a call changes in place begins anew, or repeated calls would run into infinities.
void restore(const std::vector<argument>& args) {
  for (const auto& a : args)
    if (a.role == 2)
      std::memcpy(a.at, a.from, a.bytes);
}

/// Calls again and again for this many seconds; short calls in groups, so that reading the clock costs
/// nothing.
void repeat(kernel_call call, void* const* at, const std::vector<argument>& args, double seconds) {
  bool pure = std::none_of(args.begin(), args.end(), [](const argument& a) { return a.role == 2; });
  std::size_t group = 1;
  for (double start = now(), t0 = start; t0 - start < seconds;) {
    for (std::size_t i = 0; i < group; ++i)
      call(at);
    restore(args);
    double t = now();
    if (pure && t - t0 < 20e-6 && group < 4096)
      group *= 2;
    t0 = t;
  }
}

/// The filters of ke-driver, as far as what the mode loads can live with them. False: one was passed and does
/// not hold.
bool confined(const std::string& mode, own_filter& loading) {
  return mode == "count" ? loading.install_here() : loading.install();
}

} // namespace

extern "C" {
__attribute__((noinline, visibility("default"))) void ke_warm(kernel_call call, void* const* args) {
  call(args);
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline, visibility("default"))) void ke_counted(kernel_call call, void* const* args) {
  call(args);
  __asm__ volatile("" ::: "memory");
}
}

static std::vector<void*> places_of(const std::vector<argument>& args) {
  std::vector<void*> at;
  at.reserve(args.size());
  for (const auto& a : args)
    at.push_back(a.at);
  return at;
}

/// One call that a tool counts, after others that warm up. Does not return: no destructors of the candidate.
[[noreturn]] static void run_counted(kernel_call call, void* const* at, std::vector<argument>& args,
                                     int warm) {
  for (int i = 0; i < warm; ++i) {
    ke_warm(call, at);
    restore(args);
  }
  ke_counted(call, at);
  std::fflush(stdout);
  _exit(0);
}

/// Returns only if the object has no ticks.
static int run_traced(void* object, kernel_call call, void* const* at, std::vector<argument>& args) {
  auto reset = reinterpret_cast<void (*)()>(dlsym(object, "ke_ticks_reset"));
  auto print = reinterpret_cast<void (*)()>(dlsym(object, "ke_ticks_print"));
  if (!reset || !print)
    return 2;
  ke_warm(call, at);
  restore(args);
  reset();
  ke_counted(call, at);
  print();
  _exit(0);
}

int main(int argc, char** argv) {
  if (argc < 4)
    return 2;
  std::string mode = argv[3];
  double amount = argc > 4 ? std::atof(argv[4]) : 1;
  if (mode == "count") // the simulator's own report: it keeps a copy, which no guest of it may write to
    close(report_fd);
  std::vector<argument> args;
  if (!load(argv[2], args)) {
    std::fprintf(stderr, "ke-runner: %s is no case\n", argv[2]);
    return 2;
  }
  own_filter loading{wire::loading_filter_fd}, calling{wire::calling_filter_fd};
  if (!confined(mode, loading)) {
    std::fprintf(stderr, "ke-runner: the filter of system calls cannot be put in place\n");
    return 3;
  }
  void* object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto call = object ? reinterpret_cast<kernel_call>(dlsym(object, "ke_call")) : nullptr;
  if (!call) {
    std::fprintf(stderr, "ke-runner: %s\n", dlerror());
    return 2;
  }
  if (!calling.install())
    return 3;
  auto at = places_of(args);
  if (mode == "once" || mode == "count")
    run_counted(call, at.data(), args, mode == "count" ? static_cast<int>(amount) : 0);
  if (mode == "trace")
    return run_traced(object, call, at.data(), args);
  for (int i = 0; i < 2; ++i) {
    call(at.data());
    restore(args);
  }
  if (write(STDOUT_FILENO, "ready\n", 6) != 6)
    return 2;
  repeat(call, at.data(), args, amount);
  _exit(0); // no destructors of the candidate
}
