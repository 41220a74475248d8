#include "runtime/process/spawn.hpp"

#include "runtime/process/proc.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/process/ended.hpp"

#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

using namespace ke;
using namespace std::chrono_literals;

TEST_CASE("a child is started, waited for and reaped once") {
  auto c = spawn(shell("exit 3"));
  REQUIRE(c);
  CHECK(c->pid > 0);
  CHECK_FALSE(c->in);
  auto end = reap(*c, 30s);
  REQUIRE(end);
  CHECK(end->code == 3);
  CHECK_FALSE(reap(*c));
}

TEST_CASE("a running child cannot be reaped") {
  auto c = spawn(command({"/bin/sleep", "1000"}));
  REQUIRE(c);
  CHECK_FALSE(reap(*c));
  auto end = kill_tree(*c);
  CHECK(end.signal == SIGKILL);
  CHECK_FALSE(reap(*c));
}

TEST_CASE("a tree is killed with those that left the session, and only it") {
  running neighbour{command({"/bin/sleep", "1000"})};
  auto spec = shell(
      "setsid sh -c '(setsid sleep 1000 &) ; sleep 1000' & (setsid sleep 1000 &) ; echo ready; read line");
  spec.keep_input_open = true;
  running c{spec};
  kill_tree(*c);
  CHECK(proc::children_of(::getpid()) == std::vector<pid_t>{neighbour->pid});
  CHECK(::kill(neighbour->pid, 0) == 0);
  kill_tree(*neighbour);
  CHECK(proc::children_of(::getpid()).empty());
}

TEST_CASE("a failed start leaves no child") {
  auto spec = shell("true");
  spec.directory = "/no/such/folder";
  CHECK(spawn(spec).error().kind == failure_kind::invalid);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("a child of root becomes another user without groups") {
  if (::geteuid() != 0) {
    WARN("not root: only root may become another user");
    return;
  }
  auto spec = command({"/usr/bin/id"});
  spec.outer_uid = 1879048200;
  auto c = spawn(spec);
  REQUIRE(c);
  REQUIRE(reap(*c, 30s));
  char text[256];
  auto n = ::read(c->out.get(), text, sizeof text);
  REQUIRE(n > 0);
  CHECK(std::string(text, static_cast<std::size_t>(n)) ==
        "uid=1879048200 gid=1879048200 groups=1879048200\n");
  CHECK(::geteuid() == 0);
}

TEST_CASE("a child that runs foreign code has a limit of open files of its own, whatever ours is") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  auto raised = before;
  raised.rlim_cur = raised.rlim_max; // as a coordinator of thousands of requests does
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &raised) == 0);
  process_service service;
  auto spec = shell("tr -s ' ' < /proc/self/limits");
  CHECK(run_to_end(service, spec).out.find("Max open files 40 40 files") == std::string::npos);
  spec.descriptors = 40;
  auto limits = run_to_end(service, spec).out;
  INFO(limits);
  CHECK(limits.find("Max open files 40 40 files") != std::string::npos);
  CHECK(limits.find("Max pending signals 1024 1024 signals") != std::string::npos);
  CHECK(limits.find("Max msgqueue size 0 0 bytes") != std::string::npos);
  spec.descriptors = ~0u; // no more than we have ourselves, and no error
  CHECK(run_to_end(service, spec).code == 0);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}
