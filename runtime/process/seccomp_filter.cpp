#include "runtime/process/seccomp_filter.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace ke {
namespace {

/// By name, because libseccomp knows calls that the kernel headers of the build machine may not. Unknown
/// here: skipped.
constexpr const char* refused[] = {
    // namespaces and mounts
    "unshare", "setns", "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount",
    "fspick", "move_mount", "open_tree", "mount_setattr", "name_to_handle_at", "open_by_handle_at",
    // large or young kernel surface
    "bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open",
    "fanotify_init", "fanotify_mark", "lookup_dcookie", "modify_ldt", "vm86", "vm86old", "uselib",
    "nfsservctl",
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "move_pages",
    "migrate_pages",
    // a SIGCONT to oneself at a later time, which would end the judge's stop
    "timer_create", "mq_notify",
    // watches on files of the host: who else reads and writes them, and memory for each
    "inotify_init", "inotify_init1",
    // keys, modules, the machine
    "keyctl", "add_key", "request_key", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "reboot", "swapon", "swapoff", "acct", "quotactl", "syslog", "vhangup", "iopl", "ioperm",
    "sethostname", "setdomainname", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime"};

constexpr std::uint64_t new_namespaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                            CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};

/// Sockets that no network namespace holds back (the hypervisor's, the kernel's crypto). And sockets that no
/// conversation needs: raw packets, the kernel's messages about routes and devices.
constexpr std::uint64_t refused_families[] = {AF_VSOCK, AF_ALG, AF_PACKET, AF_NETLINK};
/// Signals when somebody else opens a file or changes a folder, files of the host included.
constexpr std::uint64_t refused_commands[] = {F_NOTIFY, F_SETLEASE};

/// System calls that send a signal, and where its number stands.
constexpr std::pair<const char*, unsigned> sends_signals[] = {{"kill", 1},
                                                              {"tkill", 1},
                                                              {"rt_sigqueueinfo", 1},
                                                              {"pidfd_send_signal", 1},
                                                              {"tgkill", 2},
                                                              {"rt_tgsigqueueinfo", 2}};

/// Ways to wake up from the judge's stop.
bool add_rules_of_waking(scmp_filter_ctx filter) {
  const auto eperm = SCMP_ACT_ERRNO(EPERM);
  bool good = true;
  // A signal of one's choice for asynchronous I/O or for a
  // child's end.
  good = seccomp_rule_add(filter, eperm, SCMP_SYS(fcntl), 1,
                          SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, F_SETSIG)) == 0 &&
         good;
  good = seccomp_rule_add(filter, eperm, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CSIGNAL, SIGCONT)) ==
             0 &&
         good;
  // And at once: a thread that sends it without end makes each stop of its process last as long as luck has
  // it.
  for (auto [name, argument] : sends_signals)
    good = seccomp_rule_add(filter, eperm, seccomp_syscall_resolve_name(name), 1,
                            SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, SIGCONT)) == 0 &&
           good;
  return good;
}

bool add_rules(scmp_filter_ctx filter) {
  const auto eperm = SCMP_ACT_ERRNO(EPERM);
  bool good = true;
  for (auto name : refused)
    if (int call = seccomp_syscall_resolve_name(name); call != __NR_SCMP_ERROR)
      good = seccomp_rule_add(filter, eperm, call, 0) == 0 && good;
  for (auto flag : new_namespaces)
    good =
        seccomp_rule_add(filter, eperm, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)) == 0 &&
        good;
  good = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 && good;
  for (auto family : refused_families)
    good = seccomp_rule_add(filter, eperm, SCMP_SYS(socket), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, family)) == 0 &&
           good;
  for (auto command : refused_commands)
    good = seccomp_rule_add(filter, eperm, SCMP_SYS(fcntl), 1,
                            SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, command)) == 0 &&
           good;
  // A candidate that makes rdtsc fault can lie about time to whoever shares its process.
  good = seccomp_rule_add(filter, eperm, SCMP_SYS(prctl), 1,
                          SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, PR_SET_TSC)) == 0 &&
         good;
  good = seccomp_rule_add(filter, eperm, SCMP_SYS(personality), 1, SCMP_A0(SCMP_CMP_NE, 0)) == 0 && good;
  good = seccomp_rule_add(filter, eperm, SCMP_SYS(ioctl), 1,
                          SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCSTI)) == 0 &&
         good;
  return add_rules_of_waking(filter) && good;
}

failure cannot(std::string why) {
  return {failure_kind::missing,
          "The sandbox's system call filter cannot be built (" + why + "); install libseccomp 2.5 or newer."};
}

/// Three kinds of calls. Some take kernel memory that no limit counts: 200 KB for a pair of sockets; for
/// watches and rules as much as there are files to name. Some make files that live in memory. Some let the
/// kernel work on while the process is stopped. Bounded ones are allowed: descriptors bound pipes, events,
/// timers and polls; inodes bound files.
constexpr const char* kernel_memory[] = {"socket",
                                         "socketpair",
                                         "memfd_create",
                                         "memfd_secret",
                                         "shmget",
                                         "shmat",
                                         "msgget",
                                         "semget",
                                         "mq_open",
                                         "io_setup",
                                         "io_submit",
                                         "vmsplice",
                                         "inotify_init",
                                         "inotify_init1",
                                         "landlock_create_ruleset",
                                         "landlock_add_rule",
                                         "io_uring_setup"};
/// Ways to look into a pipe without emptying it, and to open it for writing through /proc: nobody may know
/// the calls of an order before the driver reads them, and put them back.
constexpr const char* peeks[] = {"tee", "splice", "chmod", "fchmod", "fchmodat", "fchmodat2"};
/// Locks of byte ranges: as many as there are bytes, each with memory of its own. (flock has one per file.)
constexpr std::uint64_t range_locks[] = {F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW};
/// A kernel that makes another process or another program of itself wants to be where nobody looks.
constexpr const char* children[] = {"fork", "vfork", "execve", "execveat"};
/// System calls that give memory its rights, and where the rights stand.
constexpr std::pair<const char*, unsigned> gives_rights[] = {
    {"mmap", 2}, {"mprotect", 2}, {"pkey_mprotect", 2}};

template <std::size_t N>
bool add_all(scmp_filter_ctx filter, const char* const (&names)[N], std::uint32_t action) {
  bool good = true;
  for (auto name : names)
    if (int call = seccomp_syscall_resolve_name(name); call != __NR_SCMP_ERROR)
      good = seccomp_rule_add(filter, action, call, 0) == 0 && good;
  return good;
}

/// What libraries ask for and do without: locks, larger pipes, the choice of one's own processors.
bool add_soft_rules(scmp_filter_ctx filter) {
  bool good = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(sched_setaffinity), 0) == 0;
  auto refuse = [&](std::uint64_t command, int error) {
    good = seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), SCMP_SYS(fcntl), 1,
                            SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, command)) == 0 &&
           good;
  };
  for (auto command : range_locks)
    refuse(command, ENOLCK);
  refuse(F_SETPIPE_SZ, EPERM);
  return good;
}

bool add_interpreting_rules(scmp_filter_ctx filter) {
  return add_soft_rules(filter) && add_all(filter, kernel_memory, SCMP_ACT_ERRNO(EPERM));
}

bool add_loading_rules(scmp_filter_ctx filter) {
  bool good = add_soft_rules(filter) && add_all(filter, kernel_memory, SCMP_ACT_KILL_PROCESS) &&
              add_all(filter, peeks, SCMP_ACT_KILL_PROCESS) &&
              add_all(filter, children, SCMP_ACT_KILL_PROCESS);
  good = seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(clone), 1,
                          SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0 &&
         good;
  good = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 && good;
  good = seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(prctl), 1,
                          SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, PR_SET_TSC)) == 0 &&
         good;
  return good;
}

bool add_calling_rules(scmp_filter_ctx filter) {
  bool good = true;
  for (auto [name, argument] : gives_rights)
    if (int call = seccomp_syscall_resolve_name(name); call != __NR_SCMP_ERROR) {
      scmp_arg_cmp executable{argument, SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC};
      good = seccomp_rule_add_array(filter, SCMP_ACT_KILL_PROCESS, call, 1, &executable) == 0 && good;
    }
  good = seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(seccomp), 0) == 0 && good;
  good = seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, SCMP_SYS(prctl), 1,
                          SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, PR_SET_SECCOMP)) == 0 &&
         good;
  return good;
}

result<unique_fd> compile(bool (*rules)(scmp_filter_ctx)) {
  std::unique_ptr<void, void (*)(void*)> filter{seccomp_init(SCMP_ACT_ALLOW), seccomp_release};
  if (!filter || !rules(filter.get()))
    return cannot("a rule was refused");
  unique_fd file{::memfd_create("seccomp", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!file || seccomp_export_bpf(filter.get(), file.get()) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return cannot(std::strerror(errno));
  return file;
}

/// A duplicate would share the offset that the other side reads from: open anew.
result<unique_fd> opened(const result<unique_fd>& compiled) {
  if (!compiled)
    return compiled.error();
  unique_fd own{::open(("/proc/self/fd/" + std::to_string(compiled->get())).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!own)
    return cannot(std::strerror(errno));
  return own;
}

} // namespace

result<unique_fd> seccomp_filter() {
  static const auto compiled = compile(add_rules);
  return opened(compiled);
}

result<unique_fd> kernel_filter(kernel_stage stage) {
  static const auto loading = compile(add_loading_rules), calling = compile(add_calling_rules),
                    interpreting = compile(add_interpreting_rules);
  return opened(stage == kernel_stage::loading   ? loading
                : stage == kernel_stage::calling ? calling
                                                 : interpreting);
}

} // namespace ke
