#!/usr/bin/env python3
"""The driver of Python candidates (backends/torch-cpu/driver.py): one call's views, results and cost, without a judge."""
import mmap
import struct
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "backends/torch-cpu"))
import torch  # noqa: E402

import driver  # noqa: E402
import float8  # noqa: E402

VALUES, PLACE, TENSORS = 0, 2048, 4096


class Order:
    """Memory as the judge lays it out: values (scalars, dims, extents), places of results, tensors."""

    def __init__(self, lines, values, contents, function):
        self.memory = mmap.mmap(-1, 1 << 20)
        payload = driver.Payload(("\n".join(lines) + "\n\n").encode())
        self.offsets, at = [], TENSORS
        for content in contents:
            self.offsets.append(at)
            raw = content if isinstance(content, bytes) else content.numpy().tobytes()
            self.memory[at: at + len(raw)] = raw
            at += len(raw) // 64 * 64 + 128
        for i, (form, value) in enumerate(values):
            struct.pack_into(form, self.memory, VALUES + 8 * i, value)
        self.table = self.offsets + [VALUES + 8 * i for i in range(len(values))]
        self.caller = driver.Caller(payload, self.memory, function)

    def run(self, place=0):
        with torch.no_grad():
            self.caller.run(self.table, place)

    def held(self, tensor, dtype, count):
        return torch.frombuffer(bytearray(self.memory[self.offsets[tensor]: self.offsets[tensor] + count * dtype.itemsize]), dtype=dtype)


def extents(*numbers):
    return [("<q", n) for n in numbers]


def rows(function, shape=(2, 3), out=(2, 3), dtype="f32"):
    x = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    return x, Order([f"tensor in f32 4 {len(shape)}", f"tensor out {dtype} 4 {len(out)}", "order t"], extents(*shape, *out),
                    [x, bytes(4 * torch.Size(out).numel())], function)


class Calls(unittest.TestCase):
    def test_arguments_in_the_order_of_the_problem(self):
        x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
        order = Order(["tensor in f32 4 2", "tensor in f32 4 1", "tensor out f32 4 2", "scalar float", "scalar int", "order tsts"],
                      [("<d", 0.5), ("<q", 7)] + extents(2, 3, 3, 2, 3), [x, y, bytes(24)], lambda x, a, y, n: x * a + y * n)
        order.run()
        self.assertTrue(torch.equal(order.held(2, torch.float32, 6), (x * 0.5 + y * 7).flatten()))

    def test_other_shapes_are_another_plan(self):
        x, order = rows(lambda x: x + 1)
        order.run()
        struct.pack_into("<4q", order.memory, VALUES, 3, 2, 3, 2)
        seen = []
        order.caller.function = lambda x: seen.append(x.shape) or x + 2
        order.run()
        self.assertEqual(seen, [torch.Size((3, 2))])
        self.assertTrue(torch.equal(order.held(1, torch.float32, 6), x.flatten() + 2))

    def test_results_may_stay(self):
        made = []
        x, order = rows(lambda x: made.append(x + 1) or made[-1])
        order.run(PLACE)
        self.assertEqual(struct.unpack_from("<Q", order.memory, PLACE + 8)[0], made[0].data_ptr())
        self.assertTrue(torch.equal(order.held(1, torch.float32, 6), torch.zeros(6)))  # nothing was copied
        order.caller.function = lambda x: (x + 1).t().contiguous().t()  # other strides are no bytes of a result
        order.run(PLACE)
        self.assertTrue(torch.equal(order.held(1, torch.float32, 6), x.flatten() + 1))

    def test_wide(self):
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
        order = Order(["wide 1", "tensor in f32 8 2", "tensor out f32 8 2", "order t"], extents(2, 3, 2, 3), [x, bytes(48)],
                      lambda x: x / 3)
        order.run()
        self.assertTrue(torch.equal(order.held(1, torch.float64, 6), (x / 3).flatten()))

    def test_views_of_other_strides_are_written_back(self):
        for kind in range(3):
            x = torch.arange(12.0).reshape(3, 4)
            order = Order([f"strides {kind}", "tensor inout f32 4 2 any", "order t"], extents(3, 4), [x],
                          lambda x: self.assertFalse(x.is_contiguous()) or x.add_(1) is None or None)
            order.run()
            self.assertTrue(torch.equal(order.held(0, torch.float32, 12), x.flatten() + 1), kind)

    def test_nothing_and_single_numbers(self):
        _, order = rows(lambda x: x.sum(), (0, 3), ())
        order.run()
        self.assertEqual(order.held(1, torch.float32, 1).item(), 0)
        x, order = rows(lambda x: x.expand(2, 3).clone(), (), (2, 3))
        order.run()
        self.assertTrue(torch.equal(order.held(1, torch.float32, 6), torch.zeros(6)))

    def test_any_other_form_is_refused(self):
        for what, function in (("2 results", lambda x: (x, x)), ("is a list", lambda x: ([],)), ("has the type", lambda x: x.long()),
                               ("has the shape", lambda x: x.t())):
            _, order = rows(function)
            with self.assertRaisesRegex(driver.WrongForm, what):
                order.run()
        _, order = rows(None)
        order.caller.function = lambda x: torch.frombuffer(order.memory, dtype=torch.float32, count=6, offset=order.offsets[1]).view(2, 3)
        with self.assertRaisesRegex(driver.WrongForm, "where nobody was sent"):
            order.run()

    def test_its_own_work_is_little(self):
        """A candidate can leave it out, so it must be small: about three times what one input's view needs at least (it was seven
        times). The least of many rounds, taken in turns."""
        result = torch.zeros(32, 64)
        _, order = rows(lambda x: result, (32, 64), (32, 64))
        view, run, table = torch.frombuffer, driver.Caller.run, order.table
        least = {"view": 1e9, "call": 1e9}
        with torch.no_grad():
            for _ in range(60):
                start = time.perf_counter()
                for _ in range(500):
                    view(order.memory, dtype=torch.float32, count=2048, offset=4096).as_strided_((32, 64), (64, 1))
                middle = time.perf_counter()
                for _ in range(500):
                    run(order.caller, table, PLACE)
                end = time.perf_counter()
                least["view"], least["call"] = min(least["view"], middle - start), min(least["call"], end - middle)
        print(f"the driver's own work: {least['call'] / least['view']:.2f} times one view")
        self.assertLess(least["call"], 4.5 * least["view"])


class EightBits(unittest.TestCase):
    def test_what_was_rounded_is_remembered_where_it_was(self):
        # On a device its copy once lay in the host's memory: no truth in wider arithmetic came of any reference there.
        mode = float8.Widened()
        source = torch.empty((4, 8), dtype=torch.float64, device="meta")
        mode.remembered(torch.empty((4, 8), dtype=torch.float8_e4m3fn, device="meta"), source)
        ((_, before),) = mode.made.values()
        self.assertEqual(before.device, source.device)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
