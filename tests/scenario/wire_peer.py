"""What a peer of the wire needs (runtime/net/wire.md), with the standard library and the system's libzmq: msgpack, frames, a socket.

The order of fields is that of runtime/net/wire.hpp and runtime/core/job.hpp. What is appended later is a surplus, which a peer ignores: each field
that it repeats has its own place here, and is never taken from the end.
"""

import ctypes
import os
import struct
import time

KINDS = ["hello", "welcome", "refuse", "ready", "grant", "accept", "decline", "beat", "result", "ack", "revoke", "want", "blob", "command",
         "answer", "event", "drain", "bye"]
MAGIC = 0x4B45

# -- msgpack: texts are bytes (bin), as the program packs them


def pack(x):
    if x is None:
        return b"\xc0"
    if isinstance(x, bool):
        return b"\xc3" if x else b"\xc2"
    if isinstance(x, int):
        if x < 0:
            return struct.pack(">Bq", 0xD3, x)
        return bytes([x]) if x < 128 else struct.pack(">BQ", 0xCF, x)
    if isinstance(x, float):
        return struct.pack(">Bd", 0xCB, x)
    if isinstance(x, str):
        x = x.encode()
    if isinstance(x, bytes):
        return struct.pack(">BI", 0xC6, len(x)) + x
    if isinstance(x, dict):
        return struct.pack(">BI", 0xDF, len(x)) + b"".join(pack(k) + pack(v) for k, v in x.items())
    head = bytes([0x90 | len(x)]) if len(x) < 16 else struct.pack(">BI", 0xDD, len(x))
    return head + b"".join(map(pack, x))


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        if self.at > len(self.data):
            raise ValueError("cut msgpack")
        return self.data[self.at - count:self.at]

    def number(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def value(self):
        t = self.number("B")
        if t < 0x80:
            return t
        if t < 0x90:
            return self.map(t & 15)
        if t < 0xA0:
            return [self.value() for _ in range(t & 15)]
        if t < 0xC0:
            return self.take(t & 31)
        if t in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[t]
        if t in (0xC4, 0xC5, 0xC6):
            return self.take(self.number("BHI"[t - 0xC4]))
        if t in (0xD9, 0xDA, 0xDB):
            return self.take(self.number("BHI"[t - 0xD9]))
        if t in (0xCA, 0xCB):
            return self.number("fd"[t - 0xCA])
        if 0xCC <= t <= 0xD3:
            return self.number("BHIQbhiq"[t - 0xCC])
        if t in (0xDC, 0xDD):
            return [self.value() for _ in range(self.number("HI"[t - 0xDC]))]
        if t in (0xDE, 0xDF):
            return self.map(self.number("HI"[t - 0xDE]))
        if t >= 0xE0:
            return t - 256
        raise ValueError(f"msgpack of type {t:#x}")

    def map(self, count):
        return {self.value(): self.value() for _ in range(count)}


def unpack(data):
    return _Reader(data).value()


# -- sockets

_zmq = ctypes.CDLL("libzmq.so.5", use_errno=True)
_zmq.zmq_ctx_new.restype = _zmq.zmq_socket.restype = ctypes.c_void_p
_zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
_zmq.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
_zmq.zmq_getsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
_zmq.zmq_connect.argtypes = _zmq.zmq_bind.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_zmq.zmq_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
_zmq.zmq_recv.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_zmq.zmq_close.argtypes = [ctypes.c_void_p]
_context = ctypes.c_void_p(_zmq.zmq_ctx_new())
DEALER, ROUTER = 5, 6
_IDENTITY, _RCVTIMEO, _SNDTIMEO, _LINGER, _RCVMORE, _SNDHWM = 5, 27, 28, 17, 13, 23


class Socket:
    """Of one thread. `receive` gives the parts of a message, or None after the time."""

    def __init__(self, kind, identity=None):
        self.handle = ctypes.c_void_p(_zmq.zmq_socket(_context, kind))
        self._buffer = ctypes.create_string_buffer(2 << 20)
        self.set(_LINGER, 0)
        self.set(_SNDTIMEO, 2000)
        if identity:
            _zmq.zmq_setsockopt(self.handle, _IDENTITY, identity, len(identity))

    def set(self, option, value):
        number = ctypes.c_int(value)
        _zmq.zmq_setsockopt(self.handle, option, ctypes.byref(number), ctypes.sizeof(number))

    def connect(self, address):
        self._check(_zmq.zmq_connect(self.handle, address.encode()))

    def bind(self, address):
        self._check(_zmq.zmq_bind(self.handle, address.encode()))

    def _check(self, code):
        if code < 0:
            raise OSError(ctypes.get_errno(), "libzmq")

    def send(self, *parts):
        """False if there is no room within two seconds."""
        for i, part in enumerate(parts):
            if _zmq.zmq_send(self.handle, part, len(part), 2 if i < len(parts) - 1 else 0) < 0:
                return False
        return True

    def receive(self, seconds):
        self.set(_RCVTIMEO, max(0, int(seconds * 1000)))
        parts = []
        more = ctypes.c_int(1)
        while more.value:
            size = _zmq.zmq_recv(self.handle, self._buffer, len(self._buffer), 0)
            if size < 0:
                return None
            parts.append(self._buffer.raw[:size])
            length = ctypes.c_size_t(ctypes.sizeof(more))
            _zmq.zmq_getsockopt(self.handle, _RCVMORE, ctypes.byref(more), ctypes.byref(length))
            self.set(_RCVTIMEO, 1000)
        return parts

    def close(self):
        if self.handle:
            _zmq.zmq_close(self.handle)
            self.handle = None


# -- a peer

HELLO = ["min_version", "max_version", "name", "boot", "program", "devices", "build_slots", "device_slots", "labels", "held", "leases", "simulated"]
JOB = ["id", "attempt", "epoch", "node", "target", "backend", "device", "problem", "source", "plan", "timed", "seed", "limits", "inline", "priority",
       "store", "warrant"]
EVIDENCE = ["ending", "reason", "cases", "timed_calls", "timed_calls_checked", "failed", "worst_scaled_error", "first_failure", "nondeterministic",
            "flags", "timed", "launches", "floor_ns", "aa_width", "compiled_only", "unfit", "counters", "build_s", "check_s", "time_s", "device",
            "provenance", "log", "findings"]


def hello(name, devices=(), **more):
    """`devices`: [name, backend, state, facts] each."""
    fields = dict(min_version=1, max_version=1, name=name, boot=os.urandom(8).hex(), program="fake", devices=list(devices), build_slots=0, device_slots=0,
                  labels={}, held=[], leases=[], simulated=False)
    fields.update(more)
    return [fields[k] for k in HELLO]


def evidence(**more):
    """What a judge says that saw nothing wrong."""
    fields = dict(ending=0, reason="", cases=48, timed_calls=0, timed_calls_checked=0, failed=0, worst_scaled_error=0.1, first_failure=None,
                  nondeterministic=False, flags=[], timed=False, launches=[], floor_ns=50.0, aa_width=0.01, compiled_only=False, unfit="", counters={},
                  build_s=0.1, check_s=0.1, time_s=0.1, device="", provenance={}, log="", findings={})
    fields.update(more)
    return [fields[k] for k in EVIDENCE]


class Grant:
    def __init__(self, body):
        self.fields = body[0]
        self.lease, self.deadline_ms, self.device = body[1], body[2], body[3]
        self.job = dict(zip(JOB, self.fields))

    def reference(self, stage=1):
        return [self.job["id"], self.job["attempt"], self.job["epoch"], stage, self.job["warrant"]]

    def result(self, found):
        return [self.job["id"], self.job["attempt"], self.job["epoch"], [0, "", False], found, [], self.job["store"], self.job["warrant"]]


class Peer:
    """One end of a session, as a worker or a client."""

    def __init__(self, endpoint):
        self.socket = Socket(DEALER, os.urandom(16))
        self.socket.connect(endpoint)
        self.sequence = self.epoch = 0
        self.grants = []

    def frame(self, kind, body=b"", epoch=None):
        """A header for these bytes, and both sent."""
        self.sequence += 1
        head = pack([MAGIC, 1, KINDS.index(kind), self.sequence, 0, self.epoch if epoch is None else epoch])
        return self.socket.send(head, body)

    def say(self, kind, body, epoch=None):
        return self.frame(kind, pack(body), epoch)

    def hear(self, seconds):
        """(kind, body) of the next frame, or None."""
        parts = self.socket.receive(seconds)
        if not parts or len(parts) != 2:
            return None
        head = unpack(parts[0])
        self.epoch = head[5]
        kind = KINDS[head[2]]
        body = unpack(parts[1]) if parts[1] else None
        if kind == "grant":
            self.grants.append(Grant(body))
        return kind, body

    def wait(self, kinds, seconds=30):
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            heard = self.hear(left)
            if heard and heard[0] in kinds:
                return heard
        raise AssertionError(f"no frame {kinds} within {seconds} s")

    def close(self):
        self.socket.close()
