"""Calls a candidate on one prepared case, for a tool that looks into what runs on the device: calls to warm up, then one between the
profiler's start and stop.

    profiled_call.py PAYLOAD CASE SHAPES FOLDER

PAYLOAD: as driver.py reads it, of a candidate. CASE: backends/profile/case_arguments.hpp. SHAPES: extents as "8192x1024,1024,", one of each
tensor. FOLDER: that of driver.py. Runs in a sandbox, under the tool; it shares its process with hostile code and reports nothing.
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


def main(payload, case, shapes, folder):
    sys.path.insert(0, folder)
    import driver
    with open(payload, "rb") as f:
        payload = driver.Payload(f.read())
    with open(case, "rb") as f:
        data, numbers = numbers_of(f.read(), len(payload.tensors))
    tensors = [tensor(driver, bytes_, dtype, shape)
               for (_, dtype, *_), bytes_, shape in zip(payload.tensors, data, shapes_in(shapes)) if bytes_ is not None]
    scalars = [struct.unpack(form, number)[0] for form, number in zip(payload.scalars, numbers)]
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    function = driver.function_of(payload, None)
    if isinstance(function, torch.nn.Module):
        function = function.to(DEVICE)
    tensors_left, numbers_left = iter(tensors), iter(scalars)
    arguments = [next(tensors_left if kind == "t" else numbers_left) for kind in payload.order]
    with torch.no_grad():
        for _ in range(WARM_CALLS):
            function(*[a.clone() if isinstance(a, torch.Tensor) else a for a in arguments])
        if torch.version.cuda:
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
        function(*arguments)
        if torch.version.cuda:
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
