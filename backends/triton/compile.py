"""Compiles a candidate's Triton and Gluon kernels ahead of time, where there is no device, and writes what their code is made of.

    compile.py --arch 90 [--arch 100] CANDIDATE.py CALLS.json -o OUTPUT

Imports PyTorch and Triton, reads the files as bytes, and forks; the fork enters a sandbox of its own (box.py, as variable KE_FORKS says) before it
looks at the source. It shares its process with the candidate's host code, so nothing it writes is believed for more than a hint. The candidate is called for each workload on tensors that have a shape, a type and an address, but no memory (PyTorch's fake tensors, on a
CUDA device that need not be there), or on the CPU's if its host code reads values; each launch is compiled with the signature that these arguments give, and is
not run. Every architecture has a process of its own; what one of them lacks is no failure while another one has it. CALLS.json is written by backends/evaluation/launch_cases.hpp. OUTPUT holds lines `static.sm_90.KERNEL.WHAT = NUMBER`, read by
backends/evidence/static_metrics.hpp. Exit code 1: the last line of stderr says what does not compile, as `candidate.py:LINE: error: ...`.
"""
import argparse
import contextlib
import gc
import inspect
import io
import json
import linecache
import os
import re
import resource
import subprocess
import sys
import tempfile
import traceback
import types

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["TRITON_DUMP_PTXAS_LOG"] = os.environ["TRITON_ALWAYS_COMPILE"] = "1"  # its words are read below
os.environ.pop("TRITON_INTERPRET", None)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import box  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
import triton.testing  # noqa: E402
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.backends.driver import DriverBase  # noqa: E402
from triton.runtime.jit import JITFunction  # noqa: E402

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool, "f8e4m3": torch.float8_e4m3fn,
          "f8e5m2": torch.float8_e5m2}
PROPERTIES = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32, "sm_clock_rate": 1980000,
              "mem_clock_rate": 3201000, "mem_bus_width": 6144}
FILTER = 4  # the descriptor of the filter on system calls
MOST_KERNELS = 16
LONGEST_NAME = 32

# By the beginning of the mnemonic; an instruction is of the first class that fits.
CLASSES = [("tensor", r"[HQIBDO]G?MMA|UTC[A-Z]*MMA"), ("async_copy", r"LDGSTS|UBLKCP|UTMA|UBLKRED"), ("global_load", r"LDG?(\.|$)"),
           ("global_store", r"STG?(\.|$)"), ("shared_load", r"LDS"), ("shared_store", r"STS"), ("local", r"LDL|STL"),
           ("atomic", r"ATOM|RED(\.|$)"), ("special", r"MUFU"), ("barrier", r"BAR|SYNCS|WARPSYNC|UCGABAR|BSYNC"),
           ("branch", r"BRA|BRX|JMP|CALL|RET"), ("fp64", r"DFMA|DADD|DMUL"), ("fp16", r"HFMA2|HADD2|HMUL2"), ("fp32", r"FFMA|FADD|FMUL")]
CLASSES = [(name, re.compile(begin)) for name, begin in CLASSES]
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9_.]*)", re.M)


class Refused(Exception):
    """One clause of why the candidate can't be compiled."""


class Utils:
    def get_device_properties(self, device):
        return dict(PROPERTIES)


class Driver(DriverBase):
    """Of devices that are not there: their number is their architecture."""

    def __init__(self, architectures):
        self.utils, self.architectures, self.now = Utils(), architectures, architectures[0]

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        return ty

    def get_current_target(self):
        return GPUTarget("cuda", self.now, 32)

    def get_current_device(self):
        return self.now

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        return torch.device("cuda", 0)

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        return first_is_best()


def first_is_best():
    """A benchmark that runs nothing: of a kernel that tunes itself the first configuration is compiled."""
    calls = iter(range(1 << 30))

    def measured(call, *unused, quantiles=None, **options):
        milliseconds = float(next(calls))
        return [milliseconds] * len(quantiles) if quantiles else milliseconds

    return measured


def stand_in_for_cuda():
    """What host code asks of torch.cuda, answered for a device that is not there."""
    facts = types.SimpleNamespace(name="NVIDIA H200", major=9, minor=0, multi_processor_count=PROPERTIES["multiprocessor_count"],
                                  max_threads_per_multi_processor=2048, total_memory=141 << 30, warp_size=32,
                                  shared_memory_per_multiprocessor=233472, L2_cache_size=50 << 20)
    torch.cuda.synchronize = lambda device=None: None
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 1
    torch.cuda.get_device_capability = lambda device=None: (facts.major, facts.minor)
    torch.cuda.get_device_properties = lambda device=None: facts


class Address:
    """A tensor as Triton's signatures see it. The memory of a tensor is aligned; a view's begin may not be."""

    def __init__(self, tensor):
        self.dtype, self.shape = tensor.dtype, tensor.shape
        self.at = tensor.storage_offset() * tensor.element_size()
        self.strides, self.width = tensor.stride(), tensor.element_size()

    def data_ptr(self):
        return 4096 + self.at

    def ptr_range(self):
        return 0

    def stride(self):
        return self.strides

    def element_size(self):
        return self.width


def addresses(value):
    if isinstance(value, torch.Tensor):
        return Address(value)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(addresses(x) for x in value)
    if type(value).__name__ == "TensorDescriptor" and hasattr(value, "base"):
        value.base = addresses(value.base)
    elif hasattr(value, "base") and isinstance(getattr(value, "base"), torch.Tensor):  # triton.reinterpret
        return Address(value.base.view(value.dtype)) if isinstance(value.dtype, torch.dtype) else value
    return value


class Recorder:
    """Stands in for a launch: compiles it for every architecture, once for each signature."""

    def __init__(self, driver, compile_launch):
        self.driver, self.compile_launch = driver, compile_launch
        self.compiled = {}  # by architecture and name: the largest kernel of that name, its assembler's words
        self.launches = 0

    def run(self, function, *arguments, grid, warmup, **options):
        self.launches += not warmup
        arguments = [addresses(x) for x in arguments]
        options = {name: addresses(x) for name, x in options.items()}
        if callable(grid):
            bound = inspect.signature(function.fn).bind_partial(*arguments, **{n: x for n, x in options.items() if n in function.arg_names})
            bound.apply_defaults()
            grid = grid(dict(bound.arguments))
        if not warmup and not all(isinstance(extent, int) and extent >= 0 for extent in grid):
            raise Refused(f"the grid of {function.fn.__name__} is {grid!r}, not one to three whole numbers")
        kernel = None
        for self.driver.now in self.driver.architectures:
            words = io.StringIO()
            with contextlib.redirect_stdout(words):
                kernel = self.compile_launch(function, *arguments, grid=grid, warmup=True, **options)
            if kernel is not None:
                self.keep(self.driver.now, function.fn.__name__[:LONGEST_NAME], kernel, words.getvalue())
        self.driver.now = self.driver.architectures[0]
        return kernel

    def keep(self, architecture, name, kernel, words):
        """Of several specialisations the one with the most code stands for all."""
        key = (architecture, name)
        known = self.compiled.get(key)
        if known and known[0].hash == kernel.hash:
            return
        if known is None and len(self.compiled) >= MOST_KERNELS * len(self.driver.architectures):
            return
        if known is None or len(known[0].asm["cubin"]) < len(kernel.asm["cubin"]):
            self.compiled[key] = (kernel, words)


def numbers_of(words):
    """What the assembler (ptxas -v) says of the one entry of a module."""
    found = {}
    for what, pattern in (("registers", r"Used (\d+) registers"), ("barriers", r"used (\d+) barriers"), ("stack_bytes", r"(\d+) bytes stack frame")):
        if match := re.search(pattern, words):
            found[what] = int(match.group(1))
    spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", words)
    if spills:
        found["spill_bytes"] = sum(map(int, spills))
    return found


def mix_of(cubin):
    """Instructions by class, from the disassembly. Static counts, whatever the times a line runs."""
    tool = os.path.join(os.path.dirname(triton.__file__), "backends/nvidia/bin/cuobjdump")
    path = os.path.abspath("kernel.cubin")
    with open(path, "wb") as f:
        f.write(cubin)
    # The disassembler lies beside it, and is looked for on the path.
    said = subprocess.run([tool, "-sass", path], capture_output=True, text=True, timeout=60,
                          env={"PATH": os.path.dirname(tool) + ":/usr/bin:/bin", "TMPDIR": os.path.abspath(".")})
    os.unlink(path)
    found = {}
    for word in INSTRUCTION.findall(said.stdout):
        if word.startswith("NOP"):
            continue
        found["insn.total"] = found.get("insn.total", 0) + 1
        name = next((name for name, begin in CLASSES if begin.match(word)), None)
        if name:
            found["insn." + name] = found.get("insn." + name, 0) + 1
            if word.startswith(("LDG", "STG")) and ".128" in word:
                found["insn.global_wide"] = found.get("insn.global_wide", 0) + 1
    return found


def lines_of(recorder):
    lines = []
    for (architecture, name), (kernel, words) in sorted(recorder.compiled.items()):
        facts = {"warps": kernel.metadata.num_warps, "shared_bytes": kernel.metadata.shared, "code_bytes": len(kernel.asm["cubin"])}
        facts |= numbers_of(words) | mix_of(kernel.asm["cubin"])
        lines += [f"static.sm_{architecture}.{name}.{what} = {number}" for what, number in facts.items()]
    return lines


def module_of(file, source):
    """Runs a source as a module of its own, whose file is nowhere."""
    module = types.ModuleType(os.path.splitext(file)[0])
    module.__file__ = file
    sys.modules[module.__name__] = module
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), module.__dict__)
    return module


def entry_of(module, names, what):
    for name in names:
        if hasattr(module, name):
            return getattr(module, name)
    raise Refused(f"the file defines no {what} `{names[0]}`")


def arguments_of(call, device):
    """A call's tensors and numbers."""
    return [torch.zeros(one["shape"], dtype=DTYPES[one["dtype"]], device=device) if "dtype" in one else one["value"]
            for one in call["arguments"]]


def on(device, values):
    return [x.to(device) if isinstance(x, torch.Tensor) else x for x in values]


def move(model, device):
    """As model.to(device), which does not take fake tensors."""
    for part in model.modules():
        for name, parameter in part._parameters.items():
            if parameter is not None:
                part._parameters[name] = torch.nn.Parameter(parameter.to(device), requires_grad=False)
        for held in (part._buffers, vars(part)):
            held.update({name: x.to(device) for name, x in held.items() if isinstance(x, torch.Tensor)})


def play(candidate, cases, device):
    """Calls the candidate as the judge would."""
    if not cases["kernelbench"]:
        for call in cases["calls"]:
            candidate(*arguments_of(call, device))
        return
    problem = module_of("problem.py", cases["problem"])
    model = candidate(*entry_of(problem, ["get_init_inputs"], "function")())
    if isinstance(model, torch.nn.Module):
        move(model, device)
    model(*on(device, entry_of(problem, ["get_inputs"], "function")()))


def play_without_memory(candidate, cases):
    """Where the host code reads values, on the CPU's tensors: these have some."""
    try:
        with torch.no_grad(), FakeTensorMode(allow_non_fake_inputs=True):
            play(candidate, cases, "cuda:0")  # with its number: else PyTorch would look for the current device
    except (DataDependentOutputException, DynamicOutputShapeException):
        with torch.no_grad():
            play(candidate, cases, "cpu")


def place_in(problem, path):
    """The last line of the candidate that an exception came by."""
    line = None
    at = problem
    while at is not None:
        if isinstance(at, SyntaxError) and at.filename == path:
            return at.lineno
        for frame in traceback.extract_tb(at.__traceback__):
            if frame.filename == path:
                line = frame.lineno
        at = at.__cause__ or at.__context__
    return line


def compiler_words(problem):
    """Triton's own error: the innermost cause has the reason and the line of the kernel."""
    line, said = None, str(problem)
    at = problem
    while at is not None:
        node, source = getattr(at, "node", None), getattr(at, "src", None)
        if node is not None and source:
            line, said = getattr(node, "lineno", None), getattr(at, "error_message", None) or str(at.__cause__ or "") or said
        at = at.__cause__
    return line, said


def one_line(problem, path, kernels):
    """`candidate.py:LINE: error: TYPE: text`."""
    line = place_in(problem, path)
    said = str(problem)
    if type(problem).__module__.startswith("triton.compiler"):
        within, said = compiler_words(problem)
        begin = kernels.get(getattr(problem, "src", None))
        if within and begin:
            line = begin + within - 1
        if not said:
            said = str(problem)
    kind = "" if isinstance(problem, Refused) else type(problem).__name__ + ": "
    said = " ".join(said.split())[:300]
    return f"candidate.py{f':{line}' if line else ''}: error: {kind}{said}"


def compiled(source, cases, architectures):
    """The lines of OUTPUT."""
    driver = Driver(architectures)
    triton.runtime.driver.set_active(driver)
    recorder = Recorder(driver, JITFunction.run)
    kernels = {}  # by source text: the first line in the file

    def run(function, *arguments, grid, warmup, **options):
        kernels[function.src] = function.starting_line_number + len(function.raw_src) - len(function.src.splitlines())
        return recorder.run(function, *arguments, grid=grid, warmup=warmup, **options)

    JITFunction.run = run
    stand_in_for_cuda()
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = first_is_best()
    try:
        module = module_of("candidate.py", source)
        names = ["ModelNew"] if cases["kernelbench"] else ["kernel", "reference"]
        play_without_memory(entry_of(module, names, "class" if cases["kernelbench"] else "function"), cases)
        if not recorder.compiled and not cases["is_reference"]:
            raise Refused("it launches no kernel of Triton: define one with @triton.jit, and launch it on the tensors that are given")
        return lines_of(recorder)
    except BaseException as problem:
        sys.stdout.flush()
        raise SystemExit(one_line(problem, "candidate.py", kernels)) from None


def fork():
    """A process in a sandbox of its own, with an empty scratch as its folder; 0 in it. What the machine refuses is told as its launcher would."""
    mode, *numbers = os.environ.get("KE_FORKS", "open 0 64 256 17179869184 268435456 16384").split()
    user, processes, descriptors, memory, scratch, inodes = map(int, numbers)
    gc.collect()
    try:
        boxed = mode != "open"
        if boxed:
            box.prepare()
        pid = box.fork(boxed)
        if pid == 0:
            files = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            box.enter(box.Limits(user if mode == "users" else 0, processes, boxed, memory, scratch if files < 0 else min(files, scratch), scratch,
                                 descriptors, inodes), box.read_filter(FILTER) if boxed else b"", box.address_space())
            if not boxed:
                os.chdir(tempfile.mkdtemp(prefix="ke-triton-"))
            tempfile.tempdir = None
            os.environ["TRITON_CACHE_DIR"] = os.path.abspath("triton")
        return pid
    except OSError as problem:
        os.write(2, f"bwrap: {problem}\n".encode())
        os._exit(1)


def code_of(lines_made, output):
    """The exit code of a process that appends these lines to the output."""
    pid = fork()
    if pid == 0:
        os.write(output, "".join(line + "\n" for line in lines_made()).encode())
        sys.stdout.flush()
        os._exit(0)  # nothing that the candidate left behind runs
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--arch", type=lambda name: int(name.removeprefix("sm_")), action="append", required=True)
    words.add_argument("candidate")
    words.add_argument("cases")
    words.add_argument("-o", dest="output", required=True)
    given = words.parse_args()
    source, cases = text_of(given.candidate), json.loads(text_of(given.cases))
    if cases["kernelbench"]:
        cases["problem"] = text_of(os.path.join(os.path.dirname(given.cases), "problem.py"))
    output = os.open(given.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    # By one process each: what another architecture has not ends the compiler, not only a compilation.
    codes = [code_of(lambda arch=arch: compiled(source, cases, [arch]), output) for arch in given.arch]
    os._exit(0 if 0 in codes else codes[0])


if __name__ == "__main__":
    main()
