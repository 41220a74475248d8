// ke-runner OBJECT CASE sample SECONDS | count WARM | once | trace: calls a built object on one prepared
// case, for profilers. Runs in a sandbox and shares its address space with the candidate: what it prints is a
// hint for a diagnosis and never part of a verdict.
//   sample  calls again and again, and notes every half millisecond where the main thread is
//   count   WARM calls, then one inside `ke_counted`, which a simulator counts
//   once    one call
//   trace   one call of an object with time stamps at its loops (loop_ticks.hpp), after one to warm up
// CASE: "KECASE1\n", number of arguments (u64), per argument its role (u64: 0 in, 1 out, 2 inout) and bytes
// (u64), then the bytes of those that are read, in order.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using kernel_call = void (*)(void* const*);

namespace {

constexpr std::size_t most_samples = 1u << 16;
std::uint64_t samples[most_samples];
volatile std::size_t sampled = 0;

/// Seconds in which this process's threads ran or were ready to: on a machine that others keep busy, waiting
/// for a core is no idleness of the kernel. Without the scheduler's figures, those in which they ran.
double wanted_cores_s() {
  double sum = 0;
  bool known = false;
  if (DIR* tasks = opendir("/proc/self/task")) {
    while (auto* entry = readdir(tasks)) {
      std::string path = std::string{"/proc/self/task/"} + entry->d_name + "/schedstat";
      unsigned long long ran = 0, waited = 0;
      if (FILE* f = std::fopen(path.c_str(), "re")) {
        if (entry->d_name[0] != '.' && std::fscanf(f, "%llu %llu", &ran, &waited) == 2) {
          sum += 1e-9 * static_cast<double>(ran + waited);
          known = true;
        }
        std::fclose(f);
      }
    }
    closedir(tasks);
  }
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return known ? sum : static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double now(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void note_place(int, siginfo_t*, void* context) {
  std::size_t at = sampled;
  if (at >= most_samples)
    return;
#if defined(__x86_64__)
  samples[at] = static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  samples[at] = static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#else
  (void)context;
  samples[at] = 0;
#endif
  sampled = at + 1;
}

struct argument {
  std::uint64_t role = 0, bytes = 0;
  const char* from = nullptr;
  void* at = nullptr;
};

/// Each argument in an allocation of its own, exactly as long as it is: a sanitizer sees what lies outside.
bool load(const char* path, std::vector<argument>& args) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat s{};
  if (fd < 0 || fstat(fd, &s) != 0 || s.st_size < 16)
    return false;
  auto size = static_cast<std::uint64_t>(s.st_size);
  const auto* file = static_cast<const char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0));
  close(fd);
  if (file == MAP_FAILED || std::memcmp(file, "KECASE1\n", 8) != 0)
    return false;
  std::uint64_t n = 0;
  std::memcpy(&n, file + 8, 8);
  if (n > 256 || size < 16 + 16 * n)
    return false;
  std::uint64_t at = 16 + 16 * n;
  for (std::uint64_t i = 0; i < n; ++i) {
    argument a;
    std::memcpy(&a.role, file + 16 + 16 * i, 8);
    std::memcpy(&a.bytes, file + 24 + 16 * i, 8);
    if (a.role != 1) {
      if (a.bytes > size - at)
        return false;
      a.from = file + at;
      at += a.bytes;
    }
    if (posix_memalign(&a.at, 64, a.bytes ? a.bytes : 1) != 0)
      return false;
    if (a.from)
      std::memcpy(a.at, a.from, a.bytes);
    else
      std::memset(a.at, 0, a.bytes);
    args.push_back(a);
  }
  return true;
}

/// What a call changes in place begins anew, or repeated calls would run into infinities.
void restore(const std::vector<argument>& args) {
  for (const auto& a : args)
    if (a.role == 2)
      std::memcpy(a.at, a.from, a.bytes);
}

void print_samples(kernel_call call) {
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(call), &own);
  std::map<std::uint64_t, int> inside;
  std::map<std::string, int> outside;
  for (std::size_t i = 0; i < sampled; ++i) {
    Dl_info where{};
    if (!dladdr(reinterpret_cast<void*>(samples[i]), &where) || !where.dli_fname) {
      ++outside["kernel"];
    } else if (where.dli_fbase == own.dli_fbase) {
      ++inside[samples[i] - reinterpret_cast<std::uint64_t>(own.dli_fbase)];
    } else {
      std::string name = where.dli_fname;
      name = name.substr(name.rfind('/') + 1);
      ++outside[name + ":" + (where.dli_sname ? where.dli_sname : "?")];
    }
  }
  for (const auto& [offset, count] : inside)
    std::printf("pc %llx %d\n", static_cast<unsigned long long>(offset), count);
  for (const auto& [name, count] : outside)
    std::printf("in %s %d\n", name.c_str(), count);
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

int main(int argc, char** argv) {
  if (argc < 4)
    return 2;
  std::vector<argument> args;
  if (!load(argv[2], args)) {
    std::fprintf(stderr, "ke-runner: %s is no case\n", argv[2]);
    return 2;
  }
  void* object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto call = object ? reinterpret_cast<kernel_call>(dlsym(object, "ke_call")) : nullptr;
  if (!call) {
    std::fprintf(stderr, "ke-runner: %s\n", dlerror());
    return 2;
  }
  std::vector<void*> at;
  for (const auto& a : args)
    at.push_back(a.at);
  std::string mode = argv[3];
  double amount = argc > 4 ? std::atof(argv[4]) : 1;
  if (mode == "once") {
    ke_counted(call, at.data());
    std::fflush(stdout);
    _exit(0);
  }
  if (mode == "trace") {
    auto reset = reinterpret_cast<void (*)()>(dlsym(object, "ke_ticks_reset"));
    auto print = reinterpret_cast<void (*)()>(dlsym(object, "ke_ticks_print"));
    if (!reset || !print)
      return 2;
    ke_warm(call, at.data());
    restore(args);
    reset();
    ke_counted(call, at.data());
    print();
    _exit(0);
  }
  if (mode == "count") {
    for (int i = 0; i < static_cast<int>(amount); ++i) {
      ke_warm(call, at.data());
      restore(args);
    }
    ke_counted(call, at.data());
    std::fflush(stdout);
    _exit(0);
  }
  for (int i = 0; i < 2; ++i) {
    call(at.data());
    restore(args);
  }
  struct sigaction how{};
  how.sa_sigaction = note_place;
  how.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGALRM, &how, nullptr);
  itimerval every{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &every, nullptr);
  std::vector<double> took;
  double start = now(CLOCK_MONOTONIC), cpu = wanted_cores_s(), in_calls = 0;
  // Short calls in groups, so that a clock's reading does not count.
  std::size_t group = 1;
  while (now(CLOCK_MONOTONIC) - start < amount && took.size() < 200'000) {
    double t0 = now(CLOCK_MONOTONIC);
    for (std::size_t i = 0; i < group; ++i)
      call(at.data());
    double t = now(CLOCK_MONOTONIC) - t0;
    in_calls += t;
    took.push_back(t / static_cast<double>(group));
    restore(args);
    bool pure = std::none_of(args.begin(), args.end(), [](const argument& a) { return a.role == 2; });
    if (pure && t < 20e-6 && group < 4096)
      group *= 2;
  }
  every = {};
  setitimer(ITIMER_REAL, &every, nullptr);
  cpu = wanted_cores_s() - cpu;
  std::sort(took.begin(), took.end());
  std::printf("\nke-runner 1\ncalls %zu\nmedian_ns %.3f\nquiet_ns %.3f\ncores %.4f\n", took.size() * group,
              1e9 * took[took.size() / 2], 1e9 * took[took.size() / 5], in_calls > 0 ? cpu / in_calls : 0);
  print_samples(call);
  std::fflush(stdout);
  _exit(0); // no destructors of the candidate
}
