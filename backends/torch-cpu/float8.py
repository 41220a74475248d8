"""Tensors in eight bits, which PyTorch converts and moves, and hardly computes in.

The truth is the reference in double precision (driver.py), which is asked here: a reference of such tensors cannot help naming types,
so for the length of its call `.float()` is `.double()`. What it rounds to eight bits on the way stays rounded, as it means to be; a
result is kept as it was before, so that another one can be held against what was rounded.
"""
import torch
from torch.overrides import TorchFunctionMode

TYPES = (torch.float8_e4m3fn, torch.float8_e5m2)
NARROW = (torch.float32, torch.float16, torch.bfloat16)
WIDER = {torch.Tensor.float: torch.Tensor.double, torch.Tensor.half: torch.Tensor.double, torch.Tensor.bfloat16: torch.Tensor.double}


def plain(x):
    """The same values in a type that PyTorch computes in."""
    return x.float() if isinstance(x, torch.Tensor) and x.dtype in TYPES else x


def flipped(x):
    """Backwards along the last axis."""
    return x.view(torch.uint8).flip(-1).view(x.dtype) if x.dtype in TYPES else x.flip(-1)


def scaled_product(a, b, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    """torch._scaled_mm in double precision, which it does not know."""
    product = a.double() @ b.double() * scale_a * scale_b
    product = product if bias is None else product + bias
    return product if scale_result is None else product * scale_result


class Widened(TorchFunctionMode):
    """Everything in double precision but what is in eight bits. Remembers what that was made from."""

    def __init__(self):
        super().__init__()
        self.made = {}  # by the address of the storage: who owns it, and its elements before they were rounded

    def __torch_function__(self, function, types, arguments=(), named=None):
        if function is torch._scaled_mm:
            dtype = (named or {}).get("out_dtype") or (arguments[6] if len(arguments) > 6 else None) or arguments[0].dtype
            product = scaled_product(*arguments, **(named or {}))
            return self.remembered(product.to(dtype), product) if dtype in TYPES else product
        wide = [torch.float64 if isinstance(a, torch.dtype) and a in NARROW else a for a in arguments]
        named = {key: torch.float64 if isinstance(a, torch.dtype) and a in NARROW else a for key, a in (named or {}).items()}
        result = WIDER.get(function, function)(*wide, **named)
        return self.remembered(result, wide[0]) if wide and isinstance(result, torch.Tensor) else result

    def remembered(self, result, source):
        if (result.dtype in TYPES and isinstance(source, torch.Tensor) and source.is_floating_point()
                and source.dtype not in TYPES and source.shape == result.shape):
            storage = result.untyped_storage()
            before = torch.empty(storage.nbytes(), dtype=torch.float64, device=result.device)
            before.as_strided(result.shape, result.stride(), result.storage_offset()).copy_(source)
            self.made[storage.data_ptr()] = (result, before)
        return result

    def before(self, result):
        """The result before it was rounded: as it is, if it was made in another way or has been changed since."""
        if not isinstance(result, torch.Tensor) or result.dtype not in TYPES:
            return result
        _, elements = self.made.get(result.untyped_storage().data_ptr(), (None, None))
        if elements is not None:
            made = elements.as_strided(result.shape, result.stride(), result.storage_offset())
            if torch.equal(made.to(result.dtype).view(torch.uint8), result.view(torch.uint8)):
                return made
        return result.double()


def widened(function):
    """The reference as its truth calls it."""
    def call(*arguments):
        mode = Widened()
        with mode:
            results = function(*arguments)
        return tuple(map(mode.before, results)) if isinstance(results, (tuple, list)) else mode.before(results)

    return call
