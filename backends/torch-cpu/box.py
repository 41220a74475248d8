"""What a fork does to itself before it reads a candidate: the sandbox, from inside.

The parent already lives in a read-only view of the system (bubblewrap). A fork gets process, network, ipc, uts and mount
namespaces of its own, an empty scratch, a /proc of its own, an unprivileged user of its own where the parent may change users,
a user namespace without any capability, limits, and the filter on system calls. Every step that fails raises.
"""
import collections
import ctypes
import fcntl
import os
import resource
import signal
import struct

Limits = collections.namedtuple("Limits", "user processes boxed address_space file_bytes scratch_bytes descriptors inodes")

SCRATCH = "/tmp/scratch"
NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
NOSUID, NODEV, NOEXEC, RECURSIVE, PRIVATE = 2, 4, 8, 0x4000, 0x40000
SET_PDEATHSIG, SET_DUMPABLE, SET_SECCOMP, SET_SUBREAPER, NO_NEW_PRIVS = 1, 4, 22, 36, 38
CAPSET = 126 if os.uname().machine == "x86_64" else 91
COLLAPSE = 25  # MADV_COLLAPSE
NOBODY = 65534

_libc = ctypes.CDLL(None, use_errno=True)
_own_processes = -1  # our pid namespace


def _check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(kind, where, flags, options=""):
    _check(_libc.mount(kind.encode(), where.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()),
           f"mounting {kind} on {where}")


def _prctl(option, value):
    zero = ctypes.c_ulong(0)
    _check(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), f"prctl {option}")


def prepare():
    """Once, in the parent."""
    global _own_processes
    _prctl(SET_SUBREAPER, 1)
    _own_processes = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


def settle():
    """Once, in the parent, when its memory is as it will be: huge pages make a fork ten times cheaper, for its page tables are
    what a fork copies. Kernels before 6.1 refuse, which costs only that."""
    huge = 1 << 21
    with open("/proc/self/maps") as f:
        lines = [line.split() for line in f]
    for span, access, _, _, inode, *name in lines:
        start, end = (int(x, 16) for x in span.split("-"))
        start, end = -(-start // huge) * huge, end // huge * huge
        if access == "rw-p" and inode == "0" and name in ([], ["[heap]"]) and end > start:
            _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), COLLAPSE)


def address_space():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[0]) * resource.getpagesize()


def read_filter(descriptor):
    """The compiled filter, empty if the parent was started without one."""
    try:
        with os.fdopen(descriptor, "rb") as f:
            return f.read()
    except OSError:
        return b""


def fork(boxed):
    """A child, the first process of a pid namespace of its own if boxed."""
    if not boxed:
        return os.fork()
    _check(_libc.unshare(NEWPID), "a pid namespace")
    try:
        pid = os.fork()
    except OSError:
        pid = -1
    if pid != 0:  # we stay where we are; so do our next children until the next call
        _check(_libc.setns(_own_processes, NEWPID), "leaving a pid namespace")
    if pid < 0:
        raise OSError("no further process: the limit of processes or of memory is reached")
    return pid


def sweep(ours):
    """Kills what dead forks without a pid namespace left behind: our children that are none of `ours`."""
    with open(f"/proc/self/task/{os.getpid()}/children") as f:
        for pid in map(int, f.read().split()):
            if pid not in ours:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def place(descriptors):
    """Gives stdout, stderr, memory, go, done and a page of orders their numbers and closes all else. Returns where control and payload
    are."""
    control, payload, memory, go, done, out, err, *page = [fcntl.fcntl(d, fcntl.F_DUPFD_CLOEXEC, 7) for d in descriptors]
    nothing = os.open("/dev/null", os.O_RDONLY)
    given = (nothing, out, err, memory, go, done, *page)
    for number, source in enumerate(given):
        os.dup2(source, number)
    for d in sorted(map(int, os.listdir("/proc/self/fd"))):
        if d >= len(given) and d not in (control, payload):
            try:
                os.close(d)
            except OSError:
                pass  # the one that listed them
    return control, payload


def enter(limits, seccomp, base):
    os.setsid()
    _prctl(SET_SUBREAPER, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
    descriptors = min(limits.descriptors, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
    if limits.boxed:
        _namespaces(limits)
        _nobody(limits)
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
        version = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
        _check(_libc.syscall(CAPSET, version, ctypes.create_string_buffer(24)), "giving up capabilities")
        os.chdir(SCRATCH)
        # The user of a sandbox has no entry among the users, whom PyTorch's compiler asks for a name.
        os.environ.update(HOME=SCRATCH, TMPDIR=SCRATCH, USER="nobody", LOGNAME="nobody")
    resource.setrlimit(resource.RLIMIT_AS, (base + limits.address_space,) * 2)
    _prctl(NO_NEW_PRIVS, 1)
    _prctl(SET_PDEATHSIG, signal.SIGKILL)
    load_filter(seccomp)


def load_filter(seccomp):
    """Puts a compiled filter over this thread and all that it starts; an empty one is none."""
    if seccomp:
        program = ctypes.create_string_buffer(seccomp, len(seccomp))
        header = struct.pack("HP", len(seccomp) // 8, ctypes.addressof(program))
        zero = ctypes.c_ulong(0)
        _check(_libc.prctl(SET_SECCOMP, ctypes.c_ulong(2), ctypes.create_string_buffer(header), zero, zero),
               "the filter on system calls")


def _namespaces(limits):
    _check(_libc.unshare(NEWNS | NEWNET | NEWIPC | NEWUTS), "namespaces")
    _check(_libc.mount(None, b"/", None, ctypes.c_ulong(RECURSIVE | PRIVATE), None), "private mounts")
    _mount("proc", "/proc", NOSUID | NODEV | NOEXEC)
    own = f",uid={limits.user},gid={limits.user}" if limits.user else ""
    _mount("tmpfs", "/dev/shm", NOSUID | NODEV, f"mode=1777,size={limits.scratch_bytes},nr_inodes={limits.inodes}")
    _mount("tmpfs", SCRATCH, NOSUID | NODEV, f"mode=0700,size={limits.scratch_bytes},nr_inodes={limits.inodes}{own}")


def _nobody(limits):
    """Another user outside, if we may; nobody inside, in a user namespace that has power over nothing."""
    if limits.user:
        os.setgroups([])
        os.setresgid(limits.user, limits.user, limits.user)
        os.setresuid(limits.user, limits.user, limits.user)
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(NEWUSER), "a user namespace")
    _prctl(SET_DUMPABLE, 1)  # or /proc/self belongs to root
    for name, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {user} 1"), ("gid_map", f"{NOBODY} {group} 1")):
        with open(f"/proc/self/{name}", "w") as f:
            f.write(text)
