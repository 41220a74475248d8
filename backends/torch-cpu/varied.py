"""What checks vary of a KernelBench file beyond what its constructor and get_inputs() make, as far as the reference survives it.

Parameters that the constructor makes without drawing (ones, zeros, an identity) get other values, the same ones in every process of an
evaluation: a value depends on its place in the parameter, what was there and the judge's seed alone, so who makes the parameter by other
means has the same. So do buffers that training would change (running means). Inputs of one sign get values of both signs and of other
sizes, masks another density, and what get_inputs() gives alike in each draw, numbers too, is drawn."""
import contextlib
import copy as copying
import hashlib
import math

import torch

import float8

ELIGIBLE = (torch.Tensor, torch.nn.Parameter)


BUFFERS = (0, 1.0)  # among the keys: buffers count as parameters do


def constant_of(data):
    """(elements, number) of a tensor that holds one number, or None."""
    if type(data) not in ELIGIBLE or not data.is_floating_point() or data.numel() == 0 or not data.is_cpu:
        return None
    with torch.no_grad():
        number = data.detach().reshape(-1)[0].item()
        return (data.numel(), number) if math.isfinite(number) and bool((data == number).all()) else None


def digest_of(data):
    """(elements, a number that stands for all of its values) of a tensor of floating type, or None."""
    if type(data) not in ELIGIBLE or not data.is_floating_point() or data.numel() < 2 or not data.is_cpu:
        return None
    with torch.no_grad():
        values = data.detach().double().contiguous()
        if not bool(torch.isfinite(values).all()):
            return None
        return data.numel(), float(int.from_bytes(hashlib.sha1(memoryview(values.view(-1).numpy())).digest()[:6], "little") + DIGESTS)


DIGESTS = 2.0 ** 49  # numbers from here on, whole ones, stand for several values


def learned_buffers(made, inputs):
    """Names of the buffers of one number that a call in training mode changes: they are learned, as parameters are."""
    if not isinstance(made, torch.nn.Module) or not any(constant_of(b) for b in made.buffers()):
        return set()
    try:
        trained = copying.deepcopy(made).train()
        with torch.no_grad():
            trained(*[x.clone() if isinstance(x, torch.Tensor) else x for x in inputs])
    except Exception:
        return set()  # what can't be trained has learned nothing
    after = dict(trained.named_buffers())
    return {name for name, b in made.named_buffers() if constant_of(b) and not torch.equal(b, after.get(name, b))}


def constants_in(made, other=None, learned=()):
    """Keys of those of an object's parameters that are not drawn: of one number, or as they are in `other`, made from another seed; without
    what stands for one that is not learned, too. `learned`: names of buffers."""
    if not isinstance(made, torch.nn.Module):
        return set()
    kinds = {True: set(), False: set()}
    alike = dict(other.named_parameters()) if other is not None else {}
    for name, p in made.named_parameters():
        key = constant_of(p)
        if key is None and name in alike and alike[name].shape == p.shape and torch.equal(alike[name], p):
            key = digest_of(p)
        kinds[p.requires_grad].add(key)
    if learned:
        for name, b in made.named_buffers():
            kinds[name in learned].add(constant_of(b))
        kinds[True].add(BUFFERS)
    return kinds[True] - kinds[False] - {None}


def values_in(made, keys):
    """Those of the keys that parameters and buffers of an object still have."""
    tensors = list(made.parameters()) + list(made.buffers()) * (BUFFERS in keys) if isinstance(made, torch.nn.Module) else []
    digests = any(number >= DIGESTS for _, number in keys)
    return {key for t in tensors for key in (constant_of(t), digest_of(t) if digests else None)} & keys


class Constants:
    """While a class is made: fills the parameters whose (elements, number) is in `keys` with other numbers."""

    def __init__(self, seed, keys):
        self.seed, self.keys = seed, keys
        self.digested = {elements for elements, number in keys if number >= DIGESTS}
        self.places, self.made, self.held = {}, set(), []

    def key_of(self, data):
        key = constant_of(data)
        return digest_of(data) if key is None and type(data) in ELIGIBLE and data.numel() in self.digested else key

    def look(self, data):
        """`data`: of a parameter that has just been made or filled."""
        key = self.key_of(data)
        if key not in self.keys or key[1] in self.made:
            return
        elements, number = key
        with torch.no_grad():
            draw = torch.rand(elements, generator=torch.Generator().manual_seed(self.seed ^ (number != 0))) - 0.5
            old = data.detach()
            copy(old, torch.where(old == 0, draw.view(old.shape), old * (1 + draw.view(old.shape))))
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
    make, fill, zero, eye, register = kind.__new__, torch.Tensor.fill_, torch.Tensor.zero_, torch.eye, torch.nn.Module.register_buffer

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

    def copying_to(tensor, *others, **more):
        result = copy(tensor, *others, **more)
        seen.filled(tensor)
        return result

    def identity(*extents, **more):
        result = eye(*extents, **more)
        seen.filled(result)
        return result

    def registering(module, name, tensor, *more, **others):
        if isinstance(tensor, torch.Tensor):
            seen.parameter(tensor)
        return register(module, name, tensor, *more, **others)

    kind.__new__, torch.Tensor.fill_, torch.Tensor.zero_ = staticmethod(made), filling, zeroing
    torch.Tensor.copy_, torch.eye = copying_to, identity
    if BUFFERS in keys:
        torch.nn.Module.register_buffer = registering
    try:
        yield
    finally:
        kind.__new__, torch.eye, torch.nn.Module.register_buffer = staticmethod(make), eye, register
        del torch.Tensor.fill_, torch.Tensor.zero_, torch.Tensor.copy_


def keys_of(text):
    """"64:1.0 64:0.0" as pairs."""
    return {(int(n), float(value)) for n, _, value in (word.partition(":") for word in text.split())}


def text_of(keys):
    return " ".join(f"{n}:{value!r}" for n, value in sorted(keys))


def one_sign(x):
    """Whether the values are of one sign by chance of how they are drawn: not few ones, and not parts of a whole (rows that add up to
    the same)."""
    near = 1e-4 if x.is_floating_point() and torch.finfo(x.dtype).eps < 1e-5 else 1e-2
    values = 4096 if x.dtype not in float8.TYPES else 256  # eight bits have few
    x = float8.plain(x)
    if not x.is_floating_point() or x.numel() < 2 or ((x < 0).any() and (x > 0).any()) or not torch.isfinite(x).all():
        return False
    if x.flatten()[:4096].unique().numel() < max(2, min(x.numel(), values) // 16):
        return False
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


def is_fixed(x, again):
    """Whether an input says the same in each draw: a tensor of few values or of whole numbers, or a number with a fraction's type. Not
    parts of a whole: they add up to one."""
    if isinstance(x, float):
        return math.isfinite(x)
    if not isinstance(x, torch.Tensor) or x.dtype is torch.bool or x.numel() == 0 or not torch.equal(x, again):
        return False
    if not x.is_floating_point():
        return x.numel() > 1
    return bool(torch.isfinite(x).all()) and not any(bool(((x.sum(d, dtype=torch.float64) - 1).abs() < 1e-4).all()) for d in range(x.dim()))


def other_fixed(x, generator):
    """Another one of the same kind. Numbers near what is there. Whole numbers: in another order; if they rise, others that rise as they
    do, between the same ends; all of them one number: below it."""
    if isinstance(x, float):
        return x * NEAR if x else NEAR
    if x.is_floating_point():
        draw = torch.rand(x.shape, generator=generator) - 0.5
        return torch.where(x == 0, draw, x * (1 + draw)).to(x.dtype)
    flat = x.flatten()
    least, most = int(flat.min()), int(flat.max())
    if least == most:
        return torch.randint(min(1, least), most + 1, x.shape, generator=generator).to(x.dtype)
    rises = flat.diff()
    if bool((rises >= 0).all()) and not bool((rises == 1).all()):
        order = torch.randperm(rises.numel(), generator=generator)
        return torch.cat([flat[:1], least + rises[order].cumsum(0)]).to(x.dtype).view(x.shape)
    return flat[torch.randperm(flat.numel(), generator=generator)].view(x.shape)


NEAR = 1.25


def both_signs(x):
    """Half of the values negated, half sixteen times as large, as functions of each value, which keep zeros and equal elements."""
    noise = (x.float() * 78.233).sin() * 43758.5453
    noise = noise - noise.floor()
    return (x * torch.where(noise < 0.5, -1, 1) * torch.where((noise * 64).floor() % 2 == 0, 16, 1)).to(x.dtype)


def other_mask(x, generator):
    return (torch.rand(x.shape, generator=generator) < 0.5).to(x.dtype)


def floats_of(results):
    return [r for r in (results if isinstance(results, (tuple, list)) else (results,)) if r.is_floating_point()]


def doubled(x):
    """An input of the truth."""
    return x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() and x.dtype not in float8.TYPES else x


def stands(narrow, wide):
    """Whether the narrow results are finite, and what the wide ones say."""
    for a, b in zip(floats_of(narrow), floats_of(wide)):
        if not (torch.isfinite(float8.plain(a)).all() and torch.isfinite(b).all()):
            return False
        if a.numel() == 0:
            continue
        size = b.abs().double()
        near = min(max(2.0 ** -12, 64 * torch.finfo(a.dtype).eps), 0.5)
        if not bool(((a.double() - b.double()).abs() <= near * torch.maximum(size, size.mean())).all()):  # zeros may be the most
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
                eight_bits = [x for x in changed + floats_of(narrow) if isinstance(x, torch.Tensor) and x.dtype in float8.TYPES]
                said = (float8.widened(wide) if eight_bits else wide)(*[doubled(x) for x in changed])
            return stands(narrow, said)
        except Exception:
            return False
        finally:
            torch.set_default_dtype(usual)

    def kind(self, i):
        """mask, sign, fixed or None: what of this input may be varied beyond its draws."""
        x, again = float8.plain(self.inputs[i]), float8.plain(self.again[i])
        if isinstance(x, torch.Tensor):
            if is_mask(x, again):
                return "mask"
            if one_sign(self.inputs[i]):
                return "sign"
        return "fixed" if is_fixed(x, again) else None

    def changed(self, i):
        kind, x = self.kind(i), float8.plain(self.inputs[i])
        other = other_mask(x, self.generator) if kind == "mask" else both_signs(x) if kind == "sign" else other_fixed(x, self.generator)
        return other.to(self.inputs[i].dtype) if isinstance(other, torch.Tensor) else other

    def run(self, made, call_s, elsewhere=None, free=()):
        """(parameters' keys that may be varied, places of inputs that may, sentences about the rest). `made`: as the constructor makes
        it; `elsewhere`: from another seed. `call_s`: where a call takes long, only all at once is tried. `free`: places of inputs that
        are drawn widely anyway."""
        keys = constants_in(made, elsewhere, learned_buffers(made, self.inputs) if call_s <= 1 else ())
        places = [i for i in range(len(self.inputs)) if self.kind(i) and i not in free]
        if call_s > 4:
            return set(), [], ["a call of the reference takes so long that other parameters and inputs are not tried"] * bool(keys or places)
        if keys:  # what was filled by means that nobody sees stays as it is, for candidates, too
            keys = keys - (values_in(self.make(keys), keys) - {BUFFERS})
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
                what = {"mask": "another mask", "sign": "values of both signs and other sizes",
                        "fixed": "other values than those of each draw"}[self.kind(i)]
                notes.append(f"{said}{what} in argument {i} of get_inputs(); it is drawn as the file does")
        return varied, kept, notes
