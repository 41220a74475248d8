#include "runtime/process/bubblewrap.hpp"

#include "runtime/process/proc.hpp"
#include "runtime/process/seccomp_filter.hpp"
#include "runtime/process/self_process.hpp"
#include "runtime/process/spawn.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace ke {
namespace {

/// Processes that bwrap adds to its user's count: the outer one, the start-up helper and the namespace's
/// init. Within the user namespace only the last two are counted.
constexpr std::uint32_t launchers = 3, launchers_inside = 2;
constexpr auto limiter = "/usr/bin/prlimit";

failure invalid(std::string text) {
  return {failure_kind::invalid, std::move(text)};
}

bool others_may(const std::string& path, mode_t bits) {
  struct stat s{};
  return ::stat(path.c_str(), &s) == 0 && (s.st_mode & bits) == bits;
}

/// The first folder above `path` that is closed to other users, or nothing.
std::optional<std::string> closed_above(const std::string& path) {
  for (auto at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
    if (auto above = path.substr(0, at); !others_may(above, S_IXOTH))
      return above;
  return std::nullopt;
}

std::optional<std::string> resolved(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real{::realpath(path.c_str(), nullptr), ::free};
  return real ? std::optional<std::string>{real.get()} : std::nullopt;
}

/// Collects arguments and the descriptors that they name.
class prefix {
public:
  prefix(process_spec& spec, bool dropped, std::uint32_t user) : spec_{spec}, dropped_{dropped}, user_{user} {
    for (auto [ours, theirs] : spec.pass_fds)
      next_ = std::max(next_, theirs + 1);
  }

  template <class... T>
  void add(T&&... words) {
    (args.emplace_back(std::forward<T>(words)), ...);
  }

  /// Lends a descriptor to bwrap; the number to name it by.
  std::string lend(unique_fd fd) {
    spec_.pass_fds.emplace_back(fd.get(), next_);
    lent->push_back(std::move(fd));
    return std::to_string(next_++);
  }

  /// The folders above a path, open to all: bwrap's own are its user's alone.
  void add_above(const std::string& path) {
    for (auto at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
      if (auto above = path.substr(0, at); above != "/usr" && !above.starts_with("/usr/"))
        add("--perms", "0755", "--dir", above);
  }

  status bind(const std::string& host, const std::string& inside, bool writable) {
    auto real = resolved(host);
    if (!real)
      return invalid("'" + host + "' cannot be shown to the sandbox: " + std::strerror(errno) + ".");
    struct stat s{};
    ::stat(real->c_str(), &s);
    if (writable && dropped_ && ::chown(real->c_str(), user_, user_) != 0)
      return invalid("'" + host + "' cannot be given to the sandbox's user: " + std::strerror(errno) + ".");
    auto closed = dropped_ ? closed_above(*real) : std::nullopt;
    if (dropped_ && !closed && !writable &&
        !others_may(*real, S_ISDIR(s.st_mode) ? S_IROTH | S_IXOTH : S_IROTH))
      closed = *real;
    if (!closed) {
      add(writable ? "--bind" : "--ro-bind", *real, inside);
      return ok;
    }
    if (writable || !S_ISREG(s.st_mode))
      return invalid("'" + host + "' cannot be shown to the sandbox, which runs as an unprivileged user: '" +
                     *closed + "' is closed to others; open it (chmod o+rx) or use a folder elsewhere.");
    unique_fd file{::open(real->c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file)
      return invalid("'" + host + "' cannot be read: " + std::strerror(errno) + ".");
    add("--perms", (s.st_mode & S_IXUSR) != 0 ? "0555" : "0444", "--ro-bind-data", lend(std::move(file)),
        inside);
    return ok;
  }

  std::vector<std::string> args;
  std::shared_ptr<std::vector<unique_fd>> lent = std::make_shared<std::vector<unique_fd>>();

private:
  process_spec& spec_;
  bool dropped_;
  std::uint32_t user_;
  int next_ = 3;
};

/// Who the program is, and what it may do.
void add_identity(prefix& p, const bubblewrap_parts& parts, bool nests) {
  if (!nests) {
    p.add("--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL");
    if (parts.no_userns)
      p.add("--disable-userns");
    return;
  }
  p.add("--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN");
  if (nested_users())
    p.add("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL");
  else // as root of its own user namespace, or bwrap would put it into a second one without rights in the
       // first
    p.add("--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "CAP_SETFCAP");
}

void add_namespaces(prefix& p, const bubblewrap_parts& parts, bool network) {
  p.add("--die-with-parent", "--new-session");
  if (parts.pid)
    p.add("--unshare-pid");
  if (parts.ipc)
    p.add("--unshare-ipc");
  if (parts.uts)
    p.add("--unshare-uts", "--hostname", "sandbox");
  if (parts.net && !network)
    p.add("--unshare-net");
  p.add("--unshare-cgroup-try");
}

/// The system, read-only: programs and libraries, and of /etc only what the loader and the compiler drivers
/// look up.
void add_system(prefix& p) {
  p.add("--ro-bind", "/usr", "/usr");
  for (std::string name : {"bin", "sbin", "lib", "lib32", "lib64"}) {
    struct stat s{};
    if (::lstat(("/" + name).c_str(), &s) != 0)
      continue;
    if (S_ISLNK(s.st_mode))
      p.add("--symlink", "usr/" + name, "/" + name);
    else
      p.add("--ro-bind", "/" + name, "/" + name);
  }
  p.add_above("/etc/alternatives"); // else what `cc` leads to is forbidden to other users, instead of absent
  for (auto file : {"/etc/ld.so.cache", "/etc/alternatives"})
    p.add("--ro-bind-try", file, file);
}

void add_private_places(prefix& p, const sandbox_spec& spec, bool own_proc) {
  auto size = std::to_string(std::max<std::uint64_t>(spec.scratch_bytes, 4096));
  p.add(own_proc ? "--proc" : "--ro-bind");
  if (!own_proc)
    p.add("/proc");
  p.add("/proc", "--dev", "/dev", "--size", size, "--perms", "1777", "--tmpfs", "/dev/shm");
  if (spec.nests) { // other users must get there
    p.add_above(spec.scratch);
    for (auto& [host, inside] : spec.read_only)
      p.add_above(inside);
  }
  p.add("--size", size, "--perms", "0700", "--tmpfs", spec.scratch);
}

} // namespace

const std::string& bubblewrap_program() {
  static const std::string found =
      on_own_path("bwrap") ? std::string{"bwrap"} : bubblewrap_of(self_path().parent_path());
  return found;
}

std::string bubblewrap_of(const std::filesystem::path& folder) {
  auto ours = folder.parent_path() / "libexec" / "ke-runtime" / "bwrap";
  return on_own_path(ours.string()) ? ours.string() : std::string{};
}

status open_to_others(const std::string& program) {
  if (program.find('/') == program.npos) // one of PATH, so of the system
    return ok;
  auto closed = closed_above(program);
  if (!closed && !others_may(program, S_IROTH | S_IXOTH))
    closed = program;
  if (!closed)
    return ok;
  return failure{failure_kind::missing, "'" + program + "' is started by an unprivileged user, to whom '" +
                                            *closed +
                                            "' is closed: open it (chmod o+rx), unpack ke-runtime "
                                            "elsewhere, or install bubblewrap"};
}

std::optional<std::uint32_t> next_outer_user() {
  if (::geteuid() != 0)
    return std::nullopt;
  // systemd's table of user ids leaves 0x70000000 to 0x7ffeffff to nobody; a container's map may not reach
  // that far.
  static const std::uint64_t mapped = [] {
    std::istringstream map{proc::read("/proc/self/uid_map").value_or("")};
    std::uint64_t inside = 0, outside = 0, count = 0, end = 0;
    while (map >> inside >> outside >> count)
      end = std::max(end, inside + count);
    return end;
  }();
  static std::atomic<std::uint32_t> turn{0};
  const auto slot = turn++ % 64;
  const auto process = static_cast<std::uint32_t>(::getpid());
  if (mapped >= 0x7fff0000)
    return 0x70000000u + (process % 0x3ffc00u) * 64u + slot;
  if (mapped >= 65000)
    return 61184u + (process * 64u + slot) % 3816u; // the range of short-lived service users
  return std::nullopt;
}

bool nested_users() {
  constexpr int sys_admin = 21;
  static const bool may = [] {
    auto status = proc::read("/proc/self/status").value_or("");
    auto at = status.find("CapEff:\t");
    auto held = at == status.npos ? 0 : std::strtoull(status.c_str() + at + 8, nullptr, 16);
    return (held >> sys_admin & 1) != 0 && next_outer_user().has_value();
  }();
  return may;
}

namespace {

/// One that may run bubblewrap.
result<std::uint32_t> outer_user() {
  auto next = next_outer_user();
  if (!next)
    return failure{
        failure_kind::missing,
        "The sandbox needs an unprivileged user to become, and this process may not change its user."};
  if (auto open = open_to_others(bubblewrap_program()); !open)
    return open.error();
  return *next;
}

status add_files(prefix& p, const sandbox_spec& spec) {
  for (auto& [host, inside] : spec.read_only)
    if (auto bound = p.bind(host, inside, false); !bound)
      return bound;
  for (auto& [host, inside] : spec.writable)
    if (auto bound = p.bind(host, inside, true); !bound)
      return bound;
  for (auto& device : spec.devices)
    p.add("--dev-bind-try", device, device);
  return ok;
}

status add_filter(prefix& p) {
  auto filter = seccomp_filter();
  if (!filter)
    return filter.error();
  p.add("--seccomp", p.lend(std::move(*filter)));
  return ok;
}

/// 0: without a limit.
void limit_processes(prefix& p, process_spec& inner, std::uint32_t processes, bool drops) {
  inner.processes = 0;
  if (processes != 0 && drops) {
    inner.processes = processes + launchers;
  } else if (processes != 0 && ::access(limiter, X_OK) == 0) {
    // The user's other processes would count outside; inside the user namespace only the sandbox's do.
    auto n = std::to_string(processes + launchers_inside);
    p.add(limiter, "--nproc=" + n + ":" + n, "--");
  }
}

} // namespace

result<process_spec> bubblewrapped(process_spec inner, const sandbox_spec& spec,
                                   const bubblewrap_parts& parts) {
  std::uint32_t user = 0;
  const bool drops = parts.drop_user && !(spec.nests && nested_users());
  if (auto found = drops ? outer_user() : result<std::uint32_t>{user}; !found)
    return found.error();
  else
    user = *found;
  auto program = std::move(inner.argv);
  auto directory = inner.directory.empty() ? spec.scratch : inner.directory;
  prefix p{inner, drops, user};
  p.add(bubblewrap_program());
  add_identity(p, parts, spec.nests);
  add_namespaces(p, parts, spec.network);
  add_system(p);
  add_private_places(p, spec, parts.pid);
  if (auto shown = add_files(p, spec); !shown)
    return shown.error();
  // Both are memory file systems without a size: what may be written has one.
  p.add("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", directory, "--clearenv");
  // Through /proc/1/mem one could write into the sandbox's own first process, which has no filter of kernels,
  // and through /proc/self/mem over code. The launcher of nested boxes writes their maps of users there.
  if (parts.pid && !spec.nests && !spec.writes_proc)
    p.add("--remount-ro", "/proc");
  for (auto& [key, value] : inner.env)
    p.add("--setenv", key, value);
  if (auto added = parts.seccomp && !spec.nests ? add_filter(p) : ok; !added)
    return added.error();
  p.add("--");
  limit_processes(p, inner, spec.nests ? 0 : spec.processes, drops);
  p.args.insert(p.args.end(), std::make_move_iterator(program.begin()),
                std::make_move_iterator(program.end()));
  inner.argv = std::move(p.args);
  inner.env = {{"PATH", "/usr/bin:/bin:/usr/local/bin"}};
  inner.directory.assign(1, '/'); // g++ 12 sees an overlap in assigning a literal here (-Wrestrict)
  inner.outer_uid = user;
  inner.keeps = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(
      std::move(inner.keeps), p.lent);
  return inner;
}

} // namespace ke
