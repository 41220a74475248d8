"""Calls a candidate on one prepared case, for a tool that looks into what runs on the device: calls to warm up, then one between the
profiler's start and stop.

    profiled_call.py FOLDER PAYLOAD CASE SHAPES [CASE SHAPES ...]
    profiled_call.py FOLDER PAYLOAD REFERENCE

FOLDER: that of driver.py. PAYLOAD: as driver.py reads it, of a candidate or, of what is no KernelBench class, of the reference. CASE: backends/profile/case_arguments.hpp. SHAPES: extents as
"8192x1024,1024,", one of each tensor. REFERENCE: the payload of a KernelBench class, whose file has the arguments. Runs in a sandbox, under the tool; it shares its process with hostile code and reports nothing.
"""
import struct
import sys

import torch

WARM_CALLS = 3
DEVICE = "cuda" if torch.version.cuda else "cpu"  # of a PyTorch without CUDA: for tests of what calls this


def numbers_of(case, tensors):
    """Bytes of the arguments that are read (None: of an output), and the numbers behind the tensors, eight bytes each."""
    count, = struct.unpack_from("<Q", case, 8)
    rows, at, found = [struct.unpack_from("<QQ", case, 16 + 16 * i) for i in range(count)], 16 + 16 * count, []
    for role, size in rows:
        found.append(None if role == 1 else case[at: at + size])
        at += 0 if role == 1 else size
    return found[:tensors], found[tensors:]


def shapes_in(text):
    return [tuple(int(n) for n in shape.split("x") if n) for shape in text.split(",")[:-1]]


def tensor(driver, data, dtype, shape):
    whole = driver.DTYPES[dtype]
    flat = torch.frombuffer(bytearray(data), dtype=whole) if data else torch.empty(0, dtype=whole)
    return flat.reshape(shape).to(DEVICE)


def payload_in(driver, path):
    with open(path, "rb") as f:
        return driver.Payload(f.read())


def drawn(driver, payload, case, shapes):
    """The arguments of a prepared case."""
    with open(case, "rb") as f:
        data, numbers = numbers_of(f.read(), len(payload.tensors))
    tensors = iter([tensor(driver, bytes_, dtype, shape)
                    for (_, dtype, *_), bytes_, shape in zip(payload.tensors, data, shapes_in(shapes)) if bytes_ is not None])
    scalars = iter([struct.unpack(form, number)[0] for form, number in zip(payload.scalars, numbers)])
    return [next(tensors if kind == "t" else scalars) for kind in payload.order]


def of_reference(driver, payload, reference):
    """What the class is made with, and one draw of its inputs."""
    reference = payload_in(driver, reference)
    module = driver.module_of(reference.texts[0])
    payload.init = repr(list(module.get_init_inputs()))
    return [x.to(DEVICE) if isinstance(x, torch.Tensor) else x for x in driver.inputs_of(module, payload.seed)]


def call(function, arguments):
    for _ in range(WARM_CALLS):
        function(*[a.clone() if isinstance(a, torch.Tensor) else a for a in arguments])
    if torch.version.cuda:
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
    function(*arguments)
    if torch.version.cuda:
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()


def main(folder, payload, *given):
    sys.path.insert(0, folder)
    import driver
    payload = payload_in(driver, payload)
    if len(given) == 1:
        cases = [of_reference(driver, payload, *given)]
    else:
        cases = [drawn(driver, payload, *one) for one in zip(given[::2], given[1::2])]
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    function = driver.function_of(payload, None)
    if isinstance(function, torch.nn.Module):
        function = function.to(DEVICE)
    with torch.no_grad():
        for arguments in cases:
            call(function, arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
