// What does a child's start cost, from a small process and from one that holds 4 GB, and what does our
// sandbox add to bwrap's own cost? (goals G16 and G17). Processor time of parent and child, which load on the
// machine disturbs less than wall time; the variants take turns, the median of the rounds counts.
//
//   ninja -C build process_bench && build/tests/bench/process_bench [gigabytes=4] [rounds=15]

#include "runtime/process/freezer.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/spawn.hpp"
#include "tests/bench/cpu_time.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace ke;
using namespace std::chrono_literals;

namespace {

/// Milliseconds of processor time of one `act`, ours and that of children, averaged over `times`.
double cost_ms(int times, const std::function<void()>& act) {
  auto before = ke::bench::cpu_seconds(RUSAGE_SELF) + ke::bench::cpu_seconds(RUSAGE_CHILDREN);
  for (int i = 0; i < times; ++i)
    act();
  return (ke::bench::cpu_seconds(RUSAGE_SELF) + ke::bench::cpu_seconds(RUSAGE_CHILDREN) - before) * 1e3 /
         times;
}

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

process_spec plain(std::vector<std::string> argv) {
  process_spec spec;
  spec.argv = std::move(argv);
  spec.env = {{"PATH", "/usr/bin:/bin"}};
  return spec;
}

void run(const process_spec& spec) {
  auto c = spawn(spec);
  if (!c)
    fail(c.error().text);
  auto end = reap(*c, 60s);
  if (!end || end->code != 0)
    fail("'" + spec.argv.front() + "' did not end well");
}

void run_posix_spawn() {
  char name[] = "/bin/true";
  char* argv[] = {name, nullptr};
  char* env[] = {nullptr};
  pid_t pid = 0;
  if (::posix_spawn(&pid, name, nullptr, nullptr, argv, env) != 0 || ::waitpid(pid, nullptr, 0) != pid)
    fail("posix_spawn failed");
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<long>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

struct variant {
  std::string name;
  int times;
  std::function<void()> act;
};

std::map<std::string, double> measure(const std::vector<variant>& all, int rounds) {
  std::map<std::string, std::vector<double>> samples;
  for (int round = 0; round < rounds; ++round)
    for (auto& v : all)
      samples[v.name].push_back(cost_ms(v.times, v.act));
  std::map<std::string, double> result;
  for (auto& [name, values] : samples)
    result[name] = median(values);
  return result;
}

void tell(const char* what, double value, double goal) {
  std::printf("%-66s %6.2f   goal <= %.1f   %s\n", what, value, goal, value <= goal ? "met" : "MISSED");
}

void freeze_once() {
  auto spec = plain({"/bin/sleep", "1000"});
  sandbox_spec box;
  auto wrapped = sandboxed(spec, box);
  if (!wrapped) {
    std::printf("no full sandbox here: %s\n", wrapped.error().text.c_str());
    return;
  }
  auto c = spawn(*wrapped);
  freezer group{c->pid, true};
  while (group.members().size() < 2)
    group.find_all();
  std::vector<double> stops;
  for (int i = 0; i < 2000; ++i) {
    auto t0 = std::chrono::steady_clock::now();
    if (!group.stop())
      fail("could not stop");
    group.resume();
    stops.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t0).count());
  }
  std::printf("stop + proof + continue of a sandbox of %zu processes: %.0f us median of 2000\n",
              group.members().size(), median(stops));
  kill_tree(*c);
}

} // namespace

int main(int argc, char** argv) {
  const auto gigabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  adopt_orphans();
  const std::vector<variant> starts{
      {"spawn", 20, [] { run(plain({"/bin/true"})); }},
      {"posix_spawn", 20, [] { run_posix_spawn(); }},
  };
  auto small = measure(starts, rounds);

  // bwrap alone, as one would type it, against our whole sandbox; both through the same launcher.
  const std::vector<variant> boxes{
      {"bwrap", 5,
       [] {
         run(plain({"bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin",
                    "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc",
                    "--dev", "/dev", "/bin/true"}));
       }},
      {"sandbox", 5,
       [] {
         auto wrapped = sandboxed(plain({"/bin/true"}), {});
         if (!wrapped)
           fail(wrapped.error().text);
         run(*wrapped);
       }},
  };
  auto ready = sandbox_ready(sandbox_level::full);
  auto boxed = ready ? measure(boxes, rounds) : std::map<std::string, double>{};

  const std::size_t bytes = gigabytes << 30;
  auto* held = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (held == MAP_FAILED)
    fail("not enough memory to hold");
  ::madvise(held, bytes, MADV_NOHUGEPAGE); // small pages: the most page tables
  std::memset(held, 1, bytes);
  auto large = measure(starts, rounds);
  ::munmap(held, bytes);

  std::printf("processor ms, parent and child: spawn %.2f, posix_spawn %.2f; with %llu GB resident: spawn "
              "%.2f, posix_spawn %.2f\n",
              small["spawn"], small["posix_spawn"], static_cast<unsigned long long>(gigabytes),
              large["spawn"], large["posix_spawn"]);
  tell("G16 start from a process with much memory / from a small one", large["spawn"] / small["spawn"], 1.5);
  tell("G16 start / posix_spawn, both from the large process", large["spawn"] / large["posix_spawn"], 2.0);
  if (!ready) {
    std::printf("G17 not measured: %s\n", ready.error().text.c_str());
    return 0;
  }
  std::printf("processor ms: bwrap alone %.2f, sandbox %.2f\n", boxed["bwrap"], boxed["sandbox"]);
  tell("G17 sandboxed start / bwrap alone", boxed["sandbox"] / boxed["bwrap"], 1.5);
  freeze_once();
}
