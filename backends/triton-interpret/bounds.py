"""What the warm parent has done once before it forks: an interpreted kernel that reaches beside the tensors of its launch raises.

On a device such an access reads or changes what lies there, and so it does under the interpreter, or it ends the process. Here an honest
mistake is told with its kernel. A candidate shares the process and could take this away: then red zones and the process's end remain.
A kernel that makes pointers of integers (a table of addresses) is not looked at from there on.
"""
import numpy
import torch
from triton.runtime import interpreter


class Launch:
    """The kernel that runs, and the begins and ends of what its arguments hold; no spans: nothing is looked at."""
    kernel, spans = "", []


def spans_of(value, found):
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        if storage.nbytes():
            found.append((storage.data_ptr(), storage.data_ptr() + storage.nbytes()))
    elif isinstance(value, (tuple, list)):
        for one in value:
            spans_of(one, found)
    elif hasattr(value, "base"):  # a descriptor, or a tensor read as another type
        spans_of(value.base, found)
    return found


def look(pointers, mask, what):
    if not Launch.spans:
        return
    at = pointers.data if mask is None else pointers.data[numpy.broadcast_to(mask.data, pointers.data.shape)]
    if at.size == 0:
        return
    width = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
    first, last = int(at.min()), int(at.max()) + width
    if any(begin <= first and last <= end for begin, end in Launch.spans):
        return
    inside = numpy.zeros(at.shape, dtype=bool)
    for begin, end in Launch.spans:
        inside |= (at >= begin) & (at <= end - width)
    beside = int(at.size - inside.sum())
    if beside:
        raise IndexError(f"the kernel {Launch.kernel} {what} {beside} of {at.size} elements beside the tensors of its launch; mask them")


def looking(call, what, mask_at):
    def looked(self, pointers, *rest, **options):
        look(pointers, rest[mask_at], what)
        return call(self, pointers, *rest, **options)

    return looked


def looking_at_atomics(call):
    def looked(self, operation, pointers, value, mask, *rest):
        look(pointers, mask, "changes")
        return call(self, operation, pointers, value, mask, *rest)

    return looked


def launching(call):
    def launched(self, *arguments, **options):
        before = Launch.kernel, Launch.spans
        Launch.kernel, Launch.spans = self.fn.__name__, spans_of([*arguments, *options.values()], [])
        try:
            return call(self, *arguments, **options)
        finally:
            Launch.kernel, Launch.spans = before

    return launched


def not_looking(call):
    def made(self, *arguments):
        Launch.spans = []
        return call(self, *arguments)

    return made


def warm_up(observers):
    """Called by fork_server.py."""
    builder = interpreter.InterpreterBuilder
    builder.create_masked_load = looking(builder.create_masked_load, "loads", 0)
    builder.create_masked_store = looking(builder.create_masked_store, "stores", 1)
    builder.create_atomic_rmw = looking_at_atomics(builder.create_atomic_rmw)
    builder.create_int_to_ptr = not_looking(builder.create_int_to_ptr)
    interpreter.GridExecutor.__call__ = launching(interpreter.GridExecutor.__call__)
