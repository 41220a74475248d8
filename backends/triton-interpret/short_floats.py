"""bfloat16 and eight-bit floats under Triton's interpreter. It keeps such values as the whole numbers that their bits are, and, but for casts,
computes with those: a product of 1.5 and 2 would be one of 16320 and 16384. Here each operation on bfloat16 is done in float32 and rounded to
the nearest, as devices do it, and casts round so, too (the interpreter's cut off, and its NaN of eight bits is 480).
"""
import re

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import TensorHandle

ARITHMETIC = re.compile("create_(f(add|sub|mul|div|rem|ma|cmp.*)|precise_(divf|sqrt)|(min|max)(imum|num)f|clampf|cos|sin|exp2?|log2?|r?sqrt|erf|floor|ceil)")

EIGHT_BITS = {tl.float8e4nv: torch.float8_e4m3fn, tl.float8e5: torch.float8_e5m2}
VALUES = {kind: torch.arange(256).to(torch.uint8).view(stored).float().numpy() for kind, stored in EIGHT_BITS.items()}


def widened(bits):
    """Bits of bfloat16 as float32."""
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32)


def narrowed(values):
    """float32 as bits of bfloat16, rounded to the nearest, ties to even; a NaN stays one."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)


def from_eight_bits(handle):
    """Eight bits in float32, all else as it is."""
    values = VALUES.get(handle.dtype.scalar) if isinstance(handle, TensorHandle) else None
    return handle if values is None else TensorHandle(values[handle.data], tl.float32)


def to_eight_bits(single, kind):
    """float32 rounded to the nearest; what is too large, infinity too, becomes the largest (cvt.rn.satfinite)."""
    most = torch.finfo(EIGHT_BITS[kind]).max
    stored = torch.from_numpy(np.ascontiguousarray(single.data)).clamp(-most, most).to(EIGHT_BITS[kind])
    return TensorHandle(stored.view(torch.uint8).numpy(), kind)


def is_short(handle):
    return isinstance(handle, TensorHandle) and handle.dtype.scalar == tl.bfloat16


def wide(handle):
    return TensorHandle(widened(handle.data), tl.float32) if is_short(handle) else handle


def short(handle):
    """A result in float32 as bfloat16; what a comparison says stays as it is."""
    return TensorHandle(narrowed(handle.data), tl.bfloat16) if handle.data.dtype == np.float32 else handle


def in_single(operation):
    def done(self, *operands):
        found = any(map(is_short, operands))
        result = operation(self, *map(wide, operands))
        return short(result) if found else result

    return done


def dot_in_single(dot):
    def done(self, a, b, d, *options):
        result = dot(self, wide(from_eight_bits(a)), wide(from_eight_bits(b)), wide(d), *options)
        return short(result) if is_short(d) else result

    return done


def casts_in_single(cast):
    def done(self, source, to, *rounding):
        source = from_eight_bits(source)
        if to.scalar in EIGHT_BITS:
            single = wide(source) if is_short(source) else cast(self, source, tl.float32, *rounding)
            return to_eight_bits(single, to.scalar)
        if to.scalar == tl.bfloat16:
            single = wide(source) if is_short(source) else cast(self, source, tl.float32, *rounding)
            return short(TensorHandle(np.asarray(single.data, dtype=np.float32), tl.float32))
        if is_short(source) and to.scalar == tl.float32:
            return wide(source)
        return cast(self, wide(source), to, *rounding)

    return done


def shorter_tensor(t):
    kind = tl.block_type(tl.bfloat16, t.type.shape) if t.type.is_block() else tl.bfloat16
    return tl.core.tensor(TensorHandle(narrowed(t.handle.data), tl.bfloat16), kind)


def reduced_in_single(reduce):
    """Of a tensor's reductions and scans, which take its array as a whole."""

    def done(self, inputs):
        found = [i.dtype.scalar == tl.bfloat16 for i in inputs]
        if not any(found):
            return reduce(self, inputs)
        single = tuple(self.to_tensor(widened(i.handle.data), tl.float32) if s else i for i, s in zip(inputs, found))
        results = reduce(self, single)
        several = isinstance(results, (tuple, list))
        shorter = [shorter_tensor(r) if r.dtype.scalar == tl.float32 else r for r in (results if several else [results])]
        return type(results)(shorter) if several else shorter[0]

    return done


def warm_up(observers):
    """Called by fork_server.py, before bounds.py and what else looks at operations."""
    builder = interpreter.InterpreterBuilder
    for name in dir(builder):
        if ARITHMETIC.fullmatch(name):
            setattr(builder, name, in_single(getattr(builder, name)))
    builder.create_dot = dot_in_single(builder.create_dot)
    builder.cast_impl = casts_in_single(builder.cast_impl)
    builder.create_fp_to_fp = casts_in_single(builder.create_fp_to_fp)
    for kind in (interpreter.ReduceOps, interpreter.ScanOps):
        kind.apply_impl = reduced_in_single(kind.apply_impl)
    one_and_a_half = TensorHandle(narrowed(np.float32([1.5])), tl.bfloat16)
    if widened(interpreter.interpreter_builder.create_fadd(one_and_a_half, one_and_a_half).data).tolist() != [3.0]:
        raise SystemExit("triton-interpret: Triton's interpreter adds bfloat16 otherwise than sixteen_bits.py expects")
