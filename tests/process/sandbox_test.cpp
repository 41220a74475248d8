#include "runtime/process/sandbox.hpp"

#include "runtime/process/bubblewrap.hpp"
#include "runtime/process/proc.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/process/ended.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace ke;
using namespace std::chrono_literals;

namespace {

/// A folder that the sandbox's user can reach, removed at the end.
class open_folder {
public:
  open_folder() {
    std::string name = "/tmp/ke-sandbox-XXXXXX";
    if (!::mkdtemp(name.data()))
      throw std::runtime_error{"mkdtemp failed"};
    path_ = name;
    ::chmod(name.c_str(), 0755);
  }
  ~open_folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text, mode_t mode = 0644) const {
    auto path = path_ + "/" + name;
    std::ofstream{path} << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

bool full_here() {
  if (sandbox_label(sandbox_level::full) == "full")
    return true;
  WARN("this machine offers: " << sandbox_label(sandbox_level::best));
  return false;
}

process_exit inside(process_spec spec, sandbox_spec box = {}) {
  auto wrapped = sandboxed(std::move(spec), box);
  INFO((wrapped ? "" : wrapped.error().text));
  REQUIRE(wrapped);
  process_service service;
  auto e = run_to_end(service, *std::move(wrapped));
  UNSCOPED_INFO("stdout: " << e.out << "\nstderr: " << e.err << "\nwhy: " << e.why.text);
  return e;
}

process_spec python(std::string script) {
  return command({"/usr/bin/python3", "-I", "-S", "-c", std::move(script)});
}

/// Calls one system call and prints its errno, 0 if it worked.
process_exit call(const std::string& arguments) {
  return inside(python("import ctypes\n"
                       "c = ctypes.CDLL(None, use_errno=True)\n"
                       "r = c.syscall(" +
                       arguments +
                       ")\n"
                       "print(ctypes.get_errno() if r == -1 else 0)"));
}

} // namespace

TEST_CASE("the probe names every part once and says what is lost") {
  auto& parts = sandbox_probe();
  std::vector<std::string> names;
  for (auto& part : parts) {
    names.push_back(part.name);
    CHECK_FALSE(part.text.empty());
  }
  CHECK(names == std::vector<std::string>{"user", "pid", "net", "mount", "ipc", "uts", "seccomp", "uid",
                                          "processes", "memory", "freezer", "landlock"});
  CHECK(sandbox_label(sandbox_level::none) == "none");
}

TEST_CASE("inside there is nobody else, no privilege and a filter") {
  if (!full_here())
    return;
  // The shell itself counts: of `ls | wc` the second may not run yet when the first one lists.
  auto e = inside(shell("echo $$; id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; "
                        "set -- /proc/[0-9]*; echo $*"));
  CHECK(e.code == 0);
  CHECK(e.out ==
        "2\n65534\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n"
        "/proc/1 /proc/2\n");
}

TEST_CASE("the outer user is nobody's when the runtime is root") {
  if (!full_here() || ::geteuid() != 0)
    return;
  open_folder out;
  sandbox_spec box;
  box.writable = {{out.path(), "/out"}};
  CHECK(inside(shell("touch /out/mine"), box).code == 0);
  struct stat mine{};
  REQUIRE(::stat((out.path() + "/mine").c_str(), &mine) == 0);
  CHECK(mine.st_uid >= 61184);
  CHECK(next_outer_user() != next_outer_user());
}

TEST_CASE("the environment is what was given, with a home in the scratch folder") {
  if (!full_here())
    return;
  auto spec = command({"/usr/bin/env"});
  spec.env = {{"OMP_NUM_THREADS", "2"}};
  auto e = inside(spec);
  CHECK(e.code == 0);
  std::istringstream in{e.out};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  CHECK(lines == std::vector<std::string>{"HOME=/tmp/scratch", "LANG=C", "OMP_NUM_THREADS=2",
                                          "PATH=/usr/local/bin:/usr/bin:/bin", "PWD=/tmp/scratch",
                                          "TMPDIR=/tmp/scratch"});
}

TEST_CASE("only the passed descriptors are open inside") {
  if (!full_here())
    return;
  int memory = ::memfd_create("slots", MFD_CLOEXEC);
  REQUIRE(::pwrite(memory, "in", 2, 0) == 2);
  auto spec = shell("cat <&7; printf out 1>&7; exec ls -x /proc/self/fd");
  spec.pass_fds = {{memory, 7}};
  auto e = inside(spec);
  CHECK(e.out == "in0  1  2  3  7\n"); // 3 is the folder that ls reads
  char text[8] = {};
  CHECK(::pread(memory, text, sizeof text, 0) == 5);
  CHECK(std::string{text} == "inout");
  ::close(memory);
}

TEST_CASE("a canary outside cannot be found or read") {
  if (!full_here())
    return;
  open_folder folder;
  auto canary = folder.write("canary", "secret");
  auto e = inside(shell(
      "for p in " + canary + " /proc/1/root" + canary + " /proc/self/root" + canary +
      " /etc/passwd /etc/shadow /root /home /proc/1/environ /sys; do [ -r $p ] && ls $p && cat $p; done; "
      "ls /; ls /etc /tmp"));
  CHECK(e.out.find("secret") == std::string::npos);
  CHECK(e.out.find("shadow") == std::string::npos);
  CHECK(e.out.find("passwd") == std::string::npos);
  CHECK(e.out.find("ke-sandbox") == std::string::npos);
  CHECK(e.out.find("scratch") != std::string::npos);
}

TEST_CASE("the host's processes can be neither seen nor signalled") {
  if (!full_here())
    return;
  auto e = inside(shell("kill -0 " + std::to_string(::getpid()) + " && echo reached; exit 0"));
  CHECK(e.out.empty());
}

TEST_CASE("Bug: the sandbox's own first process could be written into, and code through /proc/self/mem") {
  if (!full_here())
    return;
  for (const char* memory : {"/proc/1/mem", "/proc/$PPID/mem", "/proc/self/mem"}) {
    INFO(memory);
    auto e = inside(shell("echo there; exec 3<>" + std::string{memory} + " && echo opened"));
    CHECK(e.out == "there\n");
    CHECK(e.err.find("Read-only file system") != std::string::npos);
  }
}

TEST_CASE("no network answers") {
  if (!full_here())
    return;
  auto e = inside(python("import socket\n"
                         "for a in (('192.0.2.1', 80), ('127.0.0.1', 9)):\n"
                         "  s = socket.socket(); s.settimeout(5)\n"
                         "  try: s.connect(a); print('connected')\n"
                         "  except OSError as e: print(e.errno)\n"));
  CHECK(e.out == "101\n111\n"); // unreachable; refused by a loopback that is the sandbox's own
}

TEST_CASE("the system cannot be written to and memory file systems are bounded") {
  if (!full_here())
    return;
  sandbox_spec box;
  box.scratch_bytes = 4 << 20;
  auto e = inside(shell("for d in / /usr /dev /proc /tmp /etc; do touch $d/x 2>/dev/null && echo $d; done; "
                        "for d in /tmp/scratch /dev/shm; do head -c 20000000 /dev/zero > $d/fill "
                        "2>/dev/null; stat -c %s $d/fill; done"),
                  box);
  CHECK(e.out == "4194304\n4194304\n");
}

TEST_CASE("a sandbox has a limit of open files, queued signals and message queues") {
  if (!full_here())
    return;
  sandbox_spec box;
  auto limits = [&] { return inside(shell("tr -s ' ' < /proc/self/limits"), box).out; };
  CHECK(limits().find("Max open files 1024 1024 files") != std::string::npos);
  box.descriptors = 50;
  auto own = limits();
  INFO(own);
  CHECK(own.find("Max open files 50 50 files") != std::string::npos);
  CHECK(own.find("Max pending signals 1024 1024 signals") != std::string::npos);
  CHECK(own.find("Max msgqueue size 0 0 bytes") != std::string::npos);
}

TEST_CASE("a fork bomb stops at the limit and is gone afterwards") {
  if (!full_here())
    return;
  sandbox_spec box;
  box.processes = 30;
  auto before = proc::children_of(::getpid());
  auto e = inside(python("import os, time\n"
                         "n = 0\n"
                         "for i in range(500):\n"
                         "  try: pid = os.fork()\n"
                         "  except OSError: break\n"
                         "  if pid == 0: time.sleep(1000)\n"
                         "  n += 1\n"
                         "print(n)"),
                  box);
  CHECK(e.code == 0);
  CHECK(std::stoi(e.out) >= 20);
  CHECK(std::stoi(e.out) <= 30);
  CHECK(proc::children_of(::getpid()) == before);
}

TEST_CASE("a memory bomb stops at the limit") {
  if (!full_here())
    return;
  sandbox_spec box;
  box.memory_bytes = 512u << 20;
  auto e = inside(python("x = []\nwhile True: x.append(bytearray(16 << 20))"), box);
  CHECK(e.code != 0);
  CHECK(e.err.find("MemoryError") != std::string::npos);
}

TEST_CASE("the filter refuses what opens the kernel or other processes") {
  if (!full_here())
    return;
  // numbers of x86-64
  const std::pair<const char*, const char*> refused[] = {
      {"unshare(CLONE_NEWUSER)", "272, 0x10000000"},
      {"setns", "308, 0, 0"},
      {"clone(CLONE_NEWUSER)", "56, 0x10000011, 0, 0, 0, 0"},
      {"clone(SIGCONT at its end)", "56, 18, 0, 0, 0, 0"},
      {"mount", "165, 0, 0, 0, 0, 0"},
      {"umount2", "166, 0, 0"},
      {"pivot_root", "155, 0, 0"},
      {"open_by_handle_at", "304, 0, 0, 0"},
      {"bpf", "321, 0, 0, 0"},
      {"io_uring_setup", "425, 1, 0"},
      {"perf_event_open", "298, 0, 0, 0, 0, 0"},
      {"ptrace(TRACEME)", "101, 0, 0, 0, 0"},
      {"process_vm_readv", "310, 0, 0, 0, 0, 0, 0"},
      {"process_vm_writev", "311, 0, 0, 0, 0, 0, 0"},
      {"keyctl", "250, 0, 0, 0, 0, 0"},
      {"add_key", "248, 0, 0, 0, 0, 0"},
      {"request_key", "249, 0, 0, 0, 0"},
      {"kexec_load", "246, 0, 0, 0, 0"},
      {"kexec_file_load", "320, 0, 0, 0, 0, 0"},
      {"userfaultfd", "323, 0"},
      {"prctl(PR_SET_TSC)", "157, 26, 2, 0, 0, 0"},
      {"personality(ADDR_NO_RANDOMIZE)", "135, 0x40000"},
      {"timer_create", "222, 0, 0, 0"},
      {"fcntl(F_SETSIG)", "72, 0, 10, 18"},
      {"kill(SIGCONT)", "62, 0, 18"},
      {"tkill(SIGCONT)", "200, 999999, 18"},
      {"tgkill(SIGCONT)", "234, 999999, 999999, 18"},
      {"rt_sigqueueinfo(SIGCONT)", "129, 999999, 18, 0"},
      {"rt_tgsigqueueinfo(SIGCONT)", "297, 999999, 999999, 18, 0"},
      {"pidfd_send_signal(SIGCONT)", "424, 999, 18, 0, 0"},
      {"socket(AF_VSOCK)", "41, 40, 1, 0"},
      {"socket(AF_ALG)", "41, 38, 5, 0"},
      {"socket(AF_PACKET)", "41, 17, 3, 0"},
      {"socket(AF_NETLINK)", "41, 16, 3, 0"},
      {"fcntl(F_NOTIFY)", "72, 0, 1026, 1"},
      {"fcntl(F_SETLEASE)", "72, 0, 1024, 0"},
      {"inotify_init", "253"},
      {"inotify_init1", "294, 0"},
      {"fanotify_init", "300, 0, 0"},
      {"fanotify_mark", "301, 0, 0, 0, 0, 0"},
      {"ioctl(TIOCSTI)", "16, 0, 0x5412, 0"},
  };
  for (auto& [name, arguments] : refused) {
    INFO(name);
    CHECK(call(arguments).out == "1\n"); // EPERM
  }
  CHECK(call("435, 0, 0").out == "38\n");  // clone3: ENOSYS, libc falls back
  CHECK(call("39").out == "0\n");          // getpid: allowed
  CHECK(call("135, 0").out == "0\n");      // personality(0): allowed
  CHECK(call("72, 0, 1, 0").out == "0\n"); // fcntl(F_GETFD): allowed
}

TEST_CASE("compilers work inside") {
  if (!full_here())
    return;
  open_folder folder;
  auto source = folder.write("main.cpp", "#include <iostream>\n#include <thread>\nint main() { std::thread "
                                         "t{[] { std::cout << 42; }}; t.join(); }\n");
  sandbox_spec box;
  box.read_only = {{source, "/code/main.cpp"}};
  auto e = inside(shell("g++ -std=c++20 -O1 -pthread /code/main.cpp -o main && ./main"), box);
  CHECK(e.code == 0);
  CHECK(e.out == "42");
  e = inside(shell("clang++-19 --version > /dev/null 2>&1 || { echo -n 42; exit; }\n"
                   "clang++-19 -std=c++20 -O1 -pthread /code/main.cpp -o other && ./other"),
             box);
  CHECK(e.code == 0);
  CHECK(e.out == "42");
}

TEST_CASE("what is shown read-only stays so and what is shown writable is written to") {
  if (!full_here())
    return;
  open_folder in, out;
  in.write("text", "original");
  sandbox_spec box;
  box.read_only = {{in.path(), "/in"}};
  box.writable = {{out.path(), "/tmp/scratch/out"}};
  auto e = inside(shell("cat /in/text; echo x > /in/text; echo result > out/file"), box);
  CHECK(e.out == "original");
  std::string text;
  std::ifstream{out.path() + "/file"} >> text;
  CHECK(text == "result");
  std::ifstream{in.path() + "/text"} >> text;
  CHECK(text == "original");
}

TEST_CASE("a closed file is copied in, a closed folder is refused with its name") {
  if (!full_here() || ::geteuid() != 0)
    return;
  open_folder folder;
  auto closed = folder.path() + "/closed";
  std::filesystem::create_directory(closed);
  folder.write("closed/tool", "#!/bin/sh\necho copied\n", 0700);
  ::chmod(closed.c_str(), 0700);
  sandbox_spec box;
  box.read_only = {{closed + "/tool", "/code/tool"}};
  CHECK(inside(command({"/code/tool"}), box).out == "copied\n");
  box.read_only = {{closed, "/work"}};
  auto refused = sandboxed(shell("true"), box);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == failure_kind::invalid);
  CHECK(refused.error().text.find("closed") != std::string::npos);
  box.read_only = {{"/no/such/file", "/x"}};
  CHECK(sandboxed(shell("true"), box).error().kind == failure_kind::invalid);
}

TEST_CASE("a sandbox that is killed at its deadline leaves nothing behind") {
  if (!full_here())
    return;
  auto before = proc::children_of(::getpid());
  auto spec = shell("setsid sh -c 'setsid sleep 1000 & sleep 1000' & sleep 1000");
  spec.deadline = 1s;
  auto e = inside(spec);
  CHECK(e.timed_out);
  CHECK(proc::children_of(::getpid()) == before);
}

TEST_CASE("a program that is missing inside ends with an error text of the sandbox") {
  if (!full_here())
    return;
  auto e = inside(command({"no-such-program"}));
  CHECK(e.code != 0);
  CHECK(e.err.find("no-such-program") != std::string::npos);
}

TEST_CASE("level none runs bare with its limits") {
  sandbox_spec box;
  box.level = sandbox_level::none;
  box.memory_bytes = 512u << 20;
  auto e = inside(shell("ulimit -v; echo $$"), box);
  CHECK(e.out.substr(0, 7) == "524288\n");
  CHECK(std::stoi(e.out.substr(7)) > 2);
}

TEST_CASE("a sandbox works with any single part left out, and only that part is gone") {
  if (!full_here())
    return;
  const bubblewrap_parts all{true, true, true, true, true, true, ::geteuid() == 0};
  auto ask = [](const bubblewrap_parts& parts) {
    auto spec = shell("readlink /proc/self/ns/pid /proc/self/ns/net /proc/self/ns/ipc /proc/self/ns/uts; "
                      "grep -E '^Seccomp:' /proc/self/status");
    auto wrapped = bubblewrapped(spec, {}, parts);
    REQUIRE(wrapped);
    process_service service;
    auto e = run_to_end(service, *std::move(wrapped));
    CHECK(e.err.empty());
    CHECK(e.code == 0);
    return e.out;
  };
  auto here = [](const char* name) {
    return std::filesystem::read_symlink(std::string{"/proc/self/ns/"} + name).string();
  };
  const std::pair<bool bubblewrap_parts::*, const char*> namespaces[] = {{&bubblewrap_parts::pid, "pid"},
                                                                         {&bubblewrap_parts::net, "net"},
                                                                         {&bubblewrap_parts::ipc, "ipc"},
                                                                         {&bubblewrap_parts::uts, "uts"}};
  auto whole = ask(all);
  for (auto& [part, name] : namespaces) {
    INFO(name);
    auto parts = all;
    parts.*part = false;
    CHECK(whole.find(here(name)) == std::string::npos);
    auto less = ask(parts);
    CHECK(less.find(here(name)) != std::string::npos);
    CHECK(less.find("Seccomp:\t2") != std::string::npos);
  }
  auto parts = all;
  parts.seccomp = false;
  CHECK(ask(parts).find("Seccomp:\t0") != std::string::npos);
  parts = all;
  parts.no_userns = false;
  CHECK(ask(parts).find("Seccomp:\t2") != std::string::npos);
}

TEST_CASE("sandboxes give back their descriptors") {
  if (!full_here())
    return;
  auto open_now = [] {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"},
                         std::filesystem::directory_iterator{});
  };
  inside(shell("true"));
  auto before = open_now();
  for (int i = 0; i < 5; ++i)
    CHECK(inside(shell("true")).code == 0);
  CHECK(open_now() == before);
}

TEST_CASE("a launcher stands in front of a sandbox and of nothing else") {
  CHECK_FALSE(has_launcher(sandbox_level::none));
  if (full_here())
    CHECK(has_launcher(sandbox_level::full));
}
