"""The warm parent: imports torch once, then forks one process for each launch that a judge asks for.

Trusted: it runs this folder's code and torch's, and reads nothing of any candidate; what a fork is to run travels in a
descriptor that only the fork reads. Descriptor 3 is a socket of packets. A packet is a REQUEST with seven descriptors: control,
payload, memory, go, done, stdout, stderr; of a fork that works on a device an eighth, the page of its orders. The control socket answers:
    P + <Q address space of this process> + the pidfd of the fork
    E + text          the fork could not be made, or could not enter its sandbox
    X + <ii exit code or -1, signal or 0
A packet that begins with READY has the control socket alone, which answers W: all imports are done.
The first argument says how a fork is held: `open` (limits only), `boxed`, or `users`: boxed, as the user that the request names. The others
are files of a backend that prepares more than torch: each is run once, and its `warm_up(observers)` is called (`driver.OBSERVERS`). Forks
that work on a device are served by the `main` of the last such file that has one, others by driver.py.
When the judge closes its end the fork is killed. One thread; ends when nobody holds the other end of descriptor 3.
"""
import array
import gc
import importlib.util
import os
import select
import signal
import socket
import struct
import sys

import box
import driver

REQUEST = struct.Struct("<4sIIIQQQQ")  # "KEF2", user, processes, descriptors, address space, file bytes, scratch bytes, inodes
READY = b"KEW2"
DESCRIPTORS, WITH_PAGE = 7, 8
SERVER = 3
FILTER, SECOND_FILTER = 4, 5
device_main = None  # of forks that work on a device


class Fork:
    def __init__(self, pid, handle, control):
        self.pid, self.handle, self.control = pid, handle, control


def receive(server):
    """One request and its descriptors, or None at the end."""
    size = array.array("i").itemsize
    data, extra, _, _ = server.recvmsg(REQUEST.size, socket.CMSG_SPACE(WITH_PAGE * size), socket.MSG_CMSG_CLOEXEC)
    descriptors = array.array("i")
    for level, kind, payload in extra:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: len(payload) - len(payload) % size])
    return (data, list(descriptors)) if data or descriptors else None


def child(fields, descriptors, filters, base):
    """In the fork. Never returns."""
    control = descriptors[0]
    try:
        control, payload = box.place(descriptors)
        box.enter(fields, filters[0], base)
    except BaseException as problem:  # the judge must hear of it: this is our side's fault
        try:
            os.write(control, b"E" + str(problem).encode()[:400])
        finally:
            os._exit(70)
    os.close(control)
    try:
        main = driver.main if len(descriptors) == DESCRIPTORS else device_main
        main(payload, lambda: box.load_filter(filters[1]))
    finally:
        os._exit(71)


def fork(data, descriptors, mode, filters, forks, poll):
    magic, user, processes, descriptors_most, address_space, file_bytes, scratch_bytes, inodes = REQUEST.unpack(data)
    if magic != b"KEF2" or len(descriptors) not in (DESCRIPTORS, WITH_PAGE if device_main else DESCRIPTORS):
        raise ValueError("a packet that is no request")
    fields = box.Limits(user if mode == "users" else 0, processes, mode != "open", address_space, file_bytes, scratch_bytes,
                        descriptors_most, inodes)
    base = box.address_space()
    pid = box.fork(fields.boxed)
    if pid == 0:
        child(fields, descriptors, filters, base)
    handle = os.pidfd_open(pid)
    control = socket.socket(fileno=os.dup(descriptors[0]))
    forks[handle] = forks[control.fileno()] = Fork(pid, handle, control)
    poll.register(handle, select.POLLIN)
    poll.register(control.fileno(), select.POLLIN)
    socket.send_fds(control, [b"P" + struct.pack("<Q", base)], [handle])


def ended(entry, forks, poll):
    poll.unregister(entry.handle)
    poll.unregister(entry.control.fileno())
    del forks[entry.handle], forks[entry.control.fileno()]
    _, status = os.waitpid(entry.pid, 0)
    box.sweep({other.pid for other in forks.values()})
    code = os.waitstatus_to_exitcode(status)
    try:
        entry.control.send(b"X" + struct.pack("<ii", code if code >= 0 else -1, -code if code < 0 else 0))
    except OSError:
        pass  # the judge is gone
    entry.control.close()
    os.close(entry.handle)


def prepare(path):
    """Runs a backend's own file as a module, and what it has for all forks."""
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.warm_up(driver.OBSERVERS)
    global device_main
    device_main = getattr(module, "main", device_main)


def main():
    mode = sys.argv[1]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    filters = [box.read_filter(FILTER), box.read_filter(SECOND_FILTER)]
    driver.warm_up()
    for path in sys.argv[2:]:
        prepare(path)
    if len(os.listdir("/proc/self/task")) != 1:
        sys.exit("fork_server: what was imported has started threads; a fork of this process would not be sound")
    box.prepare()
    server = socket.socket(fileno=SERVER)
    os.set_inheritable(SERVER, False)
    gc.collect()
    gc.freeze()
    box.settle()
    forks = {}
    poll = select.poll()
    poll.register(SERVER, select.POLLIN)
    while True:
        # The server last: a number that an ended fork gave back must not be a new fork's while its old event is still here.
        for descriptor, _ in sorted(poll.poll(), key=lambda event: event[0] == SERVER):
            if descriptor == SERVER:
                request = receive(server)
                if request is None:
                    os._exit(0)
                data, descriptors = request
                try:
                    if data[:4] == READY:
                        os.write(descriptors[0], b"W")
                    else:
                        fork(data, descriptors, mode, filters, forks, poll)
                except (OSError, ValueError, IndexError, struct.error) as problem:
                    if descriptors:
                        os.write(descriptors[0], b"E" + str(problem).encode()[:400])
                finally:
                    for d in descriptors:
                        os.close(d)
            elif descriptor in forks:
                entry = forks[descriptor]
                if descriptor != entry.handle:  # the judge said or closed something: either way it wants no more
                    signal.pidfd_send_signal(entry.handle, signal.SIGKILL)
                    poll.modify(entry.control.fileno(), 0)
                else:
                    ended(entry, forks, poll)


if __name__ == "__main__":
    main()
