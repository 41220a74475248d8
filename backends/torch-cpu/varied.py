"""What checks vary of a KernelBench file beyond what its constructor and get_inputs() make, as far as the reference survives it.

Parameters that the constructor fills with one number (ones, zeros) get others, the same ones in every process of an evaluation: a value
depends on its place in the parameter, the number and the judge's seed alone, so who makes the parameter by other means has the same.
Inputs of one sign get values of both signs and of other sizes, masks another density."""
import contextlib
import math

import torch

ELIGIBLE = (torch.Tensor, torch.nn.Parameter)


def constant_of(data):
    """(elements, number) of a tensor that holds one number, or None."""
    if type(data) not in ELIGIBLE or not data.is_floating_point() or data.numel() == 0 or not data.is_cpu:
        return None
    with torch.no_grad():
        number = data.detach().reshape(-1)[0].item()
        return (data.numel(), number) if math.isfinite(number) and bool((data == number).all()) else None


def constants_in(made):
    """Those of an object's parameters; without what stands for one that is not learned, too."""
    if not isinstance(made, torch.nn.Module):
        return set()
    kinds = {True: set(), False: set()}
    for p in made.parameters():
        kinds[p.requires_grad].add(constant_of(p))
    return kinds[True] - kinds[False] - {None}


class Constants:
    """While a class is made: fills the parameters whose (elements, number) is in `keys` with other numbers."""

    def __init__(self, seed, keys):
        self.seed, self.keys = seed, keys
        self.places, self.made, self.held = {}, set(), []

    def look(self, data):
        """`data`: of a parameter that has just been made or filled."""
        key = constant_of(data)
        if key not in self.keys or key[1] in self.made:
            return
        elements, number = key
        with torch.no_grad():
            draw = torch.rand(elements, generator=torch.Generator().manual_seed(self.seed ^ (number != 0))) - 0.5
            copy(data.detach(), (draw if number == 0 else number * (1 + draw)).view(data.shape))
            if elements == 1:  # which is one number again, and would be taken for another constant in a copy
                self.made.add(data.item())

    def parameter(self, data):
        if type(data) in ELIGIBLE:
            self.look(data)
            self.places[data.data_ptr()] = data.numel()
            self.held.append(data)  # so that the place stays its own

    def filled(self, tensor):
        if type(tensor) in ELIGIBLE and tensor.numel() and self.places.get(tensor.data_ptr()) == tensor.numel():
            self.look(tensor)


copy = torch.Tensor.copy_


@contextlib.contextmanager
def constants(seed, keys):
    """Parameters that are made go through a Constants for as long as this lasts."""
    if not keys:
        yield
        return
    seen, kind = Constants(seed, keys), torch.nn.Parameter
    make, fill, zero = kind.__new__, torch.Tensor.fill_, torch.Tensor.zero_

    def made(cls, data=None, requires_grad=True):
        if data is not None and not isinstance(data, kind):
            seen.parameter(data)
        return make(cls, data, requires_grad)

    def filling(tensor, value):
        result = fill(tensor, value)
        seen.filled(tensor)
        return result

    def zeroing(tensor):
        result = zero(tensor)
        seen.filled(tensor)
        return result

    kind.__new__, torch.Tensor.fill_, torch.Tensor.zero_ = staticmethod(made), filling, zeroing
    try:
        yield
    finally:
        kind.__new__ = staticmethod(make)
        del torch.Tensor.fill_, torch.Tensor.zero_


def keys_of(text):
    """"64:1.0 64:0.0" as pairs."""
    return {(int(n), float(value)) for n, _, value in (word.partition(":") for word in text.split())}


def text_of(keys):
    return " ".join(f"{n}:{value!r}" for n, value in sorted(keys))


def one_sign(x):
    """Whether the values are of one sign by chance of how they are drawn: not few ones, and not parts of a whole (rows that add up to
    the same)."""
    if not x.is_floating_point() or x.numel() < 2 or ((x < 0).any() and (x > 0).any()) or not torch.isfinite(x).all():
        return False
    if x.flatten()[:4096].unique().numel() < max(2, min(x.numel(), 4096) // 16):
        return False
    near = 1e-4 if torch.finfo(x.dtype).eps < 1e-5 else 1e-2
    for sums in (x.sum(d, dtype=torch.float64).flatten() for d in range(x.dim()) if x.shape[d] > 1):
        whole = sums[0] if sums.numel() > 1 else 1.0
        if bool(((sums - whole).abs() <= near * abs(whole)).all()):
            return False
    return True


def is_mask(x, again):
    """Truth values, or numbers 0 and 1 that are the same in each draw."""
    if x.numel() < 2:
        return False
    if x.dtype is torch.bool:
        return True
    return (x.is_floating_point() and torch.equal(x, again) and bool(((x == 0) | (x == 1)).all()) and bool((x == 0).any())
            and bool((x == 1).any()))


def both_signs(x):
    """Half of the values negated, half sixteen times as large, as functions of each value, which keep zeros and equal elements."""
    noise = (x.float() * 78.233).sin() * 43758.5453
    noise = noise - noise.floor()
    return (x * torch.where(noise < 0.5, -1, 1) * torch.where((noise * 64).floor() % 2 == 0, 16, 1)).to(x.dtype)


def other_mask(x, generator):
    return (torch.rand(x.shape, generator=generator) < 0.5).to(x.dtype)


def floats_of(results):
    return [r for r in (results if isinstance(results, (tuple, list)) else (results,)) if r.is_floating_point()]


def stands(narrow, wide):
    """Whether the narrow results are finite, and what the wide ones say."""
    for a, b in zip(floats_of(narrow), floats_of(wide)):
        if not (torch.isfinite(a).all() and torch.isfinite(b).all()):
            return False
        if a.numel() == 0:
            continue
        size = b.abs().double()
        near = max(2.0 ** -12, 64 * torch.finfo(a.dtype).eps)
        if not bool(((a.double() - b.double()).abs() <= near * torch.maximum(size, size.median())).all()):
            return False
    return True


class Trial:
    """Asks the reference, in a process without a candidate, how far it may be asked."""

    def __init__(self, make, inputs, again):
        self.make = make  # keys -> an object of Model
        self.inputs, self.again = inputs, again
        self.generator = torch.Generator().manual_seed(1)

    def survives(self, keys, places):
        usual = torch.get_default_dtype()
        try:
            changed = [self.changed(i) if i in places else x for i, x in enumerate(self.inputs)]
            with torch.no_grad():
                narrow = self.make(keys)(*[x.clone() if isinstance(x, torch.Tensor) else x for x in changed])
                wide = self.make(keys)
                wide = wide.double() if isinstance(wide, torch.nn.Module) else wide
                torch.set_default_dtype(torch.float64)
                said = wide(*[x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in changed])
            return stands(narrow, said)
        except Exception:
            return False
        finally:
            torch.set_default_dtype(usual)

    def is_mask(self, i):
        return is_mask(self.inputs[i], self.again[i])

    def changed(self, i):
        return other_mask(self.inputs[i], self.generator) if self.is_mask(i) else both_signs(self.inputs[i])

    def run(self, made, call_s):
        """(parameters' constants that may be varied, places of inputs that may, sentences about the rest). `made`: as the constructor
        makes it. `call_s`: where a call takes long, only all at once is tried."""
        keys = constants_in(made)
        places = [i for i, x in enumerate(self.inputs) if isinstance(x, torch.Tensor) and (self.is_mask(i) or one_sign(x))]
        if call_s > 4:
            return set(), [], ["a call of the reference takes so long that other parameters and inputs are not tried"] * bool(keys or places)
        if keys:  # what was filled by means that nobody sees stays as it is, for candidates, too
            keys = keys - constants_in(self.make(keys))
        slow = call_s > 1
        if not keys and not places or self.survives(keys, places):
            return keys, places, []
        said = "the reference does not survive "
        kept = [] if slow else [i for i in places if self.survives(set(), [i])]
        varied = set() if slow or not keys or not self.survives(keys, []) else keys
        if kept and (varied or len(kept) > 1) and not self.survives(varied, kept):
            kept, varied = [], set()
        notes = [said + "other values than its constructor makes in its parameters; they stay as they are"] if keys - varied else []
        for i in places:
            if i not in kept:
                what = "another mask" if self.is_mask(i) else "values of both signs and other sizes"
                notes.append(f"{said}{what} in argument {i} of get_inputs(); it is drawn as the file does")
        return varied, kept, notes
