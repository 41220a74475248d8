"""redteam
trick = "says that it is loaded and done while it is read, then leaves"
entries = ["F2"]
accept = ["cheating_suspected", "crashed", "build_failed"]
"""
import os
import struct

for order, what in ((0, 3), (1, 4), (2, 4), (3, 4)):
    os.write(5, struct.pack("<QIIQ", order, what, 0, 1))
os._exit(0)
