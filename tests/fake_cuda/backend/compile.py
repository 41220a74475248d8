"""Packs a device_object (backends/evidence/device_object.hpp) from a text: `kernel NAME`, `grid EXPRESSION`, `block EXPRESSION`."""

import struct
import sys


def text(s):
    data = s.encode()
    return b"\xdb" + struct.pack(">I", len(data)) + data


def row(*items):
    return bytes([0x90 + len(items)]) + b"".join(items)


words = dict(line.split(maxsplit=1) for line in open(sys.argv[1]) if line.strip())
if "kernel" not in words:
    sys.exit("candidate.cu:1: error: no kernel is named")
words = {k: v.strip() for k, v in words.items()}
launch = row(text(words["kernel"]), row(text(words.get("grid", "ceildiv(N, 256)"))), row(text(words.get("block", "256"))), text("0"))
with open(sys.argv[2], "wb") as out:
    out.write(row(text("sm_90"), row(launch), text(words["kernel"] + "\n\0"), text("")))
