"""NVIDIA's device as a fork has it (device_orders.py), and what the warm parent may prepare of it: everything but a context, which no fork
could inherit.

libcuda is called by its binary interface, in the context that PyTorch uses as well.
"""
import contextlib
import ctypes
import os
import sys

import torch

import captures
import device_orders

NOTHING = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry ke_nothing() { ret; }\n\0"
FILE_DESCRIPTOR, ON_DEVICE, READ_AND_WRITE = 1, 1, 3


def library():
    return ctypes.CDLL(os.environ.get("KE_LIBCUDA") or "libcuda.so.1")


def require_code_for(capability, built_for):
    """Code of sm_XY runs on later devices of the same X, compute_XY on all later ones."""
    def runs(arch):
        kind, _, digits = arch.partition("_")
        of = divmod(int("".join(c for c in digits if c.isdigit()) or 0), 10)
        return of <= capability if kind == "compute" else of[0] == capability[0] and of[1] <= capability[1]
    if not any(map(runs, built_for)):
        raise RuntimeError(f"PyTorch {torch.__version__} has no code for this device (sm_{capability[0]}{capability[1]}), only for "
                           f"{', '.join(built_for)}; install a build that has")


class Bytes:
    """Memory of the device, as tensors are made of it."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3, "strides": None}


class Access(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("number", ctypes.c_int), ("rights", ctypes.c_int)]


class Device:
    """The arena in this process's context. `judged`: bytes of it that the judge writes; what calls allocate comes from the rest, as far as
    that goes, so that results need no copy."""

    name = "cuda"

    def __init__(self, descriptor, judged, size):
        if not torch.version.cuda:
            raise RuntimeError(f"PyTorch {torch.__version__} was built without CUDA; install one with it (README, \"GPUs\")")
        self.judged, self.size, self.library = judged, size, library()
        torch.cuda.init()
        require_code_for(torch.cuda.get_device_capability(), torch.cuda.get_arch_list())
        torch.zeros(1, device=self.name)  # makes the context
        self.base = self.mapped(descriptor)
        os.close(descriptor)
        self.launch, self.synchronize = self.library.cuLaunchKernel, self.library.cuCtxSynchronize
        module, self.empty = ctypes.c_void_p(), ctypes.c_void_p()
        self.must("load the empty kernel", self.library.cuModuleLoadData(ctypes.byref(module), NOTHING))
        self.must("find the empty kernel", self.library.cuModuleGetFunction(ctypes.byref(self.empty), module, b"ke_nothing"))
        self.allocator = self.pool = self.captured = None
        self.make_pool()
        self.prime()

    def must(self, what, code):
        if code:
            name = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(name))
            raise RuntimeError(f"{what}: {(name.value or b'error').decode()} ({code})")

    def mapped(self, descriptor):
        handle, base = ctypes.c_ulonglong(), ctypes.c_ulonglong()
        size, zero = ctypes.c_size_t(self.size), ctypes.c_ulonglong(0)
        self.must("import the arena", self.library.cuMemImportFromShareableHandle(ctypes.byref(handle), ctypes.c_void_p(descriptor),
                                                                                 FILE_DESCRIPTOR))
        self.must("reserve addresses for the arena", self.library.cuMemAddressReserve(ctypes.byref(base), size, ctypes.c_size_t(0), zero, zero))
        self.must("map the arena", self.library.cuMemMap(base, size, ctypes.c_size_t(0), handle, zero))
        access = Access(ON_DEVICE, 0, READ_AND_WRITE)
        self.must("use the arena", self.library.cuMemSetAccess(base, size, ctypes.byref(access), ctypes.c_size_t(1)))
        return base.value

    def make_pool(self):
        """What calls take their memory from: the arena's second part."""
        path = os.environ.get("KE_ARENA_POOL")
        if not path or self.size <= self.judged:
            return
        shared = ctypes.CDLL(path)
        shared.ke_arena_pool.argtypes = [ctypes.c_ulonglong, ctypes.c_ulonglong]
        shared.ke_arena_pool(self.base + self.judged, self.size - self.judged)
        self.allocator = torch.cuda.memory.CUDAPluggableAllocator(path, "ke_arena_malloc", "ke_arena_free")
        self.pool = torch.cuda.MemPool(self.allocator.allocator())

    def results_in_arena(self):
        self.routed = contextlib.ExitStack()
        self.route()
        return self.routed

    def route(self):
        if self.pool is not None:
            self.routed.enter_context(torch.cuda.use_mem_pool(self.pool))

    def bytes(self, offset, size):
        return torch.as_tensor(Bytes(self.base + offset, size), device=self.name)

    def place_of(self, tensor):
        """The offset in the arena of a tensor that a call has made there; None: it lies elsewhere."""
        place = tensor.data_ptr() - self.base
        return place if self.judged <= place < self.size and tensor.is_cuda else None

    def nothing(self):
        self.must("launch the empty kernel", self.launch(self.empty, 1, 1, 1, 32, 1, 1, 0, None, None, None))

    def wait(self):
        """For everything that this process has given to the device."""
        self.must("the device", self.synchronize())

    def prime(self):
        self.nothing()
        self.wait()

    def capture(self, calls):
        """A graph of what `calls` launches, as a function that replays it. The pool of calls is left meanwhile: a capture has its own, and
        each graph another, as PyTorch counts a pool's graphs."""
        self.routed.pop_all().close()
        self.captured = torch.cuda.MemPool(self.allocator.allocator()) if self.allocator is not None else None
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        try:
            with torch.cuda.stream(stream):
                graph.capture_begin(*([self.captured.id] if self.captured is not None else []), capture_error_mode="thread_local")
                try:
                    calls()
                finally:
                    graph.capture_end()
        finally:
            self.route()
        if hasattr(graph, "raw_cuda_graph_exec"):  # else its first replay does so, inside of what is timed
            self.must("bring a graph to the device", self.library.cuGraphUpload(ctypes.c_void_p(graph.raw_cuda_graph_exec()), None))
            self.wait()
        return graph.replay

    def watch_captures(self, observers):
        observers.append(captures.Captures(torch._C._CUDAGraph, torch._C._autograd._profiler_enabled).lines)


def full_precision():
    """float32 is float32, and sums of sixteen bits are made in thirty-two: PyTorch's convolutions round to TF32 otherwise, and products of
    sixteen bits may add parts in sixteen. An error of that size in the reference would pass for everybody's."""
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False


def prepare_triton():
    """What the first launch in a process would cost it: 0.4 s for the digest of Triton's own files, 0.4 s for its stubs."""
    import triton
    import triton.experimental.gluon  # noqa: F401
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
    try:
        from triton.runtime.cache import triton_key
    except ImportError:  # of Triton 3.4 and before
        from triton.compiler.compiler import triton_key
    triton_key()
    make_backend(GPUTarget("cuda", 90, 32)).hash()
    return triton


def warm_up(observers):
    """Never asks for a device: a context does not survive a fork."""
    device_orders.DEVICE = Device
    full_precision()
    try:
        prepare_triton()
    except Exception as problem:  # a PyTorch without Triton runs what does not need it
        print(f"cuda_device: Triton is not ready beforehand: {problem}", file=sys.stderr)
    held = [os.readlink(f"/proc/self/fd/{d}") for d in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{d}")]
    if any(path.startswith("/dev/nvidia") for path in held):
        sys.exit("cuda_device: what was imported has opened the device; no fork of this process could use it")
