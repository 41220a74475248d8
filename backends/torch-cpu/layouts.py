"""Views of other strides, for inputs whose problem says `strides = "any"`."""
import torch

from float8 import flipped

KINDS = 3


def transposed(x):
    """In storage of the last two axes swapped; one axis: backwards would be no view of PyTorch's, so every second element."""
    return x.transpose(-1, -2).contiguous().transpose(-1, -2) if x.dim() > 1 else stepped(x)


def stepped(x):
    """Every second element of rows twice as long."""
    return torch.stack([x, flipped(x)], -1).flatten(-2)[..., ::2]


def sliced(x):
    """From the middle of longer rows: neither the rows nor the first element are where they would be alone."""
    beside = flipped(x)[..., :3]
    return torch.cat([beside, x, beside], -1).narrow(-1, beside.shape[-1], x.shape[-1])


def view_of(x, kind, kinds=(transposed, stepped, sliced)):
    """The same values in other strides; what lies beside them are values of the same kind."""
    return x if x.dim() == 0 or x.numel() < 2 else kinds[kind % KINDS](x)
