// ke-driver OBJECT CPUS: loads a built object inside the sandbox and calls it when told to. OBJECT "-" is a
// kernel that does nothing: the floor of the path. CPUS: comma-separated numbers to stay on. Kept tiny: it
// lives beside hostile code.
#include "backends/judge/wire.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using namespace ke;
using kernel_call = void (*)(void* const*);

void nothing(void* const*) {}

std::uint64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

bool receive(wire::go& order) {
  auto* at = reinterpret_cast<char*>(&order);
  std::size_t have = 0;
  while (have < sizeof order) {
    auto n = read(wire::go_fd, at + have, sizeof order - have);
    if (n <= 0)
      return false; // the judge is gone
    have += static_cast<std::size_t>(n);
  }
  return true;
}

void reply(std::uint64_t sequence, wire::answer what, std::uint64_t took_ns) {
  wire::done message{sequence, what, 0, took_ns};
  if (write(wire::done_fd, &message, sizeof message) != static_cast<ssize_t>(sizeof message))
    _exit(3);
}

void stay_on(const char* cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const char* at = cpus; *at;) {
    char* end = nullptr;
    long cpu = std::strtol(at, &end, 10);
    if (end == at)
      break;
    if (cpu >= 0 && cpu < CPU_SETSIZE)
      CPU_SET(static_cast<int>(cpu), &set);
    at = *end == ',' ? end + 1 : end;
  }
  if (CPU_COUNT(&set) > 0)
    sched_setaffinity(0, sizeof set, &set);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  struct stat memory{};
  if (fstat(wire::memory_fd, &memory) != 0)
    return 2;
  auto* base =
      static_cast<char*>(mmap(nullptr, static_cast<std::size_t>(memory.st_size), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_POPULATE, wire::memory_fd, 0));
  if (base == MAP_FAILED)
    return 2;
  close(wire::memory_fd);
  stay_on(argv[2]);

  kernel_call call = nothing;
  if (std::strcmp(argv[1], "-") != 0) {
    void* object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    call = object ? reinterpret_cast<kernel_call>(dlsym(object, "ke_call")) : nullptr;
    if (!call) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::fflush(stderr);
      reply(0, wire::answer::load_failed, 0);
      return 0;
    }
  }
  reply(0, wire::answer::ready, 0);

  constexpr std::uint32_t most_args = 256;
  void* args[most_args];
  for (wire::go order; receive(order);) {
    if (order.args > most_args)
      return 2;
    const auto* table = reinterpret_cast<const std::uint64_t*>(base + order.table);
    auto outcome = wire::answer::done;
    auto start = now_ns();
    try {
      for (std::uint32_t c = 0; c < order.calls; ++c) {
        for (std::uint32_t a = 0; a < order.args; ++a)
          args[a] = base + table[c * order.args + a];
        call(args);
      }
    } catch (const std::bad_alloc&) {
      outcome = wire::answer::out_of_memory;
    } catch (...) {
      outcome = wire::answer::exception;
    }
    reply(order.sequence, outcome, now_ns() - start);
  }
  _exit(0); // the judge closed the pipe: no destructors of the candidate
}
