"""What a fork does whose tensors lie on a device: orders by the page that it shares with the judge, results where the candidate made them.

The device itself is a class that another file of this folder puts into DEVICE (cuda_device.py). The page is that of backends/judge/device_words.hpp.
As in driver.py nothing that is said here is believed: the judge takes its own time around a request, and reads results by addresses that
it has checked, with kernels of its own. What is bound as a default is bound before any code of a candidate runs.

The payload is driver.py's; one line more:
    arena JUDGED BYTES      of its memory: what the judge writes lies in the first part, results that a call makes in the rest
"""
import gc
import mmap
import os
import struct
import time

import torch

import driver
import inductor_files

ARENA, WORDS, WORDS_BYTES = 3, 6, 1 << 20
PRIME, PREPARE, RUN, FILES = 1, 2, 3, 4  # ke::wire::device_request
ANSWERED, ANSWER, TOOK, VALUES = 64, 68, 72, 128  # places in the page, in bytes; requests are at its begin
REQUEST = struct.Struct("<IIIIIII")  # asked, request, calls, tensors, others, launches, graph
DEVICE = None  # the class


def warm_up(observers):
    """The parent does the rest in the device's own file."""


class Page:
    """Requests and answers. The judge spins on `answered`, this process on `asked`."""

    def __init__(self, descriptor):
        self.bytes = mmap.mmap(descriptor, WORDS_BYTES, mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
        os.close(descriptor)
        self.words = memoryview(self.bytes).cast("I")
        self.last = 0

    def next(self):
        """Waits for a request: REQUEST's words."""
        words, last = self.words, self.last
        while words[0] == last:
            pass
        self.last = words[0]
        return REQUEST.unpack_from(self.bytes)

    def answer(self, what, took, put=struct.pack_into):
        put("<IQ", self.bytes, ANSWER, what, took)
        self.words[ANSWERED // 4] = self.last  # last of all: a processor of this kind keeps the order of its stores

    def values(self, count):
        return struct.unpack_from(f"<{count}Q", self.bytes, VALUES)

    def publish(self, values):
        struct.pack_into(f"<{len(values)}Q", self.bytes, VALUES, *values)


class Memory:
    """The arena as driver.py writes to a memory: bytes at a place."""

    def __init__(self, device):
        self.device = device

    def __len__(self):
        return self.device.judged

    def __setitem__(self, where, data):
        flat = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        self.device.bytes(where.start, len(flat)).copy_(flat)


class Caller(driver.Caller):
    """One order: tensors over the arena are made before its clock starts, and before the judge has written the inputs there; in it are the
    calls, a look at the form of their results, and a wait for all that they left to do."""

    def __init__(self, payload, device, page):
        super().__init__(payload, Memory(device), start=device.base)
        self.device, self.page = device, page
        # Per call: its arguments, inputs to be written back, outputs, where the judge wants the tensors. None where an argument
        # is a copy of what lies there (in another type, in other strides): that is made once the inputs have come.
        self.ready = []
        self.places = []  # of all calls, per tensor: where it is
        self.replay = None  # of an order by a graph
        self.wrong = None  # what its results lack, as its calls were captured
        self.copies = False  # it returns the same memory in several calls: each result is copied before the next
        self.seen = set()  # places of this order's results
        self.changing = {at for at, (role, *_) in enumerate(self.tensors) if role == "inout"}

    def view(self, one, dtype, offset, empty=torch.empty):
        """A tensor whose storage is these bytes and no others."""
        if one.count == 0:
            return empty(one.shape, dtype=dtype, device=self.device.name)
        return self.device.bytes(offset, one.count * dtype.itemsize).view(dtype).as_strided(one.shape, one.strides)

    def prepare(self, calls, tensors, others, graph):
        """Before the judge has written the inputs: what lies there now is anything, so nothing is computed."""
        stride, extents, fresh = tensors + others, self.extents // 8, False
        values = self.page.values(calls * stride)
        self.drop()
        for c in range(calls):
            row = values[c * stride:(c + 1) * stride]
            key = struct.pack(f"<{extents}Q", *row[stride - extents:])
            shapes = self.plans.get(key)
            if shapes is None:
                shapes, fresh = self.plans.setdefault(key, self.plan(key)), True
            ready = None if any(one.turn for one in shapes[0]) else self.arguments(shapes, row)
            self.ready.append((ready, shapes, row))
        # What a call does at its first time only, compiling above all, can't be captured: such an order goes without a graph.
        if graph and not fresh and self.function is not None:
            self.replay = self.device.capture(self.try_all)

    def drop(self):
        """What an order left: its results have been read."""
        self.ready.clear()
        self.kept.clear()
        self.places, self.replay, self.wrong = [], None, None

    def arguments(self, shapes, row):
        inputs, _, written_back = shapes
        arguments = []
        for one in inputs:
            seen = self.view(one, one.dtype, row[one.at])
            arguments.append(one.turn(seen) if one.turn else seen)
        given = list(arguments) if written_back else ()
        if self.order is not None:
            arguments += [unpack(struct.pack("<Q", row[at]))[0] for unpack, at in self.scalars]
            arguments = [arguments[i] for i in self.order]
        return arguments, given

    def deliver(self, results, outputs, row, is_type=driver.TENSOR_TYPES, strided=torch.strided):
        """Where each tensor of a call is. Exact form or nothing."""
        places = list(row[:len(self.tensors)])
        if not isinstance(results, (tuple, list)):
            results = () if results is None and not outputs else (results,)
        if len(results) != len(outputs):
            raise driver.WrongForm(f"{len(results)} results instead of {len(outputs)}")
        for i, (result, output) in enumerate(zip(results, outputs)):
            if type(result) not in is_type or result.dtype is not output.dtype or result.shape != output.shape:
                raise driver.wrong_form(i, result, output)
            if not output.count:
                continue
            if output.held is output.dtype and result.layout is strided and result.is_contiguous() and not result.is_neg():
                place = None if self.copies else self.device.place_of(result)
                if place is not None:
                    self.seen.add(place)
                    self.kept.append(result)
                    places[output.at] = place
                    continue
            self.view(output, output.held, row[output.at]).copy_(result)
        self.places += places

    def all(self):
        """The order's calls; once more with copies, and from then on, where a call has written over the result of another."""
        before = self.changed_by_calls() if self.changing and len(self.ready) > 1 and not self.copies else ()
        self.calls()
        if len(self.seen) < len(self.kept) and not self.copies:
            self.copies = True
            for tensor, was in before:
                tensor.copy_(was)
            self.calls()

    def changed_by_calls(self):
        """Tensors that the order's calls may change beside their results, with copies: once more they must find them as they were."""
        tensors = [self.view(one, one.dtype, row[one.at]) for _, (inputs, outputs, _), row in self.ready if outputs
                   for one in inputs if one.at in self.changing and one.count]
        return [(tensor, tensor.clone()) for tensor in tensors]

    def calls(self):
        function, deliver = self.function, self.deliver
        self.places.clear()
        self.seen.clear()
        self.kept.clear()  # of the same order, where it is run again
        for ready, shapes, row in self.ready:
            arguments, given = ready or self.arguments(shapes, row)
            inputs, outputs, _ = shapes
            results = function(*arguments)
            for one, other in zip(inputs, given):
                if one.written_back:
                    self.view(one, one.dtype, row[one.at]).copy_(other)
            deliver(results, outputs, row)

    def try_all(self):
        """The same while it is captured: a result of the wrong form is told when the order is run."""
        try:
            self.all()
        except driver.WrongForm as problem:
            self.wrong = problem

    def run(self, table=None, place=0):
        """As driver.py calls it, whose arguments say nothing here."""
        if self.function is None:
            self.device.nothing()  # the floor of the path
        elif self.replay is None:
            self.all()
        else:
            if self.wrong is not None:
                raise self.wrong
            self.replay()
        self.page.publish(self.places)
        self.device.wait()


def on_device(made, device):
    """A class's object with its parameters there; a function as it is."""
    return made.to(device.name) if isinstance(made, torch.nn.Module) else made


def said_of(problem, name):
    """As one_line, without the advice that PyTorch adds to each error of the device."""
    said = driver.one_line(problem, name)
    place = said[said.rfind(" ("):] if said.endswith(")") else ""
    for advice in (" Search for `", " CUDA kernel errors might", " Compile with `"):
        said = said.split(advice)[0]
    return said if said.endswith(place) else said + place


def serve(page, caller, device, payload, profilers, name):
    """Never returns."""
    now, runs, memory = time.perf_counter_ns, 0, caller.memory
    summarise, pack, run = driver.profiled, inductor_files.pack, Caller.run
    while True:
        _, what, calls, tensors, others, _, graph = page.next()
        outcome, start = driver.FINISHED, now()
        try:
            if what == PRIME:
                device.prime()
            elif what == PREPARE:
                caller.prepare(calls, tensors, others, graph)
            elif what == FILES:
                pack(memory, page.values(1)[0])
            else:
                runs += 1
                if profilers and runs > payload.quiet:
                    summarise(caller, None, 0, memory, payload.profile, profilers.pop(), run=run)
                else:
                    run(caller)
                if payload.pack:
                    pack(memory, payload.pack)
        except driver.WrongForm as problem:
            outcome = driver.WRONG_FORM
            driver.tell(str(problem))
        except BaseException as problem:
            outcome = driver.answer_to(problem, driver.EXCEPTION)
            driver.tell(said_of(problem, name))
        page.answer(outcome, now() - start)


def main(payload_descriptor, confine):
    """`confine` is called once the device has been opened, before any code of a candidate runs."""
    with os.fdopen(payload_descriptor, "rb") as f:
        f.seek(0)
        data = f.read()
    payload = driver.Payload(data)
    judged, size = map(int, payload.arena.split())
    if payload.cpus:
        os.sched_setaffinity(0, payload.cpus)
    page = Page(WORDS)
    try:
        device = DEVICE(ARENA, judged, size)
    except BaseException as problem:  # before any code of a candidate: the machine's own fault
        driver.tell(driver.one_line(problem, ""))
        os._exit(2)
    confine()
    os.environ["OMP_NUM_THREADS"] = str(payload.threads)
    torch.set_num_threads(payload.threads)
    inductor_files.give(payload.compiled or b"")
    os.environ["TRITON_CACHE_DIR"] = os.path.join(inductor_files.folder(), "triton")
    os.environ["TORCH_EXTENSIONS_DIR"] = os.path.join(inductor_files.folder(), "extensions")
    profilers = driver.profilers_of(payload)
    if profilers:
        device.watch_captures(driver.OBSERVERS)

    def reply(what):
        if os.write(driver.DONE, driver.ANSWER.pack(0, what, 0, 0)) != driver.ANSWER.size:
            os._exit(3)

    name = payload.texts[0].name if payload.texts else ""
    reply(driver.STARTED)
    try:
        caller = Caller(payload, device, page)
        caller.function = on_device(driver.function_of(payload, caller.memory), device)
        device.wait()
    except BaseException as problem:
        driver.tell(said_of(problem, name))
        reply(driver.answer_to(problem, driver.LOAD_FAILED))
        os._exit(0)
    gc.collect()
    gc.freeze()
    gc.disable()
    reply(driver.READY)
    with torch.no_grad(), device.results_in_arena():
        serve(page, caller, device, payload, profilers, name)
