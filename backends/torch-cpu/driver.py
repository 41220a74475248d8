"""Runs in a fork, beside the candidate: loads it, calls it when told to, writes its results as raw bytes.

It shares its address space with hostile code, so nothing that it says is believed: the judge takes its own time and compares
bytes that it copied itself, from memory that it mapped itself. Orders and answers are those of backends/judge/driver_wire.hpp.

The payload: lines "key value...", an empty line, then the texts in the order of their `text` lines.
    role model|function|maker|generator|describe|operators|nothing
    name NAME                  of the class or function
    threads N | seed N | cpus 0,1
    profile OFFSET             a summary of PyTorch's profiler goes there, for eight orders
    quiet N                    which come behind so many others
    pack OFFSET                after each order: what PyTorch's compiler has left goes there (inductor_files.py)
    wide 1                     in double precision: the truth
    init LITERAL               arguments of the class
    vary 64:1.0 64:0.0         parameters of so many elements that hold this number get others (varied.py)
    order tst                  the arguments of a call: a tensor, the next scalar
    tensor ROLE DTYPE SIZE RANK      SIZE: bytes of an element in memory; a fifth word `any`: may be a view of other strides
    strides N                  such tensors are views in every call, the first of kind N, the next of the next (layouts.py)
    scalar int|float
    dims M N | names x w       of a generator's problem, and of the inputs that it makes
    text FILE BYTES
    compiled BYTES             what was packed by an earlier process, behind the texts: PyTorch's compiler finds it
"""
import ast
import errno
import linecache
import mmap
import os
import random
import struct
import sys
import time
import traceback
import types

import torch
from torch._C._profiler import _ExperimentalConfig

import float8
import fused
import generated
import inductor_files
import layouts
import varied

MEMORY, GO, DONE = 3, 4, 5
STARTED, READY, FINISHED, LOAD_FAILED, OUT_OF_MEMORY, EXCEPTION, WRONG_FORM = 1, 3, 4, 5, 6, 7, 9
NO_DESCRIPTOR, NO_SPACE, REFUSED = 10, 11, 12
DISORDERED = 13
RESULTS_MAY_STAY = 1 << 31
ORDER, ANSWER = struct.Struct("<QQII"), struct.Struct("<QIIQ")
DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool, "f8e4m3": torch.float8_e4m3fn,
          "f8e5m2": torch.float8_e5m2}
CODES = list(DTYPES)  # the order of ke::dtype
TENSOR_TYPES = (torch.Tensor, torch.nn.Parameter)
# Of a backend that prepares more (fork_server.py): each gives lines for a profile's summary, on what it saw since it was asked last.
OBSERVERS = []


class WrongForm(Exception):
    """The call returned something that is not the outputs of the problem."""


def wrong_form(i, result, output):
    """Of a result that is no tensor, or one of another type or shape than the problem's."""
    if type(result) not in TENSOR_TYPES:
        return WrongForm(f"result {i} is a {type(result).__name__} instead of a tensor")
    if result.dtype is not output.dtype:
        return WrongForm(f"result {i} has the type {result.dtype} instead of {output.dtype}")
    return WrongForm(f"result {i} has the shape {list(result.shape)} instead of {list(output.shape)}")


class Text:
    def __init__(self, name, source):
        self.name, self.source = name, source


class Payload:
    def __init__(self, data):
        header, _, rest = data.partition(b"\n\n")
        self.role, self.name, self.threads, self.seed, self.wide, self.cpus = "nothing", "", 1, 0, 0, ()
        self.profile, self.quiet, self.pack, self.compiled = 0, 1, 0, None
        self.vary, self.strides, self.any_strides = "", None, []
        self.dims, self.names, self.arena = "", "", ""
        self.init, self.order, self.tensors, self.scalars, self.texts = "[]", "", [], [], []
        for line in header.decode().split("\n"):
            key, _, value = line.partition(" ")
            if key == "tensor":
                role, dtype, size, rank, *strides = value.split(" ")
                if strides == ["any"]:
                    self.any_strides.append(len(self.tensors))
                self.tensors.append((role, dtype, int(size), int(rank)))
            elif key == "scalar":
                self.scalars.append("<q" if value == "int" else "<d")
            elif key == "text":
                name, _, size = value.rpartition(" ")
                self.texts.append(Text(name, rest[: int(size)].decode("utf-8", "replace")))
                rest = rest[int(size):]
            elif key == "compiled":
                self.compiled, rest = rest[: int(value)], rest[int(value):]
            elif key in ("threads", "seed", "wide", "profile", "quiet", "pack", "strides"):
                setattr(self, key, int(value))
            elif key == "cpus":
                self.cpus = tuple(int(c) for c in value.split(",") if c)
            else:
                setattr(self, key, value)


def warm_up():
    """Once, in the parent: what every candidate would otherwise pay for, on one thread."""
    torch.set_num_threads(1)
    x = torch.ones(4, 4)
    with torch.no_grad():
        torch.softmax(torch.nn.Linear(4, 4)(x) @ x, 1).sum().item()


def module_of(text):
    """Runs a source as a module of its own."""
    module = types.ModuleType(os.path.splitext(text.name)[0])
    module.__file__ = text.name
    sys.modules[module.__name__] = module
    linecache.cache[text.name] = (len(text.source), None, text.source.splitlines(True), text.name)
    exec(compile(text.source, text.name, "exec"), module.__dict__)
    return module


def one_line(problem, name):
    """An exception as "Type: text (file:line)", the place being the last one inside of `name`."""
    line = None
    if isinstance(problem, SyntaxError) and problem.filename == name:
        line, said = problem.lineno, problem.msg
    else:
        said = str(problem)
        for frame in traceback.extract_tb(problem.__traceback__):
            if frame.filename == name:
                line = frame.lineno
    said = " ".join(f"{type(problem).__name__}: {said}".split())[:300]
    return said + (f" ({name}:{line})" if line else "")


def tell(text):
    """The last line of the log is the reason."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception:
        pass
    os.write(2, ("\n" + text + "\n").encode())


def seed_all(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def out_of_memory(problem):
    return isinstance(problem, MemoryError) or (
        isinstance(problem, (RuntimeError, OSError))
        and ("allocate memory" in str(problem) or "out of memory" in str(problem) or getattr(problem, "errno", None) == errno.ENOMEM))


def answer_to(problem, otherwise):
    """What to tell the judge of an exception: which limit it ran into, if it did."""
    if out_of_memory(problem):
        return OUT_OF_MEMORY
    limits = {errno.EMFILE: NO_DESCRIPTOR, errno.ENFILE: NO_DESCRIPTOR, errno.ENOSPC: NO_SPACE, errno.EDQUOT: NO_SPACE,
              errno.EPERM: REFUSED}
    return limits.get(problem.errno, otherwise) if isinstance(problem, OSError) else otherwise


def named(module, names, kind):
    for name in names:
        if hasattr(module, name):
            return getattr(module, name)
    raise NameError(f"the file defines no {kind} `{names[0]}`")


def made_by(kind, arguments, seed, keys):
    """An object of the class; its parameters that hold a constant of `keys` get other values (varied.py)."""
    seed_all(seed)
    with varied.constants(seed, keys):
        return kind(*arguments)


def model(module, payload):
    made = made_by(named(module, [payload.name], "class"), ast.literal_eval(payload.init), payload.seed, varied.keys_of(payload.vary))
    if payload.wide:
        if isinstance(made, torch.nn.Module):
            made = made.double()
        torch.set_default_dtype(torch.float64)
    return made


def inputs_of(module, seed):
    seed_all(seed)
    return list(named(module, ["get_inputs"], "function")())


def describe(module, payload, memory):
    """Tells the judge what the problem's tensors are, at the start of the memory."""
    init = named(module, ["get_init_inputs"], "function")()
    literal = repr(list(init))
    try:
        ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        raise ValueError("get_init_inputs() must give numbers, texts, and lists of them") from None
    if "\n" in literal:
        raise ValueError("get_init_inputs() gives a text of several lines")
    inputs = inputs_of(module, payload.seed)
    entries = [entry(value, f"argument {i} of get_inputs()", False) for i, value in enumerate(inputs)]
    kind = named(module, ["Model"], "class")
    made = made_by(kind, init, payload.seed, ())
    runs, took = [], []
    with torch.no_grad():
        for _ in range(2):
            start = time.perf_counter()
            results = made(*[x.clone() if isinstance(x, torch.Tensor) else x for x in inputs])
            took.append(time.perf_counter() - start)
            runs.append(results if isinstance(results, (tuple, list)) else (results,))
    results = runs[0]
    for first, second in zip(*runs):
        if isinstance(first, torch.Tensor) and not torch.allclose(float8.plain(first), float8.plain(second), 1e-3, 1e-3, equal_nan=True):
            raise ValueError("Model gives other results for the same inputs: it draws random numbers or keeps a state")
    results = [entry(value, f"result {i} of Model", True) for i, value in enumerate(results)]
    trial = varied.Trial(lambda keys: made_by(kind, init, payload.seed, keys), inputs, inputs_of(module, payload.seed + 1))
    drawn = [i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and freedom(x)]
    keys, places, notes = trial.run(made, min(took), made_by(kind, init, payload.seed + 1, ()), drawn)
    for i in places:
        kind = trial.kind(i)
        entries[i] = entry(inputs[i], "", False, 5 if kind == "mask" else 6 if kind == "fixed" else 3 if structured(inputs[i]) else 4)
    entries += results
    text = "\n".join([literal, varied.text_of(keys)] + notes).encode()
    data = struct.pack("<II", len(entries), len(text)) + b"".join(entries) + text
    if len(data) > len(memory):
        raise ValueError("too many tensors, or arguments too long")
    memory[: len(data)] = data


def operators(memory):
    """Tells the judge the names that PyTorch's operators have here: others in a profile are a candidate's own words. Behind those
    that are a layer by themselves stands of which families."""
    names = sorted({name.split(".")[0] for name in torch._C._dispatch_get_all_op_names()})
    families = fused.table(names)
    text = "".join(" ".join([name] + families.get(name, [])) + "\n" for name in names).encode()
    if len(text) > len(memory):
        raise ValueError("too many operators")
    memory[: len(text)] = text


def freedom(x):
    """What the judge may make of an input: 0 other values of get_inputs() alone (a limited domain, or a few values that mean
    something); 1 other values in the same places (zeros and equal elements may be a structure that a candidate relies on);
    2 anything, anywhere. 3 and 4: as 1 and 2, and of the other sign, which no draw has; 5 a mask; 6 the same in each draw (numbers, too)."""
    values = 4096 if x.dtype not in float8.TYPES else 256  # eight bits have few
    x = float8.plain(x)
    if not x.is_floating_point() or x.numel() == 0 or not ((x < 0).any() and (x > 0).any()):
        return 0
    if x.flatten()[:4096].unique().numel() < min(x.numel(), values) // 16:
        return 0
    return 1 if structured(x) else 2


def structured(x):
    x = float8.plain(x)
    square = [(i, j) for i in range(x.dim()) for j in range(i) if 1 < x.shape[i] == x.shape[j]]
    return any(torch.equal(x.abs(), x.transpose(i, j).abs()) for i, j in square) or int((x == 0).sum()) * 1000 > x.numel()


def entry(value, what, result, free=None):
    if isinstance(value, torch.Tensor):
        dtype = next((i for i, name in enumerate(CODES) if DTYPES[name] is value.dtype), None)
        if dtype is None or value.dim() > 8:
            raise ValueError(f"{what} is a tensor of {value.dtype} with {value.dim()} dimensions; known are {', '.join(CODES)}, and 8")
        extents = list(value.shape) + [0] * (8 - value.dim())
        free = 0 if result else freedom(value) if free is None else free
        return struct.pack("<cBBB4x8q", b"o" if result else b"t", dtype, value.dim(), free, *extents)
    if not result and isinstance(value, (bool, int)):
        return struct.pack("<cBBB4xq56x", b"n", 0, 0, 0, int(value))
    if not result and isinstance(value, float):
        return struct.pack("<cBBB4xd56x", b"f", 0, 0, free or 0, value)
    raise ValueError(f"{what} is a {type(value).__name__}; tensors and numbers are supported")


class Input:
    """How one argument of these shapes is made: `turn` makes it another view or type of what lies in the memory."""
    __slots__ = ("at", "dtype", "count", "shape", "strides", "turn", "written_back")

    def __init__(self, at, dtype, shape, turn=None, written_back=False):
        self.at, self.dtype, self.shape, self.turn, self.written_back = at, dtype, shape, turn, written_back
        self.count, self.strides = row_major(shape)


class Output:
    """What a result of these shapes must be, and where in the memory it belongs: `held` is the type there."""
    __slots__ = ("at", "dtype", "held", "count", "shape", "strides")

    def __init__(self, at, dtype, held, shape):
        self.at, self.dtype, self.held, self.shape = at, dtype, held, torch.Size(shape)
        self.count, self.strides = row_major(shape)


def row_major(shape):
    """How many elements, and the strides."""
    count, strides = 1, []
    for extent in reversed(shape):
        strides.append(count)
        count *= extent
    return count, tuple(reversed(strides))


class Caller:
    """One order: views of the judge's memory, the call, the results.

    All of this is inside of what is timed, and code of the candidate can leave it out: so it is little. What follows from the shapes
    is made once for each of them. What a call needs is bound as a default before any code of a candidate runs: no name that it
    can put another function in the place of is looked up again."""

    def __init__(self, payload, memory, function=None, start=None):
        """`start`: the memory's address, where it is not this host's."""
        self.memory, self.function = memory, function
        self.start = torch.frombuffer(memory, dtype=torch.uint8).data_ptr() if start is None else start
        self.tensors = []
        for role, dtype, size, rank in payload.tensors:
            kind = DTYPES[dtype]
            # Of eight bits results alone are doubles: what an input becomes the reference says.
            widens = payload.wide and kind.is_floating_point and (kind not in float8.TYPES or size == 8)
            self.tensors.append((role, torch.float64 if widens and size == 8 else kind, widens, rank))
        self.scalars = [(struct.Struct(s).unpack_from, len(self.tensors) + i) for i, s in enumerate(payload.scalars)]
        self.extents = 8 * sum(rank for *_, rank in self.tensors)  # bytes, one behind the other
        order = payload.any_strides if payload.strides is not None else []
        self.kinds = {t: payload.strides + i for i, t in enumerate(order)}  # of views, by tensor
        inputs = sum(role != "out" for role, *_ in self.tensors)
        tensors, numbers = iter(range(inputs)), iter(range(inputs, inputs + len(self.scalars)))
        self.order = [next(tensors if kind == "t" else numbers) for kind in payload.order]
        if self.order == list(range(inputs)):
            self.order = None  # as they are made
        self.plans = {}  # by the bytes of all extents
        self.kept = []  # results that stay, until the next order

    def plan(self, extents, Input=Input, Output=Output, strided=layouts.view_of, number=int.from_bytes, double=torch.Tensor.double):
        """Inputs, outputs and whether an input is written back, of tensors with these extents."""
        numbers, inputs, outputs = iter([number(extents[i:i + 8], "little") for i in range(0, len(extents), 8)]), [], []
        for at, (role, dtype, widens, rank) in enumerate(self.tensors):
            shape = tuple(next(numbers) for _ in range(rank))
            if role == "out":
                outputs.append(Output(at, torch.float64 if widens else dtype, dtype, shape))
            elif at in self.kinds:
                inputs.append(Input(at, dtype, shape, lambda x, kind=self.kinds[at]: strided(x, kind), role == "inout"))
            else:
                inputs.append(Input(at, dtype, shape, double if widens else None))
        return inputs, outputs, any(one.written_back for one in inputs)

    def view(self, one, dtype, offset, empty=torch.empty, frombuffer=torch.frombuffer, shaped=torch.Tensor.as_strided_):
        if one.count == 0:
            return empty(one.shape, dtype=dtype)
        flat = frombuffer(self.memory, dtype=dtype, count=one.count, offset=offset)
        return flat if len(one.shape) == 1 else shaped(flat, one.shape, one.strides)

    def written(self, results, outputs, table, place, view=view, put=struct.Struct("<Q").pack_into, strided=torch.strided):
        """The results as bytes in the judge's memory, or in their own if `place` takes their addresses. Exact form or nothing."""
        if not isinstance(results, (tuple, list)):
            results = () if results is None and not outputs else (results,)
        if len(results) != len(outputs):
            raise WrongForm(f"{len(results)} results instead of {len(outputs)}")
        for i, (result, output) in enumerate(zip(results, outputs)):
            if type(result) not in TENSOR_TYPES or result.dtype is not output.dtype or result.shape != output.shape:
                raise wrong_form(i, result, output)
            offset = table[output.at]
            if output.count and result.layout is strided:
                address = result.data_ptr()
                if address == self.start + offset:
                    raise WrongForm(f"result {i} is in the memory that the judge reads, where nobody was sent")
                if (place and output.held is output.dtype and result.is_cpu and result.is_contiguous() and not result.is_neg()):
                    self.kept.append(result)
                    put(self.memory, place + 8 * output.at, address)
                    continue
            view(self, output, output.held, offset).copy_(result)

    def run(self, table, place=0, view=view, written=written, plan=plan):
        """`table`: offsets of the tensors, of the scalars, of the dims, then of every extent. `place`: where it is in the memory,
        if results may stay where they are."""
        memory = self.memory
        self.kept.clear()
        end = table[-1] + 8 if self.extents else 0
        extents = memory[end - self.extents:end]
        shapes = self.plans.get(extents)
        if shapes is None:
            shapes = self.plans[extents] = plan(self, extents)
        inputs, outputs, written_back = shapes
        arguments = []
        for one in inputs:
            seen = view(self, one, one.dtype, table[one.at])
            arguments.append(one.turn(seen) if one.turn else seen)
        if self.function is None:
            return
        given = list(arguments) if written_back else ()
        if self.order is not None:
            arguments += [unpack(memory, table[at])[0] for unpack, at in self.scalars]
            arguments = [arguments[i] for i in self.order]
        results = self.function(*arguments)
        for one, other in zip(inputs, given):
            if one.written_back:
                view(self, one, one.dtype, table[one.at]).copy_(other)
        written(self, results, outputs, table, place)


def function_of(payload, memory):
    """What an order calls. Runs the source."""
    function = function_in(payload, memory)
    eight_bits = any(DTYPES[dtype] in float8.TYPES for _, dtype, *_ in payload.tensors)
    return float8.widened(function) if payload.wide and eight_bits else function


def function_in(payload, memory):
    if payload.role == "nothing":
        return None
    if payload.role == "operators":
        return operators(memory)
    module = module_of(payload.texts[0])
    if payload.role == "describe":
        return describe(module, payload, memory)
    if payload.role == "maker":
        return lambda seed: tuple(x for x in inputs_of(module, int(seed[0])) if isinstance(x, torch.Tensor))
    if payload.role == "generator":
        return generated.maker(named(module, [payload.name], "function"), payload, DTYPES, seed_all,
                               lambda problem: one_line(problem, payload.texts[0].name), out_of_memory)
    if payload.role == "model":
        return model(module, payload)
    if payload.wide:
        torch.set_default_dtype(torch.float64)
    return named(module, payload.name.split(","), "function")


def callers(events, key="by"):
    """Lines "by US NAME CALLER" of all threads: how long each operator took, with all that it called, for each who called it."""
    spent = {}
    for e in events:
        who = (e.name, e.cpu_parent.name if e.cpu_parent else "-")
        spent[who] = spent.get(who, 0) + e.time_range.elapsed_us()
    most = sorted(spent.items(), key=lambda item: -item[1])[:200]
    return [f"{key} {us:.3f} {'_'.join(name.split())} {'_'.join(by.split())}" for (name, by), us in most]


def profiled(caller, table, place, memory, at, profiler, run=Caller.run):
    """One order with the candidate, and nothing else, under PyTorch's profiler; leaves a summary and a timeline in the memory
    (backends/evidence/torch_profile.hpp)."""
    function, now, took = caller.function, time.perf_counter_ns, []

    def watched(*arguments):
        with profiler:
            start = now()
            result = function(*arguments)
            took.append(now() - start)
            return result

    caller.function = watched
    for observer in OBSERVERS:
        observer()
    try:
        run(caller, table, place)
    finally:
        caller.function = function
    rows = sorted(profiler.key_averages(), key=lambda row: -row.self_cpu_time_total)
    lines = [f"total {sum(row.self_cpu_time_total for row in rows):.3f} {sum(row.count for row in rows)}"]
    lines += [f"{row.self_cpu_time_total:.3f} {row.count} {row.key}" for row in rows[:10]]
    lines += [line for observer in OBSERVERS for line in observer()]
    lines += [f"called {sum(took) / 1e3:.3f}"] + callers(profiler.function_events)
    events = sorted(profiler.function_events, key=lambda e: (e.time_range.start, -e.time_range.end))
    events = [e for e in events if e.thread == events[0].thread][:400]
    lines += ["timeline"]
    lines += [f"{e.time_range.start - events[0].time_range.start:.3f} {e.time_range.elapsed_us():.3f} {e.name}" for e in events]
    text = "".join(line + "\n" for line in lines).encode()[: len(memory) - at - 4]
    text = text[: text.rfind(b"\n") + 1]
    memory[at: at + 4 + len(text)] = struct.pack("<I", len(text)) + text


def profilers(count):
    """Each is good for one use. Not torch.profiler.profile: its first use imports the compiler, 1.4 s of processor time."""
    config = _ExperimentalConfig(profile_all_threads=True)
    return [torch.autograd.profiler.profile(experimental_config=config) for _ in range(count)]


def profilers_of(payload):
    """One for each order, made before the candidate can put others in their place."""
    return profilers(8) if payload.profile else []


def main(payload_descriptor, confine=None):
    """`confine` is called once the processors are chosen, before any code of a candidate runs."""
    read, write, now = os.read, os.write, time.perf_counter_ns
    with os.fdopen(payload_descriptor, "rb") as f:
        f.seek(0)
        payload = Payload(f.read())
    if payload.cpus:
        os.sched_setaffinity(0, payload.cpus)
    if confine:
        confine()
    # Somewhere else than in every other fork, whose address space looks the same.
    keep = mmap.mmap(-1, mmap.PAGESIZE * (1 + int.from_bytes(os.urandom(2), "little")), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory = mmap.mmap(MEMORY, 0, mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
    os.close(MEMORY)
    os.environ["OMP_NUM_THREADS"] = str(payload.threads)
    torch.set_num_threads(payload.threads)
    if payload.compiled is not None:
        inductor_files.give(payload.compiled)
    name = payload.texts[0].name if payload.texts else ""

    def reply(sequence, what, took=0):
        if write(DONE, ANSWER.pack(sequence, what, 0, took)) != ANSWER.size:
            os._exit(3)

    profilers = profilers_of(payload)
    summarise, run, unpack_order, order_size, quiet = profiled, Caller.run, ORDER.unpack, ORDER.size, payload.quiet
    reply(0, STARTED)  # before any code of the candidate
    try:
        caller = Caller(payload, memory)  # all of it before any code of the candidate
        caller.function = function_of(payload, memory)
    except BaseException as problem:
        tell(one_line(problem, name))
        reply(0, answer_to(problem, LOAD_FAILED))
        os._exit(0)
    reply(0, READY)

    def receive(size):
        data = read(GO, size)
        while len(data) < size:
            more = read(GO, size - len(data))
            if not more:
                os._exit(0)  # the judge has no further order
            data += more
        return data

    with torch.no_grad():
        while True:
            sequence, place, calls, count = unpack_order(receive(order_size))
            place, count = place if count & RESULTS_MAY_STAY else 0, count & ~RESULTS_MAY_STAY
            call, done = struct.Struct(f"<QQ{count}Q"), 0
            outcome, start = FINISHED, now()
            try:
                while done < calls:  # where the next one's tensors are stays unknown until this one has ended
                    of, number, *table = call.unpack(receive(call.size))
                    done += 1
                    if (of, number) != (sequence, done - 1):
                        outcome = DISORDERED
                        break
                    if profilers and sequence > quiet:
                        summarise(caller, table, place, memory, payload.profile, profilers.pop())
                    else:
                        run(caller, table, place)
                if payload.pack:
                    inductor_files.pack(memory, payload.pack)
            except (WrongForm, generated.Unfit) as problem:
                outcome = WRONG_FORM
                tell(str(problem))
            except BaseException as problem:
                outcome = answer_to(problem, EXCEPTION)
                tell(one_line(problem, name))
            for _ in range(done, calls):  # what came to an early end leaves nothing for the next order
                receive(call.size)
            reply(sequence, outcome, now() - start)
    del keep
