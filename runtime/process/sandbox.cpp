#include "runtime/process/sandbox.hpp"

#include "runtime/process/bubblewrap.hpp"
#include "runtime/process/memory_cgroup.hpp"
#include "runtime/process/proc.hpp"
#include "runtime/process/spawn.hpp"

#include <linux/landlock.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace ke {
namespace {

using namespace std::chrono_literals;

struct probed {
  std::vector<sandbox_part> parts;
  bool bubblewrap = false; ///< a sandbox with at least user and mount namespaces starts
  bubblewrap_parts usable;
};

void add_defaults(std::map<std::string, std::string>& env, const std::string& home) {
  env.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  env.try_emplace("LANG", "C");
  if (!home.empty()) {
    env.try_emplace("HOME", home);
    env.try_emplace("TMPDIR", home);
  }
}

/// Runs a short command in a sandbox with these parts: what it printed, or why it could not start.
result<std::string> tried(const bubblewrap_parts& parts, const std::string& command) {
  process_spec inner;
  inner.argv = {"/bin/sh", "-c", command};
  add_defaults(inner.env, "/tmp/scratch");
  sandbox_spec spec;
  spec.scratch_bytes = 1 << 20;
  auto wrapped = bubblewrapped(std::move(inner), spec, parts);
  if (!wrapped)
    return wrapped.error();
  auto started = spawn(*wrapped);
  if (!started)
    return started.error();
  auto end = reap(*started, 10s);
  if (!end)
    kill_tree(*started);
  char text[8192];
  auto all = [&](int fd) {
    auto n = ::read(fd, text, sizeof text);
    return std::string{text, text + std::max<ssize_t>(n, 0)};
  };
  if (end && end->code == 0)
    return all(started->out.get());
  auto why = all(started->err.get());
  return failure{failure_kind::missing, end ? why.substr(0, why.find('\n')) : "no answer within 10 s"};
}

constexpr auto question = "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status; cat /proc/self/uid_map";

bool says(const std::string& text, std::string_view line) {
  return text.find(line) != text.npos;
}

/// All parts at once in the good case; otherwise the least sandbox, then one part after another.
bubblewrap_parts find_usable(bool root, bool& works, std::string& why) {
  bubblewrap_parts all{true, true, true, true, true, true, root && next_outer_user().has_value()};
  if (auto got = tried(all, question); got && says(*got, "Seccomp:\t2")) {
    works = true;
    return all;
  } else if (!got) {
    why = got.error().text;
  }
  bubblewrap_parts usable;
  usable.drop_user = all.drop_user;
  works = static_cast<bool>(tried(usable, "true"));
  if (!works && usable.drop_user) {
    usable.drop_user = false;
    works = static_cast<bool>(tried(usable, "true"));
  }
  if (!works)
    return {};
  for (auto part : {&bubblewrap_parts::pid, &bubblewrap_parts::net, &bubblewrap_parts::ipc,
                    &bubblewrap_parts::uts, &bubblewrap_parts::no_userns, &bubblewrap_parts::seccomp}) {
    auto more = usable;
    more.*part = true;
    if (auto got = tried(more, question);
        got && (part != &bubblewrap_parts::seccomp || says(*got, "Seccomp:\t2")))
      usable = more;
  }
  return usable;
}

sandbox_part namespace_part(std::string name, bool there, const std::string& why) {
  if (there)
    return {std::move(name), part_state::ok, "a namespace of its own", true};
  return {
      std::move(name), part_state::missing,
      "no such namespace" + (why.empty() ? std::string{} : " (" + why + ")") +
          "; install bubblewrap and allow user namespaces (sysctl user.max_user_namespaces, on Ubuntu also "
          "kernel.apparmor_restrict_unprivileged_userns=0, the container's seccomp profile)",
      true};
}

/// `why` no other user could be had, where something went wrong.
sandbox_part user_part(bool root, bool dropped, const std::string& why) {
  if (!root)
    return {"uid", part_state::ok, "the runtime is not root", true};
  if (dropped)
    return {"uid", part_state::ok, "an unprivileged outer user for each sandbox", true};
  return {"uid", part_state::missing,
          "the runtime is root and cannot become another user here" + (why.empty() ? "" : " (" + why + ")") +
              "; run it as an ordinary user",
          true};
}

sandbox_part process_part(const probed& p, bool root) {
  if (p.bubblewrap && p.usable.drop_user)
    return {"processes", part_state::ok, "RLIMIT_NPROC under a user of its own"};
  if (p.bubblewrap && !root && ::access("/usr/bin/prlimit", X_OK) == 0)
    return {"processes", part_state::ok, "RLIMIT_NPROC within the user namespace"};
  return {"processes", part_state::missing,
          root ? "root is not bound by RLIMIT_NPROC; run as an ordinary user"
               : "install prlimit (util-linux)"};
}

sandbox_part landlock_part() {
  auto abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1)
    return {"landlock", part_state::missing, "the kernel has none; nothing depends on it"};
  return {"landlock", part_state::degraded,
          "ABI " + std::to_string(abi) + ", not used: the mount namespace hides the files"};
}

probed probe() {
  probed p;
  const bool root = ::geteuid() == 0;
  std::string why;
  if (!bubblewrap_program().empty())
    p.usable = find_usable(root, p.bubblewrap, why);
  else
    why = "bwrap is not in PATH";
  p.parts.push_back(namespace_part("user", p.bubblewrap && p.usable.no_userns, why));
  p.parts.push_back(namespace_part("pid", p.usable.pid, why));
  p.parts.push_back(namespace_part("net", p.usable.net, why));
  p.parts.push_back(namespace_part("mount", p.bubblewrap, why));
  p.parts.push_back(namespace_part("ipc", p.usable.ipc, why));
  auto uts = namespace_part("uts", p.usable.uts, why);
  uts.required = false;
  p.parts.push_back(uts);
  if (p.usable.seccomp)
    p.parts.push_back({"seccomp", part_state::ok, "a filter on system calls", true});
  else
    p.parts.push_back({"seccomp", part_state::missing,
                       "no filter could be loaded" + (why.empty() ? "" : " (" + why + ")") +
                           "; the kernel needs CONFIG_SECCOMP_FILTER",
                       true});
  p.parts.push_back(user_part(root, p.usable.drop_user, why));
  p.parts.push_back(process_part(p, root));
  if (memory_cgroup::make(64u << 20))
    p.parts.push_back({"memory", part_state::ok,
                       "RLIMIT_AS for each process, and a control group for a candidate's together, the "
                       "kernel's memory for them included"});
  else
    p.parts.push_back(
        {"memory", part_state::degraded,
         "RLIMIT_AS for each process, descriptors and inodes; no control group may be made here, "
         "so all together are bound by the process limit times that"});
  p.parts.push_back({"freezer", part_state::ok, "SIGSTOP to every process, read back from /proc"});
  p.parts.push_back(landlock_part());
  return p;
}

const probed& known() {
  static const probed p = probe();
  return p;
}

/// The required parts that are not there, in words; empty if all are.
std::string lacking() {
  std::string names;
  for (auto& part : known().parts)
    if (part.required && part.state == part_state::missing)
      names += (names.empty() ? "" : ", ") + part.name;
  return names;
}

/// Processes and threads of our user, which RLIMIT_NPROC counts outside of a user namespace.
std::uint32_t tasks_of_our_user() {
  std::uint32_t sum = 0;
  std::error_code error;
  for (auto& entry : std::filesystem::directory_iterator{"/proc", error}) {
    struct stat folder{}, tasks{};
    if (::stat(entry.path().c_str(), &folder) == 0 && folder.st_uid == ::getuid() &&
        ::stat((entry.path() / "task").c_str(), &tasks) == 0)
      sum += tasks.st_nlink - 2;
  }
  return sum;
}

process_spec limited(process_spec inner, const sandbox_spec& spec) {
  add_defaults(inner.env, {});
  if (spec.processes != 0 && ::geteuid() != 0)
    inner.processes = tasks_of_our_user() + spec.processes;
  return inner;
}

} // namespace

const std::vector<sandbox_part>& sandbox_probe() {
  return known().parts;
}

status sandbox_ready(sandbox_level level) {
  if (level != sandbox_level::full)
    return ok;
  auto without = lacking();
  if (without.empty())
    return ok;
  auto how = known().bubblewrap ? "`ke-runtime doctor` says how to get it"
                                : "install bubblewrap (`ke-runtime doctor` says more)";
  return failure{failure_kind::missing, "The full sandbox is not available on this machine, it lacks: " +
                                            without + "; " + how + ", `--sandbox best` does without."};
}

std::string sandbox_label(sandbox_level level) {
  if (level == sandbox_level::none)
    return "none";
  if (!known().bubblewrap)
    return "best, without any namespace";
  auto without = lacking();
  return without.empty() ? "full" : "best, without " + without;
}

bool has_launcher(sandbox_level level) {
  return level != sandbox_level::none && known().bubblewrap;
}

result<process_spec> sandboxed(process_spec inner, const sandbox_spec& spec) {
  if (inner.argv.empty())
    return failure{failure_kind::invalid, "A sandbox was asked for without a program; argv[0] names it."};
  if (spec.memory_bytes != 0)
    inner.memory_bytes = spec.memory_bytes;
  inner.descriptors = spec.descriptors;
  if (spec.level == sandbox_level::none)
    return limited(std::move(inner), spec);
  if (auto ready = sandbox_ready(spec.level); !ready)
    return ready.error();
  if (!has_launcher(spec.level))
    return limited(std::move(inner), spec);
  add_defaults(inner.env, spec.scratch);
  return bubblewrapped(std::move(inner), spec, known().usable);
}

} // namespace ke
