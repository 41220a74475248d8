// ke-driver OBJECT CPUS exact|fast: loads a built object inside the sandbox and calls it when told to. OBJECT
// "-" is a kernel that does nothing: the floor of the path. CPUS: comma-separated numbers to stay on. fast:
// the floating-point mode that the object sets while it is loaded (-ffast-math does) is the one to keep. Kept
// tiny: it lives beside hostile code.
#include "backends/judge/confinement.hpp"
#include "backends/judge/driver_start_up.hpp"
#include "backends/judge/driver_wire.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>

namespace {

using namespace ke;
using kernel_call = void (*)(void* const*);

void nothing(void* const*) {}

bool receive(void* to, std::size_t bytes) {
  for (std::size_t have = 0; have < bytes;) {
    auto n = read(wire::go_fd, static_cast<char*>(to) + have, bytes - have);
    if (n <= 0)
      return false; // the judge is gone
    have += static_cast<std::size_t>(n);
  }
  return true;
}

void reply(std::uint64_t sequence, wire::answer what, std::uint32_t left, std::uint64_t took_ns) {
  wire::done message{sequence, what, left, took_ns};
  if (write(wire::done_fd, &message, sizeof message) != static_cast<ssize_t>(sizeof message))
    _exit(3);
}

/// Rounding, flushing of subnormals, masks of exceptions: what a callee must leave as it was.
struct float_mode {
  std::uint64_t vector = 0;
  std::uint16_t x87 = 0;
  bool operator==(const float_mode&) const = default;
};

float_mode float_mode_now() {
  float_mode m;
#if defined(__x86_64__)
  std::uint32_t control = 0;
  asm volatile("stmxcsr %0" : "=m"(control));
  asm volatile("fnstcw %0" : "=m"(m.x87));
  m.vector = control & ~0x3fu; // without the exceptions that have occurred
#elif defined(__aarch64__)
  asm volatile("mrs %0, fpcr" : "=r"(m.vector));
#endif
  return m;
}

void set(const float_mode& m) {
#if defined(__x86_64__)
  auto control = static_cast<std::uint32_t>(m.vector);
  asm volatile("ldmxcsr %0" ::"m"(control));
  asm volatile("fldcw %0" ::"m"(m.x87));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" ::"r"(m.vector));
#else
  (void)m;
#endif
}

/// Puts the mode back where it was changed, and says so.
std::uint32_t restored(const float_mode& wanted) {
  if (float_mode_now() == wanted)
    return 0;
  set(wanted);
  return wire::left_float_mode;
}

std::uint32_t handlers_left() {
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGCONT}) {
    struct sigaction now{};
    if (sigaction(s, nullptr, &now) == 0 && now.sa_handler != SIG_DFL)
      return wire::left_signal_handler;
  }
  return 0;
}

/// Null: there is none.
char* mapped_arena() {
  struct stat memory{};
  if (fstat(wire::memory_fd, &memory) != 0)
    return nullptr;
  void* base = mmap(nullptr, static_cast<std::size_t>(memory.st_size), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_POPULATE, wire::memory_fd, 0);
  close(wire::memory_fd);
  return base == MAP_FAILED ? nullptr : static_cast<char*>(base);
}

/// Null: it can't be loaded, and dlerror says why.
kernel_call loaded(const char* path) {
  if (std::strcmp(path, "-") == 0)
    return nothing;
  void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return object ? reinterpret_cast<kernel_call>(dlsym(object, "ke_call")) : nullptr;
}

constexpr std::uint32_t most_args = 256;

struct call_space {
  void* args[most_args];
  struct {
    wire::call which;
    std::uint64_t offsets[most_args]{};
  } next;
};

/// The calls of one order. Nothing: the judge has closed the pipe.
std::optional<wire::answer> run_calls(const wire::go& order, kernel_call call, char* base,
                                      call_space& space) {
  auto& [args, next] = space;
  for (std::uint32_t c = 0; c < order.calls; ++c) {
    if (!receive(&next, wire::bytes_of_call(order.args)))
      return std::nullopt;
    if (next.which.sequence != order.sequence || next.which.number != c)
      return wire::answer::disordered;
    for (std::uint32_t a = 0; a < order.args; ++a)
      args[a] = base + next.offsets[a];
    call(args);
  }
  return wire::answer::done;
}

std::optional<wire::answer> outcome_of(const wire::go& order, kernel_call call, char* base,
                                       call_space& space) {
  try {
    return run_calls(order, call, base, space);
  } catch (const std::bad_alloc&) {
    return wire::answer::out_of_memory;
  } catch (const std::system_error& e) {
    return e.code() == std::errc::resource_unavailable_try_again ? wire::answer::no_thread
                                                                 : wire::answer::exception;
  } catch (...) {
    return wire::answer::exception;
  }
}

/// Until the judge closes the pipe. False: an order of too many arguments.
bool serve(kernel_call call, char* base, const float_mode& mode) {
  call_space space;
  for (wire::go order; receive(&order, sizeof order);) {
    if (order.args > most_args)
      return false;
    auto start = now_ns();
    auto outcome = outcome_of(order, call, base, space);
    if (!outcome)
      break;
    auto left = restored(mode);
    if ((order.sequence & (order.sequence - 1)) == 0) // now and then: it costs some system calls
      left |= handlers_left();
    reply(order.sequence, *outcome, left, now_ns() - start);
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    return 2;
  auto* base = mapped_arena();
  if (!base)
    return 2;
  stay_on(argv[2]);

  own_filter loading{wire::loading_filter_fd}, calling{wire::calling_filter_fd};
  auto mode = float_mode_now();
  bool confined = loading.install();
  reply(0, confined ? wire::answer::started : wire::answer::unconfined, 0, 0);
  if (!confined)
    return 0;
  auto call = loaded(argv[1]);
  if (!call) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::fflush(stderr);
    reply(0, wire::answer::load_failed, 0, 0);
    return 0;
  }
  if (std::strcmp(argv[3], "fast") == 0)
    mode = float_mode_now();
  auto left = restored(mode);
  // A thread that the object started and that has a filter of its own makes this fail: nothing honest does
  // that.
  if (!calling.install()) {
    signal(SIGSYS, SIG_DFL);
    raise(SIGSYS);
    return 0;
  }
  reply(0, wire::answer::ready, left | handlers_left(), 0);

  if (!serve(call, base, mode))
    return 2;
  _exit(0); // the judge closed the pipe: no destructors of the candidate
}
