#include "runtime/process/process_service.hpp"

#include "runtime/process/proc.hpp"
#include "runtime/process/unique_fd.hpp"
#include "tests/process/ended.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <sstream>

using namespace ke;
using namespace std::chrono_literals;

namespace {

bool exists(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

std::vector<pid_t> numbers(const std::string& text) {
  std::istringstream in{text};
  std::vector<pid_t> all;
  for (pid_t n; in >> n;)
    all.push_back(n);
  return all;
}

} // namespace

TEST_CASE("a child's exit code and both of its streams are told") {
  process_service service;
  auto e = run_to_end(service, shell("echo to out; echo to err >&2; exit 7"));
  CHECK(e.why.kind == failure_kind::none);
  CHECK(e.code == 7);
  CHECK(e.signal == 0);
  CHECK(e.out == "to out\n");
  CHECK(e.err == "to err\n");
  CHECK_FALSE(e.timed_out);
  CHECK_FALSE(e.cancelled);
  CHECK_FALSE(e.output_cut);
  CHECK(e.seconds > 0);
}

TEST_CASE("a terminating signal is told as such") {
  process_service service;
  auto e = run_to_end(service, shell("kill -SEGV $$"));
  CHECK(e.code == -1);
  CHECK(e.signal == SIGSEGV);
}

TEST_CASE("a missing program is a failure that names it and not an exit code") {
  process_service service;
  for (std::string name : {"no-such-program-here", "/no/such/program"}) {
    auto e = run_to_end(service, command({name}));
    CHECK(e.why.kind == failure_kind::missing);
    CHECK(e.why.text.find(name) != std::string::npos);
    CHECK(e.code == -1);
  }
}

TEST_CASE("a folder, an empty command and a missing start folder are told as what they are") {
  process_service service;
  CHECK(run_to_end(service, command({"/usr"})).why.kind == failure_kind::missing);
  CHECK(run_to_end(service, process_spec{}).why.kind == failure_kind::invalid);
  auto elsewhere = shell("true");
  elsewhere.directory = "/no/such/folder";
  auto e = run_to_end(service, elsewhere);
  CHECK(e.why.kind == failure_kind::invalid);
  CHECK(e.why.text.find("/no/such/folder") != std::string::npos);
}

TEST_CASE("a script whose interpreter is absent counts as missing") {
  auto script = std::filesystem::temp_directory_path() / ("ke-process-" + std::to_string(::getpid()));
  {
    int fd = ::open(script.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
    REQUIRE(::write(fd, "#!/no/such/shell\n", 17) == 17);
    ::close(fd);
  }
  process_service service;
  auto e = run_to_end(service, command({script.string()}));
  std::filesystem::remove(script);
  CHECK(e.why.kind == failure_kind::missing);
  CHECK(e.why.text.find("interpreter") != std::string::npos);
}

TEST_CASE("the environment is exactly what was given and the folder is as asked") {
  process_service service;
  auto spec = command({"/usr/bin/env"});
  spec.env = {{"ONE", "1"}, {"TWO", "two words"}};
  CHECK(run_to_end(service, spec).out == "ONE=1\nTWO=two words\n");
  auto where = shell("pwd");
  where.directory = "/usr/lib";
  CHECK(run_to_end(service, where).out == "/usr/lib\n");
}

TEST_CASE("a child leads its own session and group and has default signals") {
  process_service service;
  ::signal(SIGPIPE, SIG_IGN);
  auto e = run_to_end(
      service, command({"/usr/bin/python3", "-I", "-S", "-c",
                        "import os\n"
                        "print(os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid())\n"
                        "s = dict(l.split(':') for l in open('/proc/self/status') if l.startswith('Sig'))\n"
                        "print(int(s['SigBlk'], 16))"}));
  auto ignored = run_to_end(service, shell("grep SigIgn /proc/self/status"));
  ::signal(SIGPIPE, SIG_DFL);
  CHECK(e.out == "True True\n0\n");
  CHECK(ignored.out == "SigIgn:\t0000000000000000\n");
}

TEST_CASE("no descriptor of ours leaks and those passed arrive under their numbers") {
  int open_here = ::open("/dev/null", O_RDONLY); // without close-on-exec, on purpose
  int memory = ::memfd_create("passed", 0);
  REQUIRE(::pwrite(memory, "hello", 5, 0) == 5);
  process_service service;
  auto spec = shell("cat <&9; exec ls -x /proc/self/fd");
  spec.pass_fds = {{memory, 9}, {memory, 5}};
  auto e = run_to_end(service, spec);
  CHECK(e.out == "hello0  1  2  3  5  9\n"); // 3 is the folder that ls reads
  CHECK(::fcntl(memory, F_GETFD) >= 0);
  ::close(memory);
  ::close(open_here);
}

TEST_CASE("descriptors may be passed in a circle") {
  int a = ::memfd_create("a", MFD_CLOEXEC), b = ::memfd_create("b", MFD_CLOEXEC);
  REQUIRE(::pwrite(a, "a", 1, 0) == 1);
  REQUIRE(::pwrite(b, "b", 1, 0) == 1);
  process_service service;
  auto spec = command({"/bin/bash", "-c", "cat <&" + std::to_string(a) + "; cat <&" + std::to_string(b)});
  spec.pass_fds = {{a, b}, {b, a}};
  CHECK(run_to_end(service, spec).out == "ba");
  ::close(a);
  ::close(b);
}

TEST_CASE("a wrong descriptor to pass is refused") {
  process_service service;
  auto spec = shell("true");
  spec.pass_fds = {{987654, 5}};
  CHECK(run_to_end(service, spec).why.kind == failure_kind::invalid);
  spec.pass_fds = {{0, 1}};
  CHECK(run_to_end(service, spec).why.kind == failure_kind::invalid);
}

TEST_CASE("input of any size is written and then ends") {
  process_service service;
  auto spec = command({"/usr/bin/wc", "-c"});
  spec.input = std::string(3'000'000, 'x');
  CHECK(run_to_end(service, spec).out == "3000000\n");
}

TEST_CASE("a child that does not read its input neither blocks nor kills us") {
  process_service service;
  auto spec = shell("exec 0<&-; exit 3");
  spec.input = std::string(3'000'000, 'x');
  CHECK(run_to_end(service, spec).code == 3);
}

TEST_CASE("without input a child reads an end of file") {
  process_service service;
  CHECK(run_to_end(service, command({"/bin/cat"})).code == 0);
}

TEST_CASE("an open input is a lifeline until the child is terminated") {
  process_service service;
  ended end;
  std::promise<void> ready;
  auto spec = shell("trap 'echo drained; exit 0' TERM; read line; echo got $line; while read more; do :; "
                    "done; echo end of input");
  spec.input = "hello\n";
  spec.keep_input_open = true;
  spec.on_output = [&, told = false](std::string_view) mutable {
    if (!std::exchange(told, true))
      ready.set_value();
  };
  auto id = service.run(spec, end.callback());
  REQUIRE(ready.get_future().wait_for(30s) == std::future_status::ready);
  service.terminate(id);
  auto e = end.get();
  CHECK(e.code == 0);
  CHECK(e.out == "got hello\ndrained\n");
  CHECK_FALSE(e.cancelled);
}

TEST_CASE("a flood of output is read on and dropped, and all of it is heard") {
  process_service service;
  auto spec = shell("head -c 20000000 /dev/zero; echo done >&2");
  spec.output_limit = 1000;
  std::uint64_t heard = 0;
  spec.on_output = [&](std::string_view text) { heard += text.size(); };
  auto e = run_to_end(service, spec);
  CHECK(e.code == 0);
  CHECK(e.out.size() == 1000);
  CHECK(e.output_cut);
  CHECK(e.err == "done\n");
  CHECK(heard == 20000000);
}

TEST_CASE("output of exactly the limit is not cut") {
  process_service service;
  auto spec = shell("printf 12345");
  spec.output_limit = 5;
  auto e = run_to_end(service, spec);
  CHECK(e.out == "12345");
  CHECK_FALSE(e.output_cut);
}

TEST_CASE("the deadline kills the child and grandchildren in sessions of their own") {
  process_service service;
  auto spec = command({"/bin/sh", "-c",
                       "setsid sh -c 'echo $$; setsid sh -c \"echo \\$\\$; exec sleep 1000\" & exec sleep "
                       "1000' & echo $$; exec sleep 1000"});
  spec.deadline = 700ms;
  auto e = run_to_end(service, spec);
  CHECK(e.timed_out);
  CHECK(e.signal == SIGKILL);
  auto pids = numbers(e.out);
  REQUIRE(pids.size() == 3);
  for (auto pid : pids)
    CHECK_FALSE(exists(pid));
  CHECK(e.seconds < 5);
}

TEST_CASE("a daemon that holds the output open dies with its parent and its last words are read") {
  process_service service;
  auto e = run_to_end(service, shell("setsid sh -c 'echo $$; exec sleep 1000' & "
                                     "until [ \"$(cat /proc/$!/comm)\" = sleep ]; do :; done; exit 0"));
  CHECK(e.code == 0);
  CHECK_FALSE(e.timed_out);
  auto pids = numbers(e.out);
  REQUIRE(pids.size() == 1);
  CHECK_FALSE(exists(pids[0]));
}

TEST_CASE("the end of one child leaves the daemons of another that lives alone") {
  process_service service;
  ended first;
  std::promise<std::string> told;
  auto spec = shell("(setsid sh -c 'echo $$; exec sleep 1000' &) ; read end");
  spec.keep_input_open = true;
  spec.on_output = [&, said = false](std::string_view text) mutable {
    if (!std::exchange(said, true))
      told.set_value(std::string{text});
  };
  auto id = service.run(spec, first.callback());
  auto daemon = std::stoi(told.get_future().get());
  CHECK(run_to_end(service, shell("exit 0")).code == 0);
  CHECK(exists(daemon)); // orphaned, in a session of its own, and still its grandparent's
  service.cancel(id);
  CHECK(first.get().cancelled);
  CHECK_FALSE(exists(daemon));
}

TEST_CASE("children of library code are left alone") {
  process_service service;
  FILE* other = ::popen("read line; echo heard $line >&2; exit 5", "w");
  REQUIRE(other != nullptr);
  CHECK(run_to_end(service, shell("exit 0")).code == 0);
  std::fputs("you\n", other);
  CHECK(WEXITSTATUS(::pclose(other)) == 5);
}

TEST_CASE("a cancelled child is told as cancelled, once, and unknown ids are ignored") {
  process_service service;
  ended end;
  auto spec = command({"/bin/sleep", "1000"});
  auto id = service.run(spec, end.callback());
  service.cancel(id + 1000);
  service.terminate(id + 1000);
  service.cancel(id);
  service.cancel(id);
  auto e = end.get();
  CHECK(e.id == id);
  CHECK(e.cancelled);
  CHECK_FALSE(e.timed_out);
  CHECK(e.signal == SIGKILL);
}

TEST_CASE("the end of the service kills what runs and tells every end") {
  std::vector<ended> ends(5);
  {
    process_service service;
    for (auto& end : ends)
      service.run(command({"/bin/sleep", "1000"}), end.callback());
  }
  for (auto& end : ends)
    CHECK(end.get().cancelled);
}

TEST_CASE("processor time of the child and of what it waited for is counted") {
  process_service service;
  auto e = run_to_end(
      service, shell("/usr/bin/python3 -I -S -c 'import time\nwhile time.process_time() < 0.2: pass'"));
  CHECK(e.cpu_seconds >= 0.2);
  CHECK(e.cpu_seconds < 5);
}

TEST_CASE("limits on memory, processor time and files hold, and no core is written") {
  process_service service;
  auto memory = command({"/usr/bin/python3", "-I", "-S", "-c", "x = bytearray(1 << 30)"});
  memory.memory_bytes = 512u << 20;
  auto e = run_to_end(service, memory);
  CHECK(e.code == 1);
  CHECK(e.err.find("MemoryError") != std::string::npos);

  auto spin = shell("while :; do :; done");
  spin.cpu_s = 1;
  CHECK(run_to_end(service, spin).signal == SIGXCPU);

  auto path = std::filesystem::temp_directory_path() / ("ke-file-limit-" + std::to_string(::getpid()));
  auto file = shell("exec head -c 100000 /dev/zero > " + path.string());
  file.file_bytes = 4096;
  CHECK(run_to_end(service, file).signal == SIGXFSZ);
  CHECK(std::filesystem::file_size(path) == 4096);
  std::filesystem::remove(path);

  CHECK(run_to_end(service, shell("ulimit -c")).out == "0\n");
}

TEST_CASE("a hundred children run at once and leave nothing behind") {
  auto before = proc::children_of(::getpid());
  std::vector<ended> ends(100);
  auto deadline = 60s;
  {
    process_service service;
    std::mutex mutex;
    std::condition_variable all_started;
    int started = 0;
    std::vector<std::uint64_t> ids;
    for (auto& end : ends) {
      auto spec = shell("echo up; read line");
      spec.keep_input_open = true;
      spec.deadline = deadline;
      spec.on_output = [&](std::string_view) {
        std::lock_guard lock{mutex};
        ++started;
        all_started.notify_one();
      };
      ids.push_back(service.run(spec, end.callback()));
    }
    std::unique_lock lock{mutex};
    REQUIRE(all_started.wait_for(lock, 60s, [&] { return started == 100; }));
    lock.unlock();
    for (auto id : ids)
      service.cancel(id);
    for (auto& end : ends)
      CHECK(end.get().signal == SIGKILL);
  }
  CHECK(proc::children_of(::getpid()) == before);
}

TEST_CASE("children die with a runtime that is killed") {
  int told[2];
  REQUIRE(::pipe2(told, O_CLOEXEC) == 0);
  auto runtime = ::fork();
  if (runtime == 0) {
    process_service service;
    auto spec = shell("echo $$; exec sleep 1000");
    spec.on_output = [&](std::string_view text) {
      auto pid = std::stoi(std::string{text});
      [[maybe_unused]] auto n = ::write(told[1], &pid, sizeof pid);
    };
    run_to_end(service, spec);
    ::_exit(0);
  }
  pid_t pid = 0;
  REQUIRE(::read(told[0], &pid, sizeof pid) == sizeof pid);
  unique_fd alive{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  REQUIRE(alive);
  ::kill(runtime, SIGKILL);
  REQUIRE(::waitpid(runtime, nullptr, 0) == runtime);
  pollfd end{alive.get(), POLLIN, 0};
  CHECK(::poll(&end, 1, 20'000) == 1);
  ::close(told[0]);
  ::close(told[1]);
}
