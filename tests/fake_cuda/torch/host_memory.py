"""In place of cuda_device.py where the device is host memory: the arena is a file, tensors are the CPU's, and a graph is a list of calls that
are made when it is replayed. Results are brought to the arena's second part, as if they had been made there. It shows that page, orders,
files and verdicts fit together, and nothing about a device."""
import contextlib
import mmap
import os

import torch

import device_orders


class Device:
    name = "cpu"

    def __init__(self, descriptor, judged, size):
        self.judged, self.size = judged, size
        self.memory = mmap.mmap(descriptor, size, mmap.MAP_SHARED)
        os.close(descriptor)
        self.base = torch.frombuffer(self.memory, dtype=torch.uint8).data_ptr()
        self.next = judged

    def results_in_arena(self):
        return contextlib.nullcontext()

    def bytes(self, offset, size):
        return torch.frombuffer(self.memory, dtype=torch.uint8, count=size, offset=offset)

    def place_of(self, tensor):
        size = tensor.numel() * tensor.itemsize
        if self.next + size > self.size:
            self.next = self.judged
        if self.next + size > self.size:
            return None
        place, self.next = self.next, self.next + size
        self.bytes(place, size).view(tensor.dtype).copy_(tensor.reshape(-1))
        return place

    def nothing(self):
        pass

    def wait(self):
        pass

    def prime(self):
        pass

    def capture(self, calls):
        return calls


def warm_up(observers):
    device_orders.DEVICE = Device
