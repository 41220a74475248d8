"""Inputs by a problem's own `make(key, dims)`, held against what its problem.toml says of them.

The problem's author wrote it, not a candidate; it runs in a fork of its own all the same, and what it says of itself only harms
the problem. The judge takes the bytes of the tensors, and compares for itself what two draws give.
"""
import torch


class Unfit(Exception):
    """One clause of why these are no inputs of the problem."""


def in_order(made, names):
    """The inputs as a list in the file's order."""
    if isinstance(made, dict):
        unknown = [str(name) for name in made if name not in names]
        missing = [name for name in names if name not in made]
        if unknown:
            raise Unfit(f"it returns {unknown[0]}, which is no input of the problem; those are {', '.join(names)}")
        if missing:
            raise Unfit(f"what it returns has no {missing[0]}")
        return [made[name] for name in names]
    if made is None:
        raise Unfit("it returns nothing")
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    if len(made) != len(names):
        raise Unfit(f"it returns {len(made)} inputs instead of {len(names)}: {', '.join(names)}")
    return made


def tensor_of(value, name, dtype, shape):
    try:
        tensor = value if isinstance(value, torch.Tensor) else torch.as_tensor(value)
    except Exception:
        raise Unfit(f"{name} is a {type(value).__name__}, which is no tensor") from None
    if tensor.layout is not torch.strided or not tensor.is_cpu:
        raise Unfit(f"{name} is a tensor of the layout {tensor.layout} on {tensor.device} instead of a plain one on the CPU")
    if tensor.dtype is not dtype:
        raise Unfit(f"{name} has the type {tensor.dtype} instead of {dtype}")
    if list(tensor.shape) != shape:
        raise Unfit(f"{name} has the shape {list(tensor.shape)} instead of {shape}")
    if dtype.is_floating_point and bool(tensor.isnan().any()):
        raise Unfit(f"{name} has a NaN among its values")
    return tensor.detach()


def maker(make, payload, dtypes, seed_all, said_of, out_of_memory):
    """What an order calls: with the key, the value of each dim and all extents of all inputs, one after another, each as a tensor."""
    names, dims = payload.names.split(), payload.dims.split()
    wanted = [(dtypes[dtype], rank) for role, dtype, _, rank in payload.tensors if role == "out"]

    def draw(key, values, extents):
        key, left = int(key[0]), extents.tolist()
        seed_all(key)
        try:
            made = in_order(make(key, dict(zip(dims, values.tolist()))), names)
        except Unfit:
            raise
        except BaseException as problem:
            if out_of_memory(problem):
                raise
            raise Unfit(f"it raises {said_of(problem)}") from None
        tensors = []
        for value, name, (dtype, rank) in zip(made, names, wanted):
            shape, left = left[:rank], left[rank:]
            tensors.append(tensor_of(value, name, dtype, shape))
        return tuple(tensors)

    return draw
