"""Says of a candidate how long its text is, as if that were its registers."""

import sys

with open(sys.argv[1]) as candidate, open(sys.argv[-1], "w") as out:
    print("static.sm_90.kernel.registers =", len(candidate.read()), file=out)
