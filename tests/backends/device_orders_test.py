#!/usr/bin/env python3
"""Orders of a fork that works on a device (backends/torch-cuda/device_orders.py), on host memory and without a judge: what lies where a call
made it, and what is copied."""
import mmap
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "backends"
sys.path[:0] = [str(FOLDER / "torch-cpu"), str(FOLDER / "torch-cuda")]
import torch  # noqa: E402

import captures  # noqa: E402
import cuda_device  # noqa: E402
import device_orders  # noqa: E402
import driver  # noqa: E402

LINES = ["tensor in f32 4 1", "tensor inout f32 4 1", "tensor out f32 4 1", "order tt"]
N, ROOM = 5, 64


class Device:
    """Whatever memory a result has lies in the arena, at an address of its own."""
    name = "cpu"

    def __init__(self):
        self.memory = mmap.mmap(-1, 1 << 16)
        self.judged, self.base = len(self.memory), torch.frombuffer(self.memory, dtype=torch.uint8).data_ptr()

    def bytes(self, offset, size):
        return torch.frombuffer(self.memory, dtype=torch.uint8, count=size, offset=offset)

    def place_of(self, tensor):
        return tensor.data_ptr()

    def wait(self):
        pass


class Precision(unittest.TestCase):
    def test_bug_a_convolution_of_the_reference_rounded_to_tf32(self):
        torch.backends.cudnn.allow_tf32 = True
        cuda_device.full_precision()
        products = torch.backends.cuda.matmul
        self.assertFalse(torch.backends.cudnn.allow_tf32 or products.allow_tf32)
        self.assertFalse(products.allow_bf16_reduced_precision_reduction or products.allow_fp16_reduced_precision_reduction)


class Page:
    """The order's values; what was published."""

    def __init__(self, rows):
        self.rows, self.places = rows, None

    def values(self, count):
        return tuple(v for row in self.rows for v in row)[:count]

    def publish(self, places):
        self.places = list(places)


def order(function, calls):
    """Sums, and y of each call: of a kernel that adds x to s and returns y."""
    device = Device()
    rows = [[ROOM * 3 * c, ROOM * (3 * c + 1), ROOM * (3 * c + 2), N, N, N] for c in range(calls)]  # tensors, then their extents
    page = Page(rows)
    caller = device_orders.Caller(driver.Payload(("\n".join(LINES) + "\n\n").encode()), device, page)
    caller.function = function
    at = lambda c, t: device.bytes(rows[c][t], 4 * N).view(torch.float32)  # noqa: E731
    caller.prepare(calls, 3, 3, False)
    for c in range(calls):
        at(c, 0).copy_(torch.arange(N) + 10.0 * c)
        at(c, 1).fill_(float(c))
    caller.run()
    read = lambda c: at(c, 2).clone() if page.places[3 * c + 2] == rows[c][2] else caller.kept[c].clone()  # noqa: E731
    return [(at(c, 1).clone(), read(c)) for c in range(calls)], caller


class Orders(unittest.TestCase):
    def right(self, found):
        for c, (sums, y) in enumerate(found):
            x = torch.arange(N) + 10.0 * c
            self.assertTrue(torch.equal(sums, x + c), (c, sums))
            self.assertTrue(torch.equal(y, 2 * (x + c)), (c, y))

    def test_results_stay_where_they_were_made(self):
        found, caller = order(lambda x, s: 2 * s.add_(x), 3)
        self.right(found)
        self.assertFalse(caller.copies)

    def test_bug_a_second_pass_added_to_what_the_first_had_changed(self):
        """One buffer for the results of all calls: they are called once more, with copies, on tensors as they were."""
        buffer = torch.empty(N)
        found, caller = order(lambda x, s: torch.mul(s.add_(x), 2, out=buffer), 3)
        self.assertTrue(caller.copies)
        self.right(found)


class Copies(unittest.TestCase):
    def test_bug_the_truth_took_what_lay_there_before_its_inputs_came(self):
        """In bf16: an argument in double precision is a copy."""
        device, page = Device(), Page([[0, ROOM, N, N]])
        payload = driver.Payload(b"tensor in bf16 2 1\ntensor out bf16 2 1\norder t\nwide 1\n\n")
        caller = device_orders.Caller(payload, device, page)
        caller.function = lambda x: x * x
        x, y = (device.bytes(at, 2 * N).view(torch.bfloat16) for at in (0, ROOM))
        x.fill_(7)
        caller.prepare(1, 2, 2, False)
        x.copy_(torch.arange(N))
        caller.run()
        self.assertEqual(y.tolist(), [0, 1, 4, 9, 16])


class Graph:
    """As PyTorch's: what is called meanwhile is captured, and runs when it is replayed."""

    def capture_begin(self, pool=None, capture_error_mode="global"):
        pass

    def capture_end(self):
        pass

    def replay(self):
        pass


class Derived(Graph):
    def capture_begin(self, *arguments, **named):
        super().capture_begin(*arguments, **named)


class Captured(unittest.TestCase):
    def setUp(self):
        names = "capture_begin", "capture_end", "replay"
        was = {name: getattr(Graph, name) for name in names}
        self.addCleanup(lambda: [setattr(Graph, name, function) for name, function in was.items()])
        self.profiling = False
        self.watched = captures.Captures(Graph, lambda: self.profiling)

    def captured(self, function):
        graph = Derived()
        graph.capture_begin(capture_error_mode="thread_local")
        function(torch.ones(4, 4))
        graph.capture_end()
        return graph

    def rows(self):
        lines = self.watched.lines()
        return [line.split()[2] for line in lines if line.startswith("within ")], [line for line in lines if line.startswith("captured ")]

    def test_what_a_replayed_graph_holds_is_told(self):
        softmax, _ = self.captured(lambda x: torch.softmax(x, 1)), self.captured(torch.exp)
        self.assertEqual(self.rows(), ([], []))  # of none that was not replayed
        softmax.replay()
        softmax.replay()
        names, took = self.rows()
        self.assertIn("aten::softmax", names)
        self.assertNotIn("aten::exp", names)
        self.assertEqual(len(took), 1)
        self.assertGreater(float(took[0].split()[1]), 0)
        self.assertEqual(self.rows(), ([], []))  # of the next call

    def test_what_a_profiler_sees_itself_is_not_told_twice(self):
        self.profiling = True
        graph = self.captured(torch.exp)
        graph.replay()
        self.assertEqual(self.rows(), ([], []))

    def test_more_captures_than_are_looked_into_do_no_harm(self):
        for _ in range(captures.MOST + 2):
            graph = self.captured(torch.exp)
        graph.replay()
        self.assertEqual(self.rows(), ([], []))


class Builds(unittest.TestCase):
    def test_pytorch_must_have_code_for_the_device(self):
        cuda_device.require_code_for((9, 0), ["sm_80", "sm_90"])
        cuda_device.require_code_for((8, 9), ["sm_80"])
        cuda_device.require_code_for((12, 0), ["sm_90a", "compute_90"])
        for built_for in (["sm_80"], ["sm_100"], ["compute_100"], []):
            with self.assertRaisesRegex(RuntimeError, r"has no code for this device \(sm_90\), only for .*; install a build that has"):
                cuda_device.require_code_for((9, 0), built_for)


if __name__ == "__main__":
    unittest.main()
